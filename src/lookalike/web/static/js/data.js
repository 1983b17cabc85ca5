/** Arrays of the session, each fetched once and kept until it changes. */

import * as api from "./api.js";

const BY_WIDTH = { 1: "uint8", 2: "uint16", 4: "int32" };
const MISSING = { uint8: 255, uint16: 65535, int32: -1 };

export class Data {
  /** @param {Object} session */
  constructor(session) {
    this.session = session;
    this.cache = new Map();
  }

  #once(key, load) {
    if (!this.cache.has(key)) {
      const promise = load();
      this.cache.set(key, promise);
      promise.catch(() => this.cache.delete(key));
    }
    return this.cache.get(key);
  }

  /** Labels changed: what depends on them is fetched again when it is next shown. */
  forgetLabels() {
    for (const key of [...this.cache.keys()])
      if (!key.startsWith("map:") && !key.startsWith("color:column:")) this.cache.delete(key);
  }

  /** @param {string} id @returns {Object|undefined} description of a color */
  about(id) {
    return this.session.colors.find((color) => color.id === id);
  }

  /** @param {string} id */
  color(id) {
    return this.#once(`color:${id}`, () => api.array(`colors/${api.part(id)}`, this.about(id).dtype));
  }

  /** Positions on a map of the server. @param {string} id @returns {Promise<Float32Array>} */
  map(id) {
    return this.#once(`map:${id}`, () => api.array(`maps/${api.part(id)}`, "float32"));
  }

  /** What a plane that the session does not list keeps of the neighborhoods. @param {string} id */
  measures(id) {
    return this.#once(`map:measures:${id}`, async () => (await api.get(`maps/${api.part(id)}/measures`)).measures);
  }

  /** The dense areas of a map, with their names. @param {string} id */
  areas(id) {
    return this.#once(`map:areas:${id}`, async () => (await api.get(`maps/${api.part(id)}/areas`)).areas);
  }

  /** Leave-one-out predictions at K: codes of classes, or numbers. @param {number} k */
  predictedAt(k) {
    return this.#once(`k:${k}`, async () => {
      const bytes = await api.array(`k/${k}/predicted`, "uint8");
      const width = bytes.length / this.session.n_rows;
      const dtype = this.session.task === "regression" ? "float32" : BY_WIDTH[width];
      const kinds = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, float32: Float32Array };
      return { values: new kinds[dtype](bytes.buffer), dtype };
    });
  }

  /**
   * Values of the points for a color: codes, or numbers in 0..1; -1 is missing.
   * @param {string} id @param {number} k
   * @returns {Promise<{values: Float32Array, about: Object, range: [number, number]|null, k: number|null}>}
   */
  async valuesOf(id, k) {
    const about = this.about(id);
    const atK =
      k !== this.session.k?.selected &&
      this.session.task === "classification" &&
      (id === "predicted" || id === "error");
    if (atK) return { values: await this.#valuesAtK(id, k), about, range: null, k };
    const raw = await this.color(id);
    if (about.kind === "number") return { ...scaled(raw), about, k: null };
    const missing = MISSING[about.dtype];
    return { values: codesOf(raw, missing), about, range: null, k: null };
  }

  async #valuesAtK(id, k) {
    const { values, dtype } = await this.predictedAt(k);
    if (id === "predicted") return codesOf(values, MISSING[dtype]);
    const labels = await this.color("label");
    const missing = MISSING[this.about("label").dtype];
    return Float32Array.from(values, (code, row) => (labels[row] === missing ? -1 : Number(code !== labels[row])));
  }
}

/**
 * Codes with -1 where one is missing; a loop, as a million calls would be felt.
 * @param {any} raw
 * @param {number} missing
 */
function codesOf(raw, missing) {
  const codes = new Float32Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) codes[i] = raw[i] === missing ? -1 : raw[i];
  return codes;
}

function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/**
 * Numbers in 0..1 between the first and the 99th percentile, so that one outlier takes no color.
 * @returns {{values: Float32Array, range: [number, number]}}
 */
function scaled(raw) {
  const step = Math.max(1, Math.floor(raw.length / 20_000));
  const sample = [];
  for (let i = 0; i < raw.length; i += step) if (Number.isFinite(raw[i])) sample.push(raw[i]);
  sample.sort((a, b) => a - b);
  let low = sample[Math.floor(0.01 * (sample.length - 1))] ?? 0;
  let high = sample[Math.ceil(0.99 * (sample.length - 1))] ?? 1;
  if (low === high) [low, high] = rangeOf(raw);
  const span = high > low ? high - low : 1;
  const values = new Float32Array(raw.length);
  for (let i = 0; i < raw.length; i += 1)
    values[i] = Number.isFinite(raw[i]) ? Math.min(1, Math.max(0, (raw[i] - low) / span)) : -1;
  return { values, range: [low, high] };
}
