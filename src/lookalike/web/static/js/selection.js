/** A set of rows: from a lasso, a search, a cell of the confusion matrix. */

import * as api from "./api.js";

export class Selection {
  /** @param {number} nRows */
  constructor(nRows) {
    this.nRows = nRows;
    /** @type {number[]} */
    this.rows = [];
    this.title = "";
    /** @type {Uint8Array|null} one per row */
    this.mask = null;
    this.listeners = [];
    this.ask = api.latest((signal, body) => api.post("selection", body, signal));
  }

  on(listener) {
    this.listeners.push(listener);
  }

  /** @param {string} title @param {number[]} rows */
  set(title, rows) {
    this.title = title;
    this.rows = rows;
    this.mask = rows.length ? new Uint8Array(this.nRows) : null;
    for (const row of rows) this.mask[row] = 1;
    for (const listener of this.listeners) listener(this);
  }

  clear() {
    if (this.rows.length || this.title) this.set("", []);
  }

  /** Compare the rows with all others. */
  summary() {
    return this.ask(this.rows.length <= 2000 ? { rows: this.rows } : { mask: api.toBase64(this.#bits()) });
  }

  /** Row i is bit i & 7 of byte i >> 3. */
  #bits() {
    const bits = new Uint8Array(Math.ceil(this.nRows / 8));
    for (const row of this.rows) bits[row >> 3] |= 1 << (row & 7);
    return bits;
  }
}
