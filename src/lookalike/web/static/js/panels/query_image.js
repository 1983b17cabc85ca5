/** An image as a new item: dropped, chosen, pasted, or drawn by hand. */

import * as api from "../api.js";
import { h } from "../dom.js";

const PAD = 224;

/** @param {import("../app.js").App} app @param {(query: Object) => void} ask @returns {HTMLElement} */
export function imageInput(app, ask) {
  const file = /** @type {HTMLInputElement} */ (
    h("input", { type: "file", id: "new-image", accept: "image/png,image/jpeg" })
  );
  const send = async (blob) => ask({ image: api.toBase64(new Uint8Array(await blob.arrayBuffer())) });
  file.addEventListener("change", () => file.files[0] && send(file.files[0]));
  const zone = h("div", { class: "drop" }, h("label", { for: "new-image" }, "Drop, paste or choose an image"), file);
  for (const name of /** @type {const} */ (["dragover", "drop"])) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", name === "dragover");
      const [dropped] = event.dataTransfer?.files ?? [];
      if (name === "drop" && dropped) send(dropped);
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  document.addEventListener("paste", (event) => {
    const [pasted] = event.clipboardData?.files ?? [];
    if (pasted?.type.startsWith("image/") && app.store.state.tab === "new") send(pasted);
  });
  return h("div", {}, zone, drawingPad(app, send));
}

/** Ink and ground as in the images of the study: the ground is what their corners show. */
async function inks(app) {
  const image = new Image();
  await api.showImage(image, "rows/0/image.png");
  await image.decode();
  const canvas = h("canvas", { width: 1, height: 1 });
  const context = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d");
  context.drawImage(image, 0, 0, 1, 1, 0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data[0] < 128 ? ["#000000", "#ffffff"] : ["#ffffff", "#000000"];
}

function drawingPad(app, send) {
  const ratio = app.session.image ? app.session.image.height / app.session.image.width : 1;
  const pad = /** @type {HTMLCanvasElement} */ (
    h("canvas", {
      class: "pad",
      width: PAD,
      height: Math.round(PAD * ratio),
      "aria-label": "Draw an image with the pointer",
      role: "img",
    })
  );
  const context = pad.getContext("2d", { willReadFrequently: true });
  let colors = ["#000000", "#ffffff"];
  let last = null;
  const clear = () => {
    context.fillStyle = colors[0];
    context.fillRect(0, 0, pad.width, pad.height);
  };
  inks(app)
    .then((found) => (colors = found))
    .catch(() => null)
    .finally(clear);
  const at = (event) => {
    const box = pad.getBoundingClientRect();
    return [
      ((event.clientX - box.left) / box.width) * pad.width,
      ((event.clientY - box.top) / box.height) * pad.height,
    ];
  };
  pad.addEventListener("pointerdown", (event) => {
    pad.setPointerCapture(event.pointerId);
    last = at(event);
  });
  pad.addEventListener("pointermove", (event) => {
    if (!last) return;
    const next = at(event);
    context.strokeStyle = colors[1];
    context.lineWidth = PAD / 9;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(last[0], last[1]);
    context.lineTo(next[0], next[1]);
    context.stroke();
    last = next;
  });
  pad.addEventListener("pointerup", () => {
    if (last) pad.toBlob((blob) => blob && send(blob), "image/png");
    last = null;
  });
  return h(
    "div",
    { class: "draw" },
    h("p", { class: "note" }, "or draw one:"),
    pad,
    h("button", { type: "button", class: "link", on: { click: clear } }, "Clear the drawing"),
  );
}
