"""What is to be seen in the rows beside the winner: limits, shape, doubts, telling columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.explain.selfsearch import SelfSearch, self_search
from lookalike.models.neighbors import NearestNeighbors
from lookalike.studies.case import Case
from lookalike.studies.clusters import clusters_of
from lookalike.studies.condensing import condensed
from lookalike.studies.division import Division
from lookalike.studies.doubts import VOTERS, Apart, Looked, doubts
from lookalike.studies.judging import Judged
from lookalike.studies.limits import (
    MANY,
    bracket_of,
    curve_of,
    k_curves_of,
    neighbours_needed,
)
from lookalike.studies.preparation import choose_preparation
from lookalike.studies.results import (
    AuditFacts,
    Bracket,
    Clusters,
    Condensed,
    Dimensions,
    Feature,
    KCurve,
    LearningCurve,
    Map,
    Spectrum,
)
from lookalike.studies.structure import dimensions_of, maps_of, spectrum_of
from lookalike.studies.telling import telling
from lookalike.typing import AnyArray

MOST_VOTERS = 5  # of the learning curve: larger K need longer lists of neighbours
FEW_VOTERS = 3  # where rows are many


@dataclass
class Insight:
    """Parts of a study that do not depend on the winner alone; None where not looked at."""

    features_made: int
    bracket: Bracket | None = None
    learning_curve: LearningCurve | None = None
    k_curves: tuple[KCurve, ...] = ()
    spectrum: Spectrum | None = None
    dimensions: Dimensions | None = None
    maps: tuple[Map, ...] = ()
    features: tuple[Feature, ...] = ()
    audit: AuditFacts | None = None
    condensed: Condensed | None = None
    clusters: Clusters | None = None

    def fields(self) -> dict[str, Any]:
        """Return the parts by name."""
        return {
            one.name: getattr(self, one.name) for one in fields(self) if one.name != "features_made"
        }


@dataclass(frozen=True)
class Described:
    """All rows of the data as neighbours and as straight models see them."""

    near: AnyArray
    straight: AnyArray
    search: dict[str, Any]
    apart: AnyArray | None  # rows of a test file, as neighbours see them

    def found(self, k: int) -> SelfSearch:
        """Return the neighbours of every row."""
        how = {name: value for name, value in self.search.items() if name != "missing"}
        return self_search(self.near, k, search=NearestNeighbors(**how) if how else None)


def look(case: Case, judged: Judged | None, division: Division | None) -> Insight:
    """Return what is to be seen; a part that does not fit the time is left out, and said."""
    with case.budget.stage("describing"):
        described = _describe(case, judged)
    insight = Insight(described.straight.shape[1])
    if judged is not None:
        insight.k_curves = k_curves_of(judged.outcome.selection)
    labels = case.target.values if case.target.classify else None
    with case.budget.stage("finding neighbours"):
        found = described.found(_width(insight, case, len(case.reading)))
    parts: dict[str, Callable[[], None]] = {
        "structure": lambda: _structure(insight, case, described, labels),
        "doubts": lambda: _doubts(insight, case, described, found, division),
        "limits": lambda: _limits(insight, case, found),
        "telling columns": lambda: _telling(insight, case, judged, division),
        "condensing": lambda: _condensing(insight, case, described, judged, division),
    }
    for name, part in parts.items():
        if case.budget.left() <= 0:
            case.decisions.add(name, "left out", "the time is over")
            continue
        with case.budget.stage(name):
            try:
                part()
            except (LookalikeError, ValueError) as error:
                case.decisions.add(name, "left out", str(error))
    return insight


def _describe(case: Case, judged: Judged | None) -> Described:
    material = case.reading.material
    if judged is None:
        chosen = choose_preparation(
            material,
            None,
            columns=case.columns,
            classify=False,
            metric=case.asked.metric,
            seed=case.asked.seed,
            decisions=case.decisions,
        )
        train = material
    else:
        chosen = judged.outcome.preparation
        train = material.take(judged.train)
    space, other_space = chosen.spaces
    preparer = chosen.preparer(space).fit(train.source())
    near = np.asarray(preparer.transform(material.source()))
    straight = near
    if chosen.same(other_space) != chosen.same(space):
        other = chosen.preparer(other_space).fit(train.source())
        straight = np.asarray(other.transform(material.source()))
    for decision in preparer.decisions_:
        case.decisions.add(*decision)
    apart = None
    if case.apart is not None:
        apart = np.asarray(preparer.transform(case.apart[0].material.source()))
    return Described(near, straight, chosen.search(space, preparer), apart)


def _structure(insight: Insight, case: Case, described: Described, labels: Any) -> None:
    seed = case.asked.seed
    if case.target.task == "explore":
        insight.clusters = clusters_of(described.straight, case.reading, seed, case.decisions)
        if insight.clusters is not None:
            labels = np.array([f"group {number + 1}" for number in insight.clusters.label])
    insight.spectrum, pca = spectrum_of(described.straight, seed, case.asked.engine)
    insight.dimensions = dimensions_of(described.straight, insight.spectrum, seed, case.decisions)
    values = case.target.values if case.target.task == "regress" else None
    insight.maps = maps_of(
        described.straight, pca, case.reading.row, labels=labels, values=values, seed=seed
    )


def _voters(insight: Insight, n_rows: int) -> int:
    """Return how many neighbours vote in the learning curve: the best number, as far as it pays."""
    best = next((curve.best for curve in insight.k_curves if curve.method == "loo"), 1)
    return min(best, MOST_VOTERS if n_rows <= MANY else FEW_VOTERS)


def _width(insight: Insight, case: Case, n_rows: int) -> int:
    """Return how many neighbours of each row are needed for all that is looked at."""
    few = min(VOTERS, n_rows - 1)
    if case.target.values is None:
        return few
    return max(few, neighbours_needed(n_rows, _voters(insight, n_rows)))


def _doubts(
    insight: Insight,
    case: Case,
    described: Described,
    found: SelfSearch,
    division: Division | None,
) -> None:
    held, apart = None, None
    if case.apart is not None and described.apart is not None:
        apart = Apart(described.apart, case.apart[0], case.apart[1])
    elif division is not None and not division.folded:
        held = np.zeros(len(case.reading), bool)
        held[division.parts[0][1]] = True
    insight.audit = doubts(Looked(found, case.reading, case.target.values, held), apart)


def _limits(insight: Insight, case: Case, found: SelfSearch) -> None:
    told = case.target.values
    if told is None or len(np.unique(told)) < 2:
        return
    if case.target.classify:
        insight.bracket = bracket_of(found, told)
    voters = _voters(insight, found.n_rows)
    insight.learning_curve = curve_of(found, told, voters, case.asked.seed)


def _telling(
    insight: Insight, case: Case, judged: Judged | None, division: Division | None
) -> None:
    if judged is None or division is None or case.target.values is None:
        return
    material, y = case.reading.material, case.target.values
    if case.apart is not None:
        material, y = case.apart[0].material, case.apart[1]
    elif not division.folded:
        held = division.parts[0][1]
        material, y = material.take(held), y[held]
    insight.features = telling(
        judged.outcome.model,
        material,
        y,
        classify=case.target.classify,
        seed=case.asked.seed,
        decisions=case.decisions,
    )


def _condensing(
    insight: Insight,
    case: Case,
    described: Described,
    judged: Judged | None,
    division: Division | None,
) -> None:
    y: Any = case.target.values
    if judged is None or division is None or not case.target.classify or len(np.unique(y)) < 2:
        return
    train, held = division.parts[0]
    queries = (described.near[held], y[held])
    if case.apart is not None and described.apart is not None:
        queries = (described.apart, case.apart[1])
    search = {name: value for name, value in described.search.items() if name != "missing"}
    insight.condensed = condensed(
        (described.near[train], y[train]), queries, search, case.decisions
    )
