"""A forest grown in threads gives the same bits as one grown without."""

import numpy as np

from lookalike import config
from lookalike.explain.forest import SMALL, OrderedForest


def test_threads_change_no_bit_of_the_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SMALL // 20 + 1, 20))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    shares = []
    for threads in (1, 2):
        with config(threads=threads):
            forest = OrderedForest(12, random_state=0).fit(X, y)
        shares.append(forest.predict_proba(X))
    np.testing.assert_array_equal(*shares)
