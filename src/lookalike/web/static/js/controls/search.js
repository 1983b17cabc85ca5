/** Search by row number, label or text: what a text may mean is offered while it is typed. */

import * as api from "../api.js";
import { debounce, h, put } from "../dom.js";
import { plural } from "../format.js";
import { titleOf } from "../selection.js";
import { announce } from "./messages.js";

const PAUSE_MS = 120; // in typing, before the server is asked

/** @param {import("../app.js").App} app @returns {HTMLElement} */
export function searchBox(app) {
  const field = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "search",
      id: "search",
      placeholder: "Row, label or text",
      role: "combobox",
      "aria-label": "Search by row number, label or text",
      "aria-controls": "matches",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
    })
  );
  const list = h("ul", { id: "matches", role: "listbox", "aria-label": "What it may mean", hidden: true });
  let matches = [];
  let at = -1;

  const close = () => {
    list.hidden = true;
    at = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const take = (match) => {
    close();
    find(app, match).catch(app.fail);
  };
  const mark = () => {
    [...list.children].forEach((line, place) => line.setAttribute("aria-selected", String(place === at)));
    if (at >= 0) field.setAttribute("aria-activedescendant", `match-${at}`);
  };
  const offer = (found) => {
    matches = found;
    at = -1;
    put(
      list,
      matches.map((match, place) =>
        h(
          "li",
          {
            role: "option",
            id: `match-${place}`,
            "aria-selected": "false",
            on: { mousedown: (event) => event.preventDefault(), click: () => take(match) },
          },
          nameOf(match),
        ),
      ),
    );
    list.hidden = matches.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
  };
  const ask = api.latest((signal, text) => api.get(`search/matches?q=${api.part(text)}`, signal));
  const typed = debounce(async () => {
    const text = field.value.trim();
    const found = text ? await ask(text).catch(() => []) : [];
    if (found && field.value.trim() === text && document.activeElement === field) offer(found);
  }, PAUSE_MS);

  field.addEventListener("input", typed);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !list.hidden) {
      event.preventDefault();
      at = (at + step + matches.length) % matches.length;
      mark();
    } else if (event.key === "Escape") {
      if (list.hidden) field.blur();
      else close();
      event.stopPropagation();
    }
  });
  const form = h("form", { class: "search", role: "search" }, field, list);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) app.selection.clear();
    else if (at >= 0) take(matches[at]);
    else take({ kind: null, text });
  });
  return form;
}

function nameOf({ kind, text, total }) {
  if (kind === "row") return `row ${text}`;
  if (kind === "label") return [`label ${text} `, h("span", { class: "note" }, `(${plural(total, "row")})`)];
  return `text “${text}”`;
}

/**
 * Open the row, or select the rows.
 * @param {import("../app.js").App} app
 * @param {{kind: string|null, text: string}} match
 */
async function find(app, { kind, text }) {
  const found = await api.get(`search?q=${api.part(text)}${kind ? `&kind=${kind}` : ""}`);
  if (found.kind === "row" && found.rows.length === 1) {
    app.open(found.rows[0]);
    return;
  }
  if (found.rows.length === 0) {
    announce("Nothing found");
    app.say(`Nothing found for “${text}”. Search for a row number, a label, or words of a cell.`);
    return;
  }
  const rows = found.mask ? api.rowsOf(found.mask) : found.rows;
  app.selectRows(titleOf(found.kind, text), rows, `${found.kind}:${text}`);
}
