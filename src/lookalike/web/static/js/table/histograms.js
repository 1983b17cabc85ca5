/** Small histograms above the columns: of all rows, and of those that are selected; a bar or several are a filter. */

import * as api from "../api.js";
import { h, put, s } from "../dom.js";
import { cell, count } from "../format.js";

const WIDE = 100;
const HIGH = 26;

/** @typedef {{id: string, kind: string, bars: [any, any][], all: number[], chosen: number[]}} Histogram */

export class Histograms {
  /** @param {(column: string, range: [number, number]|null) => void} filter called with the bars that were chosen */
  constructor(filter) {
    this.filter = filter;
    /** @type {Map<string, HTMLElement>} */
    this.hosts = new Map();
    /** @type {Map<string, Histogram>} */
    this.known = new Map();
    /** @type {Map<string, [number, number]>} bars that are the filter of a column */
    this.ranges = new Map();
    this.ask = api.latest((signal, body) => api.post("histograms", body, signal));
  }

  /** Where the histogram of a column is drawn. @param {{id: string, name: string}} column */
  host(column) {
    if (!this.hosts.has(column.id)) {
      const host = h("div", { class: "histogram" });
      this.#bind(host, column.id);
      this.hosts.set(column.id, host);
    }
    return this.hosts.get(column.id);
  }

  /**
   * Count the rows of a bitmask in the columns.
   * @param {{id: string, name: string}[]} columns
   * @param {string|null} mask
   */
  async load(columns, mask) {
    const found = await this.ask({ columns: columns.map(({ id }) => id), mask });
    if (!found) return;
    for (const one of found) this.known.set(one.id, one);
    for (const column of columns) this.#draw(column);
  }

  /** @param {string} id @param {[number, number]|null} range */
  setRange(id, range) {
    if (range) this.ranges.set(id, range);
    else this.ranges.delete(id);
  }

  clear() {
    this.ranges.clear();
  }

  #draw({ id, name }) {
    const found = this.known.get(id);
    const host = this.host({ id, name });
    if (!found?.bars.length) {
      put(host);
      return;
    }
    const most = Math.max(1, ...found.all);
    const step = WIDE / found.bars.length;
    const bar = (kind, amount, place) => {
      const high = amount ? Math.max(1.5, (HIGH * amount) / most) : 0;
      return s("rect", {
        class: kind,
        x: place * step + 0.4,
        y: HIGH - high,
        width: Math.max(0.6, step - 0.8),
        height: high,
      });
    };
    const range = this.ranges.get(id);
    put(
      host,
      s(
        "svg",
        { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": spoken(name, found) },
        s("title", {}, "Drag over bars, or click one, to filter; click again to show all"),
        range &&
          s("rect", {
            class: "range",
            x: range[0] * step,
            y: 0,
            width: (range[1] - range[0] + 1) * step,
            height: HIGH,
          }),
        found.all.map((amount, place) => bar("all", amount, place)),
        found.chosen.map((amount, place) => bar("chosen", amount, place)),
      ),
    );
  }

  /** @param {HTMLElement} host @param {string} id */
  #bind(host, id) {
    let from = -1;
    const barAt = (event) => {
      const { left, width } = host.getBoundingClientRect();
      const n = this.known.get(id)?.bars.length ?? 0;
      return Math.max(0, Math.min(n - 1, Math.floor(((event.clientX - left) / width) * n)));
    };
    const show = (event) => {
      const to = barAt(event);
      this.ranges.set(id, [Math.min(from, to), Math.max(from, to)]);
      this.#draw({ id, name: "" });
    };
    host.addEventListener("pointerdown", (event) => {
      if (!this.known.get(id)?.bars.length) return;
      const before = this.ranges.get(id);
      from = barAt(event);
      host.setPointerCapture(event.pointerId);
      if (before && before[0] === from && before[1] === from) {
        from = -1;
        this.filter(id, null);
      } else show(event);
      event.preventDefault();
    });
    host.addEventListener("pointermove", (event) => {
      if (from >= 0) show(event);
    });
    const end = () => {
      if (from < 0) return;
      from = -1;
      this.filter(id, this.ranges.get(id));
    };
    host.addEventListener("pointerup", end);
    host.addEventListener("pointercancel", end);
  }
}

/** What a histogram shows, for those who do not see it. @param {string} name @param {Histogram} found */
function spoken(name, { bars, all, chosen }) {
  const largest = chosen.indexOf(Math.max(...chosen));
  const [low, high] = bars[largest];
  const where =
    low === high ? cell(low) : `${low === null ? "less" : cell(low)} to ${high === null ? "more" : cell(high)}`;
  const total = all.reduce((sum, amount) => sum + amount, 0);
  return `${name}: most rows (${count(chosen[largest])} of ${count(total)}) have ${where}`;
}
