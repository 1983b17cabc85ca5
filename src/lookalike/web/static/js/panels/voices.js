/** Who predicts what: the selected model and the nearest neighbors, each under its own name. */

import { h } from "../dom.js";
import { percent } from "../format.js";
import { labelOf } from "./row_view.js";

/**
 * What the selected model predicts for a row of the data.
 * @param {import("../app.js").App} app
 * @param {Object} info answer of rows/{i}
 */
export function selectedVoice(app, info) {
  if (!twoVoices(app) || !known(info.predicted)) return null;
  const share = info.probabilities?.[info.predicted] ?? null;
  return [
    voice(app, `Selected model: ${app.session.model.name}`, info.predicted, share, info.label),
    info.predicted_by && h("p", { class: "note" }, `By ${info.predicted_by}.`),
  ];
}

/**
 * What the selected model predicts for a new item.
 * @param {import("../app.js").App} app
 * @param {Object} evidence answer of query
 */
export function selectedVoiceOfNew(app, evidence) {
  const share = evidence.probabilities?.[evidence.prediction] ?? null;
  const name = twoVoices(app) ? `Selected model: ${evidence.predicted_by}` : neighborTitle(app, evidence.k);
  return voice(app, name, evidence.prediction, share);
}

/**
 * What the nearest neighbors predict.
 * @param {import("../app.js").App} app
 * @param {Object} evidence
 * @param {any} [label] the true one
 */
export function neighborVoice(app, evidence, label) {
  const predicted = evidence.neighbors_predict ?? evidence.prediction;
  if (!known(predicted)) return null;
  return voice(app, neighborTitle(app, evidence.k), predicted, voteShare(evidence, predicted), label);
}

/** Whether the neighbors are those of another model than the selected one. @param {import("../app.js").App} app */
export function twoVoices(app) {
  return app.session.neighbors?.selected === false;
}

function neighborTitle(app, k) {
  return `${twoVoices(app) ? "" : "Selected model: "}Nearest neighbors (K-NN, K = ${k})`;
}

function voice(app, name, predicted, share, label) {
  const wrong = app.session.task === "classification" && known(label) && String(label) !== String(predicted);
  return h(
    "section",
    { class: "voice" },
    h("h3", {}, name),
    h(
      "p",
      { class: wrong ? "predicted wrong" : "predicted" },
      "predicts ",
      labelOf(app, predicted),
      share !== null && h("span", { class: "note" }, ` ${percent(share, 0)}`),
      wrong && h("span", { class: "note" }, ", not its label"),
    ),
  );
}

/** The share of the votes for a prediction. */
function voteShare({ votes }, predicted) {
  const total = Object.values(votes ?? {}).reduce((sum, vote) => sum + vote, 0);
  return total > 0 ? (votes[predicted] ?? 0) / total : null;
}

function known(value) {
  return value !== null && value !== undefined;
}
