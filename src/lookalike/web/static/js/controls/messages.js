/** Sentences of the server and of the page, shown until they are closed; and what is read aloud. */

import { responds } from "../api.js";
import { byId, h } from "../dom.js";

/**
 * @param {string} text @param {"error"|"note"} [kind]
 * @param {[string, () => void]|null} [action] a button: what it says, what it does
 */
export function say(text, kind = "note", action = null) {
  const box = byId("messages");
  for (const old of [...box.children]) if (/** @type {HTMLElement} */ (old).dataset.text === text) old.remove();
  const message = h(
    "div",
    { class: `message ${kind}`, "data-text": text },
    h("p", {}, text),
    action &&
      h(
        "button",
        {
          type: "button",
          class: "link",
          on: {
            click: () => {
              message.remove();
              action[1]();
            },
          },
        },
        action[0],
      ),
    h(
      "button",
      { type: "button", class: "plain", "aria-label": "Close this message", on: { click: () => message.remove() } },
      "×",
    ),
  );
  box.append(message);
  while (box.children.length > 3) box.firstChild.remove();
  if (kind === "note" && !action) setTimeout(() => message.remove(), 6000);
}

const NEXT = "lookalike.message";

/** Say it once the page is loaded again. @param {string} text */
export function sayNext(text) {
  try {
    sessionStorage.setItem(NEXT, text);
  } catch {
    // storage is blocked: the page shows the same without the sentence
  }
}

/** Say what was kept before the page was loaded again. */
export function sayKept() {
  try {
    const text = sessionStorage.getItem(NEXT);
    sessionStorage.removeItem(NEXT);
    if (text) say(text);
  } catch {
    // storage is blocked
  }
}

/** @param {Error & {status?: number}} error */
export async function fail(error) {
  if (error?.name === "AbortError") return;
  const unanswered = error?.status === 0 && document.documentElement.dataset.ready === "yes";
  if (unanswered && !(await responds())) return; // the page as a whole says that the server is gone
  say(error?.message || String(error), "error");
}

/** Read aloud by a screen reader. @param {string} text */
export function announce(text) {
  byId("live").textContent = text;
}
