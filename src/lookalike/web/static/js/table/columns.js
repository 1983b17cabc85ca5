/** Which columns of the table are shown; the choice is kept for the next time. */

import { h } from "../dom.js";
import { count } from "../format.js";

const FIRST_COLUMNS = 30; // that are shown until others are chosen

export class ShownColumns {
  /** @param {string} name of the data @param {{id: string, name: string}[]} columns @param {() => void} changed */
  constructor(name, columns, changed) {
    this.key = `lookalike.columns.${name}`;
    this.columns = columns;
    this.changed = changed;
    this.ids = new Set(remembered(this.key) ?? columns.slice(0, FIRST_COLUMNS).map(({ id }) => id));
  }

  /** The columns that are shown, with their places in a line. */
  get list() {
    return this.columns.map((column, place) => ({ ...column, place })).filter(({ id }) => this.ids.has(id));
  }

  /** Choices of columns. @returns {HTMLElement} */
  menu() {
    const title = h("summary", {}, this.#title());
    const toggle = (id, shown) => {
      if (shown) this.ids.add(id);
      else this.ids.delete(id);
      title.textContent = this.#title();
      try {
        localStorage.setItem(this.key, JSON.stringify([...this.ids]));
      } catch {
        // without storage the choice holds until the page is closed
      }
      this.changed();
    };
    return h(
      "details",
      { class: "menu" },
      title,
      h(
        "div",
        { class: "choices" },
        this.columns.map(({ id, name }) => {
          const box = h("input", { type: "checkbox", props: { checked: this.ids.has(id) } });
          box.addEventListener("change", () => toggle(id, box.checked));
          return h("label", { class: "check" }, box, name);
        }),
      ),
    );
  }

  #title() {
    return `Columns ${count(this.list.length)} of ${count(this.columns.length)}`;
  }
}

/** @param {string} key @returns {string[]|null} */
function remembered(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
