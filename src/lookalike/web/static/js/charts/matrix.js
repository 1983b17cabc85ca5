/** The confusion matrix: each cell is a button that shows its rows. */

import { h } from "../dom.js";
import { count } from "../format.js";

/**
 * @param {Object} panel rows: true label, then a count for each predicted class
 * @param {{labels: string[]}} chart
 * @param {(truth: string, predicted: string) => void} open
 * @returns {HTMLElement}
 */
export function confusionMatrix(panel, chart, open) {
  const counts = panel.rows.map((row) => row.slice(1, 1 + chart.labels.length));
  const mostWrong = Math.max(1, ...counts.flatMap((row, i) => row.filter((_, j) => i !== j)));
  const mostRight = Math.max(1, ...counts.map((row, i) => row[i]));
  const table = h(
    "table",
    { class: "matrix" },
    h("caption", { class: "unseen" }, "Confusion matrix: rows are the true classes, columns the predicted ones"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "true \\ predicted")),
        chart.labels.map((label) => h("th", { scope: "col", title: label }, short(label))),
      ),
    ),
    h(
      "tbody",
      {},
      counts.map((row, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row", title: chart.labels[i] }, short(chart.labels[i])),
          row.map((value, j) => {
            const share = i === j ? value / mostRight : value / mostWrong;
            const level = value === 0 ? 0 : Math.max(1, Math.ceil(share * 4));
            const name = `true ${chart.labels[i]}, predicted ${chart.labels[j]}: ${count(value)}`;
            return h(
              "td",
              {},
              value === 0
                ? h("span", { class: "none", "aria-label": name }, "·")
                : h(
                    "button",
                    {
                      type: "button",
                      class: `${i === j ? "right" : "wrong"} level-${level}`,
                      "aria-label": name,
                      title: name,
                      on: { click: () => open(chart.labels[i], chart.labels[j]) },
                    },
                    count(value),
                  ),
            );
          }),
        ),
      ),
    ),
  );
  return h(
    "div",
    { class: "matrix-frame" },
    h("p", { class: "note" }, "True classes down, predicted classes across. Click a cell to see its rows."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" }, table),
  );
}

function short(label) {
  return label.length > 7 ? `${label.slice(0, 6)}…` : label;
}
