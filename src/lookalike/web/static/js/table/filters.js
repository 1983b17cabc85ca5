/** Conditions on columns as text: those of histograms, joined with the one that was typed. */

/** A name as a condition writes it. @param {string} name */
export function quoted(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
}

/**
 * The condition that rows are in some bars of a column.
 * @param {string} name of the column
 * @param {{kind: string, bars: [any, any][]}} histogram
 * @param {number} first @param {number} last bars, both included
 */
export function conditionOf(name, { kind, bars }, first, last) {
  const column = quoted(name);
  const chosen = bars.slice(first, last + 1);
  if (kind === "category") {
    const values = chosen.map(([value]) => JSON.stringify(value));
    return values.length === 1 ? `${column} == ${values[0]}` : `${column} in [${values.join(", ")}]`;
  }
  const [low, beyondFirst] = chosen[0];
  const [beginOfLast, high] = chosen[chosen.length - 1];
  const single = low !== null && low === beyondFirst;
  if (single && first === last) return `${column} == ${low}`;
  const parts = [
    low !== null && `${column} >= ${low}`,
    high !== null && `${column} ${high === beginOfLast ? "<=" : "<"} ${high}`,
  ];
  return parts.filter(Boolean).join(" and ") || `${column} == ${column}`;
}

/** Conditions that hold together. @param {string[]} conditions */
export function joined(conditions) {
  const known = conditions.map((one) => one.trim()).filter(Boolean);
  return known.map((one) => (known.length > 1 && /\bor\b/.test(one) ? `(${one})` : one)).join(" and ");
}
