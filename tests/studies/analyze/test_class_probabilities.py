"""Out-of-fold class probabilities of the winner, by what its fit already knows."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

from lookalike import (
    PCA,
    KNeighborsClassifier,
    NeighborhoodComponentsAnalysis,
    RBFNetworkClassifier,
)
from lookalike.studies.analyze.class_probabilities import _left_out_or_held_out, neighbor_shares


class Table:
    """Rows with their numbers, as a data set of a study."""

    def __init__(self, X, row):
        self.X, self.row = X, row

    def take(self, places):
        return Table(self.X[places], self.row[places])

    def source(self):
        return self.X


def test_training_rows_are_answered_without_themselves_and_others_by_the_model():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, others = order[:100], order[100:]
    network = RBFNetworkClassifier(penalty="norm", width=2.0, alpha=0.1, centers="points")
    left_out = network._left_out_proba(X[train], y[train])()
    np.testing.assert_array_equal(left_out, network.leave_one_out_proba(X[train], y[train]))
    model = Pipeline([("model", network)])
    model.training_rows_ = train
    shares = _left_out_or_held_out(model, left_out, Table(X, np.arange(150)), np.unique(y))
    np.testing.assert_array_equal(shares[train], left_out)
    np.testing.assert_array_equal(shares[others], network.predict_proba(X[others]))


def test_neighbors_vote_for_the_row_that_is_left_out():
    X, y = load_iris(return_X_y=True)
    pca, model = PCA(2).fit(X), KNeighborsClassifier(5)
    shares = neighbor_shares(Pipeline([("pca", pca)]), model, X, y, seed=0)
    alone = KNeighborsClassifier(5).fit(pca.transform(X), y).predict_proba()
    np.testing.assert_array_equal(shares, alone)


def test_no_row_is_mapped_by_what_was_learned_from_it(monkeypatch):
    X, y = load_iris(return_X_y=True)
    known, plain = [], NeighborhoodComponentsAnalysis.fit

    def noted(self, rows, labels):
        known.append({row.tobytes() for row in rows})
        return plain(self, rows, labels)

    monkeypatch.setattr(NeighborhoodComponentsAnalysis, "fit", noted)
    nca = NeighborhoodComponentsAnalysis(diagonal=True, max_iter=2, tol=1.0, max_samples=40)
    shares = neighbor_shares(Pipeline([("nca", nca)]), KNeighborsClassifier(5), X, y, seed=0)
    assert (shares.argmax(axis=1) == y).mean() > 0.9
    assert list(map(len, known)) == [40, 40]  # of the other half each time
    assert len(known[0] & known[1]) <= 1  # two rows of iris are the same
