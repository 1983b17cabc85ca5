/** A list that is shown a part at a time: a button adds the next part until all of it is there. */

import { h } from "./dom.js";
import { count } from "./format.js";

/**
 * Show the first items now, and others when they are asked for.
 * @template T
 * @param {T[]} items @param {number} page items that come at a time
 * @param {(part: T[]) => void} append shows more of them
 * @returns {HTMLElement|null} the button; null where all are shown
 */
export function showInParts(items, page, append) {
  let shown = page;
  append(items.slice(0, page));
  if (items.length <= page) return null;
  const label = () => `Show more (${count(items.length - shown)})`;
  const more = h("button", { type: "button", class: "link" }, label());
  more.addEventListener("click", () => {
    append(items.slice(shown, shown + page));
    shown += page;
    if (shown >= items.length) more.remove();
    else more.textContent = label();
  });
  return more;
}
