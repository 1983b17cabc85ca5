/** Draws with WebGL2: arrays are sent once, then only what changes. */

import { Layers } from "./layers.js";
import { POINT_FRAGMENT, POINT_VERTEX, QUAD_FRAGMENT, QUAD_VERTEX } from "./shaders.js";

/**
 * @typedef {Object} Frame
 * @property {[number, number, number, number]} view scale and offset to clip space
 * @property {number} mix 0: at the former places, 1: at the present ones
 * @property {number} size of a point in device pixels
 * @property {number} alpha
 * @property {number} chunk how many points one frame may draw
 * @property {number} density strength of the raster below the points
 */

export class GlRenderer {
  /** @param {HTMLCanvasElement} canvas @returns {GlRenderer|null} null where there is no WebGL2 */
  static create(canvas) {
    const gl = canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
      powerPreference: "high-performance",
    });
    return gl ? new GlRenderer(gl, canvas) : null;
  }

  /** @param {WebGL2RenderingContext} gl @param {HTMLCanvasElement} canvas */
  constructor(gl, canvas) {
    this.kind = "WebGL2";
    this.gl = gl;
    this.canvas = canvas;
    this.count = 0;
    this.number = false;
    this.background = [1, 1, 1];
    this.missing = [0.6, 0.6, 0.6, 0.5];
    this.rasters = { density: null, regions: null };
    this.version = 0;
    this.layers = new Layers(gl);
    this.#prepare();
  }

  #prepare() {
    const gl = this.gl;
    this.points = program(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.quad = program(gl, QUAD_VERTEX, QUAD_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.vertices = gl.createVertexArray();
    this.palette = gl.createTexture();
    this.buffers = {};
    gl.bindVertexArray(this.vertices);
    /** @type {[number, string, number, number][]} */
    const attributes = [
      [0, "from", 2, gl.FLOAT],
      [1, "to", 2, gl.FLOAT],
      [2, "value", 1, gl.FLOAT],
      [3, "state", 1, gl.UNSIGNED_BYTE],
    ];
    for (const [place, name, size, type] of attributes) {
      this.buffers[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, false, 0, 0);
    }
    gl.enable(gl.BLEND);
  }

  /** @param {Float32Array} from @param {Float32Array} to in drawing order */
  setPositions(from, to) {
    this.count = to.length / 2;
    this.#send("from", from);
    this.#send("to", to);
  }

  /** @param {Float32Array} values codes, or numbers in 0..1; below 0: missing @param {boolean} number */
  setValues(values, number) {
    this.number = number;
    this.#send("value", values);
  }

  /** @param {Uint8Array} state bit 0: hidden, bit 1: faint */
  setState(state) {
    this.#send("state", state);
  }

  #send(name, data) {
    const gl = this.gl;
    this.version += 1;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  /** @param {Uint8Array} rgba 256 colors @param {number[]} background @param {number[]} missing */
  setColors(rgba, background, missing) {
    const gl = this.gl;
    this.background = background;
    this.missing = missing;
    this.version += 1;
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /**
   * A picture below the points: "density" or "regions"; null removes it.
   * @param {string} name @param {{rgba: Uint8Array, size: number, extent: number[]}|null} raster
   */
  setRaster(name, raster) {
    const gl = this.gl;
    if (this.rasters[name]) gl.deleteTexture(this.rasters[name].texture);
    this.rasters[name] = null;
    this.version += 1;
    if (!raster) return;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, raster.size, raster.size, 0, gl.RGBA, gl.UNSIGNED_BYTE, raster.rgba);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.rasters[name] = { texture, extent: raster.extent };
  }

  /**
   * Draw a frame; what does not fit into one is drawn over several.
   * @param {Frame} frame
   * @returns {boolean} whether all points are where they belong
   */
  draw(frame) {
    const gl = this.gl;
    const { width, height } = this.canvas;
    const { background, count, version } = this;
    // what is opaque stays so
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const ground = (view) => {
      this.#drawRaster(this.rasters.regions, 1, view);
      if (frame.density > 0.01) this.#drawRaster(this.rasters.density, frame.density, view);
    };
    const points = (view, start, n) => this.#drawPoints({ ...frame, view }, start, n);
    const whole = count <= frame.chunk || frame.mix < 1;
    const shown = whole
      ? null
      : this.layers.advance(
          { view: frame.view, chunk: frame.chunk, version, count, background, width, height },
          ground,
          points,
        );
    gl.viewport(0, 0, width, height);
    gl.clearColor(background[0], background[1], background[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (shown) {
      this.#drawRaster(shown, 1, frame.view);
      return shown.complete;
    }
    ground(frame.view);
    points(frame.view, 0, Math.min(count, frame.chunk));
    return count <= frame.chunk;
  }

  #drawPoints(frame, start, count) {
    if (!count) return;
    const gl = this.gl;
    const at = this.points.uniforms;
    gl.useProgram(this.points.program);
    gl.bindVertexArray(this.vertices);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.uniform1f(at.u_mix, frame.mix);
    gl.uniform4fv(at.u_view, frame.view);
    gl.uniform1f(at.u_size, frame.size);
    gl.uniform1f(at.u_alpha, frame.alpha);
    gl.uniform1i(at.u_number, this.number ? 1 : 0);
    gl.uniform4fv(at.u_missing, this.missing);
    gl.drawArrays(gl.POINTS, start, count);
  }

  #drawRaster(raster, strength, view) {
    if (!raster) return;
    const gl = this.gl;
    gl.useProgram(this.quad.program);
    gl.bindVertexArray(this.empty);
    gl.bindTexture(gl.TEXTURE_2D, raster.texture);
    gl.uniform4fv(this.quad.uniforms.u_view, view);
    gl.uniform4fv(this.quad.uniforms.u_extent, raster.extent);
    gl.uniform1f(this.quad.uniforms.u_strength, strength);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS))
    throw new Error(`The map's shaders did not compile: ${gl.getProgramInfoLog(made)}`);
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i += 1) {
    const { name } = gl.getActiveUniform(made, i);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { program: made, uniforms };
}
