"""Votes counted natively equal those of a slow count, one query and one number at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.votes import TIES, Bars, Rules, count_votes, gather_ballots
from lookalike.models.neighbors.vote_rules import Jury
from lookalike.models.neighbors.voting_numpy import recount

K = (1, 2, 3, 5, 8)


@st.composite
def elections(draw):
    """Distances in shells, neighbors of some queries, classes, and what bars them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, queries, classes = draw(st.integers(2, 14)), draw(st.integers(1, 5)), 3
    width = draw(st.integers(1, rows - 1))
    own = rng.choice(rows, min(queries, rows), replace=False)
    others = [rng.permutation(np.delete(np.arange(rows), one))[:width] for one in own]
    distance = np.sort(rng.integers(0, 5, size=(len(own), width)).astype(float), axis=1)
    weighty = draw(st.booleans())
    weight = rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], size=rows) if weighty else None
    part = rng.integers(0, 3, size=rows) if draw(st.booleans()) else None
    copies = np.maximum(weight - 1, 0) if weighty and part is None else None
    return distance, np.array(others), Bars(own, part, weight, copies), rng, classes


def voters_of(distance, row, bars, query):
    """The voters of one query as (distance, row, weight)."""
    own, found = bars.own[query], list(zip(distance[query], row[query], strict=True))
    held = np.ones(100) if bars.weight is None else bars.weight
    found = [(d, r, held[r]) for d, r in found]
    if bars.copies is not None:
        found.insert(0, (0.0, own, bars.copies[own]))
    if bars.part is not None:
        found = [one for one in found if bars.part[one[1]] != bars.part[own]]
    return [one for one in found if one[2] > 0]


@settings(max_examples=150, deadline=None)
@given(elections(), st.sampled_from([1, 3]))
def test_ballots_hold_those_who_may_vote_nearest_first(election, threads):
    distance, row, bars, _, _ = election
    ballot = gather_ballots(distance, row, bars, complete=False, threads=threads)
    for query in range(len(row)):
        voters = voters_of(distance, row, bars, query)
        assert ballot.length[query] == len(voters)
        for j, (far, number, weight) in enumerate(voters):
            assert (ballot.distance[query, j], ballot.row[query, j]) == (far, number)
            assert ballot.weight is None or ballot.weight[query, j] == weight
        assert np.isinf(ballot.distance[query, len(voters) :]).all()
        assert (ballot.row[query, len(voters) :] == -1).all()


def tally(voters, code, rules):
    """Votes of every class: those of voters as far as the nearest count most, by 'distance'."""
    votes = np.zeros(len(rules.ratio))
    for far, row, weight in voters:
        near = 1.0
        if rules.nearness == "distance":
            first = voters[0][0]
            near = first / far if first > 0 else float(far == 0)
        votes[code[row]] += near * weight * rules.ratio[code[row]]
    return votes


def slow(voters, code, rules, k, complete):
    """Winner, size and whether it was tied, of one query; None where more must be asked."""
    size, reached = 0, 0.0
    while reached < k:
        if size == len(voters):
            return None
        reached += voters[size][2]
        size += 1
    sizes = [size]
    if rules.ties == "grow":
        sizes = [
            s
            for s in range(size, len(voters) + 1)
            if (complete if s == len(voters) else voters[s][0] > voters[s - 1][0])
        ]
    elif rules.ties == "fewer":
        sizes = list(range(size, 0, -1))
    first_tied = None
    for number, some in enumerate(sizes):
        votes = tally(voters[:some], code, rules)
        level = np.flatnonzero(votes == votes.max()) if votes.max() > 0 else [0]
        first_tied = len(level) > 1 if number == 0 else first_tied
        last = number == len(sizes) - 1 and (rules.ties != "grow" or complete)
        if len(level) == 1 or last:
            winner = level[0]
            if len(level) > 1 and rules.ties == "nearest":
                classes = [code[row] for _, row, _ in voters[:some]]
                winner = min(level, key=lambda c: (voters[classes.index(c)][0], c))
            if len(level) > 1 and rules.ties == "prior":
                winner = max(level, key=lambda c: (rules.belief[c], -c))
            return winner, some, first_tied, votes
    return None


@settings(max_examples=300, deadline=None)
@given(
    elections(),
    st.sampled_from(TIES),
    st.sampled_from(["uniform", "distance"]),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_every_k_is_settled_as_by_a_slow_count(election, ties, nearness, complete, threads):
    distance, row, bars, rng, classes = election
    code = rng.integers(0, classes, size=14)
    ratio = rng.choice([0.5, 1.0, 2.0], size=classes)
    rules = Rules(nearness, ties, ratio, rng.choice([0.2, 0.4], size=classes))
    ballot = gather_ballots(distance, row, bars, complete=complete, threads=threads)
    truth = rng.integers(0, classes, size=len(row))
    found = count_votes(ballot, code, rules, K, truth=truth, threads=threads)
    for query in range(len(row)):
        voters = voters_of(distance, row, bars, query)
        for i, k in enumerate(K):
            judged = slow(voters, code, rules, k, complete)
            if judged is None:
                assert found.winner[i, query] == -1
                continue
            winner, size, tied, votes = judged
            assert found.winner[i, query] == winner
            assert found.tied[i, query] == tied
            assert found.size[i, query] == size
            assert found.share[i, query] == pytest.approx(votes[truth[query]] / votes.sum())


@settings(max_examples=150, deadline=None)
@given(elections(), st.sampled_from(TIES), st.booleans())
def test_functions_and_costs_that_change_nothing_are_settled_the_same(election, ties, complete):
    distance, row, bars, rng, classes = election
    code = rng.integers(0, classes, size=14)
    belief = rng.dirichlet(np.ones(classes))
    plain = Jury(classes, "uniform", ties, belief)
    ballot = gather_ballots(distance, row, bars, complete=complete)
    truth = rng.integers(0, classes, size=len(row))
    native = count_votes(ballot, code, plain.rules, K, truth=truth)
    for jury in (
        Jury(classes, np.ones_like, ties, belief),
        Jury(classes, "uniform", ties, belief, cost=1.0 - np.eye(classes)),
    ):
        assert jury.rules is None
        again = recount(ballot, code, jury, K, truth)
        np.testing.assert_array_equal(native.winner, again.winner)
        np.testing.assert_array_equal(native.size, again.size)
        np.testing.assert_array_equal(native.tied, again.tied)
        known = native.winner >= 0
        np.testing.assert_allclose(native.share[known], again.share[known], rtol=1e-12)


def test_numbers_of_voters_may_differ_by_query_and_fall():
    rules = Rules("uniform", "nearest", np.ones(2), np.ones(2))
    distance, row = np.array([[1.0, 2.0, 3.0]] * 2), np.array([[0, 1, 2]] * 2)
    ballot = gather_ballots(distance, row, Bars(), complete=True)
    code = np.array([0, 1, 1])
    found = count_votes(ballot, code, rules, [np.array([3, 1]), np.array([1, 3])])
    assert found.winner.tolist() == [[1, 0], [0, 1]]
    assert found.share is None
