"""Figures of the explorer that no refit is needed for, compared with brute force in NumPy."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from lookalike.explain.audit.table import AuditTable
from lookalike.explain.similarity import NO_SIMILAR_CASE


class BruteForce:
    """All distances of a study whose model counts votes, and votes counted one by one."""

    def __init__(self, exploration):
        neighbors = exploration.neighbors
        self.Z, self.row = np.asarray(neighbors.Z, np.float64), neighbors.row
        trained = self.Z[self.row]
        self.squared = np.stack([((trained - one) ** 2).sum(axis=1) for one in self.Z])
        for row in range(len(self.Z)):
            left_out = neighbors.left_out(row)
            self.squared[row, [] if left_out is None else left_out] = np.inf
        self.order = np.argsort(self.squared, axis=1, kind="stable")
        self.codes = exploration.rows.code[self.row]
        assert neighbors.model.weights == "uniform"
        assert neighbors.model.ties == "grow"

    def votes(self, row, k, codes):
        """Return the votes of the K nearest, of all as near as the last, and of more on ties."""
        far, labels = self.squared[row, self.order[row]], codes[self.order[row]]
        for size in range(k, np.isfinite(far).sum() + 1):
            if size < len(far) and far[size] == far[size - 1]:
                continue
            votes = np.bincount(labels[:size], minlength=10)
            if np.count_nonzero(votes == votes.max()) == 1:
                break
        return votes

    def culprits(self, k):
        """Return neighbors of wrongly predicted rows, and the label that would help those."""
        wrong = np.flatnonzero(self.predicted(self.row, k) != self.codes)
        near = [
            (place, int(self.codes[at])) for at in wrong for place in self.order[self.row[at], :k]
        ]
        return [(int(place), label) for place, label in near if self.codes[place] != label]

    def predicted(self, rows, k, codes=None):
        codes = self.codes if codes is None else codes
        return np.array([self.votes(row, k, codes).argmax() for row in rows])


@pytest.fixture(scope="module")
def brute(digits):
    return BruteForce(digits)


def test_the_leave_one_out_error_of_every_k_is_that_of_counted_votes(digits, brute):
    curve = digits.k_curve()
    for k in (1, 2, 7):
        expected = brute.predicted(range(len(brute.Z)), k)
        assert np.array_equal(digits.predicted_at(k), expected)
        wrong = expected[brute.row] != brute.codes
        assert curve["error"][curve["k"].index(k)] == wrong.mean()
    assert curve["curve_rows"] == len(brute.row)


def test_ranges_of_k_over_which_a_prediction_is_stable_are_those_of_counted_votes(digits, brute):
    names, each = digits.rows.class_names, range(1, digits.neighbors.k_max + 1)
    shown = digits.colors.get("stable")
    several = 0
    for row in [*range(0, 100, 9), *np.flatnonzero(shown)[:8]]:
        by_k = [(k, names[brute.predicted([row], k)[0]]) for k in each]
        runs = [[k for k, _ in run] for _, run in groupby(by_k, key=lambda one: one[1])]
        found = digits.evidence.of_row(int(row))["k_ranges"]
        assert [(one["from"], one["to"]) for one in found] == [(r[0], r[-1]) for r in runs]
        assert [str(one["prediction"]) for one in found] == [dict(by_k)[r[0]] for r in runs]
        right = [name == digits.rows.label(int(row)) for _, name in by_k]
        assert shown[row] == (0 if all(right) else 1 if any(right) else 2)
        several += len(runs) > 1
    assert several


def test_the_score_of_contributions_is_the_lead_of_the_counted_votes(digits, brute):
    for row in (0, 17, 97, 500):
        for k in (1, 3, 8):
            votes = brute.votes(row, k, brute.codes)
            evidence = digits.evidence.of_row(row, k)
            assert list(evidence["votes"].values()) == votes.tolist()
            second, first = np.sort(votes)[-2:]
            assert evidence["contributions"]["score"] == first - second
            near = brute.row[brute.order[row][:k]].tolist()
            assert evidence["neighbors"][:k] == near
            far = np.sqrt(brute.squared[row, brute.order[row][:k]])
            assert evidence["distances"][:k] == pytest.approx(far)


def test_the_effect_of_a_label_is_that_of_all_votes_counted_again(digits, brute):
    k, names = digits.neighbors.k, digits.rows.class_names
    everyone = range(len(brute.Z))
    before = brute.predicted(everyone, k)
    held_out = digits.rows.is_test
    truth, n_changed = digits.rows.code[held_out], 0
    for place, label in brute.culprits(k)[:6]:
        codes = brute.codes.copy()
        codes[place] = label
        after = brute.predicted(everyone, k, codes)
        effect = digits.review.effect(int(brute.row[place]), names[label])
        assert effect["error_before"] == (before[brute.row] != brute.codes).mean()
        assert effect["error_after"] == (after[brute.row] != codes).mean()
        listed = effect["changed"] + effect["held_out"]["changed"]
        assert sorted(one["row"] for one in listed) == np.flatnonzero(after != before).tolist()
        for one in listed:
            assert one["before"] == names[before[one["row"]]]
            assert one["after"] == names[after[one["row"]]]
        assert effect["held_out"]["error_before"] == (before[held_out] != truth).mean()
        assert effect["held_out"]["error_after"] == (after[held_out] != truth).mean()
        n_changed += len(listed)
    assert n_changed


def test_the_harm_of_a_label_is_the_errors_of_other_rows_that_it_causes(digits, brute, monkeypatch):
    k, names = digits.neighbors.k, digits.rows.class_names
    culprits = dict(brute.culprits(k)[:8])
    rows = brute.row[list(culprits)]
    suggested = np.full(len(digits.rows), "", object)
    suggested[rows] = [names[label] for label in culprits.values()]
    everyone = np.arange(len(digits.rows))
    flags = ["mislabel" if row in rows else "" for row in everyone]
    audit = AuditTable(everyone, tuple(flags), {"suggested_label": suggested}, {})
    monkeypatch.setattr(digits.rows, "audit", audit)
    before = brute.predicted(brute.row, k)
    expected = {}
    for row in rows.tolist():
        place, codes = int(digits.neighbors.place[row]), brute.codes.copy()
        codes[place] = names.index(suggested[row])
        after = brute.predicted(brute.row, k, codes)
        others = np.arange(len(codes)) != place
        mended = (before != brute.codes)[others].sum() - (after != brute.codes)[others].sum()
        expected[row] = mended
    queue = digits.review.queue()
    assert {one["row"]: one["harm"] for one in queue} == expected
    assert any(expected.values())
    harms = [one["harm"] for one in queue]
    assert harms == sorted(harms, reverse=True)


def test_no_similar_case_is_said_by_the_share_of_rows_with_a_nearer_neighbor(digits, brute):
    nearest = np.sqrt(brute.squared[brute.row].min(axis=1))
    each = np.sqrt(brute.squared.min(axis=1))
    said = 0
    for row in [*range(0, 1000, 97), *each.argsort()[-6:].tolist()]:
        own = each[row]
        share = np.count_nonzero(nearest < own) / len(nearest)
        found = digits.evidence.of_row(row, 1)
        assert found["similarity"]["share"] == share
        assert found["similarity"]["no_similar_case"] == (share >= NO_SIMILAR_CASE)
        said += found["similarity"]["no_similar_case"]
    assert said


def test_neighbors_torn_away_are_counted_on_the_map_by_brute_force(digits, brute):
    xy, shares = digits.maps.get("lda").xy, digits.maps.torn_shares("lda")
    for row in (0, 31, 640):
        gap = ((xy[brute.row] - xy[row]) ** 2).sum(axis=1)
        gap[brute.row == row] = np.inf
        near = set(brute.row[np.argsort(gap, kind="stable")[:30]].tolist())
        true = brute.row[brute.order[row][:10]].tolist()
        lost = set(true) - near
        assert set(digits.maps.torn("lda", row)["torn"]) == lost
        assert shares[row] == pytest.approx(len(lost) / 10)
