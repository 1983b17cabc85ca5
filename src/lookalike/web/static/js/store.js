/** What the page shows at this moment, and who wants to hear of changes. */

/**
 * How a change is made; replace: no new entry in the history, instant: without motion.
 * @typedef {{quiet?: boolean, replace?: boolean, instant?: boolean}} How
 */

/**
 * @typedef {Object} State
 * @property {string} map id of the map
 * @property {string} color id
 * @property {number} k
 * @property {number|null} row selected row
 * @property {string} select how the selection is made, "" without one that can be made again
 * @property {boolean} table whether the table of rows is open
 * @property {string} tab of the side panel
 * @property {number[]} hidden codes of the classes that are not drawn
 * @property {{x: number, y: number, zoom: number}|null} view null: everything fits
 * @property {boolean} regions whether decision regions are drawn
 * @property {boolean} contours whether lines of equal density are drawn
 * @property {boolean} names whether the dense areas of the map are named
 * @property {boolean} panel whether the side panel is open
 */

export class Store {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.listeners = [];
  }

  /**
   * Change some entries; listeners of entries that differ are called.
   * @param {Partial<State>} patch
   * @param {How} [how]
   */
  set(patch, how = {}) {
    const before = this.state;
    const changed = Object.keys(patch).filter((key) => !same(before[key], patch[key]));
    if (changed.length === 0) return;
    this.state = { ...before, ...patch };
    for (const [keys, listener] of this.listeners) {
      if (keys === null || keys.some((key) => changed.includes(key))) listener(this.state, before, how);
    }
  }

  /**
   * @param {string[]|null} keys null: all
   * @param {(state: State, before: State, how: How) => void} listener
   */
  on(keys, listener) {
    this.listeners.push([keys, listener]);
  }
}

function same(a, b) {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
