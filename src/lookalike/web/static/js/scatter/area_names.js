/** Names of the dense areas of a map, written on it; as one zooms in, more of them find room. */

import { h, put } from "../dom.js";

/** @typedef {{x: number, y: number, rows: number, name: string}} Area */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

const ROOM = 6; // pixels between two names
const MOST_AT_FIRST = 9; // where all rows are seen
const MOST_AT_ONCE = 40;

export class AreaNames {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {{area: Area, label: HTMLElement, width: number, height: number}[]} */
    this.names = [];
  }

  /** @param {Area[]} areas the most important first */
  set(areas) {
    this.names = areas.map((area) => ({ area, label: h("span", { hidden: true }, area.name), width: 0, height: 0 }));
    put(
      this.host,
      this.names.map(({ label }) => label),
    );
  }

  /** @param {import("./scatter.js").Scatter} scatter @param {boolean} moving rows are on their way to other places */
  draw({ camera }, moving) {
    if (!this.names.length) return;
    for (const name of this.names)
      if (!name.width) {
        name.label.hidden = false; // to be measured once
        [name.width, name.height] = [name.label.offsetWidth, name.label.offsetHeight];
      }
    const shown = moving ? new Set() : placed(this.names, camera);
    for (const name of this.names) {
      name.label.hidden = !shown.has(name);
      if (name.label.hidden) continue;
      const [x, y] = camera.toScreen(name.area.x, name.area.y);
      const [left, top] = [Math.round(x - name.width / 2), Math.round(y - name.height / 2)];
      name.label.style.transform = `translate(${left}px, ${top}px)`;
    }
  }
}

/**
 * The names that have room, in their order: within what no card covers, none over another, none said twice.
 * @template {{area: Area, width: number, height: number}} T
 * @param {T[]} names @param {import("./camera.js").Camera} camera
 * @returns {Set<T>}
 */
export function placed(names, camera) {
  const { insets, width, height } = camera;
  /** @type {Box[]} */
  const taken = [];
  const shown = new Set();
  const said = new Set();
  const most = Math.min(MOST_AT_ONCE, MOST_AT_FIRST * Math.max(1, camera.zoom));
  for (const name of names) {
    if (said.has(name.area.name)) continue;
    const [x, y] = camera.toScreen(name.area.x, name.area.y);
    const [halfX, halfY] = [name.width / 2 + ROOM, name.height / 2 + ROOM];
    const box = { left: x - halfX, right: x + halfX, top: y - halfY, bottom: y + halfY };
    const inside =
      box.left > insets.left - 20 &&
      box.right < width &&
      box.top > insets.top - 20 &&
      box.bottom < height - insets.bottom + 20;
    if (!inside || taken.some((other) => overlap(box, other))) continue;
    taken.push(box);
    shown.add(name);
    said.add(name.area.name);
    if (shown.size >= most) break;
  }
  return shown;
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
