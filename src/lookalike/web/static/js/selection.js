/**
 * A set of rows: from a lasso, a search, a condition, a cell of the confusion matrix. It can be kept in the
 * address.
 */

import * as api from "./api.js";

const MOST_IN_ADDRESS = 300; // rows that are named one by one
const REMEMBERED = "lookalike.selection."; // before its number, in the storage of the window
const SENT_AS_ROWS = 2000; // more are sent as a bitmask
const MANY_ROWS = 200_000; // from which on a page would be felt to stand still

export class Selection {
  /** @param {number} nRows */
  constructor(nRows) {
    this.nRows = nRows;
    /** @type {number[]} */
    this.rows = [];
    this.title = "";
    /** @type {Uint8Array|null} one per row */
    this.mask = null;
    /** How it is made again, for the address; "" where it cannot be. */
    this.origin = "";
    /** @type {string|null} the mask in base64, once it was asked for */
    this.bits = null;
    this.listeners = [];
    this.turn = 0; // of calling the listeners
    this.ask = api.latest((signal, body) => api.post("selection", body, signal));
  }

  on(listener) {
    this.listeners.push(listener);
  }

  /** @param {string} title @param {number[]} rows @param {string} [origin] */
  set(title, rows, origin) {
    this.title = title;
    this.rows = rows;
    this.bits = null;
    this.origin = origin ?? this.#originOf(title, rows);
    this.mask = rows.length ? new Uint8Array(this.nRows) : null;
    for (const row of rows) this.mask[row] = 1;
    this.#tell();
  }

  /** Call the listeners; with many rows each in a task of its own, so that the page never stands still. */
  #tell() {
    const turn = ++this.turn;
    if (this.nRows < MANY_ROWS) {
      for (const listener of this.listeners) listener(this);
      return;
    }
    for (const listener of this.listeners) setTimeout(() => turn === this.turn && listener(this));
  }

  /** The rows as a bitmask in base64, made once. @returns {string} */
  get bitmask() {
    this.bits ??= api.maskOf(this.rows, this.nRows);
    return this.bits;
  }

  /** Few rows are named in the address; more are remembered by this window, under a number. */
  #originOf(title, rows) {
    if (rows.length <= MOST_IN_ADDRESS) return rows.length ? `rows:${rows.join(".")}` : "";
    const mask = this.bitmask;
    const key = `${rows.length}-${hashOf(mask)}`;
    try {
      sessionStorage.setItem(`${REMEMBERED}${key}`, JSON.stringify({ title, mask }));
      return `kept:${key}`;
    } catch {
      return ""; // without storage, or without room in it
    }
  }

  /** @param {string} title */
  rename(title) {
    this.set(title, this.rows, this.origin.startsWith("kept:") ? undefined : this.origin);
  }

  clear() {
    if (this.rows.length || this.title) this.set("", []);
  }

  /** All rows but these. */
  invert() {
    const others = [];
    for (let row = 0; row < this.nRows; row += 1) if (!this.mask?.[row]) others.push(row);
    this.set(`All but: ${this.title}`, others);
  }

  /**
   * The rows of this and of another set.
   * @param {string} title
   * @param {number[]} rows
   * @param {"add"|"intersect"} how
   */
  combine(title, rows, how) {
    const other = new Set(rows);
    if (how === "intersect") {
      const both = this.rows.filter((row) => other.has(row));
      this.set(`${this.title} and ${title}`, both);
      return;
    }
    for (const row of this.rows) other.add(row);
    this.set(
      `${this.title} or ${title}`,
      [...other].sort((a, b) => a - b),
    );
  }

  /** Compare the rows with all others. */
  summary() {
    return this.ask(this.body());
  }

  /** The rows as a request names them. */
  body() {
    return this.rows.length <= SENT_AS_ROWS ? { rows: this.rows } : { mask: this.bitmask };
  }

  /** Make a selection again from the address. @param {string} origin */
  async restore(origin) {
    const [kind, text] = [origin.slice(0, origin.indexOf(":")), origin.slice(origin.indexOf(":") + 1)];
    if (kind === "rows") {
      const rows = text
        .split(".")
        .map(Number)
        .filter((row) => Number.isInteger(row) && row >= 0 && row < this.nRows);
      this.set(`${rows.length} rows`, rows, origin);
    } else if (kind === "kept") {
      const kept = JSON.parse(sessionStorage.getItem(`${REMEMBERED}${text}`) ?? "null");
      if (!kept) throw new Error("The selection of this address was drawn in another window. Select the rows again.");
      this.set(
        kept.title,
        api.rowsOf(kept.mask).filter((row) => row < this.nRows),
        origin,
      );
    } else if (kind === "where") {
      const found = await api.get(`where?condition=${api.part(text)}`);
      this.set(text, api.rowsOf(found.mask), origin);
    } else if (kind === "label" || kind === "text") {
      const found = await api.get(`search?q=${api.part(text)}&kind=${kind}`);
      this.set(titleOf(kind, text), found.mask ? api.rowsOf(found.mask) : found.rows, origin);
    }
  }
}

/** @param {string} kind @param {string} text */
export function titleOf(kind, text) {
  return `${kind === "label" ? "Label" : "Text"} “${text}”`;
}

/** A number that tells texts apart. @param {string} text */
function hashOf(text) {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash;
}
