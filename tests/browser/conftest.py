"""A real Chromium that opens the page; one browser for all tests, a new window for each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from browser.fake_server import FakeServer
from playwright.sync_api import sync_playwright

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",  # WebGL on machines without a graphics card
]
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium; browsers are never downloaded."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not installed: apt-get update && apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def window(browser):
    """Open a page and wait until it is drawn; errors of scripts and blocked scripts fail a test."""
    contexts, problems = [], []

    def note(message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            problems.append(message.text)

    def open_page(url, *, size=WIDE, dark=False, ready="yes"):
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport=size, color_scheme=scheme, has_touch=size is PHONE, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", note)
        page.goto(url)
        page.wait_for_selector(f"html[data-ready={ready}]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def synthetic():
    """The page over 3,000 synthetic rows whose labels hold markup; nothing is changed there."""
    with FakeServer(3000) as server:
        yield server.url


@pytest.fixture
def changeable():
    """The page over synthetic rows of its own, whose labels a test may change."""
    with FakeServer(600) as server:
        yield server


@pytest.fixture(scope="session")
def keep():
    """Write a screenshot to build/screenshots."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def save(page, name):
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return save


class Map:
    """The map of an open page: where its rows are, and the pointer over it."""

    def __init__(self, page):
        self.page = page

    def settle(self):
        """Wait until no places or colors are on their way, and all points are drawn."""
        self.page.wait_for_function(
            "() => { const map = document.getElementById('map'), s = map.scatter;"
            " return map.ariaBusy !== 'true' && s.complete && !s.morph && !s.request }"
        )

    def place(self, row):
        """Return where a row is, in pixels of the window."""
        return self.page.evaluate("row => document.getElementById('map').scatter.place(row)", row)

    def hover(self, row):
        self.settle()
        self.page.mouse.move(*self.place(row), steps=2)

    def click(self, row):
        self.hover(row)
        self.page.mouse.click(*self.place(row))

    def isolated_row(self, skip=0):
        """Return a row with no other near it on the screen, once the map is still."""
        self.settle()
        return self.page.evaluate(
            """skip => {
              const s = document.getElementById('map').scatter;
              const far = (row) => s.picking.nearest(s.positions[2*row], s.positions[2*row+1],
                14 / s.camera.scale, (other) => other !== row) < 0;
              const free = (row) => {
                const at = s.place(row);
                return at && document.elementFromPoint(...at)?.className === "surface";
              };
              for (let row = skip; row < s.nRows; row += 1) if (far(row) && free(row)) return row;
            }""",
            skip,
        )


@pytest.fixture
def map_of():
    return Map
