/** The tabs of the side panel. */

import { byId, h, put } from "../dom.js";

export class Tabs {
  /**
   * @param {import("../app.js").App} app
   * @param {[string, string, HTMLElement][]} parts id, name, contents
   */
  constructor(app, parts) {
    this.app = app;
    this.names = parts.map(([id, name]) => [id, name]);
    this.buttons = new Map();
    this.bodies = new Map();
    for (const [id, name, body] of parts) {
      const button = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${id}`,
          "aria-controls": `part-${id}`,
          on: { click: () => this.open(id) },
        },
        name,
      );
      this.buttons.set(id, button);
      this.bodies.set(
        id,
        h("div", { role: "tabpanel", id: `part-${id}`, "aria-labelledby": `tab-${id}`, tabindex: "0" }, body),
      );
    }
    put(byId("tabs"), [...this.buttons.values()]);
    put(byId("panel-body"), [...this.bodies.values()]);
    byId("tabs").addEventListener("keydown", (event) => this.#walk(event));
    app.store.on(["tab", "panel"], (state) => this.#show(state));
    this.#show(app.store.state);
  }

  /** @param {string} id @param {boolean} [focus] */
  open(id, focus = false) {
    this.app.store.set({ tab: id, panel: true });
    if (focus) this.buttons.get(id).focus();
  }

  #walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const ids = [...this.buttons.keys()];
    const next = ids[(ids.indexOf(this.app.store.state.tab) + step + ids.length) % ids.length];
    this.open(next, true);
  }

  #show(state) {
    const tab = this.buttons.has(state.tab) ? state.tab : this.names[0][0];
    byId("app").dataset.panel = state.panel ? "open" : "closed";
    for (const [id, button] of this.buttons) {
      const selected = id === tab;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
      this.bodies.get(id).hidden = !selected;
    }
  }

  /** A number beside the name of a tab. @param {string} id @param {string} text */
  badge(id, text) {
    const button = this.buttons.get(id);
    if (!button) return;
    put(button, this.names.find(([other]) => other === id)[1], text && h("span", { class: "badge" }, text));
  }
}
