/**
 * Pictures of the points, drawn in pieces over several frames. The finished one is shown, moved to
 * where the camera is now, while the next one grows: every frame shows all points at any size.
 */

/**
 * @typedef {Object} Wanted
 * @property {number[]} view
 * @property {number} chunk
 * @property {number} version
 * @property {number} count
 * @property {number[]} background
 * @property {number} width
 * @property {number} height
 */

export class Layers {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.front = this.#create();
    this.back = this.#create();
    this.width = 0;
    this.height = 0;
  }

  #create() {
    const gl = this.gl;
    return { texture: gl.createTexture(), buffer: gl.createFramebuffer(), view: null, version: -1, done: 0 };
  }

  #fit(width, height) {
    if (width === this.width && height === this.height) return;
    const gl = this.gl;
    [this.width, this.height] = [width, height];
    for (const layer of [this.front, this.back]) {
      gl.bindTexture(gl.TEXTURE_2D, layer.texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
        gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
      gl.bindFramebuffer(gl.FRAMEBUFFER, layer.buffer);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, layer.texture, 0);
      Object.assign(layer, { view: null, version: -1, done: 0 });
    }
  }

  /**
   * Draw the next piece, and tell which picture is to be shown.
   * @param {Wanted} wanted
   * @param {(view: number[]) => void} ground draws what lies below the points
   * @param {(view: number[], start: number, count: number) => void} points draws a piece
   * @returns {{texture: WebGLTexture, extent: number[], complete: boolean}}
   */
  advance(wanted, ground, points) {
    const gl = this.gl;
    this.#fit(wanted.width, wanted.height);
    if (!this.#current(this.front, wanted)) this.#grow(wanted, ground, points);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const shown = this.front.view && this.front.done === wanted.count ? this.front : this.back;
    return { texture: shown.texture, extent: planeOf(shown.view), complete: this.#current(this.front, wanted) };
  }

  #current(layer, wanted) {
    return (
      layer.view !== null &&
      layer.version === wanted.version &&
      layer.done === wanted.count &&
      layer.view.every((value, i) => value === wanted.view[i])
    );
  }

  #grow(wanted, ground, points) {
    const gl = this.gl;
    const back = this.back;
    gl.bindFramebuffer(gl.FRAMEBUFFER, back.buffer);
    gl.viewport(0, 0, this.width, this.height);
    if (back.view === null || back.version !== wanted.version) {
      Object.assign(back, { view: wanted.view, version: wanted.version, done: 0 });
      const [red, green, blue] = wanted.background;
      gl.clearColor(red, green, blue, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      ground(back.view);
    }
    const count = Math.min(wanted.chunk, wanted.count - back.done);
    points(back.view, back.done, count);
    back.done += count;
    if (back.done < wanted.count) return;
    [this.front, this.back] = [this.back, this.front];
    this.back.view = null;
  }
}

/** The rectangle of the plane that a view shows. @param {number[]} view @returns {number[]} x0, x1, y0, y1 */
function planeOf([sx, sy, ox, oy]) {
  return [(-1 - ox) / sx, (1 - ox) / sx, (-1 - oy) / sy, (1 - oy) / sy];
}
