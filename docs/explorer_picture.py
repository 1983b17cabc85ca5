"""Make docs/pictures/explorer.png again: the page of `lookalike serve demo`, in Chromium.

Usage: python docs/explorer_picture.py (needs `pip install "lookalike[web]" playwright`).
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from lookalike.web.app import create_app
from lookalike.web.explorer import open_exploration
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer

PICTURE = Path(__file__).parent / "pictures" / "explorer.png"
K = 5  # neighbors that vote
DRAWN = "() => { const s = document.getElementById('map').scatter; return s.complete && !s.morph }"


def main() -> None:
    """Open the demo at a row that the model finds hard, and keep what is seen."""
    exploration = open_exploration("demo")
    exploration.successor.get(patience=300)  # the longer study
    options = ServeOptions(port=0)
    app = create_app(exploration.models, exploration=exploration, options=options)
    with BackgroundServer(app, options) as server, sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{server.url}/?map=neighbors&row={hard_row(exploration)}&k={K}")
        page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        page.wait_for_selector("#part-row .neighbors img")
        page.wait_for_function(DRAWN)
        page.wait_for_load_state("networkidle")
        image = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    PICTURE.parent.mkdir(exist_ok=True)
    image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


def hard_row(exploration) -> int:
    """Return the row whose neighbors disagree most."""
    margins = [exploration.evidence.of_row(row, K)["margin"] for row in range(300)]
    return min(range(300), key=lambda row: margins[row])


if __name__ == "__main__":
    main()
