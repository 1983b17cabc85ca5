/** The order in which points are drawn: shuffled, so that no class lies above the others. */

/**
 * @param {number} n
 * @param {number} [seed]
 * @returns {Uint32Array} the same for the same n
 */
export function shuffledOrder(n, seed = 0x9e3779b9) {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) order[i] = i;
  let word = seed;
  for (let i = n - 1; i > 0; i -= 1) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    const j = (word >>> 0) % (i + 1);
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

/**
 * Entries of an array in drawing order.
 * @template {Float32Array|Uint8Array} T
 * @param {T} values @param {Uint32Array} order @param {number} width entries per row
 * @returns {T}
 */
export function gathered(values, order, width) {
  const Typed = /** @type {new (length: number) => T} */ (values.constructor);
  const out = new Typed(order.length * width);
  for (let slot = 0; slot < order.length; slot += 1) {
    for (let c = 0; c < width; c += 1) out[slot * width + c] = values[order[slot] * width + c];
  }
  return out;
}
