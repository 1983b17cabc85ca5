/** Draws without WebGL: pixels are written into an image, in the same shuffled order. */

export class CanvasRenderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.kind = "canvas";
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    this.count = 0;
    this.rasters = { density: null, regions: null };
    this.colors = new Uint32Array(256);
    this.background = [1, 1, 1];
  }

  setPositions(from, to) {
    this.count = to.length / 2;
    this.from = from;
    this.to = to;
  }

  setValues(values, number) {
    this.values = values;
    this.number = number;
  }

  setState(state) {
    this.state = state;
  }

  setColors(rgba, background, missing) {
    this.background = background;
    this.colors = new Uint32Array(257);
    this.faint = new Uint32Array(257);
    const ground = background.map((part) => part * 255);
    for (let i = 0; i <= 256; i += 1) {
      const color = i < 256 ? rgba.subarray(i * 4, i * 4 + 3) : missing.slice(0, 3).map((part) => part * 255);
      this.colors[i] = packed(color);
      this.faint[i] = packed(ground.map((part, c) => part * 0.85 + color[c] * 0.15));
    }
  }

  setRaster(name, raster) {
    this.rasters[name] = null;
    if (!raster) return;
    const picture = document.createElement("canvas");
    picture.width = raster.size;
    picture.height = raster.size;
    const data = new ImageData(new Uint8ClampedArray(raster.rgba), raster.size, raster.size);
    picture.getContext("2d").putImageData(data, 0, 0);
    this.rasters[name] = { picture, extent: raster.extent };
  }

  /** @param {import("./gl_renderer.js").Frame} frame @returns {boolean} */
  draw(frame) {
    const { width, height } = this.canvas;
    const context = this.context;
    context.fillStyle = `rgb(${this.background.map((part) => Math.round(part * 255)).join(" ")})`;
    context.fillRect(0, 0, width, height);
    this.#drawRaster(this.rasters.regions, 1, frame);
    if (frame.density > 0.01) this.#drawRaster(this.rasters.density, frame.density, frame);
    if (!this.count || !this.values || !this.state) return true;
    const image = context.getImageData(0, 0, width, height);
    this.#points(new Uint32Array(image.data.buffer), width, height, frame);
    context.putImageData(image, 0, 0);
    return true;
  }

  #points(pixels, width, height, frame) {
    const [sx, sy, ox, oy] = frame.view;
    const size = Math.max(1, Math.round(frame.size));
    const half = size >> 1;
    const round = size > 3 ? (size * size) / 4 : Infinity;
    for (let i = 0; i < this.count; i += 1) {
      const state = this.state[i];
      if (state & 1) continue;
      const x = this.from[2 * i] + (this.to[2 * i] - this.from[2 * i]) * frame.mix;
      const y = this.from[2 * i + 1] + (this.to[2 * i + 1] - this.from[2 * i + 1]) * frame.mix;
      const px = Math.round(((x * sx + ox + 1) * width) / 2) - half;
      const py = Math.round(((1 - (y * sy + oy)) * height) / 2) - half;
      if (!(px >= 0 && py >= 0 && px + size <= width && py + size <= height)) continue;
      const color = (state & 2 ? this.faint : this.colors)[this.#place(this.values[i])];
      for (let dy = 0; dy < size; dy += 1) {
        for (let dx = 0; dx < size; dx += 1) {
          if ((dx - half + 0.5) ** 2 + (dy - half + 0.5) ** 2 < round) pixels[(py + dy) * width + px + dx] = color;
        }
      }
    }
  }

  #place(value) {
    if (!(value > -0.5)) return 256;
    return this.number ? Math.round(Math.min(1, value) * 255) : Math.round(value) % 256;
  }

  #drawRaster(raster, strength, frame) {
    if (!raster) return;
    const { width, height } = this.canvas;
    const [sx, sy, ox, oy] = frame.view;
    const [x0, x1, y0, y1] = raster.extent;
    const left = ((x0 * sx + ox + 1) * width) / 2;
    const right = ((x1 * sx + ox + 1) * width) / 2;
    const top = ((1 - (y1 * sy + oy)) * height) / 2;
    const bottom = ((1 - (y0 * sy + oy)) * height) / 2;
    this.context.save();
    this.context.globalAlpha = strength;
    this.context.translate(0, top + bottom);
    this.context.scale(1, -1);
    this.context.drawImage(raster.picture, left, top, right - left, bottom - top);
    this.context.restore();
  }
}

function packed(color) {
  const [r, g, b] = color;
  return ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}
