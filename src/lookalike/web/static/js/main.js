/** Starts the page: asks for the session, builds the parts, and ties them to the store. */

import * as api from "./api.js";
import { App } from "./app.js";
import { Data } from "./data.js";
import { byId, h, put } from "./dom.js";
import { count, formatted, nameRowsBy } from "./format.js";
import { bindMapLayers } from "./map_layers.js";
import { Store } from "./store.js";
import { bindAddress, fromAddress } from "./url.js";
import { bindChoice, planeOf } from "./controls/choice.js";
import { bindConnection } from "./controls/connection.js";
import { hint } from "./controls/hint.js";
import { bindHoverCard } from "./controls/hover_card.js";
import { bindKSlider } from "./controls/k_slider.js";
import { bindLegend } from "./controls/legend.js";
import { fail, say, sayKept } from "./controls/messages.js";
import { bindProgress } from "./controls/progress.js";
import { bindShortcuts } from "./controls/shortcuts.js";
import { Theme } from "./controls/theme.js";
import { bindTools } from "./controls/tools.js";
import { queryPanel } from "./panels/query_panel.js";
import { ReviewPanel } from "./panels/review_panel.js";
import { rowPanel } from "./panels/row_panel.js";
import { selectionPanel } from "./panels/selection_panel.js";
import { studyPanel } from "./panels/study_panel.js";
import { Tabs } from "./panels/tabs.js";
import { bindRowTable } from "./table/row_table.js";
import { Scatter } from "./scatter/scatter.js";

const KINDS = { images: "images", texts: "texts", table: "rows" };

/** @param {Object} session @returns {import("./store.js").State} */
function defaultsOf(session) {
  return {
    map: session.maps[0]?.id ?? "columns:0,0",
    color: session.colors[0]?.id ?? "",
    k: session.k?.selected ?? 5,
    row: null,
    select: "",
    table: false,
    tab: "row",
    hidden: [],
    view: null,
    regions: false,
    contours: false,
    names: true,
    panel: true,
  };
}

/** Replace what an address names but this session does not have. */
function sane(state, defaults, session) {
  const has = (id) => session.colors.some((color) => color.id === id);
  const map = planeOf(state.map) || session.maps.some(({ id }) => id === state.map);
  return { ...state, map: map ? state.map : defaults.map, color: has(state.color) ? state.color : defaults.color };
}

async function start() {
  const theme = new Theme();
  const session = await api.get("session");
  document.title = `${session.name} · lookalike`;
  const defaults = defaultsOf(session);
  const forceCanvas = new URLSearchParams(location.search).get("renderer") === "canvas";
  const store = new Store(sane(fromAddress(location.search, defaults, session.n_rows), defaults, session));
  const data = new Data(session);
  data.map(store.state.map); // on its way while the order of the rows is shuffled
  const scatter = new Scatter(byId("map"), session.n_rows, { forceCanvas });
  const app = new App(session, store, theme, scatter, data);
  if (session.colors.some(({ id }) => id === "row_number")) nameRowsBy(await api.array("colors/row_number", "int32"));
  header(session);
  bindAddress(store, defaults, session.n_rows);
  bindChoice(byId("choice"), app);
  bindLegend(byId("legend"), app);
  bindMapLayers(byId("layers"), app);
  bindHoverCard(byId("card"), app);
  app.review = new ReviewPanel(app);
  app.tabs = new Tabs(app, [
    ["row", "Row", rowPanel(app)],
    ["new", "New", queryPanel(app)],
    ["selection", "Selection", selectionPanel(app)],
    ["review", "Review", app.review.host],
    ["study", "Study", studyPanel(app)],
  ]);
  bindRowTable(byId("table"), app);
  const kSlider = bindKSlider(byId("k-box"), app);
  const help = bindShortcuts(app, (step) => kSlider.then((slider) => slider?.step(step)));
  bindTools(byId("tools"), app, help);
  bindStore(app);
  bindInsets(app);
  await Promise.all([app.mapView.showMap(store.state, false), app.mapView.showColor(store.state), kSlider.catch(fail)]);
  app.mapView.showRegions(store.state);
  app.focus.show(store.state.row, store.state.k, store.state.map).catch(fail);
  bindSelection(app);
  scatter.surface.setAttribute("aria-label", `Map of ${count(session.n_rows)} rows`);
  for (const note of session.notes ?? []) say(note);
  sayKept();
  scatter.drawn.then(() => bindProgress(byId("progress"), app)); // asking begins what takes long: rows come first
  bindConnection(session);
  document.documentElement.dataset.ready = "yes";
  Object.defineProperty(byId("map"), "scatter", { value: scatter });
}

/** Changes of the store that are drawn. */
function bindStore(app) {
  const { store, mapView, focus, scatter, selection } = app;
  const guard = (promise) => Promise.resolve(promise).catch(fail);
  store.on(["map"], (state, before, how) =>
    guard(mapView.showMap(state, !how.instant))
      .then(() => guard(focus.tear(state.map, state.k)))
      .then(() => guard(focus.place(state.map))),
  );
  // points may lie below the cards
  const veil = (state) => byId("stage").toggleAttribute("data-moved", state.view !== null);
  veil(store.state);
  store.on(["view"], (state) => {
    veil(state);
    if (!moving) mapView.showView(state);
  });
  store.on(["color", "k"], (state, before) => {
    const follows = ["predicted", "error"].includes(state.color);
    if (state.color !== before.color || follows) guard(mapView.showColor(state));
  });
  store.on(["hidden"], () => mapView.showState());
  store.on(["regions", "k", "map"], (state, before) => {
    if (state.regions || before.regions) guard(mapView.showRegions(state));
  });
  store.on(["row", "k"], (state, before) => {
    if (state.row !== null || before.row !== null) guard(focus.show(state.row, state.k, state.map));
  });
  store.on(["k"], () => {
    if (focus.subject?.kind === "query") guard(focus.query(focus.subject.query));
  });
  app.theme.on(() => mapView.paint());
  selection.on(() => mapView.showState());
  focus.on((subject) => mapView.showMarks(subject));
  let moving = false;
  scatter.on("moved", () => {
    const { camera } = scatter;
    moving = true;
    store.set({ view: camera.fits ? null : { x: camera.x, y: camera.y, zoom: camera.zoom } });
    moving = false;
  });
  scatter.on("click", ({ row }) => (row >= 0 ? app.open(row) : store.set({ row: null })));
  scatter.on("lasso", ({ rows }) => {
    scatter.setLassoing(false);
    app.selectRows("Lasso", rows);
  });
  const status = () => put(byId("status"), statusText(app));
  mapView.on(status);
  app.onMaps(status);
}

/** The selection is in the address: it is made again when the page is opened, and by back and forward. */
function bindSelection({ store, selection }) {
  const restore = (origin) => (origin ? selection.restore(origin).catch(fail) : selection.clear());
  selection.on(({ origin }) => store.set({ select: origin }));
  store.on(["select"], (state) => {
    if (state.select !== selection.origin) restore(state.select);
  });
  if (store.state.select) restore(store.state.select);
}

/** The server wants a bearer token: ask for it, and start again. */
function askForToken() {
  const refused = api.hasToken();
  const field = /** @type {HTMLInputElement} */ (h("input", { type: "password", id: "token", autocomplete: "off" }));
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  put(
    dialog,
    h("h2", { id: "help-title" }, "This server asks for a token"),
    h(
      "form",
      {
        on: {
          submit: (event) => {
            event.preventDefault();
            api.useToken(field.value.trim());
            location.reload();
          },
        },
      },
      h("p", {}, h("label", { for: "token" }, "The token that lookalike serve was started with")),
      h("p", {}, field),
      refused && h("p", { class: "notice" }, "The token that was given is not that one."),
      h("button", { type: "submit", class: "main" }, "Open"),
    ),
  );
  dialog.showModal();
  document.documentElement.dataset.ready = "token";
}

/** Keep the map out from below the cards. */
function bindInsets(app) {
  const measure = () => {
    const wide = matchMedia("(min-width: 760px)").matches;
    app.scatter.setInsets(
      wide
        ? { top: 76, right: 28, bottom: byId("foot").offsetHeight + 24, left: byId("head").offsetWidth + 44 }
        : {
            top: byId("head").offsetTop + byId("head").offsetHeight + 12,
            right: 18,
            bottom: byId("foot").offsetHeight + 16,
            left: 18,
          },
    );
  };
  const watch = new ResizeObserver(measure);
  for (const id of ["head", "foot", "stage"]) watch.observe(byId(id));
  measure();
}

function header(session) {
  byId("title").textContent = session.name;
  byId("title").classList.toggle("long", session.name.length > 16);
  const held = session.held_out;
  const report = session.report && !api.hasToken(); // which a link does not carry
  const code = session.task === "classification" ? "percent1" : "sig4";
  put(
    byId("subtitle"),
    h(
      "span",
      {},
      `${count(session.n_rows)} ${KINDS[session.kind] ?? "rows"}`,
      session.classes?.length ? `, ${count(session.classes.length)} classes` : null,
    ),
    held && h("span", {}, `${held.name} ${formatted(code, held.value)}`),
    held &&
      Number.isFinite(held.low) &&
      h("span", {}, `95% CI ${formatted(`interval:${code}`, [held.low, held.high])}, n = ${count(held.n)}`),
    report && h("a", { href: "/report", target: "_blank" }, "Report of the study"),
  );
}

/** What a map keeps, said wherever a map is shown. */
function statusText(app) {
  const { session, store, mapView, scatter } = app;
  const map = session.maps.find(({ id }) => id === store.state.map);
  /** @type {any[]} */
  const parts = [];
  const measures = map?.measures ?? mapView.measures;
  if (measures) {
    for (const [id, name] of [
      ["trustworthiness", "trustworthiness"],
      ["continuity", "continuity"],
      ["neighbor_preservation", "neighbor preservation"],
    ]) {
      if (Number.isFinite(measures[id])) parts.push(`${name} ${measures[id].toFixed(3)}`);
    }
    if (parts.length) parts.push(hint("trustworthiness"));
  }
  if (map?.note) parts.push(map.note);
  if (mapView.lastRegions?.model) parts.push(`regions: ${mapView.lastRegions.model}`);
  if (mapView.missingPlaces) parts.push(`${count(mapView.missingPlaces)} rows without a place (missing values)`);
  if (scatter.renderer.kind === "canvas") parts.push("drawn without WebGL");
  return parts.map((part, place) => [place > 0 && typeof part === "string" ? " · " : " ", part]);
}

start().catch((error) => {
  if (error.status === 401) {
    askForToken();
    return;
  }
  fail(error);
  byId("subtitle").textContent = error.message;
  document.documentElement.dataset.ready = "failed";
});
