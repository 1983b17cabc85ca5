/**
 * How many points a frame may draw, learned from how long frames take: few while the map is moved, so that it
 * follows the pointer; many while it rests, as each frame has a cost of its own whatever it draws.
 */

/** @typedef {{slow: number, quick: number, fewest: number, first: number, growth: number}} Pace milliseconds, points */

/** @type {Pace} */
const MOVING = { slow: 24, quick: 18, fewest: 5_000, first: 20_000, growth: 1.08 };
/** @type {Pace} */
const RESTING = { slow: 90, quick: 60, fewest: 10_000, first: 30_000, growth: 1.4 };
const SHRINKAGE = 0.85;
const LONGEST = 250; // what is longer was another program, or a window that was not seen

class Limit {
  /** @param {number} nRows @param {Pace} pace */
  constructor(nRows, pace) {
    this.nRows = nRows;
    this.pace = pace;
    this.points = Math.min(nRows, pace.first);
    this.average = pace.quick;
  }

  /** @param {number} gap milliseconds that a frame of this limit took */
  learn(gap) {
    const { slow, quick, fewest, growth } = this.pace;
    this.average += (gap - this.average) * 0.25;
    if (this.average > slow) this.points = Math.max(Math.min(fewest, this.nRows), Math.round(this.points * SHRINKAGE));
    else if (this.average < quick) this.points = Math.min(this.nRows, Math.round(this.points * growth));
  }
}

export class FrameBudget {
  /** @param {number} nRows */
  constructor(nRows) {
    this.limits = { moving: new Limit(nRows, MOVING), resting: new Limit(nRows, RESTING) };
    this.last = { now: 0, moving: false };
  }

  /**
   * @param {number} now
   * @param {boolean} moving whether the camera or the rows move
   * @param {boolean} following whether the frame before asked for this one: only then time tells what it cost
   * @returns {number} points of this frame
   */
  points(now, moving, following) {
    const limit = moving ? this.limits.moving : this.limits.resting;
    if (following && this.last.moving === moving) limit.learn(Math.min(LONGEST, now - this.last.now));
    this.last = { now, moving };
    return limit.points;
  }
}
