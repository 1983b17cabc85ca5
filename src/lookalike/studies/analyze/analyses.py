"""What is to be seen in the rows beside the winner: limits, shape, doubts, telling columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.explain.bounds import BayesBracket, measured_bayes_bracket
from lookalike.explain.dimension import Dimension
from lookalike.explain.learning_curve import Forecast, LearningCurve
from lookalike.explain.self_search import SelfSearch, self_search
from lookalike.models.neighbors.search import NearestNeighbors
from lookalike.studies.analysis_results import (
    AuditSummary,
    Clustering,
    FeatureImportance,
    KCurve,
    Projection,
    PrototypeSelection,
    Spectrum,
)
from lookalike.studies.analyze.bounds import (
    AHEAD,
    MANY,
    curve_of,
    k_curves_of,
    neighbors_needed,
)
from lookalike.studies.analyze.clusters import clusters_of
from lookalike.studies.analyze.data_audit import VOTERS, Apart, Looked, doubts
from lookalike.studies.analyze.feature_importance import relief_of, telling
from lookalike.studies.analyze.prototypes import condensed
from lookalike.studies.analyze.structure import dimension_of, maps_of, spectrum_of
from lookalike.studies.context import Case
from lookalike.studies.evaluate.evaluation import Judged
from lookalike.studies.select.budget import TimeOver
from lookalike.studies.select.candidates import affordable_rows
from lookalike.studies.select.preparation import choose_preparation
from lookalike.studies.select.split import Division
from lookalike.typing import AnyArray, Rows

MOST_VOTERS = 5  # of the learning curve: larger K need longer lists of neighbors
FEW_VOTERS = 3  # where rows are many
LEAST_FOR_BOUND = 20  # rows, for a bound on what is possible
MOST_SECONDS = 600.0  # that the search of neighbors of all rows may take


@dataclass
class Insight:
    """Parts of a study that do not depend on the winner alone; None where not looked at."""

    features_made: int
    bayes_error: BayesBracket | None = None
    learning_curve: LearningCurve | None = None
    forecast: Forecast | None = None
    k_curves: tuple[KCurve, ...] = ()
    spectrum: Spectrum | None = None
    intrinsic_dimension: Dimension | None = None
    projections: tuple[Projection, ...] = ()
    feature_importance: tuple[FeatureImportance, ...] = ()
    pixel_importance: str | None = None
    audit: AuditSummary | None = None
    prototype_selection: PrototypeSelection | None = None
    clustering: Clustering | None = None
    seen: Looked | None = None  # rows with their neighbors

    def fields(self) -> dict[str, Any]:
        """Return the parts of a study by name."""
        own = ("features_made", "seen")
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in own}


@dataclass(frozen=True)
class Described:
    """All rows of the data as neighbors and as straight models see them."""

    near: AnyArray
    straight: AnyArray
    search: dict[str, Any]
    apart: AnyArray | None  # rows of a test file, as neighbors see them

    def found(self, rows: Rows, k: int) -> SelfSearch:
        """Return the neighbors of some rows among each other."""
        how = {name: value for name, value in self.search.items() if name != "missing"}
        near = self.near if len(rows) == len(self.near) else self.near[rows]
        return self_search(near, k, search=NearestNeighbors(**how) if how else None)


def look(case: Case, judged: Judged | None, division: Division | None) -> Insight:
    """Return what is to be seen; a part that does not fit the time is left out, and said."""
    with case.budget.stage("describing"):
        described = _describe(case, judged)
    insight = Insight(described.straight.shape[1])
    if judged is not None:
        insight.k_curves = k_curves_of(judged.outcome.selection)
    parts: dict[str, Callable[[], None]] = {
        "structure": lambda: _structure(insight, case, described),
        "finding neighbors": lambda: _see(insight, case, described, division),
        "doubts": lambda: _doubts(insight, case, described),
        "limits": lambda: _limits(insight, case),
        "telling columns": lambda: _telling(insight, case, judged, division),
        "condensing": lambda: _condensing(insight, case, described, judged, division),
    }
    deadline = case.budget.deadline()
    for name, part in parts.items():
        try:
            with case.budget.stage(name), deadline.enforced():
                part()
        except TimeOver:
            case.decisions.add(name, "left out", "the time was over")
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


def _structure(insight: Insight, case: Case, described: Described) -> None:
    seed, labels = case.asked.seed, case.classes
    if case.target.task == "exploratory":
        insight.clustering = clusters_of(described.straight, case.reading, seed, case.decisions)
        if insight.clustering is not None:
            width = len(str(len(insight.clustering.clusters)))
            labels = np.array([f"group {n + 1:0{width}d}" for n in insight.clustering.labels])
    insight.spectrum, pca = spectrum_of(described.straight, seed, case.asked.engine)
    insight.intrinsic_dimension = dimension_of(described.straight, seed, case.decisions)
    values = case.target.values if case.target.task == "regression" else None
    insight.projections = maps_of(
        described.straight, pca, case.reading.row, labels=labels, values=values, seed=seed
    )


def _see(insight: Insight, case: Case, described: Described, division: Division | None) -> None:
    """Find the neighbors of every row, or of as many rows as the time allows."""
    n_rows, columns = described.near.shape
    rows, told, seed = np.arange(n_rows), case.target.values, case.asked.seed
    held = np.zeros(n_rows, bool)
    if case.apart is None and division is not None and not division.folded:
        held[division.parts[0][1]] = True
    allowed = min(MOST_SECONDS, case.budget.deadline().left / 2)
    most = affordable_rows(allowed, columns)
    if n_rows > most:
        rows = np.sort(np.random.default_rng(seed).permutation(n_rows)[:most])
        case.decisions.add("neighbors", f"of {most} of {n_rows} rows", "all would take too long")
    told = None if told is None else told[rows]
    width = min(VOTERS, len(rows) - 1)
    if told is not None:
        width = max(width, neighbors_needed(len(rows), _voters(insight, len(rows))))
    found = described.found(rows, width)
    marked = held[rows] if held.any() else None
    insight.seen = Looked(found, case.reading.take(rows), told, marked)


def _voters(insight: Insight, n_rows: int) -> int:
    """Return how many neighbors vote in the learning curve: the best number, as far as it pays."""
    best = next((curve.best for curve in insight.k_curves if curve.method == "loo"), 1)
    return min(best, MOST_VOTERS if n_rows <= MANY else FEW_VOTERS)


def _doubts(insight: Insight, case: Case, described: Described) -> None:
    apart = None
    if case.apart is not None and described.apart is not None:
        apart = Apart(described.apart, case.apart[0], case.apart[1])
    if insight.seen is not None:
        insight.audit = doubts(insight.seen, apart)


def _limits(insight: Insight, case: Case) -> None:
    seen = insight.seen
    if seen is None or seen.labels is None or len(np.unique(seen.labels)) < 2:
        return
    if case.classify and seen.found.n_rows >= LEAST_FOR_BOUND:
        insight.bayes_error = measured_bayes_bracket(seen.found, seen.labels)
    voters = _voters(insight, seen.found.n_rows)
    insight.learning_curve = curve_of(seen.found, seen.labels, voters, case.asked.seed)
    if insight.learning_curve is not None:
        rows = [times * seen.found.n_rows for times in AHEAD]
        insight.forecast = insight.learning_curve.forecast(rows)


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
    insight.pixel_importance = relief_of(material, y, classify=case.classify)
    insight.feature_importance = telling(
        judged.outcome.model,
        material,
        y,
        classify=case.classify,
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
    if judged is None or division is None or not case.classify or len(np.unique(y)) < 2:
        return
    train, held = division.parts[0]
    queries = (described.near[held], y[held])
    if case.apart is not None and described.apart is not None:
        queries = (described.apart, case.apart[1])
    search = {name: value for name, value in described.search.items() if name != "missing"}
    insight.prototype_selection = condensed(
        (described.near[train], y[train]), queries, search, case.decisions
    )
