/** Why a row is predicted as it is: votes, margin, what would flip it, stability, contributions. */

import { hint } from "../controls/hint.js";
import { h, s } from "../dom.js";
import { cell, percent, rowNumber } from "../format.js";
import { paletteOf } from "../palette.js";
import { dataTable } from "../charts/table.js";
import { labelOf, rowLink } from "./row_view.js";

/** @param {import("../app.js").App} app @param {Object} evidence @returns {(HTMLElement|null)[]} */
export function evidenceParts(app, evidence) {
  return [strange(evidence), votes(app, evidence), flip(app, evidence), stability(app, evidence)];
}

/** How far the nearest row is. */
function strange({ sentences, similarity }) {
  if (!sentences.similarity) return null;
  return h("p", { class: similarity.no_similar_case ? "notice" : "note" }, sentences.similarity);
}

function votes(app, evidence) {
  const entries = Object.entries(evidence.votes ?? {})
    .filter(([, weight]) => weight > 0)
    .sort((a, b) => b[1] - a[1]);
  if (!entries.length) return evidence.sentences.neighbors ? h("section", {}, voted(evidence)) : null;
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  const palette = paletteOf("category", "label", app.session.classes.length, app.theme.dark);
  return h(
    "section",
    {},
    h("h3", {}, `Vote at K = ${evidence.k} `, hint("vote")),
    h(
      "ul",
      { class: "votes" },
      entries.map(([label, weight]) => {
        const share = weight / total;
        const code = app.session.classes.indexOf(label);
        return h(
          "li",
          {},
          labelOf(app, label),
          s(
            "svg",
            { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
            s("rect", { class: "track", width: 100, height: 8, rx: 2 }),
            s("rect", { width: Math.max(1, share * 100), height: 8, rx: 2, fill: palette.css(Math.max(0, code)) }),
          ),
          h("span", { class: "figure" }, percent(share, 0)),
        );
      }),
    ),
    voted(evidence),
  );
}

/** What the neighbors predict, and which model they are of. */
function voted({ sentences, metric, model }) {
  return [
    sentences.neighbors && h("p", {}, sentences.neighbors),
    h("p", { class: "note" }, [model, metric && `metric ${metric}`].filter(Boolean).join(" · ")),
  ];
}

function flip(app, { sentences, flip: found }) {
  if (!sentences.flip) return null;
  const row = found?.rows[0];
  return h(
    "section",
    {},
    h("h3", {}, app.session.task === "regression" ? "What would change it" : "What would flip it"),
    h("p", {}, sentences.flip, Number.isInteger(row) && [" ", rowLink(app, row, `Open row ${rowNumber(row)}`)]),
  );
}

/** The prediction over K, as a strip. */
function stability(app, evidence) {
  const runs = evidence.k_ranges ?? [];
  if (!runs.length) return null;
  const most = runs[runs.length - 1].to;
  const palette = app.session.classes?.length
    ? paletteOf("category", "label", app.session.classes.length, app.theme.dark)
    : null;
  const x = (k) => ((k - 1) / Math.max(1, most)) * 320;
  const text = evidence.sentences.k_ranges;
  return h(
    "section",
    {},
    h("h3", {}, "Stability over K"),
    palette &&
      s(
        "svg",
        { class: "strip", viewBox: "0 0 320 26", role: "img", "aria-label": text },
        runs.map(({ from, to, prediction }) => {
          const code = Math.max(0, app.session.classes.indexOf(String(prediction)));
          return s("rect", {
            x: x(from),
            y: 0,
            width: Math.max(1.5, x(to + 1) - x(from) - 1),
            height: 14,
            rx: 2,
            fill: palette.css(code),
          });
        }),
        s("path", { class: "pointer", d: `M${x(evidence.k) + x(2) / 2} 15l5 8h-10z` }),
      ),
    h("p", { class: "note" }, text),
  );
}

/** The parts of the score, which sum exactly to it. @param {import("../app.js").App} app @param {Object} evidence */
export function scoreContributions(app, evidence) {
  const found = evidence.contributions;
  if (!found?.parts?.length) return null;
  const rows = found.parts.map(({ row, label, part }) => [row, label, part]);
  const what = found.of
    ? `Votes for ${cell(found.of)}${found.against ? ` less those for ${cell(found.against)}` : ""}.`
    : null;
  const exact = found.total === found.score;
  return h(
    "details",
    {},
    h("summary", {}, "Contributions to the score"),
    what && h("p", { class: "note" }, what),
    dataTable("Contributions to the score", ["row", "label", "contribution"], rows),
    h("p", { class: "sum" }, h("span", {}, "Sum of the parts"), h("strong", {}, full(found.total))),
    h("p", { class: "sum" }, h("span", {}, "Score of the model"), h("strong", {}, full(found.score))),
    h(
      "p",
      { class: "note" },
      exact
        ? "The parts sum exactly to the score."
        : "The parts do not sum to the score: run the self-check in the Study panel.",
    ),
  );
}

function full(value) {
  return typeof value === "number" ? String(value).replace("-", "−") : cell(value);
}
