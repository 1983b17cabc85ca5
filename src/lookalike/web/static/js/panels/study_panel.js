/** The study: leaderboard, K, scree, learning curve, confusion matrix, columns, self-check. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { count, formatted, plural } from "../format.js";
import { twin } from "../charts/twin.js";
import { dataTable } from "../charts/table.js";

const PANELS = [
  ["leaderboard", "Leaderboard"],
  ["confusion", "Confusion matrix"],
  ["k", "Error by K"],
  ["learning_curve", "Learning curve"],
  ["scree", "Scree"],
  ["columns", "Columns"],
];

/** @param {import("../app.js").App} app @returns {HTMLElement} */
export function studyPanel(app) {
  const { session } = app;
  const parts = PANELS.filter(
    ([id]) =>
      (id !== "confusion" || session.task === "classification") &&
      (id !== "k" || (session.k && session.task !== "exploratory")) &&
      (id !== "learning_curve" || session.task !== "exploratory"),
  ).map(([id, name], i) => part(app, id, name, i === 0));
  return h("div", { class: "study" }, h("h2", {}, "The study"), facts(app), parts, mapsTable(session), selfCheck(app));
}

function facts({ session }) {
  const { held_out: held } = session;
  const code = session.task === "classification" ? "percent1" : "sig4";
  return h(
    "dl",
    { class: "facts" },
    h("dt", {}, "model"),
    h("dd", {}, session.model?.name ?? "none"),
    held && [
      h("dt", {}, held.name),
      h(
        "dd",
        {},
        formatted(code, held.value),
        Number.isFinite(held.low) &&
          h(
            "span",
            { class: "note" },
            ` 95% CI ${formatted(`interval:${code}`, [held.low, held.high])}, n = ${count(held.n)}`,
          ),
      ),
    ],
  );
}

function part(app, id, name, open) {
  const body = h("div", {});
  const details = /** @type {HTMLDetailsElement} */ (h("details", { "data-panel": id }, h("summary", {}, name), body));
  const load = async () => {
    if (!details.open || body.childElementCount) return;
    put(body, h("p", { class: "note" }, "Loading …"));
    try {
      const panel = id === "k" ? await curvePanel() : await api.get(`panels/${id}`);
      put(
        body,
        twin(panel, (truth, predicted) => openCell(app, truth, predicted)),
      );
    } catch (error) {
      put(body, h("p", { class: "notice" }, error.message));
    }
  };
  details.addEventListener("toggle", load);
  app.onLabels(() => {
    if (id !== "confusion" && id !== "k") return;
    put(body);
    load();
  });
  if (open)
    app.store.on(["tab"], (state) => {
      if (state.tab === "study") details.open = true;
    });
  if (open && app.store.state.tab === "study") details.open = true;
  return details;

  async function curvePanel() {
    const curve = await api.get("k");
    const error = app.session.task === "classification" ? "leave-one-out error" : "leave-one-out RMSE";
    return {
      title: "Leave-one-out error by K",
      columns: ["K", error],
      rows: curve.k.map((k, i) => [k, curve.error[i]]),
      shares: app.session.task === "classification" ? [error] : [],
      chart: { kind: "line", x: "K", y: [error], mark: curve.selected },
    };
  }
}

async function openCell(app, truth, predicted) {
  try {
    const { rows } = await api.get(`confusion/${api.part(truth)}/${api.part(predicted)}`);
    app.selectRows(`True ${truth}, predicted ${predicted}`, rows);
  } catch (error) {
    app.fail(error);
  }
}

/** Each map with what it keeps of the neighborhoods. */
function mapsTable(session) {
  const names = ["trustworthiness", "continuity", "neighbor_preservation"];
  const rows = session.maps
    .filter((map) => map.measures)
    .map((map) => [map.name, ...names.map((name) => map.measures[name] ?? null)]);
  if (!rows.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, "Quality of the maps"),
    dataTable("Quality of the maps", ["map", "trustworthiness", "continuity", "neighbor preservation"], rows),
  );
}

function selfCheck(app) {
  const answer = h("div", { "aria-live": "polite" });
  const button = h(
    "button",
    {
      type: "button",
      class: "main",
      on: {
        click: async () => {
          button.disabled = true;
          put(answer, h("p", { class: "note" }, "Comparing …"));
          try {
            const found = await api.post("self-check", { rows: Math.min(200, app.session.n_rows) });
            const good = found.different.length === 0;
            put(
              answer,
              h(
                "p",
                { class: good ? "good" : "notice" },
                `${count(found.equal)} of ${plural(found.rows_checked, "row")} have the same neighbors `,
                `by brute force in float64 (${found.seconds.toFixed(2)} s).`,
                !good && ` Different: rows ${found.different.map((item) => item.row ?? item).join(", ")}.`,
              ),
            );
          } catch (error) {
            put(answer, h("p", { class: "notice" }, error.message));
          } finally {
            button.disabled = false;
          }
        },
      },
    },
    "Run the self-check",
  );
  return h(
    "section",
    { class: "self-check" },
    h("h3", {}, "Self-check"),
    h("p", { class: "note" }, "Compares the neighbors of a random sample with brute force."),
    button,
    answer,
  );
}
