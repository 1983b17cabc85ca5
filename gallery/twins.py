"""The same model once more by scikit-learn, SciPy and NumPy: for every candidate of a study.

Of a fitted model nothing is taken but its choices (K, bandwidth, penalty, number of components)
and the result of random initialization (centers of a network, components of a mixture).
Columns are imputed, scaled and encoded again, distances and weights computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular
from scipy.sparse import hstack
from scipy.spatial.distance import cdist
from scipy.special import expit, logit, logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics.pairwise import cosine_distances, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
    normalize,
)

GAP = "(missing)"
SAME = 1e-9  # relative difference below which distances are the same but for rounding
BLOCK = 2**25  # distances in hand at once
JITTER = 1e-9  # added to the kernel of a center with itself, as ours does
WHOLE = 2.0**53  # numbers up to which sums of whole ones have no rounding


class Answer(NamedTuple):
    """The prediction for each row, and its margin: the gap to the next best, from 0 to 1."""

    prediction: np.ndarray
    clear: np.ndarray


def answers(pipeline: Any, train: Any, y: np.ndarray, queries: Any) -> Answer:
    """Return the predictions for `queries`, computed again from the rows of `train`."""
    first, *middle, last = (step for _, step in pipeline.steps)
    rows, prepared = BEGINNINGS[type(first).__name__](first, train, queries)
    for step in middle:
        rows, prepared = MIDDLES[type(step).__name__](step, rows, prepared)
    return ENDS[type(last).__name__](last, rows, y, prepared)


def prepared(ours: Any, train: Any, queries: Any) -> tuple[np.ndarray, np.ndarray]:
    """Fill, scale and encode columns, as scikit-learn's own steps do."""
    train, queries = _frames(ours, train, queries)
    numbers, others = _kinds(ours)
    if ours.encoding == "codes":
        return _codes(train, queries, numbers, others)
    steps = [SimpleImputer()] + ([StandardScaler()] if ours.scale == "zscore" else [])
    encoder = OneHotEncoder(
        categories=[_categories(train[name]) for name in others],
        handle_unknown="ignore",
        sparse_output=False,
    )
    smaller = FunctionTransformer(lambda rows: rows * np.sqrt(0.5))
    made = ColumnTransformer(
        [("numbers", make_pipeline(*steps), numbers)]
        + ([("others", make_pipeline(encoder, smaller), others)] if others else [])
    )
    return made.fit_transform(_text(train, others)), made.transform(_text(queries, others))


class TreeRows(NamedTuple):
    """Encoded columns, and the same as trees take them: numbers, then codes of categories."""

    encoded: np.ndarray
    cells: np.ndarray


def prepared_for_trees(ours: Any, train: Any, queries: Any) -> tuple[TreeRows, TreeRows]:
    """Encode columns, and keep beside them numbers with their gaps and codes of categories."""
    encoded = prepared(ours, train, queries)
    frames = _frames(ours, train, queries)
    numbers, others = _kinds(ours)
    known = {name: sorted({str(v) for v in frames[0][name].dropna()}) for name in others}

    def cells(table: pd.DataFrame) -> np.ndarray:
        codes = [
            [
                np.nan if pd.isna(v) else known[name].index(str(v)) if str(v) in known[name] else -1
                for v in table[name]
            ]
            for name in others
        ]
        return np.column_stack([table[numbers].to_numpy(np.float64), *codes])

    return TreeRows(encoded[0], cells(frames[0])), TreeRows(encoded[1], cells(frames[1]))


def part_of(ours: Any, rows: TreeRows, queries: TreeRows) -> tuple[np.ndarray, np.ndarray]:
    """Take the encoded columns, which come first, or those as they are."""
    if ours.begin == 0:
        return rows.encoded, queries.encoded
    return rows.cells, queries.cells


def _frames(ours: Any, *tables: Any) -> tuple[Any, ...]:
    if not isinstance(tables[0], np.ndarray):
        return tables
    names = [f"x{column}" for column in range(tables[0].shape[1])]
    if not set(ours.columns) <= set(names):  # pixels, all of them
        names = list(ours.columns)
    return tuple(pd.DataFrame(table, columns=names) for table in tables)


def _kinds(ours: Any) -> tuple[list[str], list[str]]:
    """Return the names of the numbers, and of the categories."""
    numbers = [name for name, kind in ours.columns.items() if kind != "category"]
    return numbers, [name for name in ours.columns if name not in numbers]


def _text(table: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    return table.assign(
        **{name: [GAP if pd.isna(v) else str(v) for v in table[name]] for name in names}
    )


def _categories(values: pd.Series) -> list[str]:
    return sorted({str(v) for v in values.dropna()}) + ([GAP] if values.isna().any() else [])


class Mixed(NamedTuple):
    """Columns of numbers in units of their range in training, and columns of categories."""

    numbers: np.ndarray
    others: np.ndarray  # of objects, None where missing
    expected: np.ndarray  # difference of two cells of a column in training, numbers first

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> Mixed:
        return Mixed(self.numbers[rows], self.others[rows], self.expected)


def _codes(train: Any, queries: Any, numbers: list[str], others: list[str]) -> tuple[Mixed, Mixed]:
    known = train[numbers].to_numpy(np.float64)
    low, reach = np.nanmin(known, axis=0), np.nanmax(known, axis=0) - np.nanmin(known, axis=0)
    expected = [_mean_difference(column) for column in ((known - low) / reach).T]
    for name in others:
        shares = train[name].value_counts(normalize=True)
        expected.append(1.0 - float((shares**2).sum()))

    def mixed(table: pd.DataFrame) -> Mixed:
        cells = table[others].astype(object)
        scaled = (table[numbers].to_numpy(np.float64) - low) / reach
        return Mixed(scaled, cells.where(cells.notna(), None).to_numpy(), np.array(expected))

    return mixed(train), mixed(queries)


def _mean_difference(units: np.ndarray) -> float:
    """Return the mean difference of all pairs of cells, read to 1/1024 of the range."""
    values, count = np.unique(np.rint(units[~np.isnan(units)] * 1024) / 1024, return_counts=True)
    share = count / count.sum()
    return float(share @ np.abs(values[:, None] - values) @ share)


def weighted_terms(_: Any, train: list[str], queries: list[str]) -> tuple[Any, Any]:
    made = TfidfVectorizer()
    return made.fit_transform(train), made.transform(queries)


def weighted_ngrams(ours: Any, train: list[str], queries: list[str]) -> tuple[Any, Any]:
    """Put words and their parts side by side, each with half of the squared length."""
    made = [
        TfidfVectorizer(ngram_range=(1, 2), min_df=ours.min_df),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), min_df=ours.min_df),
    ]
    rows = hstack([one.fit_transform(train) for one in made]).tocsr()
    return normalize(rows), normalize(hstack([one.transform(queries) for one in made]).tocsr())


def latent(ours: Any, train: list[str], queries: list[str]) -> tuple[Any, Any]:
    """Weigh counts by their logarithm and the entropy of the term, and take singular vectors."""
    counter = CountVectorizer().fit(train)
    counts = counter.transform(train)
    share = counts.multiply(1 / counts.sum(axis=0)).tocsr()
    share.data = share.data * np.log(share.data)
    weight = 1 + np.asarray(share.sum(axis=0)).ravel() / np.log(len(train))

    def weigh(texts: list[str]) -> Any:
        return Normalizer().transform(counter.transform(texts).log1p().multiply(weight).tocsr())

    svd = TruncatedSVD(ours.n_components, algorithm="arpack", random_state=0)
    return svd.fit_transform(weigh(train)), svd.transform(weigh(queries))


def projected(ours: Any, rows: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Project on principal components, each with the sign of ours, which is a convention."""
    few = rows.shape[0] < rows.shape[1]
    made = PCA(ours.n_components_, svd_solver="full" if few else "covariance_eigh").fit(rows)
    sign = np.sign((made.components_ * ours.components_).sum(axis=1))
    return made.transform(rows) * sign, made.transform(queries) * sign


def standardized(_: Any, rows: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    made = StandardScaler().fit(rows)
    return made.transform(rows), made.transform(queries)


def mapped(ours: Any, rows: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Map rows as ours does; the learned map is compared in the tests of its objective."""
    return rows @ ours.components_.T, queries @ ours.components_.T


def distances(metric: str, rows: Any, queries: Any) -> np.ndarray:
    """Return the distance of every query to every row."""
    if metric == "gower":
        return _gower(rows, queries)
    if metric == "cosine":
        distance = cosine_distances(queries, rows)
        bare = [~np.asarray(abs(part).sum(axis=1)).ravel().astype(bool) for part in (queries, rows)]
        distance[np.ix_(*bare)] = 0.0  # documents without terms: distance 0 to each other
        return distance
    if metric != "minkowski":
        return cdist(queries, rows, metric)
    whole = (rows == np.rint(rows)).all() and (queries == np.rint(queries)).all()
    if whole and (np.abs(rows).max() ** 2 * rows.shape[1]) < WHOLE / 4:  # no rounding at all
        squares = (queries**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1)
        return np.sqrt(squares - 2 * queries @ rows.T)
    return cdist(queries, rows)


def _gower(rows: Mixed, queries: Mixed) -> np.ndarray:
    total = np.zeros((len(queries), len(rows)))
    shared = np.zeros(total.shape, bool)
    expected = iter(rows.expected)
    for ours, theirs in zip(queries.numbers.T, rows.numbers.T, strict=True):
        gap = np.abs(ours[:, None] - theirs)
        shared |= ~np.isnan(gap)
        total += np.where(np.isnan(gap), next(expected), np.minimum(gap, 1.0))
    for ours, theirs in zip(queries.others.T, rows.others.T, strict=True):
        both = (ours != None)[:, None] & (theirs != None)  # noqa: E711 - cell by cell
        total += np.where(both, ours[:, None] != theirs, next(expected))
        shared |= both
    return np.where(shared, total / len(rows.expected), 1.0)


def _blocks(ours: Any, rows: Any, queries: Any) -> Iterator[np.ndarray]:
    """Give the distances of the queries, some of them at a time."""
    n_rows = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    n_asked = queries.shape[0] if hasattr(queries, "shape") else len(queries)
    size = max(1, BLOCK // n_rows)
    for begin in range(0, n_asked, size):
        yield distances(ours.metric, rows, queries[begin : begin + size])


def vote(ours: Any, rows: Any, y: np.ndarray, queries: Any) -> Answer:
    """Let the K nearest vote, all that are as near as the K-th, and more until one class leads."""
    classes, codes = np.unique(y, return_inverse=True)
    votes = [
        _elected(distance, codes, ours.n_neighbors_, ours.weights, len(classes))
        for block in _blocks(ours, rows, queries)
        for distance in block
    ]
    winner, clear = (np.array(part) for part in zip(*votes, strict=True))
    return Answer(classes[winner], clear)


def _elected(
    distance: np.ndarray, codes: np.ndarray, k: int, weights: str, n_classes: int
) -> tuple[int, float]:
    """Return the class that wins, and how clearly.

    That is 0 where rows of several classes are equally near but for rounding. Squared distances
    that are whole have none.
    """
    most = min(len(distance), 2 * k + 50)
    near = np.argpartition(distance, most - 1)[:most]
    near = near[np.lexsort((near, distance[near]))]
    ahead, size, exact = distance[near], k, True
    while True:
        last = ahead[size - 1]
        begin = int(np.searchsorted(ahead, last * (1 - SAME)))
        size = int(np.searchsorted(ahead, last * (1 + SAME), side="right"))
        if size == len(ahead) < len(distance):
            near = np.argsort(distance, kind="stable")
            ahead = distance[near]
            continue
        alike = len(np.unique(codes[near[begin:size]])) == 1
        exact &= alike or abs(last**2 - np.rint(last**2)) <= SAME * last**2
        weight = np.ones(size)
        if weights == "distance":
            weight = ahead[:size] == 0 if ahead[0] == 0 else ahead[0] / ahead[:size]
        votes = np.bincount(codes[near[:size]], weight, n_classes)
        second, first = np.sort(votes)[-2:]
        if first - second > SAME * first or size == len(distance):
            return int(votes.argmax()), (first - second) / votes.sum() if exact else 0.0
        size += 1


def average(ours: Any, rows: Any, y: np.ndarray, queries: Any) -> Answer:
    """Return the mean of the K nearest, of level ones those that come first."""
    prediction, clear = [], []
    for block in _blocks(ours, rows, queries):
        order = np.argsort(block, axis=1, kind="stable")[:, : ours.n_neighbors_ + 1]
        distance = np.take_along_axis(block, order, axis=1)
        near, beyond = distance[:, :-1], distance[:, -1] / np.maximum(distance[:, -2], 1e-300) - 1
        weight = np.ones_like(near)
        if ours.weights == "distance":
            zero = near[:, :1] == 0
            weight = np.where(zero, near == 0, 1 / np.where(near == 0, 1.0, near))
        prediction.append((weight * y[order[:, :-1]]).sum(axis=1) / weight.sum(axis=1))
        clear.append(beyond)
    return Answer(np.concatenate(prediction), np.concatenate(clear))


def soft_votes(ours: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Add up Gaussians around the rows of each class, and a wide one around all of them."""
    classes, counts = np.unique(y, return_counts=True)
    width, d, wide = ours.bandwidth_, rows.shape[1], _wide(ours, rows)
    log_prior = np.log(counts / len(y))
    gap = cdist(queries, rows.mean(axis=0)[None], "sqeuclidean")[:, 0]
    background = -gap / (2 * wide) - d / 2 * np.log(wide)
    scores = []
    for label, count in zip(classes, counts, strict=True):
        squares = cdist(queries, rows[y == label], "sqeuclidean")
        own = logsumexp(-squares / (2 * width**2), axis=1) - d * np.log(width) - np.log(count)
        # the wide curve has one N-th of the weight of all rows together
        scores.append(np.logaddexp(own, background - np.log(len(y))))
    return _likeliest(np.column_stack(scores) + log_prior, classes)


def _wide(ours: Any, rows: np.ndarray) -> float:
    """Return the variance of the wide curve: so many times that of a usual column."""
    return 100.0 * max(ours.bandwidth_**2, float(rows.var(axis=0, ddof=1).mean()))


def mixtures(ours: Any, _: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Compare the densities of the Gaussian mixture of each class."""
    classes, counts = np.unique(y, return_counts=True)
    scores = []
    for mixture in ours.mixtures_:
        covariances = [np.linalg.inv(root @ root.T) for root in mixture.precisions_cholesky_]
        parts = zip(mixture.weights_, mixture.means_, covariances, strict=True)
        each = [
            np.log(w) + multivariate_normal(mean, cov, allow_singular=True).logpdf(queries)
            for w, mean, cov in parts
        ]
        scores.append(logsumexp(np.reshape(each, (len(each), -1)), axis=0))
    return _likeliest(np.column_stack(scores) + np.log(counts / len(y)), classes)


def network(ours: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Fit a ridge regression on the basis functions, for each class on 0 and 1."""
    gamma = 1 / (2 * ours.width_**2)
    features, query_features = (
        rbf_kernel(part, ours.centers_, gamma=gamma) for part in (rows, queries)
    )
    if ours.penalty == "norm":  # of the function, not of its weights: kernel ridge regression
        between = rbf_kernel(ours.centers_, gamma=gamma) + JITTER * np.eye(len(ours.centers_))
        root = np.linalg.cholesky(between)
        features, query_features = (
            solve_triangular(root, part.T, lower=True).T for part in (features, query_features)
        )
    ridge = Ridge(alpha=ours.alpha_, solver="svd")
    if not hasattr(ours, "classes_"):
        return _number(ridge.fit(features, y).predict(query_features))
    classes = np.unique(y)
    return _largest(ridge.fit(features, y[:, None] == classes).predict(query_features), classes)


def smoothed(ours: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Return the mean of all targets, weighted by a Gaussian."""
    exponent = -cdist(queries, rows, "sqeuclidean") / (2 * ours.bandwidth_**2)
    weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return _number((weight @ y) / weight.sum(axis=1))


def forest(ours: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Walk down the trees that were grown, and average the drawn rows of each leaf."""
    trees = ours._forest
    end = np.append(trees.root[1:], len(trees.nodes))
    drawn = np.zeros((trees.n_trees, len(rows)))
    drawn[np.repeat(np.arange(trees.n_trees), len(rows)), trees.row] = trees.drawn
    classes = np.unique(y) if hasattr(ours, "classes_") else None
    targets = y[:, None] if classes is None else (y[:, None] == classes).astype(float)
    total = np.zeros((len(queries), targets.shape[1]))
    for tree, (first, last) in enumerate(zip(trees.root, end, strict=True)):
        own, leaf = (_leaves(trees.nodes[first:last], first, part) for part in (rows, queries))
        for number in np.unique(leaf):
            inside = own == number
            mean = np.average(targets[inside], axis=0, weights=drawn[tree, inside])
            total[leaf == number] += mean / trees.n_trees
    return _number(total[:, 0]) if classes is None else _largest(total, classes)


def boosted(ours: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    """Walk down the trees that were grown, each leaf a Newton step of the loss of its rows."""
    trees, classes = ours._trees, np.unique(y) if hasattr(ours, "classes_") else None
    end = np.append(trees.root[1:], len(trees.nodes))
    link = np.asarray
    if classes is None:
        targets, base = y[:, None], y.mean(keepdims=True)
    elif len(classes) == 2:
        targets, link = y[:, None] == classes[1], expit
        base = logit(targets.mean(axis=0))
    else:
        targets, link = y[:, None] == classes, lambda score: softmax(score, axis=1)
        base = np.log(targets.mean(axis=0)) - np.log(targets.mean(axis=0)).mean()
    asked = [(part - ours._shift) * ours._scale for part in (queries, rows)]
    if ours.categorical_features:
        told = targets if classes is not None else (y[:, None] - y.mean()) / y.std()
        asked = [_by_category(ours, asked[1], told, asked[0]), trees.X]  # in the order drawn
    score, own_score = (np.tile(base, (len(part), 1)) for part in asked)
    for first, last in zip(trees.root, end, strict=True):
        mean = link(own_score)
        curvature = np.ones_like(mean) if classes is None else mean * (1 - mean)
        leaf, own = (_leaves(trees.nodes[first:last], first, part) for part in asked)
        slope, bend = (
            np.column_stack([np.bincount(own, column, last - first) for column in values.T])
            for values in (mean - targets, curvature)
        )
        step = -ours.learning_rate * slope / np.maximum(bend + ours.l2_regularization, 1e-15)
        score += step[leaf]
        own_score += step[own]
    if classes is None:
        return _number(score[:, 0])
    shares = link(score)
    return _largest(np.hstack([1 - shares, shares]) if len(classes) == 2 else shares, classes)


def _by_category(ours: Any, rows: np.ndarray, told: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Replace few categories by a column for each, more by the mean target of their rows."""
    columns = [np.delete(queries, ours.categorical_features, axis=1)]
    for column in ours.categorical_features:
        cells, asked = rows[:, column], queries[:, column]
        known = np.unique(cells[~np.isnan(cells)])
        if len(known) <= 4:
            columns.append(np.column_stack([*(asked[:, None] == known).T, np.isnan(asked)]))
            continue
        inside = (asked[:, None] == cells) | (np.isnan(asked)[:, None] & np.isnan(cells))
        count = inside.sum(axis=1, keepdims=True)
        columns += [(inside @ told + told.mean(axis=0)) / (count + 1), count]
    return np.column_stack(columns)


def _leaves(nodes: np.ndarray, first: int, rows: np.ndarray) -> np.ndarray:
    """Return the leaf of each row: left is the next node, right is named; gaps go left."""
    threshold, at = nodes[:, 2].copy().view(np.float32), np.zeros(len(rows), int)
    values = rows.astype(np.float32)
    while (nodes[at, 0] >= 0).any():
        inner = np.flatnonzero(nodes[at, 0] >= 0)
        here = at[inner]
        left = ~(values[inner, nodes[here, 0] & (2**30 - 1)] > threshold[here])
        at[inner] = np.where(left, here + 1, nodes[here, 1] - first)
    return at


def discriminant(_: Any, rows: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Answer:
    made = LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(rows, y)
    return _likeliest(np.log(made.predict_proba(queries) + 1e-300), made.classes_)


def fitted_again(ours: Any, rows: Any, y: np.ndarray, queries: Any) -> Answer:
    """Fit scikit-learn's model on the rows that were prepared again, with the penalty chosen."""
    name = type(ours).__name__
    made = {"RidgeClassifierCV": RidgeClassifier, "RidgeCV": Ridge}.get(name)
    model = (clone(ours) if made is None else made(alpha=ours.alpha_)).fit(rows, y)
    if not hasattr(model, "classes_"):
        return _number(model.predict(queries))
    prediction = model.predict(queries)
    if not hasattr(model, "decision_function"):
        return Answer(prediction, np.ones(len(prediction)))
    scores = model.decision_function(queries)
    if scores.ndim == 1:
        return Answer(prediction, np.abs(scores))
    return Answer(prediction, np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0])


def _likeliest(log_joint: np.ndarray, classes: np.ndarray) -> Answer:
    log_joint = log_joint - logsumexp(log_joint, axis=1, keepdims=True)
    return _largest(np.exp(log_joint), classes)._replace(
        prediction=classes[log_joint.argmax(axis=1)]
    )


def _largest(scores: np.ndarray, classes: np.ndarray) -> Answer:
    second, first = np.sort(scores, axis=1)[:, -2:].T
    return Answer(classes[scores.argmax(axis=1)], first - second)


def _number(prediction: np.ndarray) -> Answer:
    return Answer(prediction, np.ones(len(prediction)))


Step = Callable[..., Any]
BEGINNINGS: dict[str, Step] = {
    "TablePreprocessor": prepared,
    "TreeTablePreprocessor": prepared_for_trees,
    "TermWeights": weighted_terms,
    "NgramWeights": weighted_ngrams,
    "LSA": latent,
}
MIDDLES: dict[str, Step] = {
    "FeatureRange": part_of,
    "PCA": projected,
    "StandardScaler": standardized,
    "NeighborhoodComponentsAnalysis": mapped,
}
ENDS: dict[str, Step] = {
    "KNeighborsClassifier": vote,
    "KNeighborsRegressor": average,
    "KernelDensityClassifier": soft_votes,
    "KernelRegressor": smoothed,
    "GaussianMixtureClassifier": mixtures,
    "RBFNetworkClassifier": network,
    "RBFNetworkRegressor": network,
    "LinearDiscriminantAnalysis": discriminant,
    "ForestNeighborsClassifier": forest,
    "ForestNeighborsRegressor": forest,
    "BoostedNeighborsClassifier": boosted,
    "BoostedNeighborsRegressor": boosted,
    **dict.fromkeys(
        ("RidgeClassifierCV", "RidgeCV", "Ridge", "RidgeClassifier", "LogisticRegression",
         "LinearSVC", "DummyClassifier", "DummyRegressor"),
        fitted_again,
    ),
}  # fmt: skip
