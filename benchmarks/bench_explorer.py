"""How long the page waits: MNIST (60,000 x 784), 100,000 and 1,000,000 rows of three columns.

Run: LOOKALIKE_DATA=… python -m benchmarks.bench_explorer [--quick] [--without-map] [--page]
Each line is one request of the page, without HTTP, once the neighbors of all rows are known. Of
rows of three columns the page is opened and moved in Chromium, with software WebGL; of the many
rows the neighbor map is laid out. A full run is estimated at 2 minutes on two cores; with --page
only the page of the many rows is opened.
"""

from __future__ import annotations

import resource
import shutil
import time

import numpy as np

from benchmarks.timing import BenchParser, data_folder, heading
from lookalike import KNeighborsClassifier
from lookalike.studies.load.dataset import Dataset
from lookalike.web.app import create_app
from lookalike.web.explorer.exploration import Exploration
from lookalike.web.explorer.exploration_state import ExplorationState
from lookalike.web.explorer.explored_rows import ExploredRows
from lookalike.web.explorer.map_areas import map_areas
from lookalike.web.explorer.neighbor_model import NeighborModel
from lookalike.web.explorer.pending import NotReadyError
from lookalike.web.explorer.regions import decision_regions
from lookalike.web.explorer.selection import compare_selection
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer

FRAMES = """async () => {
  const scatter = document.getElementById("map").scatter;
  const gaps = [];
  let last = 0;
  for (let i = 0; i < 60; i += 1) {
    await new Promise((resolve) => requestAnimationFrame((now) => {
      if (last) gaps.push(now - last);
      last = now;
      scatter.move(() => scatter.camera.pan(3 * Math.sin(i / 9), 2));
      resolve();
    }));
  }
  return gaps.sort((a, b) => a - b)[gaps.length >> 1];
}"""
WATCH_PAUSES = """
  window.pauses = [];
  const note = (list) => window.pauses.push(...list.getEntries().map(({ duration }) => duration));
  new PerformanceObserver(note).observe({ type: "longtask", buffered: true });
"""
DRAWN = "() => performance.getEntriesByName('all rows drawn').length"
SECONDS = "(name) => performance.getEntriesByName(name)[0].startTime / 1000"


def mnist(n):
    """Return images and digits."""
    file = np.load(data_folder() / "mnist.npz")
    names = [f"pixel_{i}_{j}" for i in range(28) for j in range(28)]
    return file["x_train"][:n].reshape(-1, 784), file["y_train"][:n], names, (28, 28)


def gaussians(n):
    """Return rows of five classes in three columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n)
    return rng.normal(size=(n, 3)) + y[:, None], y, list("abc"), None


PAUSE_MILLISECONDS = 2000  # after a step, in which what it began ends
WHOLE = ((mnist, 60_000), (gaussians, 100_000), (gaussians, 1_000_000))
QUICK = ((mnist, 2_000), (gaussians, 3_000), (gaussians, 6_000))


def explored(X, y, names, shape):
    """Return the exploration of a model of K = 3, and when it was opened and ready."""
    dataset = Dataset(X, dict.fromkeys(names, "number"), np.arange(len(X)), y, True, shape)
    rows = ExploredRows("bench", "classification", dataset)
    model = KNeighborsClassifier(3).fit(X, y)
    begin = time.perf_counter()
    neighbors = NeighborModel(
        model, X, np.arange(len(X)), name="K-NN", title="K-NN: the model", transform=np.asarray,
        features=(names, names),
    )  # fmt: skip
    exploration = Exploration(ExplorationState.open(rows, neighbors))
    opened = time.perf_counter() - begin
    while not neighbors.ready:
        try:
            neighbors.leave_one_out()
        except NotReadyError:
            continue
    return exploration, opened, time.perf_counter() - begin


def requests(exploration):
    """Return what the page asks for, by name."""
    label = exploration.rows.class_names[0]
    n_selected = min(5000, len(exploration.rows) // 2)
    here = np.arange(len(exploration.rows)) < n_selected
    return {
        "map of all rows": lambda: exploration.maps.get("pca").xy.astype("<f4").tobytes(),
        "color: label": lambda: exploration.colors.get("label").tobytes(),
        "color: stability over K": lambda: exploration.colors.get("stable").tobytes(),
        "evidence of a row": lambda: exploration.evidence.of_row(17),
        "leave-one-out curve": exploration.k_curve,
        "predictions at another K": lambda: exploration.predicted_at(7),
        "effect of a label": lambda: exploration.review.effect(17, label),
        "torn neighbors of a row": lambda: exploration.maps.torn("pca", 5),
        "names of areas": lambda: map_areas(exploration.state, "pca"),
        "decision regions": lambda: decision_regions(exploration.state, "pca", 5, 128),
        f"selection of {n_selected:,} rows": lambda: compare_selection(exploration.state, here),
    }


def print_requests(exploration):
    """Print the seconds of every request, the best of three."""
    for name, call in requests(exploration).items():
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - begin)
        print(f"  {name:28s} {1000 * min(seconds):9.1f} ms", flush=True)


def print_neighbor_map(exploration):
    """Lay out the neighbor map, as a page that is open does."""
    begin, used = time.perf_counter(), time.process_time()
    while True:
        try:
            exploration.maps.get("neighbors")
            break
        except NotReadyError:
            continue
    about = exploration.maps.listed()[0]
    found = about["measures"]
    print(
        f"  neighbor map after {time.perf_counter() - begin:.0f} s (CPU "
        f"{time.process_time() - used:.0f} s): {about['note'] or 'all rows are laid out'}\n"
        f"  trustworthiness {found['trustworthiness']:.4f}, continuity {found['continuity']:.4f}, "
        f"neighbor preservation {found['neighbor_preservation']:.4f} (of {found['n_rows']} rows)",
        flush=True,
    )


def print_frames(exploration):
    """Open the page in Chromium: seconds until rows are drawn, frames a second, and pauses."""
    program = shutil.which("chromium")
    if program is None:
        print("  no Chromium: the page was not opened")
        return
    from playwright.sync_api import sync_playwright

    options = ServeOptions(port=0)
    app = create_app({}, exploration=exploration, options=options)
    flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]
    with BackgroundServer(app, options) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH_PAUSES)
        page.goto(server.url)
        page.wait_for_function(DRAWN, timeout=120_000)
        first, whole = (page.evaluate(SECONDS, f"{rows} rows drawn") for rows in ("first", "all"))
        opening = max(page.evaluate("window.pauses"), default=0.0)
        gap = min(page.evaluate(FRAMES) for _ in range(2))
        pauses = longest_pauses(page)
        browser.close()
    print(
        f"  page: first rows drawn after {first:.1f} s, all after {whole:.1f} s (longest pause "
        f"{opening:.0f} ms), moved at {1000 / gap:.0f} frames/s"
    )
    listed = ", ".join(f"{name} {pause:.0f} ms" for name, pause in pauses.items())
    print(f"  table, longest pause of the page: {listed}")


def select_half(page):
    """Select half of the rows by a condition."""
    page.locator("#condition").fill("a > 2")
    page.locator("#condition").press("Enter")


def longest_pauses(page):
    """Use the table of all rows, and return how long the page stood still in each step."""
    scroll = "() => { document.querySelector('#table .scroller').scrollTop = 4e6 }"
    steps = {
        "opened": lambda: page.keyboard.press("t"),
        "scrolled": lambda: page.evaluate(scroll),
        "sorted": lambda: page.locator(".row-lines button.sort").nth(3).click(),
        "selected by a condition": lambda: select_half(page),
        "inverted": lambda: page.get_by_role("button", name="Invert").click(),
    }
    longest = {}
    for name, step in steps.items():
        page.evaluate("window.pauses.length = 0")
        step()
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(PAUSE_MILLISECONDS)
        longest[name] = max(page.evaluate("window.pauses"), default=0.0)
    return longest


def main():
    """Print how long requests and the page take, for each number of rows."""
    parser = BenchParser(__doc__)
    parser.add_argument("--without-map", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    heading("the explorer")
    cases = QUICK if options.quick else WHOLE
    if options.page:
        cases = cases[-1:]
    for load, n in cases:
        X, *rest = load(n)
        exploration, opened, ready = explored(X, *rest)
        print(f"\n{load.__name__}: {X.shape[0]:,} rows x {X.shape[1]} columns")
        waits = f"opened with PCA and LDA after {opened:.1f} s, all neighbors after {ready:.1f} s"
        print(f"  {waits}", flush=True)
        if not options.page:
            print_requests(exploration)
        if load is gaussians:
            print_frames(exploration)
        if n == max(size for _, size in cases) and not (options.without_map or options.page):
            print_neighbor_map(exploration)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\npeak memory {peak:.1f} GB")


if __name__ == "__main__":
    main()
