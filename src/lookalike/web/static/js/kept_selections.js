/** Selections that were kept under a name, in this browser: for the next visit, and to be combined with others. */

import { h } from "./dom.js";
import { count } from "./format.js";
import { announce } from "./controls/messages.js";
import * as api from "./api.js";

const MOST_KEPT = 30; // the oldest gives way

/** @typedef {{title: string, mask: string, n: number, origin: string}} Kept */

export class KeptSelections {
  /** @param {string} name of the data @param {number} nRows */
  constructor(name, nRows) {
    this.key = `lookalike.kept.${name}.${nRows}`;
    this.nRows = nRows;
    /** @type {Kept[]} */
    this.kept = remembered(this.key);
    this.listeners = [];
  }

  on(listener) {
    this.listeners.push(listener);
  }

  /** @param {{title: string, rows: number[], origin: string}} selection */
  keep({ title, rows, origin }) {
    const one = { title, mask: api.maskOf(rows, this.nRows), n: rows.length, origin };
    this.kept = [...this.kept.filter((other) => other.title !== title), one].slice(-MOST_KEPT);
    announce(`Kept ${title}`);
    this.#changed();
  }

  /** @param {Kept} one */
  forget(one) {
    this.kept = this.kept.filter((other) => other !== one);
    this.#changed();
  }

  #changed() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.kept));
    } catch {
      // without storage, or without room in it, they are kept until the page is closed
    }
    for (const listener of this.listeners) listener();
  }

  /**
   * The kept selections, to be selected, or combined with the present one.
   * @param {import("./selection.js").Selection} selection
   */
  list(selection) {
    if (!this.kept.length) return null;
    const rowsOf = ({ mask }) => api.rowsOf(mask).filter((row) => row < this.nRows);
    const act = (text, label, run) =>
      h("button", { type: "button", class: "link", "aria-label": label, on: { click: run } }, text);
    const line = (one) =>
      h(
        "li",
        {},
        h(
          "span",
          { class: "name" },
          act(one.title, `Select ${one.title}`, () => selection.set(one.title, rowsOf(one), one.origin || undefined)),
          h("span", { class: "note" }, ` ${count(one.n)}`),
        ),
        selection.rows.length > 0 && [
          act("add", `Add ${one.title}`, () => selection.combine(one.title, rowsOf(one), "add")),
          act("intersect", `Intersect with ${one.title}`, () => selection.combine(one.title, rowsOf(one), "intersect")),
        ],
        act("×", `Forget ${one.title}`, () => this.forget(one)),
      );
    return h("section", {}, h("h3", {}, "Kept selections"), h("ul", { class: "kept" }, this.kept.map(line)));
  }
}

/** @param {string} key @returns {Kept[]} */
function remembered(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}
