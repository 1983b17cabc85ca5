/** Rows side by side: pictures from one sprite, or numbers. */

import * as api from "../api.js";
import { h } from "../dom.js";
import { rowNumber } from "../format.js";
import { rowLink } from "./row_view.js";

const PER_LINE = 20; // of the server's sprite

/** @param {import("../app.js").App} app @param {number[]} rows at most 400 @returns {HTMLElement} */
export function tiles(app, rows) {
  if (app.session.kind !== "images")
    return h(
      "ul",
      { class: "row-list" },
      rows.map((row) => h("li", {}, rowLink(app, row))),
    );
  const { width, height } = app.session.image;
  const pictures = rows.map(
    () =>
      /** @type {HTMLCanvasElement} */ (h("canvas", { class: "pixels tile", width, height, "aria-hidden": "true" })),
  );
  const sprite = new Image();
  sprite.addEventListener(
    "load",
    () =>
      pictures.forEach((canvas, i) => {
        const [left, top] = [(i % PER_LINE) * width, Math.floor(i / PER_LINE) * height];
        canvas.getContext("2d").drawImage(sprite, left, top, width, height, 0, 0, width, height);
      }),
    { once: true },
  );
  api.showImage(sprite, `thumbnails?rows=${rows.join(",")}`);
  return h(
    "ul",
    { class: "tiles" },
    rows.map((row, i) => h("li", {}, rowLink(app, row, [pictures[i], h("span", {}, rowNumber(row))]))),
  );
}
