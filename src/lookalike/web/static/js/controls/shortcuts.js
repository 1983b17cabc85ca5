/** Keys of the page, and the dialog that lists them. */

import { byId, h, put } from "../dom.js";
import { zoom } from "../panels/row_panel.js";
import { rowName } from "../format.js";
import { announce } from "./messages.js";

const KEY = "lookalike.shortcuts";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @typedef {{keys: string[], shown: string, what: string, run: (event: KeyboardEvent) => void}} Shortcut */

/**
 * @param {import("../app.js").App} app
 * @param {(step: number) => void} stepK takes the next larger or smaller K
 * @returns {() => void} opens the list of shortcuts
 */
export function bindShortcuts(app, stepK) {
  const { store } = app;
  /** @type {Shortcut[]} */
  const list = [
    { keys: ["/"], shown: "/", what: "Search", run: () => byId("search").focus() },
    { keys: ["m"], shown: "M", what: "Go to the map", run: () => app.scatter.surface.focus() },
    { keys: ["0"], shown: "0", what: "Show all rows", run: () => app.fit() },
    { keys: ["z"], shown: "Z", what: "Zoom to the open row", run: () => zoom(app) },
    { keys: ["l"], shown: "L", what: "Lasso on or off", run: () => app.scatter.setLassoing(!app.scatter.lassoing) },
    { keys: ["["], shown: "[", what: "Smaller K", run: () => stepK(-1) },
    { keys: ["]"], shown: "]", what: "Larger K", run: () => stepK(1) },
    {
      keys: ["g"],
      shown: "G",
      what: "Decision regions on or off",
      run: () => store.set({ regions: !store.state.regions }),
    },
    { keys: ["c"], shown: "C", what: "Contours on or off", run: () => store.set({ contours: !store.state.contours }) },
    { keys: ["n"], shown: "N", what: "Names on or off", run: () => store.set({ names: !store.state.names }) },
    { keys: ["t"], shown: "T", what: "Table of the rows", run: () => store.set({ table: !store.state.table }) },
    { keys: ["p"], shown: "P", what: "Side panel open or closed", run: () => store.set({ panel: !store.state.panel }) },
    { keys: ["d"], shown: "D", what: "Light or dark", run: () => app.theme.toggle() },
    ...app.tabs.names.map(([id, name], i) => ({
      keys: [String(i + 1)],
      shown: String(i + 1),
      what: `Panel: ${name}`,
      run: () => app.tabs.open(id, true),
    })),
    { keys: ["a"], shown: "A", what: "Review: the label is right", run: () => app.review?.key("accept") },
    { keys: ["r"], shown: "R", what: "Review: relabel as suggested", run: () => app.review?.key("relabel") },
    { keys: ["i"], shown: "I", what: "Review: ignore the row", run: () => app.review?.key("ignore") },
    { keys: ["j"], shown: "J", what: "Review: next row", run: () => app.review?.step(1) },
    { keys: ["k"], shown: "K", what: "Review: previous row", run: () => app.review?.step(-1) },
    { keys: ["u"], shown: "U", what: "Review: undo", run: () => app.review?.undo() },
    { keys: ["Escape"], shown: "Esc", what: "Close the row, the selection, the lasso", run: () => app.escape() },
    { keys: ["?"], shown: "?", what: "This list", run: () => help() },
  ];
  const settings = { on: stored() };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (/** @type {HTMLDialogElement} */ (byId("help")).open) return;
    const found = list.find(({ keys }) => keys.includes(event.key) || keys.includes(event.key.toLowerCase()));
    if (!found || (!settings.on && !["Escape", "?"].includes(event.key))) return;
    event.preventDefault();
    found.run(event);
  });
  bindMapKeys(app);
  const help = () => openHelp(list, settings);
  return help;
}

function stored() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

function typing(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
      (target instanceof HTMLInputElement && !["checkbox", "button", "range"].includes(target.type)))
  );
}

/** Arrow keys walk from row to row; Enter opens; plus and minus zoom. */
function bindMapKeys(app) {
  const { scatter } = app;
  scatter.surface.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (way && event.shiftKey) scatter.move(() => scatter.camera.pan(-way[0] * 60, way[1] * 60));
    else if (way) walk(app, way);
    else if (event.key === "Enter" && scatter.marks.hover !== null) app.open(scatter.marks.hover);
    else if (event.key === "+" || event.key === "=")
      scatter.move(() => scatter.camera.zoomAt(1.4, ...scatter.camera.middle));
    else if (event.key === "-") scatter.move(() => scatter.camera.zoomAt(1 / 1.4, ...scatter.camera.middle));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

async function walk(app, [dx, dy]) {
  const { scatter } = app;
  const from = scatter.marks.hover ?? scatter.marks.row;
  const next =
    from === null
      ? scatter.picking.nearest(scatter.camera.x, scatter.camera.y, 4, scatter.visible)
      : scatter.picking.toward(from, dx, dy, scatter.visible);
  if (next < 0) return;
  scatter.mark({ hover: next });
  scatter.reveal(next);
  const info = await app.focus.info(next).catch(() => null);
  if (info && scatter.marks.hover === next)
    announce(`${rowName(next)}, label ${info.label ?? "missing"}, predicted ${info.predicted ?? "none"}`);
}

function openHelp(list, settings) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const box = /** @type {HTMLInputElement} */ (
    h("input", { type: "checkbox", id: "single-keys", props: { checked: settings.on } })
  );
  box.addEventListener("change", () => {
    settings.on = box.checked;
    try {
      localStorage.setItem(KEY, box.checked ? "on" : "off");
    } catch {
      // without storage the choice holds until the page is closed
    }
  });
  put(
    dialog,
    h("h2", { id: "help-title" }, "Keyboard shortcuts"),
    h(
      "p",
      {},
      "On the map: arrow keys walk from row to row, Enter opens a row, + and − zoom, Shift and an arrow " +
        "key pan. With the mouse: drag to pan, wheel to zoom, Shift and drag for a lasso.",
    ),
    h(
      "dl",
      { class: "keys" },
      list.map(({ shown, what }) => [h("dt", {}, h("kbd", {}, shown)), h("dd", {}, what)]),
    ),
    h("p", {}, h("label", { class: "check", for: "single-keys" }, box, "Single keys are shortcuts")),
    h("button", { type: "button", class: "main", on: { click: () => dialog.close() } }, "Close"),
  );
  dialog.showModal();
}
