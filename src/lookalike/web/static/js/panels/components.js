/** An image rebuilt from its first principal components. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { percent, plural } from "../format.js";
import { picture } from "./row_view.js";

/**
 * @param {import("../app.js").App} app
 * @returns {((row: number) => HTMLElement)|null} null unless the rows are images
 */
export function componentsSlider(app) {
  const { session } = app;
  if (session.kind !== "images") return null;
  let about = null;
  let kept = null;
  const ready = api
    .get("components")
    .then((found) => (about = found))
    .catch(() => null);
  return (row) => {
    const host = h("section", {});
    ready.then(() => {
      if (!about) return;
      kept ??= Math.max(1, Math.min(about.max, Math.round(about.max / 4)));
      draw(host, row);
    });
    return host;
  };

  function draw(host, row) {
    const slider = /** @type {HTMLInputElement} */ (
      h("input", { type: "range", id: "components", min: 1, max: about.max, step: 1, value: kept })
    );
    const ratio = session.image ? session.image.height / session.image.width : 1;
    const rebuilt = /** @type {HTMLImageElement} */ (
      h("img", { class: "pixels", alt: "", width: 84, height: Math.round(84 * ratio) })
    );
    const text = h("p", { class: "note" });
    const show = () => {
      kept = Number(slider.value);
      api.showImage(rebuilt, `components/${row}.png?m=${kept}`);
      const share = about.explained?.slice(0, kept).reduce((sum, part) => sum + part, 0);
      const explained = share === undefined ? "" : `: ${percent(share)} of the variance`;
      const words = `${plural(kept, "component")} of ${about.max}${explained}`;
      text.textContent = words;
      rebuilt.alt = `Image rebuilt from ${words}`;
      slider.setAttribute("aria-valuetext", words);
    };
    slider.addEventListener("input", show);
    put(
      host,
      h("h3", {}, h("label", { for: "components" }, "Rebuilt from components")),
      h("div", { class: "rebuilt" }, picture(session, row, 84, "The image itself"), rebuilt),
      slider,
      text,
    );
    show();
  }
}
