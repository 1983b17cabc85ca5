"""Every reduction obeys the laws."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from laws import assert_reduction_laws

import lookalike.reductions
from lookalike.data.chunk import Chunk
from lookalike.kernels.discretize import Discretizer, Levels
from lookalike.kernels.metrics.gower import Gower
from lookalike.kernels.mixture import Components
from lookalike.kernels.rbf_features import RadialFeatures
from lookalike.kernels.sums import sum_grid
from lookalike.reductions.by_class import ByClass, ClassColumns, ClassCovariance
from lookalike.reductions.categories import Categories
from lookalike.reductions.cell_counts import CellCounts
from lookalike.reductions.class_sums import ClassSums
from lookalike.reductions.columns import Columns
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.em_missing import GaussianEStep
from lookalike.reductions.fourth_moments import FourthMoments
from lookalike.reductions.joint_counts import JointCounts
from lookalike.reductions.lloyd import Farthest, LloydArithmetic, LloydStep
from lookalike.reductions.logistic import LogisticGradient
from lookalike.reductions.mixture import MixtureEStep, RandomResponsibilities
from lookalike.reductions.quantiles import DigitCounts, start
from lookalike.reductions.ranges import Ranges
from lookalike.reductions.ridge import (
    NormalEquations,
    NumericTargets,
    OneHotTargets,
    RidgeLeaveOneOut,
    RidgePath,
)
from lookalike.reductions.row_hashes import DuplicateRows
from lookalike.reductions.sample import RandomSample
from lookalike.reductions.scatter_product import ScatterProduct
from lookalike.reductions.several import Several
from lookalike.reductions.table_columns import TableColumns
from lookalike.reductions.target_columns import TargetColumns
from lookalike.reductions.within_class_scatter import WithinClassScatter
from lookalike.reductions.wrappers import (
    AgainstColumn,
    Checked,
    Grouped,
    Mapped,
    OfTarget,
    OnHost,
    StateOf,
    WithRowCount,
    WithWeight,
    Wrapped,
    Wrapper,
)
from lookalike.studies.all_rows.leak_screens import SuspectColumns
from lookalike.studies.all_rows.linear_leaks import ColumnsWithTarget
from lookalike.studies.all_rows.survey import WithTarget
from lookalike.studies.all_rows.text_copies import TextCopies

rng = np.random.default_rng(7)
NUMBERS = rng.normal(size=(40, 3)) * [1.0, 100.0, 0.01] + [0.0, 5.0, -3.0]
HOLES = np.where(rng.random((40, 3)) < 0.2, np.nan, NUMBERS)
CODES = rng.integers(0, 4, size=(40, 2)).astype(float)
WORDS = rng.choice(np.array(["ant", "bee", "cat"], dtype=object), size=(40, 2))
GAPS = np.where(rng.random((40, 2)) < 0.2, None, WORDS)
LABELS = rng.choice(["red", "green", "blue"], size=40)
WEIGHT = rng.integers(0, 4, size=40).astype(float)
TARGET = rng.normal(size=40) * 3.0 + 50.0
SPARSE = sp.csr_array(np.where(rng.random((40, 3)) < 0.7, 0.0, NUMBERS))
FOURTH = FourthMoments(np.array(["blue", "green", "red"]), NUMBERS[:4], np.abs(NUMBERS[4:8]))


class Cubes:
    width = 3

    def __call__(self, X):
        return X**3


DENSITY = NUMBERS.mean(axis=0), np.diag(NUMBERS.std(axis=0))[:, :2], 0.5
BLOCK, MEAN = rng.normal(size=(3, 2)), NUMBERS.mean(axis=0)
PRODUCT = ScatterProduct(BLOCK, MEAN, np.zeros(3))
BINS = [Discretizer(np.quantile(NUMBERS[:, j], [0.3, 0.6])) for j in range(3)]
TABLES = JointCounts(BINS, Levels(["blue", "green", "red"]))
SUSPECTS = JointCounts([BINS[2], BINS[0], Levels([0.0])], Levels(["blue", "green", "red"]))
SHIFTED = ScatterProduct(BLOCK, MEAN, np.zeros(3), np.float64)

SCALE = 1 / NUMBERS.std(axis=0)
ROUND = Components(MEAN, NUMBERS[:2] - MEAN, np.stack([SCALE, SCALE]), np.zeros(2))
TILTED = ROUND._replace(factor=np.stack([np.diag(SCALE) + np.tril(BLOCK @ BLOCK.T, -1)] * 2))
SHARES = RandomResponsibilities(2, seed=1)
FEATURES = RadialFeatures(NUMBERS[:2], 30.0)
CLASSES = OneHotTargets(np.array(["blue", "green", "red"]))
RIDGE = RidgePath(
    np.zeros(2), np.zeros(3), np.eye(2), np.ones(2), np.ones((2, 3)), np.array([1.0, 9.0]), 0.01
)
CATEGORIES = Gower.of_codes(["a", "b"], np.zeros((2, 2)), (0, 1), np.ones(2), whole=True)
CODE = np.unique(LABELS, return_inverse=True)[1]
NAMED = np.column_stack([LABELS, WORDS[:, 0], CODE]).astype(object)
COPIES = TextCopies({"label": NAMED[:, 0]}, ["blue", "green", "red"], CODE.astype(float))
FRAME = LloydArithmetic(np.vstack([np.zeros(5), sum_grid(np.full(5, 1e3), 10**6)]), 1.0, unit=False)

CASES = {
    "columns": (Columns(), Chunk(NUMBERS)),
    "columns, weighted": (Columns(ddof=1), Chunk(NUMBERS, weight=WEIGHT)),
    "columns with holes": (Columns(), Chunk(HOLES)),
    "columns, float32": (Columns(), Chunk(NUMBERS.astype(np.float32))),
    "columns, sparse": (Columns(), Chunk(SPARSE, weight=WEIGHT)),
    "covariance": (Covariance(), Chunk(NUMBERS)),
    "covariance, weighted": (Covariance(ddof=0), Chunk(NUMBERS, weight=WEIGHT)),
    "covariance, sparse": (Covariance(), Chunk(SPARSE)),
    "covariance and number of rows": (WithRowCount(Covariance()), Chunk(NUMBERS, weight=WEIGHT)),
    "expected moments": (GaussianEStep(*DENSITY), Chunk(HOLES, weight=WEIGHT)),
    "components": (MixtureEStep(TILTED), Chunk(NUMBERS)),
    "components, weighted": (MixtureEStep(TILTED), Chunk(NUMBERS, weight=WEIGHT)),
    "components, diagonal": (MixtureEStep(ROUND), Chunk(NUMBERS, weight=WEIGHT)),
    "components, nearest": (MixtureEStep(ROUND, nearest=True), Chunk(NUMBERS)),
    "components, drawn": (MixtureEStep(TILTED, shares=SHARES), Chunk(NUMBERS, offset=5)),
    "ranges": (Ranges(), Chunk(NUMBERS, weight=WEIGHT)),
    "cells, counted": (CellCounts(Gower(HOLES, categorical=[])), Chunk(HOLES)),
    "cells of categories": (CellCounts(CATEGORIES), Chunk(CODES)),
    "ranges, sparse": (Ranges(), Chunk(SPARSE)),
    "farthest rows": (Farthest(NUMBERS[:3], 5, FRAME), Chunk(NUMBERS, weight=WEIGHT, offset=3)),
    "round of k-means": (LloydStep(NUMBERS[:3], FRAME), Chunk(NUMBERS, weight=WEIGHT)),
    "round of k-means, sparse": (LloydStep(NUMBERS[:3], FRAME), Chunk(SPARSE)),
    "normal equations": (NormalEquations(FEATURES, NumericTargets()), Chunk(NUMBERS, y=WEIGHT)),
    "normal equations of classes": (
        NormalEquations(FEATURES, CLASSES),
        Chunk(NUMBERS, y=LABELS, weight=WEIGHT),
    ),
    "leave-one-out errors of ridge": (
        RidgeLeaveOneOut(FEATURES, CLASSES, RIDGE),
        Chunk(NUMBERS, y=LABELS, weight=WEIGHT),
    ),
    "logistic gradient": (
        LogisticGradient(FEATURES, CLASSES, np.ones((2, 3)), np.arange(3.0)),
        Chunk(NUMBERS, y=LABELS, weight=WEIGHT),
    ),
    "covariance of folds": (Grouped(Covariance(), 3), Chunk(NUMBERS, weight=WEIGHT, offset=5)),
    "scatter times vectors": (PRODUCT, Chunk(NUMBERS, weight=WEIGHT)),
    "scatter times vectors, sparse": (PRODUCT, Chunk(SPARSE)),
    "scatter times vectors, shifted": (SHIFTED, Chunk(NUMBERS)),
    "covariance of classes": (ClassCovariance(), Chunk(NUMBERS, y=LABELS)),
    "covariance of classes, weighted": (
        ClassCovariance(),
        Chunk(NUMBERS, y=LABELS, weight=WEIGHT + 1),
    ),
    "categories of codes": (Categories(), Chunk(CODES)),
    "categories of words": (Categories(), Chunk(WORDS, weight=WEIGHT)),
    "covariance of mapped rows": (Mapped(Covariance(), Cubes()), Chunk(NUMBERS, weight=WEIGHT)),
    "scatter within classes": (WithinClassScatter(), Chunk(NUMBERS, y=LABELS)),
    "scatter within classes, weighted": (
        WithinClassScatter(),
        Chunk(NUMBERS, y=LABELS, weight=WEIGHT),
    ),
    "scatter within classes, float32": (
        WithinClassScatter(),
        Chunk(NUMBERS.astype(np.float32), y=LABELS),
    ),
    "scatter within classes, sparse": (WithinClassScatter(), Chunk(SPARSE, y=LABELS)),
    "columns of classes": (ClassColumns(), Chunk(HOLES, y=LABELS)),
    "columns of classes, weighted": (ClassColumns(), Chunk(NUMBERS, y=LABELS, weight=WEIGHT)),
    "columns of classes, sparse": (ClassColumns(), Chunk(SPARSE, y=LABELS)),
    "sums of classes": (ClassSums(), Chunk(HOLES, y=LABELS, weight=WEIGHT)),
    "sums of classes, sparse": (ClassSums(), Chunk(SPARSE, y=LABELS)),
    "columns and a target": (TargetColumns(), Chunk(NUMBERS, y=TARGET, weight=WEIGHT)),
    "columns with holes and a target": (TargetColumns(), Chunk(HOLES, y=TARGET)),
    "columns and a target, sparse": (TargetColumns(), Chunk(SPARSE, y=TARGET)),
    "columns against one of them": (AgainstColumn(TargetColumns(), 1), Chunk(HOLES)),
    "joint counts": (TABLES, Chunk(HOLES, y=LABELS, weight=WEIGHT)),
    "joint counts with a column": (JointCounts(BINS, 2), Chunk(HOLES)),
    "columns of the target": (OfTarget(Columns()), Chunk(NUMBERS, y=TARGET)),
    "columns with their weight": (WithWeight(Columns()), Chunk(SPARSE, weight=WEIGHT)),
    "groups of columns": (Grouped(Columns(), 3), Chunk(HOLES, weight=WEIGHT, offset=4)),
    "state of a covariance": (StateOf(Covariance()), Chunk(NUMBERS)),
    "wrapped covariance": (Wrapped(Covariance()), Chunk(NUMBERS)),
    "covariance on the host": (OnHost(Covariance()), Chunk(NUMBERS)),
    "checked covariance": (Checked(Covariance()), Chunk(NUMBERS, weight=WEIGHT)),
    "checked columns with holes": (Checked(Columns(), allow_nan=True), Chunk(HOLES)),
    "columns by class": (ByClass(Columns()), Chunk(HOLES, y=LABELS)),
    "columns of a table": (TableColumns(3, 2), Chunk(HOLES, y=WORDS)),
    "columns of a table, weighted": (TableColumns(3, 2), Chunk(HOLES, y=GAPS, weight=WEIGHT)),
    "categories of a table": (TableColumns(0, 2), Chunk(NUMBERS[:, :0], y=WORDS)),
    "fourth moments": (FOURTH, Chunk(NUMBERS, y=LABELS, weight=WEIGHT)),
    "duplicates": (DuplicateRows(20), Chunk(CODES)),
    "duplicates, estimated": (DuplicateRows(2), Chunk(HOLES)),
    "several": (Several([Columns(), DuplicateRows(4)]), Chunk(HOLES)),
    "sample": (RandomSample(7), Chunk(NUMBERS, offset=3)),
    "sample among": (RandomSample(7, among=100), Chunk(NUMBERS, offset=3)),
    "columns of suspects": (SuspectColumns(SUSPECTS, [2, 0]), Chunk(HOLES, y=LABELS)),
    "covariance with a target": (
        ColumnsWithTarget([2, 0], np.array([-3.0, 0.0])),
        Chunk(HOLES, y=TARGET),
    ),
    "columns and a target, as a study reads them": (
        WithTarget(TargetColumns()),
        Chunk(NUMBERS, y=np.column_stack([WORDS, TARGET])),
    ),
    "texts that name the class": (COPIES, Chunk(NUMBERS, y=NAMED)),
    "digit counts": (DigitCounts(start(2, 3)), Chunk(HOLES)),
    "digit counts, weighted": (DigitCounts(start(1, 3)), Chunk(NUMBERS, weight=WEIGHT)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_reduction_obeys_the_laws(case):
    reduction, chunk = CASES[case]
    rtol = 1e-5 if chunk.X.dtype == np.float32 else 1e-9
    assert_reduction_laws(reduction, chunk, rtol=rtol)


def updates(node):
    """Return whether a class of the source adds chunks to a state."""
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    return any(
        one.name == "update" and [name.arg for name in one.args.args] == ["self", "state", "chunk"]
        for one in methods
    )


def test_no_reduction_and_no_wrapper_of_any_folder_is_left_out_of_the_laws():
    reductions = set()
    for path in Path(lookalike.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and updates(node):
                reductions.add(node.name)
    for module in pkgutil.iter_modules(lookalike.reductions.__path__):
        for name, member in vars(import_module(f"lookalike.reductions.{module.name}")).items():
            own = getattr(member, "__module__", "").startswith("lookalike.reductions.")
            if own and inspect.isclass(member) and hasattr(member, "update"):  # else no reduction
                reductions.add(name)
    assert {"Wrapped", "Checked", "ByClass", "TextCopies"} <= reductions
    under_the_laws = {type(reduction).__name__ for reduction, _ in CASES.values()}
    searched = {"TopK"}  # under the laws in the test of searches
    assert reductions - {"Reduction"} == under_the_laws | searched


def test_every_wrapper_is_under_the_laws():
    every, new = set(), [Wrapper]
    while new:
        new = [one for cls in new for one in cls.__subclasses__()]
        every |= set(new)
    assert every
    assert every == {type(reduction) for reduction, _ in CASES.values()} & every


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_a_search_over_chunks_obeys_the_laws(metric):
    from lookalike.index.chunked import TopK
    from lookalike.kernels.metrics import metric_from

    measure = metric_from(metric)
    reduction = TopK(measure.rows(NUMBERS[:5]), 3, measure, exclude=np.arange(5))
    assert_reduction_laws(reduction, Chunk(NUMBERS), rtol=0, atol=0)


def test_a_round_of_k_means_gives_the_same_bits_however_the_rows_are_cut():
    reduction = LloydStep(NUMBERS[:3], FRAME)
    assert_reduction_laws(reduction, Chunk(NUMBERS, weight=WEIGHT), rtol=0, atol=0)


def test_a_reduction_that_keeps_every_distinct_row_breaks_the_law_of_bounded_state():
    class Distinct:
        def init(self, n_features):  # noqa: ARG002
            return frozenset()

        def update(self, state, chunk):
            return state | {row.tobytes() for row in chunk.X}

        def merge(self, left, right):
            return left | right

        def finalize(self, state):
            return len(state)

    with pytest.raises(AssertionError):
        assert_reduction_laws(Distinct(), Chunk(NUMBERS))
