/** Pointer, wheel and two fingers on the map: hover, click, pan, zoom, lasso. */

const STILL = 4; // pixels a press may move and still be a click

/**
 * @typedef {Object} Handlers
 * @property {(x: number, y: number, touch: boolean) => void} hover
 * @property {() => void} leave
 * @property {(x: number, y: number) => void} click
 * @property {(dx: number, dy: number) => void} pan
 * @property {(factor: number, x: number, y: number) => void} zoom
 * @property {(path: [number, number][], done: boolean) => void} lasso
 * @property {() => boolean} lassoing whether a drag draws a lasso
 */

/** @param {HTMLElement} target @param {Handlers} handlers */
export function bindGestures(target, handlers) {
  /** @type {Map<number, [number, number]>} */
  const pressed = new Map();
  let start = null;
  let moved = false;
  let path = null;
  let gap = 0;

  const place = (event) => {
    const box = target.getBoundingClientRect();
    return /** @type {[number, number]} */ ([event.clientX - box.left, event.clientY - box.top]);
  };
  const fingers = () => {
    const [a, b] = [...pressed.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], gap: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };

  target.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event);
    try {
      target.setPointerCapture(event.pointerId);
    } catch {
      // a pointer that is already gone cannot be captured
    }
    pressed.set(event.pointerId, at);
    if (pressed.size === 1) {
      start = at;
      moved = false;
      path = handlers.lassoing() || event.shiftKey ? [at] : null;
    } else {
      path = null;
      moved = true;
      gap = fingers().gap;
    }
  });

  target.addEventListener("pointermove", (event) => {
    const at = place(event);
    const before = pressed.get(event.pointerId);
    if (!before) {
      handlers.hover(at[0], at[1], event.pointerType === "touch");
      return;
    }
    if (pressed.size === 2) {
      const old = fingers();
      pressed.set(event.pointerId, at);
      const now = fingers();
      handlers.pan(now.middle[0] - old.middle[0], now.middle[1] - old.middle[1]);
      if (gap > 0 && now.gap > 0) handlers.zoom(now.gap / gap, now.middle[0], now.middle[1]);
      gap = now.gap;
      return;
    }
    if (!moved && Math.hypot(at[0] - start[0], at[1] - start[1]) > STILL) {
      moved = true;
      handlers.leave();
    }
    pressed.set(event.pointerId, at);
    if (!moved) return;
    if (path) {
      path.push(at);
      handlers.lasso(path, false);
    } else {
      handlers.pan(at[0] - before[0], at[1] - before[1]);
    }
  });

  const release = (event) => {
    if (!pressed.delete(event.pointerId)) return;
    if (pressed.size > 0) return;
    if (path && moved && event.type === "pointerup") handlers.lasso(path, true);
    else if (path) handlers.lasso([], false);
    if (!moved && event.type === "pointerup") handlers.click(...place(event));
    path = null;
  };
  target.addEventListener("pointerup", release);
  target.addEventListener("pointercancel", release);
  target.addEventListener("pointerleave", () => pressed.size === 0 && handlers.leave());
  target.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      handlers.zoom(Math.exp(-Math.max(-240, Math.min(240, pixels)) * 0.0022), ...place(event));
    },
    { passive: false },
  );
}
