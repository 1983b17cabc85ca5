"""The page of a study: one file that opens without a network and reads without a script."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from lookalike.data.write.atomic_write import replace_file
from lookalike.printable import printable
from lookalike.report.page.appendix import appendix
from lookalike.report.page.candidates import candidates
from lookalike.report.page.curves import limits
from lookalike.report.page.data_audit import flagged_rows
from lookalike.report.page.features import features
from lookalike.report.page.header import findings, header
from lookalike.report.page.held_out import held_out
from lookalike.report.page.html import Html, join, tag
from lookalike.report.page.leakage import leakage
from lookalike.report.page.profiles import profiles
from lookalike.report.page.structure import structure
from lookalike.studies.results import Study

__all__ = ["render", "write_page"]

PAGE_SECTIONS = {
    "findings": ("Findings", findings),
    "leakage": ("Leakage", leakage),
    "held-out": ("Held-out error", held_out),
    "models": ("Model selection", candidates),
    "limits": ("Learning curve and limits", limits),
    "features": ("Feature importance", features),
    "columns": ("Columns", profiles),
    "structure": ("Structure of the data", structure),
    "audit": ("Data audit", flagged_rows),
    "reproducibility": ("Reproducibility", appendix),
}
ALLOWED_CONTENT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_page(study: Study, path: Path) -> None:
    """Write the page of a study to one file, whole or not at all."""
    text = render(study).encode()
    replace_file(path, lambda file: file.write(text))


def render(study: Study) -> str:
    """Return the page of a study; the same study gives the same bytes."""
    sections = {name: make(study) for name, (_, make) in PAGE_SECTIONS.items()}
    shown = {name: inside for name, inside in sections.items() if inside}
    links = (tag("li", tag("a", PAGE_SECTIONS[name][0], href=f"#{name}")) for name in shown)
    parts = (
        tag("section", tag("h2", PAGE_SECTIONS[name][0], id=f"{name}-title"), inside, id=name,
            aria_labelledby=f"{name}-title")
        for name, inside in shown.items()
    )  # fmt: skip
    body = tag(
        "body",
        header(study, tag("nav", tag("ul", *links), aria_label="Sections")),
        tag("main", *parts),
    )
    return printable("<!doctype html>\n" + tag("html", _head(study), body, lang="en") + "\n")


def _head(study: Study) -> Html:
    style = files("lookalike.report.page").joinpath("page.css").read_text(encoding="utf-8")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=ALLOWED_CONTENT),
        tag("title", f"{study.title}: a study by lookalike"),
        join([Html(f"<style>{style}</style>")]),
    )
