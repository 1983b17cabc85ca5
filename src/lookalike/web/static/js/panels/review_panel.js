/** The review queue: suspicious rows, decided by keyboard; the leave-one-out error moves along. */

import * as api from "../api.js";
import { h, put, s } from "../dom.js";
import { cell, count, number, percent, plural, rowName, rowNumber } from "../format.js";
import { hint } from "../controls/hint.js";
import { announce, say } from "../controls/messages.js";
import { besideOf } from "./beside.js";
import { relabelForm } from "./relabel.js";
import { labelOf, picture, rowLink } from "./row_view.js";

export class ReviewPanel {
  /** @param {import("../app.js").App} app */
  constructor(app) {
    this.app = app;
    this.host = h("div", { class: "review" });
    this.state = null;
    this.at = 0;
    this.history = [];
    this.listeners = [];
    /** @type {{row: number, k: number, host: HTMLElement}|null} */
    this.besideRow = null;
    app.store.on(["tab"], (state) => state.tab === "review" && this.look());
    this.load().catch((error) => put(this.host, h("h2", {}, "Review"), h("p", { class: "notice" }, error.message)));
  }

  /** @param {() => void} listener called when the queue is another one */
  on(listener) {
    this.listeners.push(listener);
  }

  async load() {
    this.#take(await api.get("review"));
    if (this.open && this.app.store.state.row === null) this.look();
  }

  #take(found) {
    this.state = { ...this.state, ...found };
    if (this.state.error && this.history[this.history.length - 1] !== this.state.error.value)
      this.history.push(this.state.error.value);
    this.at = Math.max(0, Math.min(this.at, this.state.queue.length - 1));
    this.app.tabs?.badge("review", this.state.queue.length ? count(this.state.queue.length) : "");
    this.draw();
    for (const listener of this.listeners) listener();
  }

  get item() {
    return this.state?.queue[this.at] ?? null;
  }

  get open() {
    return this.app.store.state.tab === "review" && this.app.store.state.panel;
  }

  /** @param {number} step */
  step(step) {
    if (!this.open || !this.state) return;
    this.at = Math.max(0, Math.min(this.state.queue.length - 1, this.at + step));
    this.draw();
    this.look();
  }

  /** Show the row of the queue on the map. */
  look() {
    if (this.item) this.app.store.set({ row: this.item.row }, { replace: true });
  }

  /** @param {"accept"|"relabel"|"ignore"} action */
  key(action) {
    if (!this.open || !this.item || !this.state.editable) return;
    if (action === "relabel" && String(this.item.suggested) === String(this.item.label)) return;
    this.decide(this.item.row, action, action === "relabel" ? this.item.suggested : undefined);
  }

  /** @param {number} row @param {string} action @param {any} [label] @param {boolean} [confirmed] */
  async decide(row, action, label, confirmed = false) {
    const body = {
      row,
      action,
      ...(label === undefined || label === null ? {} : { label }),
      ...(confirmed ? { confirm_test_row: true } : {}),
    };
    const shown = this.app.store.state.row;
    try {
      await this.#settle(await api.post("review", body));
      const done = { relabel: `relabeled as ${label}`, accept: "label accepted", ignore: "ignored" }[action];
      announce(`${rowName(row)}: ${done}. ${this.#errorText()}`);
      if (this.open && this.app.store.state.row === shown) this.look(); // not if it was closed meanwhile
    } catch (error) {
      if (error.status === 409 && !confirmed) this.#confirm(error.message, () => this.decide(row, action, label, true));
      else this.app.fail(error);
    }
  }

  /**
   * Rows that were put into the queue by hand: the first of them is shown.
   * @param {Object} found state of the review
   */
  sent(found) {
    this.at = 0;
    this.#take(found);
    this.app.tabs.open("review", true);
    this.look();
  }

  /**
   * Give rows one label; all of that can be taken back at once.
   * @param {Object} rows
   * @param {string} label
   * @param {boolean} confirmed
   */
  async relabel(rows, label, confirmed) {
    const found = await api.post("review/relabel", { ...rows, label, confirm_test_rows: confirmed });
    await this.#settle(found);
    const what = `${plural(found.n_changed, "row")} relabeled as ${label}. ${this.#errorText()}`;
    announce(what);
    say(what, "note", found.n_changed ? ["Undo", () => this.undo(found.n_changed)] : null);
  }

  /** @param {number} [decisions] the last ones */
  async undo(decisions = 1) {
    if (!this.state?.editable) return;
    try {
      await this.#settle(await api.post("review/undo", { count: decisions }));
      announce(`Undone. ${this.#errorText()}`);
    } catch (error) {
      this.app.fail(error);
    }
  }

  async #settle(found) {
    this.#take(found.queue ? found : { ...(await api.get("review")) });
    if (found.notice) say(found.notice, "error"); // kept in the log, and the csv is behind
    await this.app.labelsChanged();
  }

  #confirm(message, go) {
    put(
      this.question,
      h("p", {}, message),
      h(
        "div",
        { class: "inline" },
        h(
          "button",
          {
            type: "button",
            class: "main",
            on: {
              click: () => {
                put(this.question);
                go();
              },
            },
          },
          "Change this test row",
        ),
        h("button", { type: "button", on: { click: () => put(this.question) } }, "Leave it"),
      ),
    );
    if (!this.open) this.app.tabs.open("review");
    this.question.querySelector("button").focus();
  }

  #errorText() {
    const { error } = this.state;
    if (!error || error.value === null || error.value === undefined) return "";
    return this.app.session.task === "classification"
      ? `Leave-one-out error ${percent(error.value, 2)}`
      : `Leave-one-out RMSE ${number(error.value)}`;
  }

  draw() {
    const { app, state } = this;
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const held = this.host.contains(active) ? (active.dataset.act ?? "") : null;
    this.question = h("div", { class: "question", role: "alert" });
    put(
      this.host,
      h(
        "header",
        { class: "review-head" },
        h("h2", {}, this.#title()),
        h("p", { class: "moving" }, this.#errorText(), this.#trace()),
      ),
      !state.queue.length && h("p", {}, this.#whyEmpty()),
      this.question,
      this.item && this.#card(this.item),
      h(
        "div",
        { class: "inline bottom" },
        h(
          "button",
          {
            type: "button",
            "data-act": "undo",
            disabled: !state.decided?.length && !(state.decided > 0),
            on: { click: () => this.undo() },
          },
          "Undo",
          h("kbd", {}, "U"),
        ),
        h(
          "button",
          {
            type: "button",
            "data-act": "export",
            on: { click: () => api.download("review/corrections.csv", "corrections.csv").catch(app.fail) },
          },
          "Export corrections",
        ),
      ),
      !state.editable &&
        h(
          "p",
          { class: "note" },
          "Labels cannot be changed here. Start lookalike serve with --corrections FILE to keep corrections.",
        ),
      state.log_path && h("p", { class: "note" }, "Decisions are kept in ", h("code", {}, state.log_path)),
      this.#queue(),
    );
    if (held === null) return;
    const again = held && this.host.querySelector(`[data-act="${held}"]:not(:disabled)`);
    const kept = /** @type {HTMLElement|null} */ (again || this.host.closest("[role=tabpanel]"));
    kept?.focus(); // never lost to the page
  }

  #title() {
    const { queue, decided, audited } = this.state;
    if (queue.length) return plural(queue.length, "suspicious row");
    if (decided > 0) return "Nothing left to review";
    return audited === false ? (this.app.studying ? "No audit yet" : "No audit") : "No suspicious rows";
  }

  #whyEmpty() {
    const other = this.state.decided ? "other " : "";
    if (this.state.audited !== false)
      return `The audit flags no ${other}label. That of any row can be changed in its panel.`;
    const why = this.app.studying
      ? "The study that audits the labels is under way, so none is suspected yet."
      : "The labels were not audited, so none is suspected.";
    return `${why} The label of any row can be changed in its panel.`;
  }

  /** The error after each decision. */
  #trace() {
    if (this.history.length < 2) return null;
    const low = Math.min(...this.history);
    const span = Math.max(...this.history) - low || 1;
    const last = this.history.length - 1;
    const points = this.history
      .map((value, i) => `${((i / last) * 76 + 2).toFixed(1)},${(16 - ((value - low) / span) * 12).toFixed(1)}`)
      .join(" ");
    return s(
      "svg",
      { class: "trace", viewBox: "0 0 80 20", role: "img", "aria-label": "Leave-one-out error after each decision" },
      s("polyline", { points }),
    );
  }

  #card(item) {
    const { app, state } = this;
    const agrees = String(item.suggested) === String(item.label); // of a row that was sent here by hand
    const act = (action, key, text) =>
      h(
        "button",
        {
          type: "button",
          class: action === "relabel" ? "main" : null,
          "data-act": action,
          disabled: !state.editable || (agrees && action === "relabel"),
          on: { click: () => this.key(action) },
        },
        text,
        h("kbd", {}, key),
      );
    return h(
      "article",
      { class: "suspect" },
      h(
        "div",
        { class: "row-head" },
        app.session.kind === "images" && picture(app.session, item.row, 84, `Image of row ${rowNumber(item.row)}`),
        h(
          "div",
          {},
          h("h3", {}, rowLink(app, item.row, rowName(item.row))),
          h("p", { class: "change" }, labelOf(app, item.label), !agrees && [" → ", labelOf(app, item.suggested)]),
          h("p", { class: "note" }, item.sent && "Sent from a selection. ", item.reason),
        ),
      ),
      h(
        "dl",
        { class: "facts" },
        h("dt", {}, "harm ", hint("harm")),
        h("dd", {}, number(item.harm)),
        item.stable_k && [h("dt", {}, "stable for"), h("dd", {}, stableText(item.stable_k))],
      ),
      h(
        "div",
        { class: "acts" },
        act("relabel", "R", agrees ? "Relabel: no other is suggested" : `Relabel as ${cell(item.suggested)}`),
        act("accept", "A", "Label is right"),
        act("ignore", "I", "Ignore"),
      ),
      this.#beside(item.row),
      state.editable && relabelForm(app, item),
    );
  }

  /** The row beside its nearest rows; asked for once, as the card is drawn again and again. @param {number} row */
  #beside(row) {
    const { k } = this.app.store.state;
    if (this.besideRow?.row !== row || this.besideRow.k !== k)
      this.besideRow = { row, k, host: besideOf(this.app, row) };
    return this.besideRow.host;
  }

  #queue() {
    const rows = this.state.queue;
    if (rows.length < 2) return null;
    return h(
      "details",
      { open: rows.length <= 12 },
      h("summary", {}, "The queue, by the harm a wrong label does"),
      h(
        "ol",
        { class: "queue" },
        rows.slice(0, 300).map((item, i) =>
          h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                class: "queue-row",
                "data-act": `row-${i}`,
                "aria-current": i === this.at ? "true" : null,
                on: {
                  click: () => {
                    this.at = i;
                    this.draw();
                    this.look();
                  },
                },
              },
              h("span", {}, rowNumber(item.row)),
              labelOf(this.app, item.label),
              h("span", { "aria-hidden": "true" }, "→"),
              labelOf(this.app, item.suggested),
              h("span", { class: "figure" }, number(item.harm)),
            ),
          ),
        ),
      ),
      rows.length > 300 &&
        h("p", { class: "note" }, `The first 300 of ${count(rows.length)}; the others follow as these are decided.`),
    );
  }
}

function stableText(stable) {
  if (Array.isArray(stable))
    return stable
      .map((run) => (typeof run === "object" ? `K ${run.from}–${run.to}: ${cell(run.predicted)}` : cell(run)))
      .join(", ");
  return typeof stable === "object" ? `K ${stable.from}–${stable.to}` : cell(stable);
}
