"""Votes counted natively equal those of a slow count, one query and one number at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.votes import (
    TIE_RULES,
    VOTE_WEIGHTS,
    VotingRule,
    count_votes,
    gather_voters,
)
from lookalike.models.neighbors.voting_numpy import count_votes_numpy

K = (1, 2, 3, 5, 8)


@st.composite
def neighborhoods(draw):
    """Distances in shells, neighbors of some queries, classes, and which rows have no vote."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, queries, classes = draw(st.integers(2, 14)), draw(st.integers(1, 5)), 3
    width = draw(st.integers(1, rows - 1))
    own = rng.choice(rows, min(queries, rows), replace=False)
    others = [rng.permutation(np.delete(np.arange(rows), one))[:width] for one in own]
    distance = np.sort(rng.integers(0, 5, size=(len(own), width)).astype(float), axis=1)
    pairs = zip(others, distance, strict=True)
    others = [row[np.lexsort((row, far))] for row, far in pairs]  # equally near ones by number
    weighted = draw(st.booleans())
    weight = rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], size=rows) if weighted else None
    part = rng.integers(0, 3, size=rows) if draw(st.booleans()) else None
    copies = np.maximum(weight - 1, 0) if weighted and part is None else None
    excluded = {"own": own, "group": part, "weight": weight, "copies": copies}
    return distance, np.array(others), excluded, rng, classes


def voters_of(distance, row, excluded, query):
    """The voters of one query as (distance, row, weight)."""
    own, result = excluded["own"][query], list(zip(distance[query], row[query], strict=True))
    group, copies, weight = (excluded[name] for name in ("group", "copies", "weight"))
    held = np.ones(100) if weight is None else weight
    result = [(d, r, held[r]) for d, r in result]
    if copies is not None:
        before = [r for d, r, _ in result if d == 0 and r < own]
        result.insert(len(before), (0.0, own, copies[own]))
    if group is not None:
        result = [one for one in result if group[one[1]] != group[own]]
    return [one for one in result if one[2] > 0]


@settings(max_examples=150, deadline=None)
@given(neighborhoods(), st.sampled_from([1, 3]))
def test_the_table_holds_the_rows_that_may_vote_nearest_first(neighborhood, threads):
    distance, row, excluded, _, _ = neighborhood
    table = gather_voters(distance, row, **excluded, complete=False, threads=threads)
    for query in range(len(row)):
        voters = voters_of(distance, row, excluded, query)
        assert table.length[query] == len(voters)
        for j, (far, number, weight) in enumerate(voters):
            assert (table.distance[query, j], table.row[query, j]) == (far, number)
            assert table.weight is None or table.weight[query, j] == weight
        assert np.isinf(table.distance[query, len(voters) :]).all()
        assert (table.row[query, len(voters) :] == -1).all()


def tally(voters, code, rule):
    """Votes of every class: those of voters as far as the nearest count most, by 'distance'."""
    votes = np.zeros(len(rule.class_weight))
    for far, row, weight in voters:
        near = 1.0
        if rule.weights == "distance":
            first = voters[0][0]
            near = first / far if first > 0 else float(far == 0)
        votes[code[row]] += near * weight * rule.class_weight[code[row]]
    return votes


def slow(voters, code, rule, k, complete):
    """Winner, size and whether it was tied, of one query; None where more rows are needed."""
    size, reached = 0, 0.0
    while reached < k:
        if size == len(voters):
            return None
        reached += voters[size][2]
        size += 1
    sizes = [size]
    if rule.ties == "grow":
        sizes = [
            s
            for s in range(size, len(voters) + 1)
            if (complete if s == len(voters) else voters[s][0] > voters[s - 1][0])
        ]
    elif rule.ties == "fewer":
        sizes = list(range(size, 0, -1))
    first_tied = None
    for number, some in enumerate(sizes):
        votes = tally(voters[:some], code, rule)
        level = np.flatnonzero(votes == votes.max()) if votes.max() > 0 else [0]
        first_tied = len(level) > 1 if number == 0 else first_tied
        last = number == len(sizes) - 1 and (rule.ties != "grow" or complete)
        if len(level) == 1 or last:
            winner = level[0]
            if len(level) > 1 and rule.ties == "nearest":
                classes = [code[row] for _, row, _ in voters[:some]]
                winner = min(level, key=lambda c: (voters[classes.index(c)][0], c))
            if len(level) > 1 and rule.ties == "prior":
                winner = max(level, key=lambda c: (rule.class_prior[c], -c))
            return winner, some, first_tied, votes
    return None


@settings(max_examples=300, deadline=None)
@given(
    neighborhoods(),
    st.sampled_from(TIE_RULES),
    st.sampled_from(VOTE_WEIGHTS),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_every_k_is_settled_as_by_a_slow_count(neighborhood, ties, nearness, complete, threads):
    distance, row, excluded, rng, classes = neighborhood
    code = rng.integers(0, classes, size=14)
    ratio = rng.choice([0.5, 1.0, 2.0], size=classes)
    prior = rng.choice([0.2, 0.4], size=classes)
    rule = VotingRule(classes, nearness, ties, frequency=prior / ratio, prior=prior)
    np.testing.assert_array_equal(rule.class_weight, ratio)
    table = gather_voters(distance, row, **excluded, complete=complete, threads=threads)
    truth = rng.integers(0, classes, size=len(row))
    result = count_votes(table, code, rule, K, truth=truth, threads=threads)
    for query in range(len(row)):
        voters = voters_of(distance, row, excluded, query)
        for i, k in enumerate(K):
            expected = slow(voters, code, rule, k, complete)
            if expected is None:
                assert result.winner[query, i] == -1
                continue
            winner, size, tied, votes = expected
            assert result.winner[query, i] == winner
            assert result.tied[query, i] == tied
            assert result.size[query, i] == size
            assert result.share[query, i] == pytest.approx(votes[truth[query]] / votes.sum())


def assert_the_same_result(native, twin):
    np.testing.assert_array_equal(native.winner, twin.winner)
    np.testing.assert_array_equal(native.size, twin.size)
    np.testing.assert_array_equal(native.tied, twin.tied)
    known = native.winner >= 0
    np.testing.assert_allclose(native.share[known], twin.share[known], rtol=1e-12)


@settings(max_examples=300, deadline=None)
@given(
    neighborhoods(),
    st.sampled_from(TIE_RULES),
    st.sampled_from(VOTE_WEIGHTS),
    st.sampled_from(["none", "frequency", "prior"]),
    st.booleans(),
)
def test_the_numpy_twin_decides_every_vote_as_the_native_count(
    neighborhood, ties, weights, known, complete
):
    distance, row, excluded, rng, classes = neighborhood
    code = rng.integers(0, classes, size=14)
    frequency = rng.choice([0.0, 0.25, 0.5, 1.0], size=classes)
    prior = rng.choice([0.0, 0.5, 1.0], size=classes)
    rule = VotingRule(
        classes,
        weights,
        ties,
        None if known == "none" else frequency,
        prior=prior if known == "prior" else None,
    )
    table = gather_voters(distance, row, **excluded, complete=complete)
    truth = rng.integers(0, classes, size=len(row))
    assert_the_same_result(
        count_votes(table, code, rule, K, truth=truth),
        count_votes_numpy(table, code, rule, K, truth=truth),
    )


@settings(max_examples=150, deadline=None)
@given(neighborhoods(), st.sampled_from(TIE_RULES), st.booleans())
def test_functions_and_costs_that_change_nothing_are_settled_the_same(neighborhood, ties, complete):
    distance, row, excluded, rng, classes = neighborhood
    code = rng.integers(0, classes, size=14)
    frequency = rng.dirichlet(np.ones(classes))
    plain = VotingRule(classes, "uniform", ties, frequency)
    table = gather_voters(distance, row, **excluded, complete=complete)
    truth = rng.integers(0, classes, size=len(row))
    native = count_votes(table, code, plain, K, truth=truth)
    for rule in (
        VotingRule(classes, np.ones_like, ties, frequency),
        VotingRule(classes, "uniform", ties, frequency, cost=1.0 - np.eye(classes)),
    ):
        assert not rule.native
        assert_the_same_result(native, count_votes_numpy(table, code, rule, K, truth=truth))


def test_numbers_of_voters_may_differ_by_query_and_fall():
    rule = VotingRule(2, "uniform", "nearest")
    distance, row = np.array([[1.0, 2.0, 3.0]] * 2), np.array([[0, 1, 2]] * 2)
    table = gather_voters(distance, row, complete=True)
    code = np.array([0, 1, 1])
    result = count_votes(table, code, rule, [np.array([3, 1]), np.array([1, 3])])
    assert result.winner.T.tolist() == [[1, 0], [0, 1]]
    assert result.share is None


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 5], [0, -1, 1]], ids=str)
def test_a_row_or_a_class_beyond_the_last_is_refused(codes):
    voters = gather_voters(np.ones((1, 3)), np.array([[0, 1, 2]]), complete=True)
    with pytest.raises(ValueError, match="none of the rows"):
        count_votes(voters, np.array(codes), VotingRule(2, "uniform", "grow", np.ones(2)), [3])


def test_a_row_that_has_no_weight_at_all_is_refused():
    near = np.ones((1, 3)), np.array([[0, 1, 2]])
    with pytest.raises(ValueError, match="none of the rows"):
        gather_voters(*near, weight=np.ones(2), complete=True)
