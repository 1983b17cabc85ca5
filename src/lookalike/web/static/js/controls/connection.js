/** Whether the server responds: if it is gone the page grays out, and it goes on when the server is back. */

import * as api from "../api.js";
import { byId, h, put } from "../dom.js";
import { announce, say } from "./messages.js";

const LOOK_MS = 10_000; // between two looks at a server that responded
const RETRY_MS = 1000; // and at one that is gone

/** @param {{name: string, n_rows: number, edition: number}} session */
export function bindConnection(session) {
  const root = document.documentElement;
  const notice = h("div", { id: "offline", role: "alert", hidden: true });
  document.body.append(notice);
  let timer = 0;
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  };
  const lost = () => {
    if (root.dataset.connection !== "lost") {
      root.dataset.connection = "lost";
      byId("app").inert = true;
      put(
        notice,
        h("p", {}, "The server is gone. Start it again; this page goes on by itself."),
        h("code", {}, serve()),
      );
      notice.hidden = false;
    }
    later(RETRY_MS);
  };
  const back = async () => {
    delete root.dataset.connection;
    byId("app").inert = false;
    notice.hidden = true;
    const other = await api.get("session");
    if (other.name !== session.name || other.n_rows !== session.n_rows || other.edition < session.edition)
      location.reload(); // other rows are served at this address by now
    announce("The server is back");
    say("The server is back.");
  };
  async function look() {
    if (document.hidden) {
      later(LOOK_MS);
      return;
    }
    const responds = await api.responds();
    if (!responds) {
      lost();
      return;
    }
    if (root.dataset.connection === "lost") await back().catch(() => {});
    later(LOOK_MS);
  }
  const serve = () => `lookalike serve ${/\s/.test(session.name) ? `"${session.name}"` : session.name}`;
  api.onLost(look);
  document.addEventListener("visibilitychange", () => document.hidden || look());
  later(LOOK_MS);
}
