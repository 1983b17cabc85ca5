/** Numbers and rows as they are read: 1,797 · 1.9% · row 12. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0, roundingMode: "halfEven" });

/** @param {number} n */
export function count(n) {
  return whole.format(n);
}

/** @param {number} n @param {string} one @param {string} [many] */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/**
 * A number with up to four significant digits, thousands separated, large ones whole.
 * @param {number|null|undefined} value
 */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size >= 1000) return minus(whole.format(value));
  if (size !== 0 && size < 1e-4) return minus(shortExponent(value));
  return minus(String(Number(significant(value)) + 0));
}

/** @param {number|null|undefined} share @param {number} [digits] */
export function percent(share, digits) {
  if (share === null || share === undefined || !Number.isFinite(share)) return number(share);
  const text = fixed(share * 100, digits ?? 1);
  return minus(`${Number(text) === 0 ? text.replace("-", "") : text}%`);
}

/** A share of a chart or its table, with up to two decimals: 1.32%. @param {number|null|undefined} value */
export function share(value) {
  if (!Number.isFinite(value)) return number(value);
  return `${number(Number((value * 100).toFixed(2)))}%`;
}

/** Four significant digits, zeros as well, so that columns of them align. @param {number} value */
function alignedNumber(value) {
  const size = Math.abs(value);
  if (size >= 1000) return number(value);
  if (size !== 0 && size < 1e-4) return minus(value.toExponential(3).replace(/e-(\d)$/, "e-0$1"));
  return minus(significant(value));
}

const FORMATS = {
  text: String,
  flag: (value) => (value ? "yes" : "no"),
  count,
  percent1: percent,
  sig4: number,
  fixed4: alignedNumber,
  decimal3: (value) => minus(fixed(Math.abs(value) < 0.0005 ? 0 : value, 3)),
};

/** A cell by the format code of its column, as Python writes it. @param {string} code @param {any} value */
export function formatted(code, value) {
  if (value === null || value === undefined || value === "") return "–";
  if (!code.startsWith("interval:")) return FORMATS[code](value);
  const kind = code.slice("interval:".length);
  const [low, high] = value.map((/** @type {number} */ end) => FORMATS[kind](end));
  const first = kind === "percent1" ? low.slice(0, -1) : low;
  return value[0] < 0 ? `${first} to ${high}` : `${first}–${high}`;
}

/** Whether a column of a format code holds figures; undefined of no code. @param {string|undefined} code */
export function isNumeric(code) {
  return code && code !== "text" && code !== "flag";
}

/**
 * How the figures of a column are written.
 * @param {{shares?: string[], formats?: Object}} panel
 * @param {string} column
 */
export function figures(panel, column) {
  const code = panel.formats?.[column];
  if (code) return (/** @type {any} */ value) => formatted(code, value);
  return panel.shares?.includes(column) ? share : number;
}

/** A cell of a table: numbers are shortened, all else is shown as it is. @param {any} value */
export function cell(value) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(cell).join(", ");
  return String(value);
}

/** @type {{numbers: Int32Array|null}} of the rows in the data, where some of these were left out */
const data = { numbers: null };

/** Name rows by their numbers in the data from now on. @param {Int32Array} numbers */
export function nameRowsBy(numbers) {
  data.numbers = numbers;
}

/** The number of a row in the data. @param {number} row its place here */
export function rowNumber(row) {
  return count(data.numbers ? data.numbers[row] : row);
}

/** @param {number} row */
export function rowName(row) {
  return `Row ${rowNumber(row)}`;
}

/**
 * Four significant digits without final zeros, and at least two digits of the exponent: 1.2e-07.
 * @param {number} value
 */
function shortExponent(value) {
  const [digits, exponent] = value.toExponential(3).split("e-");
  return `${Number(digits)}e-${exponent.padStart(2, "0")}`;
}

/** @param {string} text */
function minus(text) {
  return text.replaceAll("-", "−");
}

/**
 * A number with some decimals, halves to the even digit as Python rounds.
 * @param {number} value
 * @param {number} digits
 */
function fixed(value, digits) {
  const exact = value.toFixed(60);
  const end = exact.indexOf(".") + 1 + digits;
  const kept = exact.slice(0, digits === 0 ? end - 1 : end);
  const half = /^50*$/.test(exact.slice(end));
  return half && Number(kept.at(-1)) % 2 === 0 ? kept : value.toFixed(digits);
}

/** Four significant digits of a number below 1000, zeros as well. @param {number} value */
function significant(value) {
  if (value === 0) return "0.000";
  const digits = 3 - Number(value.toExponential(15).split("e")[1]);
  const text = fixed(value, digits);
  return Math.abs(Number(text)) >= 10 ** (4 - digits) ? fixed(value, Math.max(0, digits - 1)) : text;
}
