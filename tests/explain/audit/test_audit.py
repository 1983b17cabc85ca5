"""An audit finds what was planted, says how sure it is, and is quiet about clean rows."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike import NearestNeighbors, audit
from lookalike.decisions import Decisions
from lookalike.errors import MissingValueError, ParameterError, ParameterTypeError, ShapeError
from lookalike.explain.audit.near_duplicates import near_radius, typical_dimension
from lookalike.explain.audit.out_of_fold import leave_one_out_voters
from lookalike.neighbors import self_search


def groups(n, apart, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.87]])
    return apart * corner[y] + rng.normal(size=(n, 2)), y, rng


def planted(n, apart, noise, seed=0):
    X, y, rng = groups(n, apart, seed)
    wrong = rng.random(n) < noise
    return X, np.where(wrong, (y + rng.integers(1, 3, size=n)) % 3, y), wrong


def test_labels_flipped_in_separate_groups_are_found():
    X, y, wrong = planted(1500, 8.0, 0.05)
    found = audit(X, y).rows("mislabel")
    assert set(np.flatnonzero(wrong)) <= set(found)
    assert len(found) - wrong.sum() <= 2


def test_the_class_suggested_is_the_one_that_was_there():
    X, y, _ = groups(600, 10.0)
    given = y.copy()
    given[:20] = (given[:20] + 1) % 3
    names = np.array(["ant", "bee", "cat"])
    found = audit(X, names[given])
    assert (found.suggested[:20] == names[y[:20]]).all()


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_the_probabilities_add_up_to_the_number_of_wrong_labels(noise):
    ratio = []
    for seed in range(4):
        X, y, wrong = planted(1200, 6.0, noise, seed)
        ratio.append(audit(X, y).mislabel.sum() / wrong.sum())
    assert 0.9 < np.mean(ratio) < 1.1


def test_clean_labels_of_classes_that_overlap_are_not_accused():
    for apart in (2.0, 3.0, 6.0):
        X, y, _ = groups(1500, apart)
        assert len(audit(X, y).rows("mislabel")) == 0


def test_rows_of_one_group_do_not_vote_for_each_other():
    X, _, rng = groups(90, 2.0)
    member = rng.integers(30, size=90)
    _, row, may = leave_one_out_voters(self_search(X, 5), 5, member, Decisions())
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    for i in range(90):
        others = np.flatnonzero(member != member[i])
        near = others[np.argsort(distance[i, others])[:5]]
        assert row[i, may[i]].tolist() == near.tolist()


def test_a_lack_of_voters_of_other_groups_is_said():
    X, y, _ = groups(100, 8.0)
    found = audit(X, y, k=3, groups=y)
    assert found.decisions.about("groups")


def test_copies_are_found_however_many_there_are():
    X, y, _ = groups(200, 5.0)
    X[50:90] = X[10]
    found = audit(X, y, k=5)
    assert found.rows("duplicate").tolist() == [10, *range(50, 90)]
    assert (found.duplicate_of[50:90] == 10).all()
    assert found.rows("conflict").tolist() == [10, *range(50, 90)]


def test_near_copies_are_found_and_even_rows_are_not_accused():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 5))
    assert len(audit(X).rows("near_duplicate")) == 0
    X[7] = X[100] + 1e-6
    found = audit(X)
    assert found.rows("near_duplicate").tolist() == [7, 100]
    assert len(found.rows("duplicate")) == 0
    X[200] = X[300]
    assert audit(X).rows("duplicate").tolist() == [200, 300]
    assert audit(X).rows("near_duplicate").tolist() == [7, 100]


def test_chance_calls_rows_near_as_seldom_as_stated():
    rng = np.random.default_rng(1)
    accused = rows = 0
    for _ in range(4):
        found = self_search(rng.random((2000, 2)), 10)
        dimension = typical_dimension(found.distance, 2)
        radius = near_radius(found.distance, dimension) * 100 ** (0.5 / dimension)
        accused += np.count_nonzero(found.distance[:, 0] <= radius)
        rows += 2000
    # the radius times 100^(1/2D) is reached sqrt(100) times as often: 0.1 rows a table
    assert accused <= 3


def test_rows_of_test_that_are_in_train_are_leaks():
    rng = np.random.default_rng(0)
    X, test = rng.normal(size=(800, 6)), rng.normal(size=(50, 6))
    test[3], test[9] = X[17], X[30] + 1e-7
    found = audit(X, test=test)
    assert found.rows("leak").tolist() == [3, 9]
    assert found.test_exact.nonzero()[0].tolist() == [3]
    assert found.test_row[[3, 9]].tolist() == [17, 30]


def test_rows_far_from_everything_are_outliers_beside_groups_of_any_density():
    rng = np.random.default_rng(0)
    dense, sparse = rng.normal(size=(700, 3)), 60 + 8 * rng.normal(size=(300, 3))
    X = np.concatenate([dense, sparse, [[9.0, 9.0, 9.0], [-200.0, 0.0, 0.0]]])
    found = audit(X).rows("outlier")
    assert set(found[:5]) >= {1000, 1001}
    assert len(found) < 20


def test_occurrences_count_the_lists_a_row_is_in():
    X, y, _ = groups(150, 2.0)
    found = audit(X, y, k=7)
    row = self_search(X, 7).row
    slow = [np.count_nonzero(row == i) for i in range(150)]
    bad = [sum(i in row[j] and y[j] != y[i] for j in range(150)) for i in range(150)]
    assert found.occurrences.tolist() == slow
    assert found.bad_occurrences.tolist() == bad


def test_a_row_in_the_middle_of_a_sphere_is_a_hub():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[0] = 0
    assert audit(X, k=5).rows("hub")[0] == 0


def test_the_same_audit_twice_is_the_same_and_a_wider_search_changes_nothing():
    X, y, _ = planted(300, 3.0, 0.1)
    first, second, third = audit(X, y), audit(X, y), audit(self_search(X, 25), y)
    for name in ("mislabel", "outlier", "near_duplicate_of", "occurrences"):
        assert (getattr(first, name) == getattr(second, name)).all()
        assert (getattr(first, name) == getattr(third, name)).all()


def test_the_search_can_be_chosen():
    X, y, _ = groups(200, 6.0)
    found = audit(X, y, search=NearestNeighbors(metric="manhattan", algorithm="brute"))
    assert found.occurrences.sum() == 2000


def test_a_table_of_copies_or_of_one_class_is_no_error():
    found = audit(np.ones((30, 2)), ["a"] * 30, k=3)
    assert len(found.rows("duplicate")) == 30
    assert not found.mislabel.any()
    assert not found.outlier.any()


def test_what_cannot_be_audited_says_why():
    X, y, _ = groups(50, 5.0)
    with pytest.raises(ShapeError, match="X has 50 rows"):
        audit(X, y[:-1])
    with pytest.raises(ParameterError, match="had no y"):
        audit(X).rows("mislabel")
    with pytest.raises(ParameterError, match="had no test="):
        audit(X, y).rows("leak")
    with pytest.raises(ParameterError, match="is not known"):
        audit(X, y).rows("number_errors")
    with pytest.raises(ParameterError, match="Give y"):
        audit(X, groups=y)
    with pytest.raises(ParameterError, match="quantities"):
        audit(X, y + 0.5, task="classification")
    with pytest.raises(ParameterError, match="task='ranks'"):
        audit(X, y, task="ranks")
    with pytest.raises(ParameterTypeError, match="give task='classification'"):
        audit(X, np.full(50, "a"), task="regression")
    with pytest.raises(MissingValueError, match="row 2"):
        audit(X, np.where(np.arange(50) == 2, np.nan, y))
    with pytest.raises(ParameterTypeError, match="mixes labels"):
        audit(X, np.array(["a", 1] * 25, dtype=object))
    with pytest.raises(ParameterError, match="searched already"):
        audit(self_search(X), y, search=NearestNeighbors())
    with pytest.raises(ParameterTypeError, match="not a NearestNeighbors"):
        audit(X, y, search="cosine")
    with pytest.raises(ShapeError, match="n_neighbors"):
        audit(X[:5], y[:5])


def test_rows_that_stay_in_their_source_are_audited_alike():
    X, y, _ = planted(300, 3.0, 0.1)
    here = audit(X, y)
    there = audit(X, y, search=NearestNeighbors(engine="stream"))
    assert (here.mislabel == there.mislabel).all()
    assert (here.outlier == there.outlier).all()
    assert (here.near_duplicate_of == there.near_duplicate_of).all()


def curved(n, noise=0.0, seed=0, heavy=False):
    """Numbers along a curve, more scattered in one direction, some replaced by ten times theirs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scatter = rng.standard_t(3, size=n) if heavy else rng.normal(size=n)
    y = 20 + 3 * np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.3 * np.exp(X[:, 2]) * scatter
    wrong = rng.random(n) < noise
    return X, np.where(wrong, 10 * y, y), wrong


def test_numbers_that_slipped_are_found_with_what_they_should_be():
    X, y, wrong = curved(1500, 0.03)
    found = audit(X, y)
    named = found.rows("mislabel")
    assert set(np.flatnonzero(wrong)) <= set(named)
    assert len(named) <= 1.15 * wrong.sum()
    assert np.abs(found.suggested[wrong] - y[wrong] / 10).mean() < 1.5
    assert (found.deviation[wrong] > 5).all()
    assert found.bad_occurrences is None


def test_probabilities_of_slips_add_up_to_their_number():
    ratio = []
    for seed in range(4):
        X, y, wrong = curved(1200, 0.05, seed)
        ratio.append(audit(X, y).mislabel.sum() / wrong.sum())
    assert 0.85 < np.mean(ratio) < 1.15


def test_clean_numbers_are_not_accused_and_hardly_any_with_heavy_tails():
    for seed in range(3):
        X, y, _ = curved(1200, seed=seed)
        assert len(audit(X, y).rows("mislabel")) == 0
        X, y, _ = curved(1200, seed=seed, heavy=True)
        assert len(audit(X, y).rows("mislabel")) <= 2


def test_right_numbers_of_a_skewed_distribution_are_not_accused_and_slips_among_them_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = np.exp(8 + X[:, 0] + 0.7 * rng.normal(size=600))
    assert len(audit(X, y).rows("mislabel")) == 0
    y[:12] *= 1000
    assert set(range(12)) <= set(audit(X, y).rows("mislabel"))


def test_copies_with_numbers_far_apart_are_in_conflict():
    X, y, _ = curved(600)
    X[7], X[8] = X[100], X[200]
    y[7], y[8] = y[100] + 30, y[200] + 0.01
    assert set(audit(X, y).rows("conflict")) == {7, 100}


def test_numbers_of_one_group_do_not_speak_for_each_other():
    X, _, rng = groups(90, 2.0)
    values, member = rng.normal(size=90), rng.integers(30, size=90)
    found = audit(X, values, k=5, groups=member)
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    for i in range(90):
        others = np.flatnonzero(member != member[i])
        near = others[np.argsort(distance[i, others])[:5]]
        assert found.suggested[i] == np.median(values[near])


def test_whole_numbers_are_classes_or_numbers_as_told():
    X, y, _ = groups(200, 3.0)
    assert audit(X, y).deviation is None
    assert audit(X, y, task="regression").deviation is not None
    assert audit(X, 1000 + np.arange(200)).deviation is not None


def test_numbers_all_alike_are_no_error():
    X, _, _ = groups(40, 3.0)
    found = audit(X, np.full(40, 2.5))
    assert not found.mislabel.any()
    assert not found.deviation.any()
