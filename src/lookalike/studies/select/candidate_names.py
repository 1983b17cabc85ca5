"""Which candidates a study compares: all, or those that are named."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.errors import ParameterError, ParameterTypeError
from lookalike.studies.select.candidate_spec import CandidateSpec
from lookalike.studies.select.candidates import ALL_CANDIDATES
from lookalike.studies.select.text_candidates import TEXT_CANDIDATES
from lookalike.validation import shown


def check_models(models: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the candidates to compare, each once; raise where there is no such.

    Examples
    --------
    >>> check_models("knn, forest")
    ('knn', 'forest')
    """
    given = models.split(",") if isinstance(models, str) else models
    if not all(isinstance(name, str) for name in given):
        raise ParameterTypeError(f"models={shown(models)} are not names. Give a list of texts.")
    names = tuple(dict.fromkeys(name.strip() for name in given if name.strip()))
    known = list(dict.fromkeys(spec.name for spec in (*ALL_CANDIDATES, *TEXT_CANDIDATES)))
    for name in names:
        if name not in known:
            raise ParameterError(
                f"models names {shown(name)}, and there is no such candidate. Choose from "
                f"{', '.join(known)}."
            )
    return names


def restrict_candidates(
    specs: Sequence[CandidateSpec], models: Sequence[str]
) -> list[CandidateSpec]:
    """Return the candidates that are named, without references; all of them where none is."""
    if not models:
        return list(specs)
    chosen = [spec for spec in specs if spec.name in models and not spec.reference]
    if not chosen:
        names = ", ".join(spec.name for spec in specs if not spec.reference)
        raise ParameterError(
            f"models names {', '.join(models)}, and none of them is for such data. Choose from "
            f"{names}."
        )
    return chosen
