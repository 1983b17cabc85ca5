"""A study as a notebook shows it: the first screen of its report, on a light or a dark ground."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from zlib import crc32

from lookalike.printable import printable
from lookalike.report.page.data_audit import flagged_rows
from lookalike.report.page.first_screen import first_screen
from lookalike.report.page.header import findings, title_lines
from lookalike.report.page.html import Html, tag
from lookalike.report.page.leaderboard import leaderboard
from lookalike.report.page.leakage import leakage
from lookalike.report.page.profiles import profiles
from lookalike.studies.overview import actions
from lookalike.studies.results import Study

DETAIL_PARTS: dict[str, tuple[str, Callable[[Study], Html | None]]] = {
    "findings": ("All findings", findings),
    "models": ("All models", leaderboard),
    "leakage": ("Leakage", leakage),
    "columns": ("Columns", profiles),
    "audit": ("Flagged rows", flagged_rows),
}
ALWAYS_SHOWN = ("findings", "models")  # others where an action names them
THEME_COLORS = """& {
  --paper: transparent; --ink: inherit; --soft: color-mix(in srgb, currentColor 68%, transparent);
  --line: color-mix(in srgb, currentColor 22%, transparent); --accent: #2b7bd0; --good: #2a9263;
  --panel: color-mix(in srgb, currentColor 6%, transparent); --bad: #dc5149; --warn: #c4861a;
  --marked: color-mix(in srgb, #f5a623 26%, transparent);
  font: 14px/1.5 system-ui, sans-serif; max-width: 62rem; color: inherit;
}
"""
PAGE_ALONE = (  # rules for a page of its own, by the colors that the system asks for
    re.compile(r"@media \(prefers-color-scheme: dark\) \{\n  :root \{.*?\}\n\}\n", re.DOTALL),
    re.compile(r"^ *:root \{.*?\}\n", re.DOTALL | re.MULTILINE),
    re.compile(r"^ *body \{.*?\}\n", re.DOTALL | re.MULTILINE),
    re.compile(r"^@page \{.*?\}\n", re.DOTALL | re.MULTILINE),
)


def study_html(study: Study) -> str:
    """Return the first screen of the report, and all findings and models on demand."""
    sections = {action.section for action in actions(study)}
    parts = [
        tag("details", tag("summary", title), inside, id=name)
        for name, (title, make) in DETAIL_PARTS.items()
        if name in ALWAYS_SHOWN or any(section.startswith(name) for section in sections)
        if (inside := make(study)) is not None
    ]
    body = tag("div", *title_lines(study), first_screen(study), *parts)
    prefix = f"lookalike-{crc32(printable(body).encode()):08x}"
    return printable(f'<div class="{prefix}">{_style(prefix)}{_with_prefix(body, prefix)}</div>')


def _style(prefix: str) -> str:
    """Return the style of the report for this output alone, in the colors of the notebook."""
    text = files("lookalike.report.page").joinpath("page.css").read_text(encoding="utf-8")
    for rules in PAGE_ALONE:
        text = rules.sub("", text)
    return f"<style>.{prefix} {{\n{THEME_COLORS}{text}}}</style>"


def _with_prefix(body: str, prefix: str) -> str:
    """Return markup whose names differ from those of other outputs; links to no part are text."""
    names = set(re.findall(r'\bid="([^"]*)"', body))

    def link(match: re.Match[str]) -> str:
        return match[0] if match[1] in names else f"<span>{match[2]}</span>"

    body = re.sub(r'<a href="#([^"]*)"[^>]*>(.*?)</a>', link, body)
    body = body.replace("<span>evidence</span>", "")
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", body)
