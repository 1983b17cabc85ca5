"""The record of an example: its figures, each compared with its source, and its pictures.

An example is a file of this folder with a docstring, `SOURCE`, `SYSTEMS` (of docs/sources.md),
`DATA` (files it reads from the folder that LOOKALIKE_DATA names, if any) and `figures(record)`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from lookalike.report.save import save_axes

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
HALF = 0.5  # of the last digit printed: what rounding may change


class Figure(NamedTuple):
    """One figure: what a source prints or claims, what was measured, and whether they match."""

    source: str
    name: str
    kind: str  # "printed", "equation", "claim", or "" where the source has no such figure
    printed: str
    measured: str
    match: bool | None = None  # None where there is nothing to match


class Picture(NamedTuple):
    """A picture in the folder of pictures."""

    file: str
    caption: str


class Record:
    """What one example measured and drew."""

    def __init__(self, source: str = "", folder: Path = PICTURES) -> None:
        self.source = source
        self.folder = folder
        self.rows: list[Figure] = []
        self.pictures: list[Picture] = []

    def printed(
        self,
        name: str,
        printed: object,
        measured: object,
        *,
        units: float = HALF,
        form: str = "",
        source: str = "",
    ) -> None:
        """Add a figure that the source prints.

        Numbers are given as they are printed, "9.70e-05" or a list of such: the one measured
        matches when it differs by at most `units` of the last digit, half of one if it is rounded.
        Anything else has to be equal.
        """
        match, text = compared(printed, measured, units)
        text = format(measured, form) if form else text
        self._add(source, name, "printed", shown(printed), text, match)

    def equation(
        self, name: str, equation: str, expected: float, measured: float, *, source: str = ""
    ) -> None:
        """Add what an equation of the source gives: nine digits have to be those of ours."""
        match = abs(measured - expected) <= 1e-9 * abs(expected)
        self._add(source, name, "equation", equation, f"{measured:.10g}", bool(match))

    def claim(
        self, name: str, claim: str, measured: object, holds: object, *, source: str = ""
    ) -> None:
        """Add what the source claims in words, and whether what was measured agrees."""
        self._add(source, name, "claim", claim, shown(measured), bool(holds))

    def measured(self, name: str, measured: object, *, source: str = "") -> None:
        """Add a figure of our own, for which the source has none."""
        self._add(source, name, "", "", shown(measured), None)

    def _add(self, source: str, *figure: Any) -> None:
        self.rows.append(Figure(source or self.source, *figure))

    def picture(self, axes: Any, file: str, caption: str) -> None:
        """Save the figure that holds `axes`."""
        save_axes(axes, self.folder / file)
        self.pictures.append(Picture(file, caption))

    @property
    def mismatches(self) -> list[Figure]:
        """Return the figures that do not match their source."""
        return [row for row in self.rows if row.match is False]


def compared(printed: object, measured: Any, units: float) -> tuple[bool, str]:
    """Return whether two figures match, and the second with the digits of the first."""
    if isinstance(printed, str) and is_number(printed):
        number = Decimal(printed)
        exponent = int(number.as_tuple().exponent)
        unit = 10.0**exponent
        match = abs(float(measured) - float(number)) <= units * unit * (1 + 1e-9)
        if "e" in printed:
            return match, f"{float(measured):.{number.adjusted() - exponent}e}"
        return match, f"{float(measured):.{max(0, -exponent)}f}"
    if isinstance(printed, Sequence) and not isinstance(printed, str):
        pairs = [compared(*pair, units) for pair in zip(printed, measured, strict=True)]
        return all(match for match, _ in pairs), shown([text for _, text in pairs])
    return bool(printed == measured), shown(measured)


def is_number(text: str) -> bool:
    """Return whether a text is a number, as sources print them."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def shown(value: object) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(shown, value))
    return str(value)


def missing_data(module: ModuleType) -> str:
    """Return why an example cannot run: the data files that are not there, if any."""
    wanted = getattr(module, "DATA", ())
    folder = os.environ.get("LOOKALIKE_DATA")
    if not wanted or (folder and all((Path(folder) / name).is_file() for name in wanted)):
        return ""
    if not folder:
        return f"LOOKALIKE_DATA is not set; it names the folder of {', '.join(wanted)}"
    absent = [name for name in wanted if not (Path(folder) / name).is_file()]
    return f"LOOKALIKE_DATA has no {', '.join(absent)}"


def data_file(name: str) -> Path:
    """Return the path of a data file."""
    return Path(os.environ["LOOKALIKE_DATA"]) / name


def counted(rows: Sequence[Figure]) -> str:
    """Return how many figures of each kind match: "70 printed figures, 12 equations, 80 claims"."""
    names = {"printed": "printed figures", "equation": "equations", "claim": "claims in words"}
    parts = [
        (sum(r.kind == kind and r.match is True for r in rows), n) for kind, n in names.items()
    ]
    return ", ".join(f"{count} {name}" for count, name in parts)


def as_text(rows: Sequence[Figure]) -> str:
    """Return figures as a table of text."""
    match = {True: "yes", False: "NO", None: ""}
    cells = [("figure", "printed", "measured", "match")]
    cells += [(row.name, row.printed, row.measured, match[row.match]) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    return "\n".join(f"  {line.rstrip()}" for line in lines)


def run_alone(figures: Any, source: str) -> None:
    """Run one example: print its figures and save its pictures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder of the pictures")
    record = Record(source, parser.parse_args().out)
    figures(record)
    print(f"{source}\n{as_text(record.rows)}")
    raise SystemExit(1 if record.mismatches else 0)
