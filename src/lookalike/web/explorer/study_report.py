"""The report of a study, served beside its explorer: each leads to the other by row."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from lookalike.report.page.row_cards import CARD_ID, EXPLORER_ADDRESS
from lookalike.settings import SERVICE_PORT
from lookalike.store.study_files import REPORT_FILE

ROW_ADDRESS = EXPLORER_ADDRESS.removeprefix(f"http://127.0.0.1:{SERVICE_PORT}")
CARD_PATTERN = re.compile(CARD_ID.format(kind=r"\w+", row=r"(\d+)"))


class StudyReport:
    """The page that a study wrote.

    Parameters
    ----------
    folder : Path
        Of the study.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / REPORT_FILE

    def html(self) -> str:
        """Return the page, whose rows lead to the server that it comes from."""
        text = self._path.read_text(encoding="utf-8")
        return text.replace(f'href="{EXPLORER_ADDRESS}', f'href="{ROW_ADDRESS}')

    @cached_property
    def exists(self) -> bool:
        """Whether the study has a report."""
        return self._path.is_file()

    def card(self, number: int) -> str | None:
        """Return the name of the place where the page shows a row; None where it does not."""
        return self._cards.get(number)

    @cached_property
    def _cards(self) -> dict[int, str]:
        text = self._path.read_text(encoding="utf-8") if self.exists else ""
        cards = dict[int, str]()
        for name in re.findall(r'<article[^>]* id="([^"]+)"', text):
            if found := CARD_PATTERN.fullmatch(name):
                cards.setdefault(int(found[1]), name)
        return cards
