"""Equal within noise: the level with models that are equal, the power with those that are not."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.studies.evaluate.bias_correction import OutOfFoldLosses
from lookalike.studies.evaluate.paired_tests import equal_within_noise


def comparison(loss, groups=None):
    loss = np.asarray(loss, np.float64)
    loss = loss[:, None] if loss.ndim == 2 else loss
    names = tuple(f"m{k}" for k in range(len(loss)))
    fold = np.zeros(loss.shape[1:], np.int64)
    winner = names[int(loss.mean(axis=(1, 2)).argmin())]
    return equal_within_noise(OutOfFoldLosses(names, loss, fold, groups), winner)


def share_flagged(draw, n_seeds=150):
    """Return the share of seeds in which any candidate differs from the winner."""
    results = [comparison(*draw(np.random.default_rng(seed))) for seed in range(n_seeds)]
    return np.mean([any(not one.equal for one in result.values()) for result in results])


@pytest.mark.parametrize("n_models", [2, 8])
def test_models_that_are_equal_are_seldom_flagged_as_different(n_models):
    assert share_flagged(lambda rng: [rng.random((n_models, 200)) < 0.3]) <= 0.05
    assert share_flagged(lambda rng: [rng.normal(size=(n_models, 100)) ** 2]) <= 0.05


def test_equal_models_with_groups_that_are_wrong_as_a_whole_are_seldom_flagged():
    groups = np.repeat(np.arange(30), 10)
    assert share_flagged(lambda rng: [(rng.random((2, 30)) < 0.3)[:, groups], groups]) <= 0.05


def test_a_model_that_is_worse_is_flagged_and_its_interval_excludes_zero():
    rng = np.random.default_rng(0)
    common = rng.random(400)
    result = comparison([common < 0.1, common < 0.12, common < 0.3, rng.random(400) < 0.5])
    assert [name for name, one in result.items() if not one.equal] == ["m2", "m3"]
    for one in result.values():
        assert one.equal == (one.interval[0] <= 0)
        assert one.equal == (one.p_value >= 0.05)
        assert one.interval[0] <= one.difference <= one.interval[1]


def test_the_power_grows_with_rows_and_with_what_models_have_in_common():
    def paired(n_rows, common):
        def draw(rng):
            first, second = rng.random(n_rows), rng.random(n_rows)
            return [[first < 0.2, (first if common else second) < 0.27]]

        return share_flagged(draw, 60)

    assert paired(400, common=True) > 0.9
    assert paired(400, common=False) < 0.6 < paired(2000, common=False)


def test_a_copy_of_the_winner_is_equal_to_it():
    loss = np.random.default_rng(0).random((1, 100)) < 0.3
    result = comparison(np.vstack([loss, loss]))
    assert result["m1"] == (0.0, (0.0, 0.0), 1.0, True)


def test_repeats_are_averaged_and_one_candidate_has_no_comparison():
    loss = np.random.default_rng(0).random((3, 4, 80))
    assert comparison(loss) == comparison(loss.mean(axis=1))
    assert comparison(loss[:1]) == {}
