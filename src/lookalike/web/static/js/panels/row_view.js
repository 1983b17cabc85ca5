/** What a row is, for the eye: its picture, its text, its cells, its label. */

import * as api from "../api.js";
import { h } from "../dom.js";
import { cell, rowNumber } from "../format.js";
import { swatch } from "../controls/legend.js";
import { paletteOf } from "../palette.js";

/** @param {Object} session @param {number} row @param {number} size in pixels @param {string} [alt] */
export function picture(session, row, size, alt = "") {
  const ratio = session.image ? session.image.height / session.image.width : 1;
  const image = h("img", { class: "pixels", alt, width: size, height: Math.round(size * ratio), loading: "lazy" });
  api.showImage(/** @type {HTMLImageElement} */ (image), `rows/${row}/image.png`);
  return image;
}

/** A class or number with its swatch. @param {import("../app.js").App} app @param {any} label */
export function labelOf(app, label) {
  if (label === null || label === undefined) return h("span", { class: "label" }, "–");
  const code = app.session.classes?.indexOf(String(label)) ?? -1;
  const palette = code >= 0 ? paletteOf("category", "label", app.session.classes.length, app.theme.dark) : null;
  return h(
    "span",
    { class: "label", title: cell(label) },
    palette && swatch(palette.css(code), code),
    h("span", {}, cell(label)),
  );
}

/** A button that opens a row. @param {import("../app.js").App} app @param {number} row @param {any} [text] */
export function rowLink(app, row, text = rowNumber(row)) {
  return h(
    "button",
    {
      type: "button",
      class: "row-link",
      "aria-label": `Open row ${rowNumber(row)}`,
      on: {
        click: () => app.open(row),
        mouseenter: () => app.scatter.mark({ hover: row }),
        mouseleave: () => app.scatter.mark({ hover: null }),
      },
    },
    text,
  );
}
