"""Make docs/pictures/digits_report.png again: the first screen of the report in demo/, in Chromium.

Usage: make demo && python docs/report_picture.py (needs `pip install playwright`).
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "pictures" / "digits_report.png"
SCREEN = {"width": 1100, "height": 700}


def main() -> None:
    """Open the report of the demo, and keep its first screen."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SCREEN)
        page.goto((folder / "report.html").resolve().as_uri())
        image = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
