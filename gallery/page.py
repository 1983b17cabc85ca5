"""The page of the gallery: pictures, and figures compared with their sources."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from record import counted

MARK = {True: "✓", False: "✗ no", None: ""}
STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --bad: #c33; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .2rem; }
p { margin: .3rem 0 .8rem; } .soft { opacity: .7; font-size: .9em; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } td:last-child { white-space: nowrap; }
.figures { table-layout: fixed; } .figures th:nth-child(1) { width: 17%; }
.figures th:nth-child(2) { width: 37%; } .figures th:nth-child(5) { width: 5%; }
.wrong { color: var(--bad); font-weight: 600; } pre { overflow: auto; color: var(--bad); }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; max-width: 20rem; } figcaption { font-size: .85em; opacity: .8; }
figure a { display: flex; align-items: center; justify-content: center; width: 20rem; height: 13rem;
  background: #fff; border: 1px solid var(--line); }
img { max-width: 100%; max-height: 100%; object-fit: contain; }
"""


def write_page(results: Sequence[Any], path: Path) -> None:
    """Write the page; pictures lie in the folder beside it."""
    rows = [row for result in results for row in result.rows]
    wrong = sum(row.match is False for row in rows)
    failed = sum(bool(result.failed) for result in results)
    skipped = sum(bool(result.skipped) for result in results)
    seconds = sum(result.seconds for result in results)
    verdict = f"{counted(rows)} match what was measured"
    verdict += f", {wrong} do not" if wrong else ", none differs"
    verdict += f"; {failed} examples failed" if failed else ""
    verdict += f"; {skipped} examples were skipped" if skipped else ""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>lookalike: gallery</title><style>{STYLE}</style></head><body>",
        "<h1>The sources, computed again</h1>",
        f"<p>{len(results)} examples in {seconds:.0f} s: {verdict}. ",
        "Sources are listed in docs/sources.md.</p>",
        contents(results),
        *(section(result) for result in results),
        "</body></html>\n",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")


def contents(results: Sequence[Any]) -> str:
    """Return the table of all examples."""
    head = "<tr><th>example<th>source<th>systems<th>match<th>time</tr>"
    lines = []
    for result in results:
        known = [row for row in result.rows if row.match is not None]
        state = f"{sum(row.match for row in known)} of {len(known)}" if known else "none printed"
        bad = result.failed or any(not row.match for row in known)
        state = "failed" if result.failed else "skipped" if result.skipped else state
        lines.append(
            f"<tr{' class=wrong' if bad else ''}><td><a href='#{result.name}'>{result.name}</a>"
            f"<td>{escape(result.source)}<td>{', '.join(result.systems)}<td>{state}"
            f"<td class='soft'>{result.seconds:.1f} s</tr>"
        )
    return f"<table>{head}{''.join(lines)}</table>"


def section(result: Any) -> str:
    """Return one example: its pictures and its figures."""
    parts = [
        f"<h2 id='{result.name}'>{escape(result.title)}</h2>",
        f"<p class='soft'>gallery/{result.name}.py, {escape(result.source)}</p>",
    ]
    if result.skipped:
        parts.append(f"<p>Skipped: {escape(result.skipped)}.</p>")
    if result.failed:
        parts.append(f"<pre>{escape(result.failed)}</pre>")
    if result.pictures:
        shown = "".join(
            f"<figure><a href='pictures/{file}'><img src='pictures/{file}' loading='lazy' "
            f"alt='{escape(caption, quote=True)}'></a><figcaption>{escape(caption)}</figcaption>"
            "</figure>"
            for file, caption in result.pictures
        )
        parts.append(f"<div class='pictures'>{shown}</div>")
    if result.rows:
        head = "<tr><th>source<th>figure<th>printed or claimed<th>measured<th>match</tr>"
        lines = "".join(
            f"<tr{' class=wrong' if row.match is False else ''}><td>{escape(row.source)}"
            f"<td>{escape(row.name)}<td>{escape(row.printed)}<td>{escape(row.measured)}"
            f"<td>{MARK[row.match]}</tr>"
            for row in result.rows
        )
        parts.append(f"<table class='figures'>{head}{lines}</table>")
    return "\n".join(parts)
