/** How many points a frame may draw, learned from how long frames take. */

const SLOW = 24; // milliseconds
const QUICK = 18;
const FEWEST = 5_000;
const PAUSE = 250; // a longer gap says nothing about the frame

export class FrameBudget {
  /** @param {number} nRows */
  constructor(nRows) {
    this.nRows = nRows;
    this.limit = Math.min(nRows, 20_000);
    this.last = 0;
    this.average = QUICK;
  }

  /** @param {number} now @returns {number} points of this frame */
  points(now) {
    const gap = now - this.last;
    this.last = now;
    if (gap <= 0 || gap > PAUSE) return this.limit;
    this.average += (gap - this.average) * 0.25;
    if (this.average > SLOW) this.limit = Math.max(Math.min(FEWEST, this.nRows), Math.round(this.limit * 0.85));
    else if (this.average < QUICK) this.limit = Math.min(this.nRows, Math.round(this.limit * 1.08));
    return this.limit;
  }
}
