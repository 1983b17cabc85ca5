import numpy as np
import pytest

from lookalike import _core
from lookalike.index.filter_plan import plan_filter
from lookalike.kernels.block_search import BlockSearch
from lookalike.kernels.exact import BLOCK_DIRECTIONS, build_filter, pack_filter
from lookalike.kernels.native_arrays import value_range


@pytest.mark.parametrize("kind", ["full", "prefix"])
def test_candidates_hold_the_nearest_rows_and_bounds_lie_on_their_sides(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 150)) * np.arange(1, 151) ** -0.5
    X[5] *= 50  # its code is clipped
    plan, _ = plan_filter(X, kind, value_range(X, 1))
    code_map = plan[0]
    codes = build_filter(X, *plan, centers=np.zeros(1, np.int64), threads=1)
    extra = code_map.blocks * BLOCK_DIRECTIONS - BLOCK_DIRECTIONS + 1 if code_map.blocks > 1 else 0
    n_poor = 700 - int(codes.arrays["group_first"][1])
    parts = {**pack_filter(codes, extra), "poor": codes.arrays["row"][700 - n_poor :].astype("u4")}
    Q, k = X[:20] + 0.01, 6
    search = BlockSearch(
        code_map, codes.arrays["mean"], codes.arrays["directions"], Q, scale=1.0,
        exclude=np.arange(20), limit=np.full(20, np.inf), k=k, threads=2,
    )  # fmt: skip
    no_mask = np.empty(0, bool)
    crowded = search.scan(parts, n_rows=700, extra=extra, first=0, allowed=no_mask, most=700)
    assert not len(crowded)
    distance = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
    assert (distance[np.arange(20), np.arange(20)] < 1).all()
    distance[np.arange(20), np.arange(20)] = np.inf
    kth = np.sort(distance, axis=1)[:, k - 1]
    assert (np.sqrt(search.limits()) >= kth).all()
    assert len(search) < 20 * 700 / 4  # most rows are ruled out
    pairs = search.take()
    assert (pairs.low <= distance[pairs.query, pairs.row] * (1 + 1e-12)).all()
    found = np.zeros((20, 700), bool)
    found[pairs.query, pairs.row] = True
    assert found[distance <= kth[:, None]].all()
    assert len(search) == 0


def test_parts_that_do_not_fit_together_are_refused():
    search = _core.BlockSearch(
        map={"scale": 1.0, "blocks": 0, "defect": 0.0, "step": 1.0, "ratio": 1,
             "rest_first": 0.0, "rest_all": 0.0},
        arrays={"mean": np.zeros(4), "directions": np.empty(0, np.float32)},
        Q=np.zeros((1, 4)), scale=1.0, exclude=np.empty(0, np.int64), limit=np.ones(1), k=1,
        threads=1,
    )  # fmt: skip
    none, no_margin = np.empty(0, np.uint8), np.empty(0, np.float32)
    with pytest.raises(ValueError, match="do not fit together"):
        search.scan(
            rows=3, extra=0, code=np.zeros(8, np.uint8), more=none, margin=np.zeros(1, np.float32),
            wide_margin=no_margin, share=none, poor=np.empty(0, np.uint32), first=0, allowed=none,
            most=3,
        )  # fmt: skip
