"""How many frames a second the map draws while it is moved, with software WebGL."""

from __future__ import annotations

import pytest
from browser.fake_server import FakeServer

FRAMES = """async () => {
  const scatter = document.getElementById("map").scatter;
  const gaps = [];
  let last = 0;
  for (let i = 0; i < 100; i += 1) {
    await new Promise((resolve) => requestAnimationFrame((now) => {
      if (last) gaps.push(now - last);
      last = now;
      scatter.move(() => {
        scatter.camera.pan(3 * Math.sin(i / 9), 2);
        scatter.camera.zoomAt(i < 50 ? 1.02 : 1 / 1.02, 500, 400);
      });
      resolve();
    }));
  }
  return gaps.sort((a, b) => a - b);
}"""


def frames_per_second(page):
    """Return the median over a hundred frames of a pan and zoom."""
    gaps = page.evaluate(FRAMES)
    return 1000 / gaps[len(gaps) // 2]


@pytest.mark.alone
def test_100000_rows_move_at_30_frames_a_second(window, map_of, keep, capsys):
    with FakeServer(100_000, "table") as server:
        page = window(server.url)
        map_of(page).settle()
        assert page.evaluate("document.getElementById('map').scatter.renderer.kind") == "WebGL2"
        best = frames_per_second(page)
        for _ in range(3):  # other programs take the processor at times
            best = best if best >= 30 else max(best, frames_per_second(page))
        with capsys.disabled():
            print(f"\n100,000 rows: {best:.0f} frames a second")
        map_of(page).settle()
        keep(page, "rows_100000")
        assert best >= 30


def test_1000000_rows_are_all_drawn_and_picked(window, map_of, keep):
    with FakeServer(1_000_000, "table") as server:
        page = window(server.url)
        map_of(page).settle()  # only once every point is drawn
        page.mouse.move(640, 400)
        page.mouse.wheel(0, -4000)
        map_of(page).settle()
        near = "(s => s.picking.nearest(s.camera.x, s.camera.y, 1, s.visible))"
        row = page.evaluate(f"{near}(document.getElementById('map').scatter)")
        map_of(page).hover(row)
        page.wait_for_selector("#card strong")
        keep(page, "rows_1000000")
