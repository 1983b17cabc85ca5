/** A new item: a pasted row, an image, a sentence. It is predicted, explained and placed on the map. */

import { h, put } from "../dom.js";
import { besideNeighbors } from "./beside.js";
import { evidenceParts, scoreContributions } from "./evidence.js";
import { neighborList } from "./neighbors.js";
import { imageInput } from "./query_image.js";
import { tableInput } from "./query_table.js";
import { neighborVoice, selectedVoiceOfNew, twoVoices } from "./voices.js";

/** @param {import("../app.js").App} app @returns {HTMLElement} */
export function queryPanel(app) {
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const ask = async (query) => {
    try {
      await app.query(query);
    } catch (error) {
      put(answer, h("p", { class: "notice" }, error.message));
    }
  };
  const inputs = { images: imageInput, texts: textInput, table: tableInput };
  const draw = (subject) => put(answer, subject?.kind === "query" ? result(app, subject) : null);
  app.focus.on(draw);
  app.theme.on(() => draw(app.focus.subject));
  return h("div", {}, h("h2", {}, "A new item"), (inputs[app.session.kind] ?? tableInput)(app, ask), answer);
}

function textInput(app, ask) {
  const field = /** @type {HTMLTextAreaElement} */ (
    h("textarea", { rows: 4, id: "new-text", placeholder: "Type or paste a text" })
  );
  return h(
    "form",
    {
      on: {
        submit: (event) => {
          event.preventDefault();
          if (field.value.trim()) ask({ text: field.value });
        },
      },
    },
    h("label", { for: "new-text" }, "Text"),
    field,
    h("button", { type: "submit", class: "main" }, "Predict"),
  );
}

function result(app, subject) {
  const { evidence, query } = subject;
  const placed = evidence.maps?.[app.store.state.map];
  return [
    selectedVoiceOfNew(app, evidence),
    ...(evidence.notes ?? []).map((note) => h("p", { class: "note" }, `Note: ${note}`)),
    h(
      "p",
      { class: "note" },
      placed
        ? "The diamond on the map is where it lies."
        : "It has no place on this map: a cell is missing, or is of no category that is known here.",
    ),
    twoVoices(app) && neighborVoice(app, evidence),
    besideNeighbors(app, itemOf(query), evidence.neighbors),
    evidenceParts(app, evidence),
    neighborList(app, subject),
    scoreContributions(app, evidence),
    h("button", { type: "button", class: "link", on: { click: () => app.focus.clear() } }, "Take it off the map"),
  ];
}

/** A new item as it stands beside rows of the data. @param {Object} query @returns {import("./beside.js").Shown} */
function itemOf(query) {
  const cells = Object.entries(query.cells ?? {}).map(([name, value]) => ({ name, value }));
  return { title: "new item", row: null, label: null, cells, text: query.text ?? null };
}
