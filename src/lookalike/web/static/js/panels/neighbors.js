/** The nearest rows in the original space: distance, label, and each feature's share. */

import { h, put, s } from "../dom.js";
import { cell, number, percent, plural } from "../format.js";
import { labelOf, picture, rowLink } from "./row_view.js";

const OTHERS = /^\d+ other columns$/; // the rest of the shares, under one name

/** The neighbors of an explanation, one by one. @param {Object} evidence */
export function neighborsOf(evidence) {
  return evidence.neighbors.map((row, i) => ({
    row,
    distance: evidence.distances[i],
    label: evidence.targets[i] ?? null,
    shares: evidence.neighbor_shares[i] ?? [],
  }));
}

/** @param {import("../app.js").App} app @param {Object} subject of the focus */
export function neighborList(app, subject) {
  const { evidence, torn } = subject;
  const tornRows = new Set(torn?.torn ?? []);
  const images = app.session.kind === "images";
  const labels = app.session.task !== "exploratory";
  return h(
    "section",
    {},
    h("h3", {}, `${plural(evidence.neighbors.length, "nearest row")} in the original space`),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Nearest rows" },
      h(
        "table",
        { class: "neighbors" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            images && h("th", { scope: "col" }, h("span", { class: "unseen" }, "image")),
            ["row", labels && "label", "distance", app.session.kind === "texts" ? "text" : "largest shares"]
              .filter(Boolean)
              .map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          neighborsOf(evidence).map((neighbor) =>
            h(
              "tr",
              {},
              images && h("td", {}, picture(app.session, neighbor.row, 36)),
              h(
                "td",
                {},
                rowLink(app, neighbor.row),
                tornRows.has(neighbor.row) &&
                  h("span", { class: "torn", title: "This neighbor is not near on the map" }, " far on the map"),
              ),
              labels && h("td", {}, labelOf(app, neighbor.label)),
              h("td", { class: "number" }, number(neighbor.distance)),
              h("td", {}, shares(app, neighbor)),
            ),
          ),
        ),
      ),
    ),
    honesty(app, evidence, torn),
  );
}

/** What makes up the distance: pixels as a picture, an excerpt of a text, else the largest shares. */
function shares(app, neighbor) {
  const { session } = app;
  const top = neighbor.shares.filter(({ name, share }) => share > 0 && !OTHERS.test(name));
  if (session.kind === "texts") return excerpt(app, neighbor.row);
  if (!top.length) return "–";
  const words = top
    .slice(0, 3)
    .map(({ name, share }) => `${name} ${percent(share, 0)}`)
    .join(", ");
  if (
    session.kind === "images" &&
    session.image &&
    session.columns.length === session.image.width * session.image.height
  )
    return heat(session, top, words);
  return h(
    "ul",
    { class: "shares" },
    top
      .slice(0, 3)
      .map(({ name, share }) =>
        h(
          "li",
          { title: `${name}: ${percent(share)}` },
          s(
            "svg",
            { class: "mini", viewBox: "0 0 30 6", "aria-hidden": "true" },
            s("rect", { class: "track", width: 30, height: 6, rx: 1.5 }),
            s("rect", { class: "value", width: Math.max(0.5, 30 * Math.min(1, share)), height: 6, rx: 1.5 }),
          ),
          h("span", {}, cell(name)),
          h("span", { class: "figure" }, percent(share, 0)),
        ),
      ),
  );
}

/** The pixels that make two images differ most. */
function heat(session, top, words) {
  const { width, height } = session.image;
  const places = new Map(session.columns.map(({ name }, i) => [name, i]));
  return h(
    "span",
    { class: "inline" },
    s(
      "svg",
      { class: "heat", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Largest shares: ${words}` },
      s("title", {}, words),
      s("rect", { class: "track", width, height }),
      top.map(
        ({ name, share }) =>
          places.has(name) &&
          s("rect", {
            class: "value",
            x: places.get(name) % width,
            y: Math.floor(places.get(name) / width),
            width: 1,
            height: 1,
            opacity: Math.max(0.12, Math.min(1, share / top[0].share)),
          }),
      ),
    ),
    h("span", { class: "note" }, `${top[0].name} ${percent(top[0].share, 0)}`),
  );
}

function excerpt(app, row) {
  const host = h("span", { class: "excerpt" });
  app.focus
    .info(row)
    .then(({ text }) => put(host, (text ?? "").slice(0, 120)))
    .catch(() => null);
  return host;
}

function honesty(app, evidence, torn) {
  if (!torn) return null;
  const away = torn.torn.length;
  const strangers = torn.false.length;
  const are = strangers === 1 ? "is not a neighbor" : "are not neighbors";
  if (!away && !strangers) return h("p", { class: "note" }, "The map keeps all of these neighbors together.");
  return h(
    "p",
    { class: "note" },
    away > 0 &&
      `${away} of ${plural(evidence.k, "neighbor")} ${away === 1 ? "is" : "are"} not near on the map (dashed lines). `,
    strangers > 0 && `${plural(strangers, "row")} beside it on the map ${are} (crosses).`,
  );
}
