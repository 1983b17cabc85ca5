/** A row as a new item: pasted, copied from the selected row, or typed cell by cell. */

import { h, put } from "../dom.js";
import { plural } from "../format.js";

/** @param {Object} app @param {(query: Object) => void} ask @returns {HTMLElement} */
export function tableInput(app, ask) {
  const columns = app.session.columns.filter((column) => !column.target);
  const fields = new Map();
  for (const [i, { name, type }] of columns.entries()) {
    fields.set(
      name,
      h("input", {
        id: `cell-${i}`,
        type: "text",
        inputmode: type === "number" ? "decimal" : null,
        autocomplete: "off",
      }),
    );
  }
  const note = h("p", { class: "note", "aria-live": "polite" });
  const fill = (cells) => {
    for (const [name, field] of fields) if (name in cells) field.value = cells[name] ?? "";
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
    const { cells, message } = parseRow(
      paste.value,
      columns.map(({ name }) => name),
    );
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
  return h(
    "form",
    {
      class: "new-row",
      on: {
        submit: (event) => {
          event.preventDefault();
          ask({ cells: cellsOf(fields, columns) });
        },
      },
    },
    h("label", { for: "new-row" }, "Paste a row"),
    paste,
    note,
    copy,
    h(
      "details",
      { open: columns.length <= 12 },
      h("summary", {}, plural(columns.length, "cell")),
      h(
        "div",
        { class: "cell-fields" },
        [...fields].map(([name, field]) => [h("label", { for: field.id }, name), field]),
      ),
    ),
    h("button", { type: "submit", class: "main" }, "Predict"),
  );
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
 * @param {string} text @param {string[]} names
 * @returns {{cells: Object<string, any>, message: string}}
 */
export function parseRow(text, names) {
  try {
    const parsed = JSON.parse(text);
    if (parsed && typeof parsed === "object" && !Array.isArray(parsed))
      return { cells: parsed, message: `${plural(Object.keys(parsed).length, "cell")} read.` };
  } catch {
    // not JSON: cells between delimiters
  }
  const lines = text.trim().split(/\r?\n/);
  const delimiter = ["\t", ";", ","].find((sign) => lines[0].includes(sign)) ?? ",";
  const split = (line) => line.split(delimiter).map((value) => value.trim().replace(/^"(.*)"$/, "$1"));
  const first = split(lines[0]);
  const header = lines.length > 1 && first.some((name) => names.includes(name));
  const keys = header ? first : names;
  const values = header ? split(lines[1]) : first;
  const cells = Object.fromEntries(values.map((value, i) => [keys[i], value]).filter(([name]) => name !== undefined));
  const message =
    values.length === keys.length
      ? `${plural(values.length, "cell")} read.`
      : `${plural(values.length, "cell")} read, but there are ${plural(keys.length, "column")}: ${values.length < keys.length ? "the others are empty" : "the rest was left out"}.`;
  return { cells, message };
}
