/** The row or new item that is looked at, with its neighbors and what the map did to them. */

import * as api from "./api.js";

/**
 * @typedef {Object} Subject
 * @property {"row"|"query"} kind
 * @property {number|null} row
 * @property {Object|null} info answer of rows/{i}
 * @property {Object} evidence
 * @property {Object|null} torn
 * @property {Object|null} query what was asked
 */

export class Focus {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    /** @type {Subject|null} */
    this.subject = null;
    this.listeners = [];
    this.rows = new Map();
    this.load = api.latest((signal, row, k) =>
      Promise.all([this.info(row), api.get(`rows/${row}/evidence?k=${k}`, signal)]),
    );
    this.loadTorn = api.latest((signal, map, row, k) => api.get(`maps/${api.part(map)}/torn/${row}?k=${k}`, signal));
    this.ask = api.latest((signal, body) =>
      api.post("query", { ...body, k: app.store.state.k, map: app.store.state.map }, signal),
    );
  }

  on(listener) {
    this.listeners.push(listener);
  }

  #tell() {
    for (const listener of this.listeners) listener(this.subject);
  }

  /** What is known of a row; kept, because hover asks again and again. @param {number} row */
  info(row) {
    if (!this.rows.has(row)) {
      if (this.rows.size > 500) this.rows.delete(this.rows.keys().next().value);
      const promise = api.get(`rows/${row}`);
      this.rows.set(row, promise);
      promise.then(({ pending }) => pending && this.rows.delete(row)).catch(() => this.rows.delete(row));
    }
    return this.rows.get(row);
  }

  forget() {
    this.rows.clear();
  }

  /** @param {number|null} row @param {number} k @param {string} map */
  async show(row, k, map) {
    if (row === null) {
      if (this.subject?.kind === "row") {
        this.subject = null;
        this.#tell();
      }
      return;
    }
    const found = await this.load(row, k);
    if (!found || this.app.store.state.row !== row) return; // closed while it was asked for
    const kept = this.subject?.kind === "row" && this.subject.row === row ? this.subject.torn : null;
    this.subject = { kind: "row", row, info: found[0], evidence: found[1], torn: kept, query: null };
    this.#tell();
    await this.tear(map, k);
  }

  /** Ask which neighbors of the row the map tore away. @param {string} map @param {number} k */
  async tear(map, k) {
    if (this.subject?.kind !== "row") return;
    const torn = await this.loadTorn(map, this.subject.row, k).catch(() => null);
    if (torn === undefined || this.subject?.kind !== "row") return;
    this.subject = { ...this.subject, torn };
    this.#tell();
  }

  /** Predict, explain and place an item that is not in the data. @param {Object} query */
  async query(query) {
    const evidence = await this.ask(query);
    if (!evidence) return;
    this.subject = { kind: "query", row: null, info: null, evidence, torn: null, query };
    this.#tell();
  }

  /** Place the new item on a map that was not asked for before. @param {string} map */
  async place(map) {
    const { kind, evidence, query } = this.subject ?? {};
    if (kind === "query" && !(map in (evidence.maps ?? {}))) await this.query(query);
  }

  clear() {
    this.subject = null;
    this.#tell();
  }
}
