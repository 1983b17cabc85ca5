/** Numbers and rows as they are read: 1,797 · 1.9% · row 12. */

const whole = new Intl.NumberFormat("en-US");

/** @param {number} n */
export function count(n) {
  return whole.format(n);
}

/** @param {number} n @param {string} one @param {string} [many] */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/**
 * A number with up to four significant digits, never in exponent form unless it is tiny.
 * @param {number|null|undefined} value
 */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return minus(whole.format(value));
  if (size >= 1000) return minus(new Intl.NumberFormat("en-US", { maximumFractionDigits: size >= 1e4 ? 0 : 1 }).format(value));
  if (size !== 0 && size < 1e-4) return minus(value.toExponential(2));
  return minus(String(Number(value.toPrecision(4))));
}

/** @param {number|null|undefined} share @param {number} [digits] */
export function percent(share, digits) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  const places = digits ?? 1;
  return minus(`${value.toFixed(places)}%`);
}

/** A share of a chart or its table, with up to two decimals: 1.32%. @param {number|null|undefined} value */
export function share(value) {
  if (!Number.isFinite(value)) return number(value);
  return `${number(Number((value * 100).toFixed(2)))}%`;
}

/** How the figures of a column are written. @param {{shares?: string[]}} panel @param {string} column */
export function figures(panel, column) {
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

/** @param {number} row */
export function rowName(row) {
  return `Row ${count(row)}`;
}

function minus(text) {
  return text.replace("-", "−");
}
