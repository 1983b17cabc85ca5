/** What the parts of the page share: the state, the arrays, the map, and what several of them ask for. */

import { Focus } from "./focus.js";
import { count } from "./format.js";
import { KeptSelections } from "./kept_selections.js";
import { MapView } from "./map_view.js";
import { Selection } from "./selection.js";
import { announce, fail, say } from "./controls/messages.js";

export class App {
  /**
   * @param {Object} session
   * @param {import("./store.js").Store} store
   * @param {import("./controls/theme.js").Theme} theme
   * @param {import("./scatter/scatter.js").Scatter} scatter
   * @param {import("./data.js").Data} data
   */
  constructor(session, store, theme, scatter, data) {
    this.session = session;
    this.store = store;
    this.theme = theme;
    this.scatter = scatter;
    this.fail = fail;
    this.say = say;
    this.data = data;
    this.selection = new Selection(session.n_rows);
    this.keptSelections = new KeptSelections(session.name, session.n_rows);
    this.focus = new Focus(this);
    this.mapView = new MapView(this);
    /** @type {import("./panels/review_panel.js").ReviewPanel|null} */
    this.review = null;
    /** @type {import("./panels/tabs.js").Tabs|null} */
    this.tabs = null;
    this.studying = false; // whether the server still studies the rows
    this.listeners = { labels: [], maps: [] };
  }

  /** Called after labels changed. @param {() => void} listener */
  onLabels(listener) {
    this.listeners.labels.push(listener);
  }

  /** Called when there are other maps. @param {() => void} listener */
  onMaps(listener) {
    this.listeners.maps.push(listener);
  }

  /** @param {number} row */
  open(row) {
    this.store.set({ row, tab: "row", panel: true });
  }

  /** @param {string} title @param {number[]} rows @param {string} [origin] */
  selectRows(title, rows, origin) {
    this.selection.set(title, rows, origin);
    if (rows.length) this.store.set({ tab: "selection", panel: true });
    announce(rows.length ? `${count(rows.length)} rows selected` : "No rows selected");
  }

  /** Show all rows. */
  fit() {
    this.store.set({ view: null });
  }

  /** @param {number} row @param {string} action @param {any} [label] */
  decide(row, action, label) {
    return this.review.decide(row, action, label);
  }

  /** Predict, explain and place a new item. @param {Object} query */
  async query(query) {
    await this.focus.query(query);
    this.store.set({ row: null, tab: "new" });
  }

  /** Close what is open: the lasso, the row, the new item, the selection. */
  escape() {
    const { focus, scatter, selection, store } = this;
    if (scatter.lassoing) scatter.setLassoing(false);
    else if (store.state.row !== null) store.set({ row: null });
    else if (focus.subject) focus.clear();
    else selection.clear();
  }

  /** There are other maps, or their measures are known. @param {Object[]} maps */
  mapsChanged(maps) {
    this.session.maps = maps;
    for (const listener of this.listeners.maps) listener();
  }

  /** Labels are others: what depends on them is asked for again. */
  async labelsChanged() {
    const { state } = this.store;
    this.data.forgetLabels();
    this.focus.forget();
    await Promise.all([
      this.mapView.showColor(state),
      state.row === null ? null : this.focus.show(state.row, state.k, state.map),
    ]);
    for (const listener of this.listeners.labels) listener();
  }
}
