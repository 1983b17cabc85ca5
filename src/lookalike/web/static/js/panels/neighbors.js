/** The nearest rows in the original space: distance, label, and each feature's share. */

import { h, s } from "../dom.js";
import { cell, number, percent, plural } from "../format.js";
import { labelOf, picture, rowLink } from "./row_view.js";

/** @param {Object} app @param {Object} subject of the focus */
export function neighborList(app, subject) {
  const { evidence, torn } = subject;
  const tornRows = new Set(torn?.torn ?? []);
  const images = app.session.kind === "images";
  return h("section", {}, h("h3", {}, `${plural(evidence.neighbors.length, "nearest row")} in the original space`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Nearest rows" },
      h("table", { class: "neighbors" },
        h("thead", {}, h("tr", {}, images && h("th", { scope: "col" }, h("span", { class: "unseen" }, "image")), ["row", "label", "distance", "largest shares"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, evidence.neighbors.map((neighbor) => h("tr", {},
          images && h("td", {}, picture(app.session, neighbor.row, 36)),
          h("td", {}, rowLink(app, neighbor.row), tornRows.has(neighbor.row) && h("span", { class: "torn", title: "The map tore this neighbor away" }, " torn")),
          h("td", {}, labelOf(app, neighbor.label)),
          h("td", { class: "number" }, number(neighbor.distance)),
          h("td", {}, shares(neighbor.contributions))))))),
    honesty(app, evidence, torn));
}

/** @param {{name: string, share: number}[]} contributions */
function shares(contributions = []) {
  const top = [...contributions].sort((a, b) => b.share - a.share).filter(({ name, share }) => share > 0 && !/^\d+ other columns$/.test(name)).slice(0, 3);
  if (!top.length) return "–";
  return h("ul", { class: "shares" }, top.map(({ name, share }) => h("li", { title: `${name}: ${percent(share)}` },
    s("svg", { class: "mini", viewBox: "0 0 30 6", "aria-hidden": "true" }, s("rect", { class: "track", width: 30, height: 6, rx: 1.5 }), s("rect", { class: "value", width: Math.max(0.5, 30 * Math.min(1, share)), height: 6, rx: 1.5 })),
    h("span", {}, cell(name)), h("span", { class: "figure" }, percent(share, 0)))));
}

function honesty(app, evidence, torn) {
  if (!torn) return null;
  const away = torn.torn.length;
  const strangers = torn.false.length;
  if (!away && !strangers) return h("p", { class: "note" }, "The map keeps all of these neighbors together.");
  return h("p", { class: "note" },
    away > 0 && `The map tore ${away} of ${plural(evidence.k, "neighbor")} away (dashed lines). `,
    strangers > 0 && `${plural(strangers, "row")} beside it on the map ${strangers === 1 ? "is no neighbor" : "are no neighbors"} (crosses).`);
}
