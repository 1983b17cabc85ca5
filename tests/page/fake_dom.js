/** As much of a document as the panels need to be drawn without a browser: elements and their text. */
class FakeNode {
  constructor(tag, text = "") {
    Object.assign(this, { tag, text, children: [], attributes: {}, listeners: {} });
  }

  append(...nodes) {
    this.children.push(...nodes);
  }

  replaceChildren(...nodes) {
    this.children = nodes;
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  addEventListener(event, listener) {
    this.listeners[event] = listener;
  }

  get textContent() {
    return this.text + this.children.map((child) => child.textContent).join("");
  }

  set textContent(text) {
    this.text = text;
  }

  /** All elements of a tag, in their order. @param {string} tag */
  all(tag) {
    return this.children.flatMap((child) => [...(child.tag === tag ? [child] : []), ...child.all(tag)]);
  }
}

Object.assign(globalThis, {
  Node: FakeNode,
  document: {
    createElement: (tag) => new FakeNode(tag),
    createElementNS: (_, tag) => new FakeNode(tag),
    createTextNode: (text) => new FakeNode("#text", text),
    querySelector: () => null,
  },
});
