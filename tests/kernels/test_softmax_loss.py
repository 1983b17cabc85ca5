"""The loss over every pair is that of a plain softmax, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.softmax_loss import softmax_loss

rng = np.random.default_rng(1)
Z = rng.normal(size=(70, 3)) * 2
TARGETS = {True: rng.integers(3, size=70), False: rng.normal(size=70)}


def plain(Z, y, *, classes):
    key = ((Z[:, None] - Z) ** 2).sum(axis=2)
    np.fill_diagonal(key, np.inf)
    share = np.exp(-key)
    share /= share.sum(axis=1, keepdims=True)
    if classes:
        return -float(share[y[:, None] == y].sum())
    return float(((share @ y - y) ** 2).sum())


@pytest.mark.parametrize("classes", [True, False])
def test_it_is_the_loss_of_a_plain_softmax(classes):
    y = TARGETS[classes]
    loss, gradient = softmax_loss(Z, y, classes=classes)
    assert loss == pytest.approx(plain(Z, y, classes=classes), rel=1e-12)
    step = np.zeros_like(Z)
    step[5, 1] = 1e-6
    slope = plain(Z + step, y, classes=classes) - plain(Z - step, y, classes=classes)
    assert gradient[5, 1] == pytest.approx(slope / 2e-6, abs=1e-6)


def test_threads_do_not_change_a_bit():
    one, two = (softmax_loss(Z, TARGETS[True], classes=True, threads=n) for n in (1, 3))
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


def test_rows_far_from_all_others_have_finite_shares():
    far = np.array([[0.0], [1e60], [-1e60]])
    loss, gradient = softmax_loss(far, np.array([0, 1, 0]), classes=True)
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()
