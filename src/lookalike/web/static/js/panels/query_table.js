/** A row as a new item: pasted, copied from the selected row, or typed cell by cell. */

import { recordsOf } from "../csv.js";
import { h, put } from "../dom.js";
import { plural } from "../format.js";

const MOST_CHOICES = 60; // categories of a column that are offered as choices; of more, a text is typed
const FEW_CELLS = 14; // that are shown without a click

/** @param {import("../app.js").App} app @param {(query: Object) => void} ask @returns {HTMLElement} */
export function tableInput(app, ask) {
  const columns = app.session.columns.filter(({ used }) => used !== false);
  const left = app.session.columns.filter(({ used }) => used === false).map(({ name }) => name);
  const fields = new Map(columns.map((column, i) => [column.name, fieldOf(app.session, column, i)]));
  const note = h("p", { class: "note", "aria-live": "polite" });
  const fill = (cells) => {
    for (const [name, field] of fields) if (name in cells) setField(field, cells[name]);
  };
  const paste = /** @type {HTMLTextAreaElement} */ (
    h("textarea", {
      rows: 2,
      id: "new-row",
      placeholder:
        columns
          .slice(0, 4)
          .map(({ name }) => name)
          .join(", ") + (columns.length > 4 ? ", …" : ""),
      spellcheck: "false",
    })
  );
  paste.addEventListener("input", () => {
    if (!paste.value.trim()) return;
    const { cells, message } = parseRow(paste.value, app.session);
    fill(cells);
    put(note, message);
  });
  const copy = h(
    "button",
    {
      type: "button",
      class: "link",
      on: {
        click: () => {
          const info = app.focus.subject?.info;
          if (!info) put(note, "Click a point first: its cells are copied here.");
          else fill(Object.fromEntries(info.cells.map(({ name, value }) => [name, value])));
        },
      },
    },
    "Copy the selected row",
  );
  const submit = (event) => {
    event.preventDefault();
    ask({ cells: cellsOf(fields, columns) });
  };
  return h(
    "form",
    { class: "new-row", on: { submit } },
    h("label", { for: "new-row" }, "Paste a row: csv, with or without its header, or JSON"),
    paste,
    note,
    copy,
    h(
      "details",
      { open: columns.length <= FEW_CELLS },
      h("summary", {}, plural(columns.length, "cell")),
      h(
        "div",
        { class: "cell-fields" },
        [...fields].map(([name, field]) => [h("label", { for: field.id }, name), field]),
      ),
    ),
    left.length > 0 && h("p", { class: "note" }, `Not asked for, as no model reads it: ${left.join(", ")}.`),
    h("button", { type: "submit", class: "main" }, "Predict"),
  );
}

/** The field of a column: choices where it has few categories. */
function fieldOf(session, { name, type }, place) {
  const known = session.colors.find(({ id }) => id === `column:${name}`)?.categories;
  const id = `cell-${place}`;
  if (!known?.length || known.length > MOST_CHOICES || /number|boolean/.test(type))
    return h("input", { id, type: "text", inputmode: type === "number" ? "decimal" : null, autocomplete: "off" });
  return h(
    "select",
    { id },
    h("option", { value: "" }, "(empty)"),
    known.map((category) => h("option", { value: category }, category)),
  );
}

/** @param {HTMLInputElement|HTMLSelectElement} field @param {any} value */
function setField(field, value) {
  const text = value === null || value === undefined ? "" : String(value);
  const choices = field instanceof HTMLSelectElement ? [...field.options].map((option) => option.value) : [text];
  if (!choices.includes(text)) field.append(h("option", { value: text }, `${text} (not in the data)`));
  field.value = text;
}

/** Cells that were filled in; numbers become numbers where the column holds numbers. */
function cellsOf(fields, columns) {
  const cells = {};
  for (const { name, type } of columns) {
    const text = fields.get(name).value.trim();
    const value = Number(text);
    cells[name] = text === "" ? null : /number|float|int|bool/.test(type) && !Number.isNaN(value) ? value : text;
  }
  return cells;
}

/**
 * Read a pasted row: JSON, a header and a row, or values in the order of the columns.
 *
 * Without a header, as many values as a line of the data has are read as that line; the target among them is left out.
 * @param {string} text @param {{columns: {name: string, used?: boolean}[], header?: string[]}} session
 * @returns {{cells: Object<string, any>, message: string}}
 */
export function parseRow(text, session) {
  try {
    const parsed = JSON.parse(text);
    if (parsed && typeof parsed === "object" && !Array.isArray(parsed))
      return { cells: parsed, message: `${plural(Object.keys(parsed).length, "cell")} read.` };
  } catch {
    // not JSON: cells between delimiters
  }
  const names = session.columns.map(({ name }) => name);
  const used = session.columns.filter((column) => column.used !== false).map(({ name }) => name);
  const [first, second, ...others] = recordsOf(text);
  const hasHeader = second !== undefined && first.filter((name) => names.includes(name)).length * 2 > first.length;
  const values = hasHeader ? second : first;
  const orders = hasHeader ? [first] : [used, names, session.header ?? []];
  const keys = orders.find((order) => order.length === values.length);
  if (!keys) {
    const wanted = [...new Set(orders.map(({ length }) => length).filter(Boolean))].join(" or ");
    const found = `${plural(values.length, "cell")} where ${wanted} are expected`;
    return { cells: {}, message: `${found}: nothing was read. Paste the header as well.` };
  }
  const cells = Object.fromEntries(values.map((value, i) => [keys[i], value]).filter(([name]) => names.includes(name)));
  const more = (hasHeader ? 0 : second ? 1 : 0) + others.length;
  const message = [`${plural(values.length, "cell")} read.`, more > 0 && `The first of ${more + 1} rows.`];
  return { cells, message: message.filter(Boolean).join(" ") };
}
