"""The one order in which states are joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.tree import MergeTree, subtree_sizes


def joined(items):
    tree = MergeTree(lambda left, right: (left, right))
    for item in items:
        tree.push(item)
    return tree.result()


def leaves(tree):
    return [*leaves(tree[0]), *leaves(tree[1])] if isinstance(tree, tuple) else [tree]


def depth(tree):
    return 1 + max(map(depth, tree)) if isinstance(tree, tuple) else 0


@given(st.integers(1, 300))
def test_states_are_joined_in_order_in_a_shallow_tree(n):
    tree = joined(range(n))
    assert leaves(tree) == list(range(n))
    assert depth(tree) <= n.bit_length() + 1


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12))
def test_subtrees_of_consecutive_parts_make_the_tree_over_all_chunks(counts):
    whole, chunks = MergeTree(lambda left, right: (left, right)), iter(range(sum(counts)))
    first = 0
    for count in counts:
        part = MergeTree(lambda left, right: (left, right), first)
        for _ in range(count):
            part.push(next(chunks))
        assert [size for size, _ in part.nodes()] == subtree_sizes(first, count)
        assert len(part.nodes()) <= 2 * max(count, 1).bit_length()
        for size, state in part.nodes():
            whole.push(state, size)
        first += count
    assert whole.result() == joined(range(sum(counts)))


def test_no_states_give_none():
    assert joined([]) is None
