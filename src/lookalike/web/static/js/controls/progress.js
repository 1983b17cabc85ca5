/** What the server still computes, said until it is done; then the page offers it. */

import * as api from "../api.js";
import { h, put } from "../dom.js";
import { percent } from "../format.js";
import { announce, say, sayNext } from "./messages.js";

const EVERY = 1500; // milliseconds between two questions

/** @param {HTMLElement} host @param {import("../app.js").App} app */
export function bindProgress(host, app) {
  const { session } = app;
  const look = async () => {
    const found = await api.get("progress");
    put(host, found.running.map(line));
    const studying = found.running.some(({ what }) => what === "study");
    if (studying !== app.studying) {
      app.studying = studying;
      if (app.review.state) app.review.draw();
    }
    if (session.maps.some(({ pending }) => pending) && !found.running.some(({ what }) => what === "neighbor map"))
      await mapsReady(app);
    if (found.edition !== session.edition) {
      newEdition(app);
      return;
    }
    if (found.failure) say(`The study did not end: ${found.failure}`, "error");
    else if (found.running.length || session.maps.some(({ pending }) => pending))
      setTimeout(() => look().catch(() => {}), EVERY);
  };
  look().catch(() => {}); // the page works without it
}

/**
 * All that the server says from now on is of the new study: an untouched page is loaded again, and any other
 * offers it.
 */
function newEdition({ selection, store }) {
  const touched = document.activeElement !== document.body || selection.mask || store.state.tab === "new";
  const again = () => {
    sayNext("The study has ended: models, held-out error and audit are of it now.");
    location.reload();
  };
  if (touched)
    say(
      "The study has ended. What is opened from now on is of it; what is on the page already is of the " +
        "short study before.",
      "note",
      ["Load the page again", again],
    );
  else again();
}

/** One line: what, how far, and a bar where that is known. */
function line({ what, stage, done, total }) {
  const known = Number.isFinite(total) && total > 0;
  const far = stage ? `${stage}${known ? ` ${percent(done / total, 0)}` : ""}` : "under way";
  return h(
    "p",
    {},
    h("span", {}, `${what[0].toUpperCase()}${what.slice(1)}: ${far}`),
    known && h("progress", { "aria-label": what, max: total, value: done }),
  );
}

/** Maps that were laid out meanwhile: their measures are known, and the neighbor map can be shown. */
async function mapsReady(app) {
  const { session, store } = app;
  const { maps, notes } = await api.get("session");
  app.mapsChanged(maps);
  for (const note of notes.filter((one) => !session.notes?.includes(one))) say(note);
  const ready = maps.find(({ id, pending }) => id === "neighbors" && !pending);
  if (!ready || store.state.map === "neighbors") return;
  announce("The neighbor map is ready");
  const { map, row, select, view } = store.state;
  if (row === null && !select && !view && map === maps.find(({ id }) => id !== "neighbors")?.id) {
    store.set({ map: "neighbors" }, { replace: true }); // nothing was looked at yet
    return;
  }
  say("The neighbor map is ready.", "note", ["Show it", () => store.set({ map: "neighbors", view: null })]);
}
