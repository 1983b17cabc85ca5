/** A small card beside the pointer: the picture, the text or the row below it. */

import { h, put } from "../dom.js";
import { cell, rowName } from "../format.js";
import { picture } from "../panels/row_view.js";

/** @param {HTMLElement} card @param {import("../app.js").App} app */
export function bindHoverCard(card, app) {
  let wanted = -1;
  let timer = 0;
  const hide = () => {
    wanted = -1;
    clearTimeout(timer);
    card.hidden = true;
    if (app.scatter.marks.hover !== null) app.scatter.mark({ hover: null });
  };
  const show = async (row, x, y) => {
    const info = await app.focus.info(row).catch(() => null);
    if (!info || wanted !== row) return;
    put(card, contents(info, app.session));
    card.hidden = false;
    place(card, x, y);
  };
  app.scatter.on("hover", ({ row, x, y }) => {
    app.scatter.surface.classList.toggle("on-row", row >= 0);
    if (row < 0) {
      hide();
      return;
    }
    if (row === wanted) {
      if (!card.hidden) place(card, x, y);
      return;
    }
    wanted = row;
    clearTimeout(timer);
    app.scatter.mark({ hover: row });
    timer = setTimeout(() => show(row, x, y), app.focus.rows.has(row) ? 0 : 60);
  });
  app.scatter.on("moved", hide);
}

/** @param {Object} info @param {Object} session */
function contents(info, session) {
  const facts = [
    ["label", info.label],
    ["predicted", info.predicted],
  ].filter(([, value]) => value !== null && value !== undefined);
  const cells = info.image || info.text ? [] : info.cells.slice(0, 6).map(({ name, value }) => [name, value]);
  return [
    info.image && picture(session, info.row, 72),
    h(
      "div",
      { class: "about" },
      h("strong", {}, rowName(info.row)),
      info.text && h("p", { class: "excerpt" }, info.text.length > 140 ? `${info.text.slice(0, 140)}…` : info.text),
      h(
        "dl",
        {},
        [...facts, ...cells].map(([name, value]) => [h("dt", {}, name), h("dd", {}, cell(value))]),
      ),
    ),
  ];
}

function place(card, x, y) {
  const room = card.parentElement;
  const left = x + 18 + card.offsetWidth > room.clientWidth ? x - 18 - card.offsetWidth : x + 18;
  const top = Math.min(Math.max(8, y - card.offsetHeight / 2), room.clientHeight - card.offsetHeight - 8);
  card.style.transform = `translate(${Math.max(8, left)}px, ${top}px)`;
}
