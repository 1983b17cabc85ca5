"""Boosted trees on histograms: the splits are those that a slow search over all cuts finds."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit, softmax

from lookalike.kernels.boosted import BoostedTrees, start_scores
from lookalike.kernels.grow_boosted import BoostingPlan, bin_rows, grow_boosted

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3)).astype(np.float32)
X[rng.random(X.shape) < 0.1] = np.nan
SIGNAL = np.nan_to_num(X[:, 0]) ** 2 + np.nan_to_num(X[:, 1])
TARGETS = {
    "numbers": SIGNAL + 0.1 * rng.normal(size=150),
    "two": (SIGNAL > 0.5).astype(np.int64),
    "three": np.digitize(SIGNAL, [0.0, 1.0]).astype(np.int64),
}
STEPS, RATE, L2 = 4, 0.3, 1.5


def derivatives(score, y):
    if y.dtype.kind == "f":
        return score - y[:, None], np.ones_like(score)
    share = expit(score) if score.shape[1] == 1 else softmax(score, axis=1)
    own = y[:, None] == (1 if score.shape[1] == 1 else np.arange(score.shape[1]))
    return share - own, share * (1 - share)


def explained(gradient, curvature):
    return (gradient.sum(axis=0) ** 2 / (curvature.sum(axis=0) + L2)).sum()


def gain(code, cut, rows, slopes, least):
    """Return what a cut gains in a leaf; None where it is not allowed."""
    left = rows & (code[cut[0]] <= cut[1])
    right = rows & ~left
    if min(left.sum(), right.sum()) < least:
        return None if least > 0 else 0.0
    parts = [explained(*(one[part] for one in slopes)) for part in (left, right, rows)]
    return parts[0] + parts[1] - parts[2]


def slow_leaves(code, slopes, plan):
    """Return the rows of every leaf of a tree, by trying all cuts."""
    cuts = [(column, last) for column in range(len(code)) for last in range(code[column].max())]
    leaves = [np.ones(code.shape[1], bool)]
    if plan.symmetric:
        for _ in range(plan.max_depth):
            best = max(cuts, key=lambda cut: sum(gain(code, cut, r, slopes, 0) for r in leaves))
            left = code[best[0]] <= best[1]
            leaves = [part for r in leaves for part in (r & left, r & ~left)]
        return leaves
    while len(leaves) < plan.max_leaves:
        found = [
            (gain(code, cut, rows, slopes, plan.min_rows), place, cut)
            for place, rows in enumerate(leaves)
            for cut in cuts
        ]
        _, place, cut = max((one for one in found if one[0] is not None), key=lambda one: one[0])
        left = code[cut[0]] <= cut[1]
        rows = leaves.pop(place)
        leaves += [rows & left, rows & ~left]
    return leaves


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("symmetric", [False, True])
def test_trees_split_where_a_search_over_all_cuts_does(kind, symmetric):
    y = TARGETS[kind]
    outputs = 3 if kind == "three" else 1
    plan = BoostingPlan(STEPS, RATE, L2, symmetric, max_leaves=6, max_depth=3 * symmetric)
    plan = plan._replace(min_rows=5)
    rows = bin_rows(X, 20, 1)
    base = start_scores(y, outputs)
    grown = grow_boosted(rows, y, base, plan, threads=2)
    score = np.tile(base, (len(y), 1))
    for _ in range(STEPS):
        slopes = derivatives(score, y)
        for leaf in slow_leaves(rows.code, slopes, plan):
            sums = [one[leaf].sum(axis=0) for one in slopes]
            score[leaf] -= RATE * sums[0] / (sums[1] + L2)
    given = grown._asdict() | {"X": X, "targets": y, "n_outputs": outputs}
    given |= {"learning_rate": RATE, "l2": L2}
    del given["out_loss"]
    np.testing.assert_allclose(BoostedTrees(**given).sums(X, 1), score, rtol=1e-9)
    computed = BoostedTrees(**given | {"value": np.empty((0, outputs))}).value
    np.testing.assert_allclose(computed, grown.value, rtol=1e-9, atol=1e-15)


def test_any_number_of_threads_grows_the_same_trees():
    big = rng.normal(size=(3000, 9)).astype(np.float32)
    y = big[:, 0] * big[:, 1] + big[:, 2]
    plan = BoostingPlan(5, 0.1, row_share=0.7, column_share=0.6, seed=3)
    rows = bin_rows(big, 64, 4)
    one, four = (grow_boosted(rows, y, np.zeros(1), plan, threads=n) for n in (1, 4))
    for left, right in zip(one, four, strict=True):
        np.testing.assert_array_equal(left, right)


def test_rows_left_out_are_scored_and_not_learned_from():
    y = TARGETS["numbers"]
    out = np.arange(len(y)) % 3 == 0
    plan = BoostingPlan(30, 0.2, min_rows=2)
    rows, base = bin_rows(X, 50, 1), np.array([y.mean()])
    grown = grow_boosted(rows, y, base, plan, left_out=out, threads=1)
    other = np.where(out, 1e6, y)  # what they are does not change the trees
    np.testing.assert_array_equal(
        grow_boosted(rows, other, base, plan, left_out=out, threads=1).value, grown.value
    )
    assert len(grown.out_loss) == 31
    np.testing.assert_allclose(grown.out_loss[0], ((y - base)[out] ** 2).mean())
    stopped = grow_boosted(rows, y, base, plan._replace(patience=3), left_out=out, threads=1)
    best = int(stopped.out_loss[1:].argmin()) + 1
    assert len(stopped.out_loss) == min(best + 3, 30) + 1


def test_bins_hold_single_values_or_equally_many_rows():
    columns = np.column_stack([np.arange(1000) % 3, np.arange(1000)]).astype(np.float32)
    columns[0] = np.nan
    rows = bin_rows(columns, 10, 1)
    assert rows.threshold[: rows.start[1]].tolist() == [0.5, 1.5]
    assert rows.code[:, 0].tolist() == [0, 0]
    assert np.bincount(rows.code[1])[1:].tolist() == pytest.approx([100] * 10, abs=1)


@pytest.mark.parametrize(
    ("name", "value"), [("start", [0, 1]), ("code", np.full((3, 150), 255, np.uint8))]
)
def test_codes_and_thresholds_belong_together(name, value):
    rows = bin_rows(X, 20, 1)._replace(**{name: np.asarray(value)})
    with pytest.raises(ValueError, match=r"threshold"):
        grow_boosted(rows, TARGETS["two"], np.zeros(1), BoostingPlan(1, 0.1), threads=1)


GROW = """
import hashlib
import numpy as np
from lookalike.kernels.grow_boosted import BoostingPlan, bin_rows, grow_boosted
rng = np.random.default_rng(0)
X = rng.normal(size=(900, 11)).astype(np.float32)
y = X[:, 0] * X[:, 1] + X[:, 2]
plan = BoostingPlan(6, 0.1, symmetric=True, max_depth=6, row_share=0.8, l2=1.0, seed=3)
digest = hashlib.sha256()
for bins, targets, outputs in (
    (63, y.astype(np.float64), 1),
    (17, np.digitize(y, [-1.0, -0.2, 0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]), 10),
):
    grown = grow_boosted(bin_rows(X, bins, 1), targets, np.zeros(outputs), plan, threads=1)
    digest.update(grown.nodes.tobytes() + grown.value.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("level", ["generic", "avx2"])
def test_every_vector_level_grows_the_same_trees(level):
    def digest(**environment):
        command = [sys.executable, "-c", GROW]
        environment = os.environ | environment
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, check=True
        ).stdout

    try:
        assert digest(LOOKALIKE_SIMD=level) == digest()
    except subprocess.CalledProcessError:
        pytest.skip(f"this machine has no {level}")
