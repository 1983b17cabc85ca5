"""The candidate models."""

from __future__ import annotations

from lookalike.studies.select.candidates import CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES


def test_every_candidate_has_a_name_of_its_own():
    for specs in (CANDIDATES, TEXT_CANDIDATES):
        names = [spec.name for spec in specs]
        assert len(names) == len(set(names))
