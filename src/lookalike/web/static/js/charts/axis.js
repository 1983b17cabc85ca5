/** Scales and ticks of the charts. */

/**
 * Round values between two ends.
 * @param {number} low @param {number} high @param {number} [wanted]
 * @returns {number[]}
 */
export function ticks(low, high, wanted = 4) {
  const raw = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) * power;
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1)
    out.push(Number((i * step).toPrecision(12)));
  return out;
}

/** @param {[number, number]} from @param {[number, number]} to @param {boolean} [log] */
export function scale(from, to, log = false) {
  const move = log ? Math.log : (value) => value;
  const [low, high] = from.map(move);
  const span = high - low || 1;
  return (value) => to[0] + ((move(value) - low) / span) * (to[1] - to[0]);
}
