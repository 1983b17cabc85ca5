/** Pictures of the rows at their places, once so few rows are in view that there is room for them. */

const MOST_SHOWN = 240; // at once; the server sends 400 at most
const KEPT = 2000; // pictures that are not asked for again
const LEAST_ZOOM = 2.2; // before it rows are points
const FEW_ROWS = 150; // that have room without zooming
const SIDES = [26, 64]; // pixels of a picture, as one zooms in
const ROOM = 1.25; // of the side, between two pictures

/** Pictures in lines. @typedef {{image: CanvasImageSource, across: number, width: number, height: number}} Sheet */

export class RowImages {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(rows: number[]) => Promise<Sheet>} load
   * @param {(row: number) => string} colorOf of the frame of a picture
   */
  constructor(canvas, load, colorOf) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.load = load;
    this.colorOf = colorOf;
    /** @type {Map<number, {image: CanvasImageSource, x: number, y: number, width: number, height: number}>} */
    this.known = new Map();
    /** @type {number[]} */
    this.rows = [];
    this.side = SIDES[0];
    this.turn = 0;
  }

  /**
   * Choose the rows whose pictures are shown, and ask for those that are not here yet.
   * @param {import("./scatter.js").Scatter} scatter
   */
  async choose(scatter) {
    const turn = ++this.turn;
    const { camera } = scatter;
    this.side = Math.round(Math.min(SIDES[1], Math.max(SIDES[0], SIDES[0] * Math.sqrt(camera.zoom / LEAST_ZOOM))));
    this.rows = chosen(scatter, this.side * ROOM);
    const missing = this.rows.filter((row) => !this.known.has(row));
    if (missing.length) {
      const sheet = await this.load(missing).catch(() => null);
      if (!sheet || turn !== this.turn) return;
      if (this.known.size > KEPT) this.known.clear();
      missing.forEach((row, i) =>
        this.known.set(row, {
          image: sheet.image,
          x: (i % sheet.across) * sheet.width,
          y: Math.floor(i / sheet.across) * sheet.height,
          width: sheet.width,
          height: sheet.height,
        }),
      );
    }
    scatter.redraw();
  }

  /** @param {import("./scatter.js").Scatter} scatter @param {boolean} moving */
  draw(scatter, moving) {
    const shown = moving ? [] : this.rows.filter((row) => this.known.has(row));
    this.canvas.hidden = shown.length === 0;
    if (!shown.length) return;
    const { context: c, side } = this;
    const { ratio } = scatter;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.canvas.width / ratio, this.canvas.height / ratio);
    for (const row of shown) {
      const at = scatter.visible(row) ? scatter.place(row) : null;
      if (!at) continue;
      const { image, x, y, width, height } = this.known.get(row);
      const scale = side / Math.max(width, height);
      const [wide, high] = [width * scale, height * scale];
      const [left, top] = [at[0] - wide / 2, at[1] - high / 2];
      c.globalAlpha = scatter.state[row] & 2 ? 0.25 : 1;
      c.fillStyle = this.colorOf(row);
      c.fillRect(left - 2, top - 2, wide + 4, high + 4);
      c.drawImage(image, x, y, width, height, left, top, wide, high);
    }
    c.globalAlpha = 1;
  }
}

/**
 * One row in each square of the plane: squares stay where they are while one pans.
 * @param {import("./scatter.js").Scatter} scatter @param {number} pixels side of a square
 * @returns {number[]}
 */
export function chosen(scatter, pixels) {
  const { camera, positions } = scatter;
  if (!positions) return [];
  const [x0, y1] = camera.toPlane(0, 0);
  const [x1, y0] = camera.toPlane(camera.width, camera.height);
  const step = pixels / (camera.fitScale * 2 ** (Math.round(4 * Math.log2(camera.zoom)) / 4));
  const squares = new Map();
  let inView = 0;
  scatter.picking.visit(x0, x1, y0, y1, (row) => {
    const [x, y] = [positions[2 * row], positions[2 * row + 1]];
    if (x < x0 || x > x1 || y < y0 || y > y1 || !scatter.visible(row)) return;
    inView += 1;
    const square = `${Math.floor(x / step)},${Math.floor(y / step)}`;
    const before = squares.get(square);
    if (before === undefined || row < before) squares.set(square, row);
  });
  if (camera.zoom < LEAST_ZOOM && inView > FEW_ROWS) return [];
  const rows = [...squares.values()].sort((a, b) => a - b);
  return rows.length <= MOST_SHOWN ? rows : [];
}
