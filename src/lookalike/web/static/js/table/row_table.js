/** The table of all rows, or of the selected ones: sorted by any column, filtered by a condition. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { cell, plural } from "../format.js";
import { labelOf } from "../panels/row_view.js";
import { Pages } from "./pages.js";

const LINE_PIXELS = 28;
const MOST_PIXELS = 8_000_000; // browsers draw no taller elements
const LINES_BEYOND = 6; // drawn above and below what is seen

/** @param {HTMLElement} host @param {Object} app */
export function bindRowTable(host, app) {
  const table = new RowTable(host, app);
  app.store.on(["table"], (state) => table.show(state.table));
  app.store.on(["row"], () => table.draw());
  app.selection.on(() => table.restart());
  app.onLabels(() => table.restart());
  app.theme.on(() => table.draw());
  table.show(app.store.state.table);
}

class RowTable {
  /** @param {HTMLElement} host @param {Object} app */
  constructor(host, app) {
    this.app = app;
    this.host = host;
    this.columns = app.session.table ?? [];
    this.sort = this.columns[0]?.id ?? "row";
    this.descending = false;
    /** @type {Pages|null} */
    this.pages = null;
    this.title = h("p", { class: "note", role: "status" });
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.grid = h(
      "table",
      { "aria-label": "Rows", class: "row-lines" },
      h(
        "colgroup",
        {},
        this.columns.map(() => h("col", {})),
      ),
      this.head,
      this.body,
    );
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
    const field = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "text",
        id: "condition",
        placeholder: this.#example(),
        "aria-label": "Condition on columns",
        spellcheck: "false",
        autocomplete: "off",
      })
    );
    const submit = async (event) => {
      event.preventDefault();
      const condition = field.value.trim();
      if (!condition) {
        this.app.selection.clear();
        return;
      }
      try {
        const found = await api.get(`where?condition=${api.part(condition)}`);
        this.app.selectRows(condition, api.rowsOf(found.mask), `where:${condition}`);
        if (found.total === 0) this.app.say(`There are no rows where ${condition}.`);
      } catch (error) {
        this.app.fail(error);
      }
    };
    const close = () => this.app.store.set({ table: false });
    return h(
      "header",
      {},
      h(
        "form",
        { on: { submit } },
        h("label", { for: "condition" }, "Rows where"),
        field,
        h("button", { type: "submit" }, "Select"),
      ),
      this.title,
      h("button", { type: "button", class: "plain close", "aria-label": "Close the table", on: { click: close } }, "×"),
    );
  }

  /** A condition that works here. */
  #example() {
    const number = this.app.session.columns?.find(({ type }) => type === "number");
    return number ? `for example ${quoted(number.name)} > 0` : 'for example column == "text"';
  }

  /** Begin again: other rows, another order, or other labels. */
  restart() {
    if (this.host.hidden) {
      this.pages = null;
      return;
    }
    const { selection, session } = this.app;
    const mask = selection.rows.length ? api.maskOf(selection.rows, session.n_rows) : null;
    this.pages = new Pages({ sort: this.sort, descending: this.descending, mask }, () => this.draw());
    this.scroller.scrollTop = 0;
    this.#drawHead();
    this.pages.load(0).catch(this.app.fail);
  }

  #drawHead() {
    const sorted = (id) => (id !== this.sort ? "none" : this.descending ? "descending" : "ascending");
    const sortBy = (id) => {
      this.descending = id === this.sort && !this.descending;
      this.sort = id;
      this.restart();
    };
    put(
      this.head,
      h(
        "tr",
        {},
        this.columns.map(({ id, name, type }) =>
          h(
            "th",
            { scope: "col", "aria-sort": sorted(id), class: type === "number" ? "number" : null },
            h(
              "button",
              { type: "button", title: `Sort by ${name}`, on: { click: () => sortBy(id) } },
              name,
              { ascending: " ↑", descending: " ↓" }[sorted(id)],
            ),
          ),
        ),
      ),
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
    const height = Math.min(pages.total * LINE_PIXELS, MOST_PIXELS);
    this.spacer.style.height = `${height + LINE_PIXELS}px`;
    const seen = Math.ceil(scroller.clientHeight / LINE_PIXELS);
    const share = scroller.scrollTop / Math.max(1, height + LINE_PIXELS - scroller.clientHeight);
    const top = Math.round(Math.min(1, share) * Math.max(0, pages.total - seen + 1));
    const first = Math.max(0, top - LINES_BEYOND);
    const last = Math.min(pages.total, top + seen + LINES_BEYOND);
    this.grid.style.marginTop = `${Math.max(0, scroller.scrollTop - (top - first) * LINE_PIXELS)}px`;
    this.grid.setAttribute("aria-rowcount", String(pages.total + 1));
    const lines = [];
    for (let place = first; place < last; place += 1) lines.push(this.#line(place, pages.line(place), store.state.row));
    put(this.body, lines);
  }

  #line(place, line, open) {
    if (!line)
      return h("tr", { "aria-rowindex": place + 2 }, h("td", { colspan: this.columns.length, class: "note" }, "…"));
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
      line.cells.map((value, i) => this.#cell(this.columns[i], value)),
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

/** A name as a condition writes it. @param {string} name */
function quoted(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
}
