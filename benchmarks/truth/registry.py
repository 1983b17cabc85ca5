"""All problems with a known answer."""

from __future__ import annotations

from benchmarks.truth.hard_problems import HARD_PROBLEMS
from benchmarks.truth.problems import PROBLEMS

REGISTRY = (*PROBLEMS, *HARD_PROBLEMS)
