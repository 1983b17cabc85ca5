/** A question mark beside a term: what the term means, shown on demand. */

import { h } from "../dom.js";

const MEANINGS = {
  harm:
    "How many leave-one-out errors of other rows would go away if this row had the suggested label, less " +
    "those that would come. The queue begins with the most harmful label.",
  vote:
    "Each of the K nearest rows votes for its own label; near rows may count more. The margin is the " +
    "lead of the winner over the second: a small one means that one changed label can flip the " +
    "prediction.",
  trustworthiness:
    "Whether rows that are near on the map are near in the original space (1: all of them). Continuity: " +
    "whether rows that are near in the original space stay near on the map. Neighbor preservation: the " +
    "share of the nearest rows that are nearest on the map as well.",
  "leave-one-out error":
    "Each training row is predicted by its K nearest other rows, never by itself; this is the share that " +
    "is wrong. The held-out error of the selected model is another figure: it is at the top.",
  "effect size":
    "The difference between the selection and all other rows, in standard deviations of all rows: 0.2 is " +
    "small, 0.8 is large. Categories and words count as 0 and 1.",
};

/** @param {keyof typeof MEANINGS} term @returns {HTMLElement} */
export function hint(term) {
  const details = /** @type {HTMLDetailsElement} */ (
    h(
      "details",
      { class: "hint" },
      h("summary", { "aria-label": `What is ${term}?`, title: `What is ${term}?` }, "?"),
      h("p", {}, MEANINGS[term]),
    )
  );
  const close = () => (details.open = false);
  details.addEventListener("focusout", (event) => {
    if (!details.contains(/** @type {Node|null} */ (event.relatedTarget))) close();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    close();
    event.stopPropagation();
  });
  return details;
}
