/** Light or dark: as the system says, until the reader chooses. */

const KEY = "lookalike.theme";

export class Theme {
  constructor() {
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.chosen = remembered();
    this.listeners = [];
    this.system.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  get dark() {
    return this.chosen ? this.chosen === "dark" : this.system.matches;
  }

  toggle() {
    this.chosen = this.dark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // without storage the choice holds until the page is closed
    }
    this.#apply();
  }

  on(listener) {
    this.listeners.push(listener);
  }

  #apply() {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    for (const listener of this.listeners) listener(this.dark);
  }
}

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** @param {string} name of a custom property that holds a #rrggbb color */
export function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
