/** The programs of the WebGL2 renderer: discs at points, and one textured rectangle. */

export const POINT_VERTEX = `#version 300 es
layout(location = 0) in vec2 a_from;
layout(location = 1) in vec2 a_to;
layout(location = 2) in float a_value;
layout(location = 3) in float a_state;
uniform float u_mix;
uniform vec4 u_view;      // scale x, scale y, offset x, offset y
uniform float u_size;
uniform float u_alpha;
uniform int u_number;     // 1: value in 0..1 is looked up along the ramp
uniform vec4 u_missing;
uniform sampler2D u_palette;
flat out vec4 v_color;
flat out int v_shape;
out float v_size;

void main() {
  vec2 place = mix(a_from, a_to, u_mix);
  int state = int(a_state + 0.5);
  bool hidden = (state & 1) != 0 || !(place.x == place.x) || !(place.y == place.y);
  bool faint = (state & 2) != 0;
  v_shape = 0;
  if (a_value < -0.5 || !(a_value == a_value)) {
    v_color = u_missing;
  } else if (u_number == 1) {
    v_color = texelFetch(u_palette, ivec2(int(clamp(a_value, 0.0, 1.0) * 255.0 + 0.5), 0), 0);
  } else {
    int code = int(a_value + 0.5);
    v_color = texelFetch(u_palette, ivec2(code % 256, 0), 0);
    v_shape = (code / 10) % 4;
  }
  v_color.a *= faint ? u_alpha * 0.12 : u_alpha;
  v_size = faint ? max(1.0, u_size * 0.8) : u_size;
  gl_PointSize = v_size;
  gl_Position = hidden ? vec4(3.0, 3.0, 3.0, 1.0) : vec4(place * u_view.xy + u_view.zw, 0.0, 1.0);
}`;

export const POINT_FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 v_color;
flat in int v_shape;
in float v_size;
out vec4 color;

void main() {
  float cover = 1.0;
  if (v_size > 2.5) {
    vec2 p = gl_PointCoord * 2.0 - 1.0;
    float away = v_shape == 0 ? length(p)
      : v_shape == 1 ? max(abs(p.x), abs(p.y)) + 0.15
      : v_shape == 2 ? max(abs(p.x) * 1.1 + p.y * -0.55 + 0.35, p.y)
      : abs(p.x) + abs(p.y);
    cover = clamp((1.0 - away) * v_size * 0.5 + 0.5, 0.0, 1.0);
  }
  color = vec4(v_color.rgb, v_color.a * cover);
}`;

export const QUAD_VERTEX = `#version 300 es
uniform vec4 u_view;
uniform vec4 u_extent;    // x0, x1, y0, y1
out vec2 v_place;

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  v_place = corner;
  gl_Position = vec4(mix(u_extent.xz, u_extent.yw, corner) * u_view.xy + u_view.zw, 0.0, 1.0);
}`;

export const QUAD_FRAGMENT = `#version 300 es
precision mediump float;
uniform sampler2D u_picture;
uniform float u_strength;
in vec2 v_place;
out vec4 color;

void main() {
  vec4 texel = texture(u_picture, v_place);
  color = vec4(texel.rgb, texel.a * u_strength);
}`;
