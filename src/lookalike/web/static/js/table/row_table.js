/** The table of all rows, or of the selected ones: sorted by any column, filtered by a condition or by histograms. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { cell, plural } from "../format.js";
import { labelOf } from "../panels/row_view.js";
import { ShownColumns } from "./columns.js";
import { conditionOf, joined, quoted } from "./filters.js";
import { Histograms } from "./histograms.js";
import { Pages } from "./pages.js";

const LINE_PIXELS = 28;
const HEAD_PIXELS = 64;
const MOST_PIXELS = 8_000_000; // browsers draw no taller elements
const LINES_BEYOND = 6; // drawn above and below what is seen

/** @param {HTMLElement} host @param {import("../app.js").App} app */
export function bindRowTable(host, app) {
  const table = new RowTable(host, app);
  app.store.on(["table"], (state) => table.show(state.table));
  app.store.on(["row"], () => table.draw());
  app.store.on(["color"], () => table.drawHead());
  app.selection.on(() => table.restart());
  app.onLabels(() => table.restart());
  app.theme.on(() => table.draw());
  table.show(app.store.state.table);
}

class RowTable {
  /** @param {HTMLElement} host @param {import("../app.js").App} app */
  constructor(host, app) {
    this.app = app;
    this.host = host;
    const columns = app.session.table ?? [];
    this.shown = new ShownColumns(app.session.name, columns, () => this.restart());
    this.histograms = new Histograms((id, range) => this.#filter(id, range));
    this.typed = ""; // the condition that was written, without those of histograms
    this.condition = ""; // all of them
    this.sort = columns[0]?.id ?? "row";
    this.descending = false;
    /** @type {Pages|null} */
    this.pages = null;
    this.title = h("p", { class: "note", role: "status" });
    this.sizes = h("colgroup", {});
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.grid = h("table", { "aria-label": "Rows", class: "row-lines" }, this.sizes, this.head, this.body);
    this.spacer = h("div", { class: "spacer" }, this.grid);
    this.scroller = h(
      "div",
      { class: "scroller", tabindex: "0", role: "region", "aria-label": "Rows, to be scrolled" },
      this.spacer,
    );
    this.scroller.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()));
    this.scroller.addEventListener("keydown", (event) => this.#walk(event));
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    put(host, this.#bar(), this.scroller);
  }

  /** @param {boolean} open */
  show(open) {
    this.host.hidden = !open;
    document.getElementById("app").toggleAttribute("data-table", open);
    if (open && !this.pages) this.restart();
    else this.draw();
  }

  #bar() {
    this.field = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "text",
        id: "condition",
        placeholder: this.#example(),
        "aria-label": "Condition on columns",
        spellcheck: "false",
        autocomplete: "off",
      })
    );
    const submit = (event) => {
      event.preventDefault();
      this.histograms.clear();
      this.typed = this.field.value.trim();
      this.#select(this.typed);
    };
    const close = () => this.app.store.set({ table: false });
    return h(
      "header",
      {},
      h(
        "form",
        { on: { submit } },
        h("label", { for: "condition" }, "Rows where"),
        this.field,
        h("button", { type: "submit" }, "Select"),
      ),
      this.title,
      this.shown.menu(),
      h("button", { type: "button", class: "plain close", "aria-label": "Close the table", on: { click: close } }, "×"),
    );
  }

  /** Filter by bars of a histogram, together with all other conditions. */
  #filter(id, range) {
    if (!this.condition) this.typed = "";
    this.histograms.setRange(id, range);
    const parts = [...this.histograms.ranges].map(([column, [first, last]]) => {
      const { name } = this.shown.columns.find((one) => one.id === column);
      return conditionOf(name, this.histograms.known.get(column), first, last);
    });
    this.#select(joined([this.typed, ...parts]));
  }

  /** Select the rows that satisfy a condition; all where it is empty. @param {string} condition */
  async #select(condition) {
    this.field.value = this.condition = condition;
    if (!condition) {
      if (this.app.selection.rows.length) this.app.selection.clear();
      else this.restart();
      return;
    }
    try {
      const found = await api.get(`where?condition=${api.part(condition)}`);
      if (this.condition !== condition) return;
      this.app.selectRows(condition, api.rowsOf(found.mask), `where:${condition}`);
      if (found.total === 0) this.app.say(`There are no rows where ${condition}.`);
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** A condition that works here. */
  #example() {
    const number = this.app.session.columns?.find(({ type }) => type === "number");
    return number ? `for example ${quoted(number.name)} > 0` : 'for example column == "text"';
  }

  /** Begin again: other rows, another order, or other labels. */
  restart() {
    const { selection } = this.app;
    if (selection.title !== this.condition) this.#forgetCondition(selection);
    if (this.host.hidden) {
      this.pages = null;
      return;
    }
    const mask = selection.rows.length ? selection.bitmask : null;
    this.pages = new Pages({ sort: this.sort, descending: this.descending, mask }, () => this.draw());
    this.scroller.scrollTop = 0;
    this.drawHead();
    this.pages.load(0).catch(this.app.fail);
    this.histograms.load(this.shown.list, mask).catch(this.app.fail);
  }

  /** The rows are selected by something else: a lasso, a search, the address. */
  #forgetCondition({ title, origin }) {
    this.histograms.clear();
    const isCondition = origin?.startsWith("where:");
    this.field.value = this.condition = this.typed = isCondition ? title : "";
  }

  drawHead() {
    if (this.host.hidden) return;
    const columns = this.shown.list;
    put(
      this.sizes,
      columns.map(() => h("col", {})),
    );
    put(
      this.head,
      h(
        "tr",
        {},
        columns.map((column) => this.#headOf(column)),
      ),
    );
  }

  #headOf(column) {
    const { id, name, type } = column;
    const sorted = id !== this.sort ? "none" : this.descending ? "descending" : "ascending";
    const sortBy = () => {
      this.descending = id === this.sort && !this.descending;
      this.sort = id;
      this.restart();
    };
    const { session, store } = this.app;
    const color = ["label", "predicted"].includes(id) ? id : `column:${name}`;
    const colors = session.colors.some((one) => one.id === color);
    return h(
      "th",
      { scope: "col", "aria-sort": sorted, class: type === "number" ? "number" : null },
      h(
        "div",
        { class: "head" },
        h(
          "button",
          { type: "button", class: "sort", title: `Sort by ${name}`, on: { click: sortBy } },
          name,
          { ascending: " ↑", descending: " ↓" }[sorted],
        ),
        colors &&
          h("button", {
            type: "button",
            class: "by-color",
            "aria-label": `Color the map by ${name}`,
            "aria-pressed": String(store.state.color === color),
            title: `Color the map by ${name}`,
            on: { click: () => store.set({ color, hidden: [] }) },
          }),
      ),
      this.histograms.host(column),
    );
  }

  draw() {
    const { pages, scroller } = this;
    if (this.host.hidden || !pages) return;
    const { selection, store } = this.app;
    put(
      this.title,
      selection.rows.length ? `${plural(pages.total, "row")}: ${selection.title}` : `All ${plural(pages.total, "row")}`,
    );
    const height = Math.min(pages.total * LINE_PIXELS, MOST_PIXELS) + HEAD_PIXELS;
    this.spacer.style.height = `${height}px`;
    const seen = Math.ceil((scroller.clientHeight - HEAD_PIXELS) / LINE_PIXELS);
    const share = scroller.scrollTop / Math.max(1, height - scroller.clientHeight);
    const top = Math.round(Math.min(1, share) * Math.max(0, pages.total - seen + 1));
    const first = Math.max(0, top - LINES_BEYOND);
    const last = Math.min(pages.total, top + seen + LINES_BEYOND);
    this.grid.style.marginTop = `${Math.max(0, scroller.scrollTop - (top - first) * LINE_PIXELS)}px`;
    this.grid.setAttribute("aria-rowcount", String(pages.total + 1));
    const columns = this.shown.list;
    const lines = [];
    for (let place = first; place < last; place += 1)
      lines.push(this.#line(columns, place, pages.line(place), store.state.row));
    put(this.body, lines);
  }

  #line(columns, place, line, open) {
    if (!line) return h("tr", { "aria-rowindex": place + 2 }, h("td", { colspan: columns.length, class: "note" }, "…"));
    return h(
      "tr",
      {
        "aria-rowindex": place + 2,
        "aria-selected": String(line.row === open),
        on: {
          click: () => this.app.open(line.row),
          mouseenter: () => this.app.scatter.mark({ hover: line.row }),
          mouseleave: () => this.app.scatter.mark({ hover: null }),
        },
      },
      columns.map((column) => this.#cell(column, line.cells[column.place])),
    );
  }

  #cell({ id, type }, value) {
    if (id === "row") return h("td", { class: "number" }, String(value));
    const isClass = type === "category" && (id === "label" || id === "predicted");
    return h(
      "td",
      { class: type === "number" ? "number" : null, title: isClass ? null : cell(value) },
      isClass ? labelOf(this.app, value) : cell(value),
    );
  }

  /** Up and down open the row before and after. */
  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const lines = [...this.body.children];
    const at = lines.findIndex((line) => line.getAttribute("aria-selected") === "true");
    if (!step || at < 0) return;
    event.preventDefault();
    const next = /** @type {HTMLElement|undefined} */ (lines[at + step]);
    next?.click();
    next?.scrollIntoView({ block: "nearest" });
  }
}
