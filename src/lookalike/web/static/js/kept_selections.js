/** Selections that were kept, to be combined with others while the page is open. */

import { h } from "./dom.js";
import { count } from "./format.js";
import { announce } from "./controls/messages.js";

export class KeptSelections {
  constructor() {
    /** @type {{title: string, rows: number[]}[]} */
    this.kept = [];
    this.listeners = [];
  }

  on(listener) {
    this.listeners.push(listener);
  }

  /** @param {{title: string, rows: number[]}} selection */
  keep({ title, rows }) {
    this.kept = [...this.kept.filter((other) => other.title !== title), { title, rows }];
    announce(`Kept ${title}`);
    for (const listener of this.listeners) listener();
  }

  /** Choices to select a kept set, or to combine it with the selection. @param {import("./selection.js").Selection} selection */
  choices(selection) {
    if (!this.kept.length) return null;
    const field = /** @type {HTMLSelectElement} */ (
      h(
        "select",
        { "aria-label": "A kept selection", id: "kept" },
        this.kept.map(({ title, rows }, place) => h("option", { value: place }, `${title} (${count(rows.length)})`)),
      )
    );
    const chosen = () => this.kept[Number(field.value)];
    const act = (text, run) => h("button", { type: "button", on: { click: () => run(chosen()) } }, text);
    return h(
      "div",
      { class: "inline" },
      field,
      act("Select", ({ title, rows }) => selection.set(title, rows)),
      act("Add", ({ title, rows }) => selection.combine(title, rows, "add")),
      act("Intersect", ({ title, rows }) => selection.combine(title, rows, "intersect")),
    );
  }
}
