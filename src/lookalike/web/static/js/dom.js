/** Elements of the page. Whatever comes from the data is inserted as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Object<string, any>} [props] attributes; `class`, `on` ({event: listener}), `props` (DOM properties)
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * Create an element of an SVG picture.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {SVGElement}
 */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "props") {
      Object.assign(node, value);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...nodes(children));
  return node;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/**
 * Replace what an element contains.
 * @param {Element} parent
 * @param {...any} children
 */
export function put(parent, ...children) {
  parent.replaceChildren(...nodes(children));
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Run a function once calls have paused.
 * @param {Function} run
 * @param {number} ms
 */
export function debounce(run, ms) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), ms);
  };
}

/** @returns {boolean} whether the reader asked for less motion */
export function stillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
