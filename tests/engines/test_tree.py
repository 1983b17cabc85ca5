"""The one order in which states are joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.tree import MergeTree


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


def test_no_states_give_none():
    assert joined([]) is None
