"""The laws of a reduction, checked for any of them by one function."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.data.chunk import Chunk
from lookalike.engines.tree import MergeTree


def gather(reduction, chunks, n_features):
    """Return the state of `chunks`, one update after another."""
    state = reduction.init(n_features)
    for chunk in chunks:
        state = reduction.update(state, chunk)
    return state


def assert_close(left, right, *, rtol=1e-9, atol=1e-9):
    """Assert that two nested results agree up to rounding."""
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_close(left[key], right[key], rtol=rtol, atol=atol)
    elif isinstance(left, tuple):
        assert len(left) == len(right)
        for mine, theirs in zip(left, right, strict=True):
            assert_close(mine, theirs, rtol=rtol, atol=atol)
    elif np.asarray(left).dtype.kind in "fc":
        np.testing.assert_allclose(left, right, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(left, right)


def assert_same_bits(left, right):
    """Assert that two nested results are equal to the last bit."""
    assert pickle.dumps(left) == pickle.dumps(right)


def assert_reduction_laws(reduction, chunk: Chunk, *, examples=30, rtol=1e-9, atol=1e-9):
    """Check identity, associativity, chunking, purity and bounded state on the rows of `chunk`."""
    n_rows, n_features = chunk.X.shape

    whole = gather(reduction, [chunk], n_features)

    @settings(max_examples=examples, deadline=None)
    @given(st.lists(st.integers(0, n_rows), max_size=6))
    def check_cuts(cuts):
        edges = [0, *sorted(cuts), n_rows]
        chunks = [chunk.part(slice(a, b)) for a, b in itertools.pairwise(edges) if b > a]
        states = [gather(reduction, [part], n_features) for part in chunks]

        tree = MergeTree(reduction.merge)
        for state in states:
            tree.push(state)
        chunked = reduction.finalize(tree.result())
        assert_close(chunked, reduction.finalize(whole), rtol=rtol, atol=atol)
        one_by_one = reduction.finalize(gather(reduction, chunks, n_features))
        assert_close(one_by_one, reduction.finalize(whole), rtol=rtol, atol=atol)

        a, b, c = (states * 3)[:3]
        left = reduction.merge(reduction.merge(a, b), c)
        right = reduction.merge(a, reduction.merge(b, c))
        assert_close(reduction.finalize(left), reduction.finalize(right), rtol=rtol, atol=atol)

    check_cuts()
    _check_identity(reduction, whole, n_features)
    _check_purity(reduction, whole, chunk)
    _check_bounded(reduction, chunk)


def _check_identity(reduction, whole, n_features):
    empty = reduction.init(n_features)
    result = reduction.finalize(whole)
    assert_close(reduction.finalize(reduction.merge(empty, whole)), result, rtol=0, atol=0)
    assert_close(reduction.finalize(reduction.merge(whole, empty)), result, rtol=0, atol=0)


def _check_purity(reduction, whole, chunk):
    state, rows = copy.deepcopy(whole), copy.deepcopy(chunk)
    first = reduction.update(whole, chunk)
    joined = reduction.merge(whole, first)
    assert_same_bits(whole, state)
    assert_same_bits(copy.deepcopy(chunk), rows)
    assert_same_bits(reduction.update(state, rows), first)
    assert_same_bits(reduction.merge(state, first), joined)


def _check_bounded(reduction, chunk):
    once = gather(reduction, [chunk], chunk.X.shape[1])
    assert pickle.loads(pickle.dumps(once)) is not None
    often = gather(reduction, [chunk] * 8, chunk.X.shape[1])
    assert len(pickle.dumps(often)) <= 1.1 * len(pickle.dumps(once)) + 64
    _check_bounded_on_fresh_rows(reduction, chunk)


def _check_bounded_on_fresh_rows(reduction, chunk, n_chunks=24):
    """Check that rows never seen before, chunk after chunk, do not let the state grow."""
    sizes = []
    state = reduction.init(chunk.X.shape[1])
    for number in range(n_chunks):
        fresh = fresh_rows(chunk, number)
        state = reduction.update(state, fresh)
        state = reduction.merge(state, reduction.update(reduction.init(chunk.X.shape[1]), fresh))
        sizes.append(len(pickle.dumps(state)))
    full = n_chunks // 3  # by then every class, category and place of a sample has been met
    assert max(sizes[full:]) <= 1.02 * max(sizes[:full]) + 64, sizes


def fresh_rows(chunk, number):
    """Return rows like those of `chunk`, none of them equal, with row numbers that go on.

    Numbers are shifted and scaled; words, whole numbers used as codes, and labels are drawn
    again among those there are.
    """
    rng = np.random.default_rng(number)
    order = rng.permutation(chunk.X.shape[0])
    X, y = chunk.X[order], None if chunk.y is None else chunk.y[order]
    weight = None if chunk.weight is None else chunk.weight[order]
    if not _categorical(X):
        X = (X * rng.uniform(0.9, 1.1)).astype(chunk.X.dtype)
    if y is not None and y.dtype.kind == "f":
        y = y * rng.uniform(0.9, 1.1)
    return Chunk(X, y, weight, chunk.offset + (number + 1) * chunk.X.shape[0])


def _categorical(X):
    values = X.data if hasattr(X, "indptr") else X
    return values.dtype.kind == "O" or np.array_equal(values, np.round(values))
