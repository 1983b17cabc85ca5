/** A chart and its table: the same figures, one button apart. */

import { h, put } from "../dom.js";
import { barChart } from "./bars.js";
import { lineChart } from "./line.js";
import { confusionMatrix } from "./matrix.js";
import { dataTable } from "./table.js";

/**
 * @param {{title: string, columns: any[], rows: any[][], chart: Object|null, shares?: string[], note?: string}} panel
 * @param {(truth: string, predicted: string) => void} [openCell]
 * @returns {HTMLElement}
 */
export function twin(panel, openCell = () => {}) {
  const columns = panel.columns.map((column) => (typeof column === "string" ? column : column.name));
  const formats = Object.fromEntries(panel.columns.map((column, c) => [columns[c], column.format]));
  const named = { ...panel, columns, formats };
  const host = h("div", { class: "twin" });
  const table = () => dataTable(panel.title, columns, panel.rows, panel.shares, formats);
  const chart = () => (panel.chart ? drawn(named, panel.chart, openCell) : null);
  const picture = chart();
  const view = h("div", {}, picture ?? table());
  host.append(view);
  if (picture) {
    const button = h(
      "button",
      {
        type: "button",
        class: "link",
        "aria-pressed": "false",
        on: {
          click: () => {
            const asTable = button.getAttribute("aria-pressed") !== "true";
            button.setAttribute("aria-pressed", String(asTable));
            put(view, asTable ? table() : chart());
          },
        },
      },
      "As a table",
    );
    host.append(button);
  }
  if (panel.note) host.append(h("p", { class: "note" }, panel.note));
  return host;
}

function drawn(panel, chart, openCell) {
  if (panel.rows.length === 0) return null;
  if (chart.kind === "line") return lineChart(panel, chart);
  if (chart.kind === "bar") return barChart(panel, chart);
  if (chart.kind === "matrix") return confusionMatrix(panel, chart, openCell);
  return null;
}
