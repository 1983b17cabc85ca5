/** Lines of the table of rows, asked for a page at a time and kept. */

import * as api from "../api.js";

const PAGE_LINES = 200;
const PAGES_KEPT = 40;

export class Pages {
  /** @param {{sort: string, descending: boolean, mask: string|null}} order @param {() => void} arrived */
  constructor(order, arrived) {
    this.order = order;
    this.arrived = arrived;
    this.total = 0;
    /** @type {Map<number, {rows: number[], lines: any[][]}|null>} null: under way */
    this.pages = new Map();
  }

  /** The line at a place; null while it is under way. @param {number} place */
  line(place) {
    const number = Math.floor(place / PAGE_LINES);
    const page = this.pages.get(number);
    if (page === undefined) this.load(number);
    const at = place - number * PAGE_LINES;
    return page && at < page.rows.length ? { row: page.rows[at], cells: page.lines[at] } : null;
  }

  /** @param {number} number of the page */
  async load(number) {
    this.pages.set(number, null);
    if (this.pages.size > PAGES_KEPT) this.pages.delete(this.pages.keys().next().value);
    try {
      const found = await api.post("table", { ...this.order, begin: number * PAGE_LINES, count: PAGE_LINES });
      this.total = found.total;
      this.pages.set(number, found);
      this.arrived();
    } catch (error) {
      this.pages.delete(number);
      throw error;
    }
  }
}
