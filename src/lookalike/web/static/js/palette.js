/**
 * Colors. Classes: the sets of Petroff (2021), chosen for color-vision deficiency, grays last; after ten
 * classes the shape of the points changes. Numbers: cividis, whose lightness grows evenly.
 */

const SIX = ["#5790fc", "#f89c20", "#e42536", "#964a8b", "#7a21dd", "#9c9ca1"];
const TEN = [
  "#3f90da",
  "#ffa90e",
  "#bd1f01",
  "#832db6",
  "#92dadd",
  "#a96b59",
  "#e76300",
  "#b9ac70",
  "#94a4a2",
  "#717581",
];
const SIX_DARK = ["#6aa0ff", "#ffb14a", "#ff5a64", "#d08ac6", "#a97bff", "#b5b5ba"];
const TEN_DARK = [
  "#58a8f0",
  "#ffb52e",
  "#ff5c45",
  "#bd7ff0",
  "#9fe6e9",
  "#cf927f",
  "#ff8a3c",
  "#d4c78c",
  "#a9b8b6",
  "#9298aa",
];
const CIVIDIS = [
  "#00224e",
  "#123570",
  "#3b496c",
  "#575d6d",
  "#707173",
  "#8a8678",
  "#a59c74",
  "#c3b369",
  "#e1cc55",
  "#fee838",
];
export const SHAPES = ["circle", "square", "triangle", "diamond"];

/** @param {string} hex @returns {[number, number, number]} 0..255 */
export function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * @param {string} kind of a color of the session @param {string} id
 * @param {number} nCategories @param {boolean} dark
 * @returns {{css: (value: number) => string, rgba: Uint8Array, number: boolean}}
 */
export function paletteOf(kind, id, nCategories, dark) {
  const css = kind === "number" ? ramp(dark) : categories(kind, id, nCategories, dark);
  const rgba = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i += 1) {
    rgba.set(rgb(css(kind === "number" ? i / 255 : i)), 4 * i);
    rgba[4 * i + 3] = 255;
  }
  return { css, rgba, number: kind === "number" };
}

function categories(kind, id, n, dark) {
  const quiet = dark ? "#5a606b" : "#b9bcc2";
  const loud = dark ? "#ff5c45" : "#c8321e";
  if (id === "error") return (code) => (code === 0 ? quiet : loud);
  const colors = n <= 6 ? (dark ? SIX_DARK : SIX) : dark ? TEN_DARK : TEN;
  if (kind === "flag" || id === "flag")
    return (code) => (code === 0 ? quiet : n <= 2 ? loud : TEN_OF(colors, code - 1));
  return (code) => TEN_OF(colors, code);
}

const TEN_OF = (colors, code) => colors[(code % 10) % colors.length];

function ramp(dark) {
  const stops = (dark ? CIVIDIS.map((color, i) => lifted(color, i)) : CIVIDIS).map((color) =>
    typeof color === "string" ? rgb(color) : color,
  );
  return (value) => {
    const at = Math.min(1, Math.max(0, value)) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    const parts = stops[low].map((part, c) => Math.round(part + (stops[low + 1][c] - part) * (at - low)));
    return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  };
}

/** Lighten the dark end, which would vanish on a dark ground. */
function lifted(color, step) {
  const share = Math.max(0, 0.42 - step * 0.07);
  return rgb(color).map((part, c) => Math.round(part * (1 - share) + [120, 150, 255][c] * share));
}
