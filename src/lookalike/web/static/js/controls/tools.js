/** The toolbar: search, zoom, lasso, theme, side panel, help. */

import { h, put, s } from "../dom.js";
import { searchBox } from "./search.js";

const ICONS = {
  lasso:
    "M12 4c5 0 8.5 2.4 8.5 5.6S17 15.2 12 15.2s-8.5-2.4-8.5-5.6S7 4 12 4Z" +
    "m-3.6 11.6a2.3 2.3 0 1 0-4.2 1.2c.6 1.3 1.3 2.2.8 3.9",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  theme: "M12 3.5a8.5 8.5 0 1 0 0 17ZM12 3.5a8.5 8.5 0 0 1 0 17",
  table: "M3.5 5h17v14h-17zM3.5 10h17M3.5 14.5h17M9 10v9",
  panel: "M3.5 5h17v14h-17zM15 5v14",
  help: "M9.2 9.2a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.1-1.5 2.3M12 17.4v.1",
};

/** @param {string} name */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

/**
 * @param {HTMLElement} host
 * @param {import("../app.js").App} app
 * @param {() => void} help opens the list of shortcuts
 */
export function bindTools(host, app, help) {
  const { scatter, store } = app;
  const button = (name, label, key, run, pressed) =>
    h(
      "button",
      {
        type: "button",
        class: `tool ${name}`,
        "aria-label": label,
        title: `${label} (${key})`,
        "aria-pressed": pressed === undefined ? null : String(pressed()),
        on: { click: run },
      },
      icon(name),
    );
  const zoom = (factor) => scatter.move(() => scatter.camera.zoomAt(factor, ...scatter.camera.middle));
  const lasso = button(
    "lasso",
    "Lasso",
    "L, or Shift and drag",
    () => scatter.setLassoing(!scatter.lassoing),
    () => scatter.lassoing,
  );
  const panel = button(
    "panel",
    "Side panel",
    "P",
    () => store.set({ panel: !store.state.panel }),
    () => store.state.panel,
  );
  const table = button(
    "table",
    "Table of the rows",
    "T",
    () => store.set({ table: !store.state.table }),
    () => store.state.table,
  );
  const dark = button(
    "theme",
    "Dark colors",
    "D",
    () => app.theme.toggle(),
    () => app.theme.dark,
  );
  put(
    host,
    searchBox(app),
    h(
      "div",
      { class: "group" },
      button("minus", "Zoom out", "−", () => zoom(1 / 1.5)),
      button("plus", "Zoom in", "+", () => zoom(1.5)),
      button("fit", "Show all rows", "0", () => app.fit()),
      lasso,
      table,
    ),
    h("div", { class: "group" }, dark, button("help", "Keyboard shortcuts", "?", help), panel),
  );
  app.theme.on((isDark) => dark.setAttribute("aria-pressed", String(isDark)));
  store.on(["table"], (state) => table.setAttribute("aria-pressed", String(state.table)));
  store.on(["panel"], (state) => panel.setAttribute("aria-pressed", String(state.panel)));
  scatter.on("lassoing", ({ on }) => lasso.setAttribute("aria-pressed", String(on)));
}
