"""The registry of problems with a known answer: tables, series, texts, with and without traps."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from benchmarks.truth.problem import FRESH_ROWS, Drawn, Problem

Generator = np.random.Generator


def table(X: np.ndarray, **columns: object) -> pd.DataFrame:
    """Return columns x0, x1 … and others."""
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    return frame.assign(**columns)


def normal(n: int, rng: Generator, columns: int) -> np.ndarray:
    return rng.normal(size=(n + FRESH_ROWS, columns))


def labels(y: np.ndarray) -> np.ndarray:
    return np.where(y, "yes", "no")


def flip(y: np.ndarray, n: int, share: float, rng: Generator) -> tuple[np.ndarray, set[int]]:
    """Flip a share of the studied and fresh labels; return the studied rows that were."""
    wrong = rng.random(len(y)) < share
    return np.where(wrong, ~y, y), set(np.flatnonzero(wrong[:n]).tolist())


# classification


def gaussians(n: int, rng: Generator, shift: float, columns: int = 4) -> Drawn:
    """Two overlapping normal classes: no label is wrong, the Bayes error is known."""
    X = normal(n, rng, columns)
    y = rng.random(len(X)) < 0.5
    X[:, 0] += shift * y
    truth = float(norm.cdf(-shift / 2))
    alone = {"x0"} if truth < 0.01 else set()
    return Drawn(table(X, y=labels(y)), n, relevant={"x0"}, bayes_error=truth, carries_all=alone)


def noise(n: int, rng: Generator, columns: int = 5) -> Drawn:
    X = normal(n, rng, columns)
    y = labels(rng.random(len(X)) < 0.5)
    return Drawn(table(X, y=y), n, relevant=set(), bayes_error=0.5)


def xor(n: int, rng: Generator, share: float = 0.1, others: int = 0) -> Drawn:
    X = rng.uniform(-1, 1, size=(n + FRESH_ROWS, 2 + others))
    y, wrong = flip((X[:, 0] > 0) ^ (X[:, 1] > 0), n, share, rng)
    return Drawn(
        table(X, y=labels(y)), n, relevant={"x0", "x1"}, bayes_error=share, wrong_rows=wrong
    )


def rare(n: int, rng: Generator, share: float = 0.05) -> Drawn:
    X = normal(n, rng, 4)
    signal = X[:, 0] + 0.5 * rng.normal(size=len(X))
    y = np.where(signal > norm.ppf(1 - share) * 1.25**0.5, "rare", "common")
    return Drawn(table(X, y=y), n, relevant={"x0"})


def lookup(n: int, rng: Generator, share: float = 0.05) -> Drawn:
    """Three categories of six values: 216 combinations, each with its class; rows repeat."""
    codes = rng.integers(6, size=(n + FRESH_ROWS, 3))
    classes = np.random.default_rng(5).random(216) < 0.5
    y, wrong = flip(classes[codes @ [36, 6, 1]], n, share, rng)
    frame = pd.DataFrame({f"c{i}": np.array(list("abcdef"))[codes[:, i]] for i in range(3)})
    return Drawn(
        frame.assign(y=labels(y)), n, relevant=set(frame), bayes_error=share, wrong_rows=wrong
    )


def flipped(n: int, rng: Generator, share: float = 0.08) -> Drawn:
    """Classes that are far apart, a share of the labels flipped."""
    X = normal(n, rng, 4)
    y = rng.random(len(X)) < 0.5
    X[:, 0] += 6 * y
    told, wrong = flip(y, n, share, rng)
    return Drawn(table(X, y=labels(told)), n, relevant={"x0"}, bayes_error=share, wrong_rows=wrong)


def probabilities(n: int, rng: Generator) -> Drawn:
    """A target drawn with a probability that two columns give."""
    X = normal(n, rng, 4)
    p = 1 / (1 + np.exp(-1.5 * X[:, 0] + X[:, 1]))
    y = labels(rng.random(len(X)) < p)
    truth = float(np.minimum(p, 1 - p).mean())
    return Drawn(table(X, y=y), n, relevant={"x0", "x1"}, bayes_error=truth)


def circle(n: int, rng: Generator) -> Drawn:
    X = rng.uniform(-1, 1, size=(n + FRESH_ROWS, 3))
    y, wrong = flip((X[:, :2] ** 2).sum(axis=1) < 0.6, n, 0.05, rng)
    return Drawn(
        table(X, y=labels(y)), n, relevant={"x0", "x1"}, bayes_error=0.05, wrong_rows=wrong
    )


def three_classes(n: int, rng: Generator) -> Drawn:
    y = rng.integers(3, size=n + FRESH_ROWS)
    X = normal(n, rng, 3)
    X[:, 0] += 2 * y
    truth = float(4 / 3 * norm.cdf(-1))
    return Drawn(table(X, y=np.array(["p", "q", "r"])[y]), n, relevant={"x0"}, bayes_error=truth)


def many_columns(n: int, rng: Generator, columns: int = 100) -> Drawn:
    X = normal(n, rng, columns)
    y = labels(X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=len(X)) > 0)
    return Drawn(table(X, y=y), n, relevant={"x0", "x1"})


def mixed(n: int, rng: Generator, gaps: float = 0.0) -> Drawn:
    """Numbers, a category and a boolean; with gaps at random."""
    X = normal(n, rng, 2)
    town = rng.integers(4, size=len(X))
    member = rng.random(len(X)) < 0.5
    effect = np.array([-1.5, -0.5, 0.5, 1.5])[town]
    y = labels(X[:, 0] + effect + 0.5 * rng.normal(size=len(X)) > 0)
    frame = table(X, town=np.array(["Gent", "Lyon", "Oslo", "Rome"])[town], member=member)
    if gaps:
        frame = frame.mask(rng.random(frame.shape) < gaps)
    return Drawn(frame.assign(y=y), n, relevant={"x0", "town"})


def informative_gaps(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 3)
    y = X[:, 0] + 0.8 * rng.normal(size=len(X)) > 0
    frame = table(X)
    frame["x1"] = frame["x1"].mask(rng.random(len(X)) < np.where(y, 0.4, 0.05))
    found = Drawn(frame.assign(y=labels(y)), n, relevant={"x0", "x1"})
    found.informative_gaps = {"x1"}
    return found


def ordered_classes(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 4)
    y = np.digitize(X[:, 0] + 0.6 * rng.normal(size=len(X)), [-1.2, -0.4, 0.4, 1.2]) + 1
    return Drawn(table(X, stars=y), n, "stars", relevant={"x0"})


def numeric_codes(n: int, rng: Generator) -> Drawn:
    """A category written as numbers, in no order."""
    X = normal(n, rng, 2)
    codes = rng.integers(8, size=len(X))
    effect = np.random.default_rng(3).permutation(np.linspace(-2, 2, 8))[codes]
    y = labels(effect + X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0)
    found = Drawn(table(X, plant=101 + codes, y=y), n, relevant={"x0", "plant"})
    found.codes = {"plant"}
    return found


def similar_labels(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 3)
    y = labels(X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0).astype(object)
    y[rng.random(len(X)) < 0.1] = "Yes "
    found = Drawn(table(X, y=y), n, relevant={"x0"})
    found.similar_labels = True
    return found


# traps


def patients(n: int, rng: Generator, per_group: int = 20) -> Drawn:
    """Each patient has measurements and a disease; nothing else tells the disease."""
    patient = np.arange(n + FRESH_ROWS) // per_group
    level = rng.normal(size=(patient.max() + 1, 3))[patient]
    y = labels((rng.random(patient.max() + 1) < 0.5)[patient])
    X = level + 0.2 * rng.normal(size=level.shape)
    order = rng.permutation(n)
    frame = table(X, patient=np.char.add("P", patient.astype(str)), y=y)
    frame = pd.concat([frame.iloc[order], frame.iloc[n:]])
    return Drawn(frame, n, groups="patient", relevant=set(), bayes_error=0.5)


def sites(n: int, rng: Generator) -> Drawn:
    """At site B the target is chance."""
    X = normal(n, rng, 3)
    site = np.array(list("AAAB"))[rng.integers(4, size=len(X))]
    y = np.where(site == "B", rng.random(len(X)) < 0.5, X[:, 0] > 0)
    found = Drawn(table(X, site=site, y=labels(y)), n, relevant={"x0", "site"}, bayes_error=0.125)
    found.failing_column = "site"
    return found


def leaking_column(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 3)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    frame = table(X, closed=10.0 * y + rng.normal(size=len(X)), y=labels(y))
    return Drawn(frame, n, leaks={"closed"}, relevant={"closed", "x0"})


def leaking_identifier(n: int, rng: Generator) -> Drawn:
    """Numbers of rows, first those of one class, then those of the other."""
    X = normal(n, rng, 3)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    number = 1000 + np.argsort(np.argsort(y + 0.5 * rng.random(len(X))))
    frame = table(X, number=number, y=labels(y))
    return Drawn(frame, n, leaks={"number"}, relevant={"number", "x0"})


def copies(n: int, rng: Generator) -> Drawn:
    """A third of the rows are copies of others; the labels are chance."""
    X = normal(n, rng, 4)
    y = labels(rng.random(len(X)) < 0.5)
    frame = table(X, y=y)
    repeated = n // 3
    frame.iloc[n - repeated : n] = frame.iloc[:repeated].to_numpy()
    return Drawn(frame.infer_objects(), n, n_copies=repeated, relevant=set(), bayes_error=0.5)


def drifting(n: int, rng: Generator) -> Drawn:
    """Dated rows whose relation turns around slowly; fresh rows are the latest."""
    X = rng.normal(size=(n + 400, 3))
    angle = np.pi * np.arange(len(X)) / len(X)
    y = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0
    day = pd.Timestamp("2019-01-01") + pd.to_timedelta(np.arange(len(X)), "D")
    found = Drawn(table(X, day=day.strftime("%Y-%m-%d"), y=labels(y)), n)
    found.ordered = found.drifting = True
    return found


def series(n: int, rng: Generator) -> Drawn:
    """A random walk that columns hardly tell; the row before tells most."""
    steps = rng.normal(size=n + 400)
    X = rng.normal(size=(n + 400, 2))
    day = pd.Timestamp("2019-01-01") + pd.to_timedelta(np.arange(len(X)), "D")
    frame = table(X, day=day.strftime("%Y-%m-%d"), y=np.cumsum(steps) + 0.3 * X[:, 0])
    return Drawn(frame, n, ordered=True)


# regression


def linear(n: int, rng: Generator, columns: int = 5, spread: float = 1.0) -> Drawn:
    X = normal(n, rng, columns)
    y = 2 * X[:, 0] - X[:, 1] + spread * rng.normal(size=len(X))
    return Drawn(table(X, y=y), n, relevant={"x0", "x1"})


def numbers_of_noise(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 5)
    return Drawn(table(X, y=rng.normal(size=len(X))), n, relevant=set())


def friedman(n: int, rng: Generator) -> Drawn:
    X = rng.uniform(size=(n + FRESH_ROWS, 8))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
    y += 5 * X[:, 4] + rng.normal(size=len(X))
    return Drawn(table(X, y=y), n, relevant={f"x{place}" for place in range(5)})


def heavy_tails(n: int, rng: Generator) -> Drawn:
    """A target whose noise is lognormal with a long right tail; no number is wrong."""
    X = normal(n, rng, 4)
    y = np.exp(1.0 + 0.5 * X[:, 0] + rng.normal(size=len(X)))
    return Drawn(table(X, cost=y), n, "cost", relevant={"x0"})


def unequal_spread(n: int, rng: Generator) -> Drawn:
    X = rng.uniform(size=(n + FRESH_ROWS, 3))
    y = 3 * X[:, 0] + (0.1 + 2 * X[:, 0]) * rng.normal(size=len(X))
    return Drawn(table(X, y=y), n, relevant={"x0"})


def capped(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 3)
    y = np.minimum(X[:, 0] + 0.4 * rng.normal(size=len(X)), 0.8)
    return Drawn(table(X, y=y), n, relevant={"x0"}, capped={"y"})


def wrong_numbers(n: int, rng: Generator, share: float = 0.03) -> Drawn:
    X = normal(n, rng, 3)
    y = 2 * X[:, 0] + 0.2 * rng.normal(size=len(X))
    wrong = np.flatnonzero(rng.random(len(y)) < share)  # fresh numbers are as wrong
    y[wrong] += rng.choice([-8.0, 8.0], len(wrong))
    return Drawn(table(X, y=y), n, relevant={"x0"}, wrong_rows=set(wrong[wrong < n].tolist()))


def summed(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 4)
    return Drawn(table(X, y=3 * X[:, 0] + X[:, 1]), n, leaks={"x0", "x1"}, relevant={"x0", "x1"})


def stores(n: int, rng: Generator) -> Drawn:
    """Sales are those of the store, told by its name alone; fresh rows are of new stores."""
    store = np.arange(n + FRESH_ROWS) // 25
    level = 5 * rng.normal(size=store.max() + 1)[store]
    X = normal(n, rng, 2)
    frame = table(X, store=np.char.add("S", store.astype(str)), sales=level + X[:, 0])
    order = rng.permutation(n)
    frame = pd.concat([frame.iloc[order], frame.iloc[n:]])
    return Drawn(frame, n, "sales", groups="store", relevant={"x0", "store"})


# texts


def topics(n: int, rng: Generator, told: float = 0.3) -> Drawn:
    """Texts of 12 words, a share of them of the topic."""
    words = {topic: [f"{topic}{i}" for i in range(30)] for topic in ("sport", "trade")}
    common = [f"word{i}" for i in range(200)]
    m = n + 1000
    y = np.array(["sport", "trade"])[rng.integers(2, size=m)]
    texts = [
        " ".join(rng.choice(words[one] if rng.random() < told else common) for _ in range(12))
        for one in y
    ]
    relevant = {*words["sport"], *words["trade"]}
    found = Drawn(pd.DataFrame({"body": texts, "y": y}), n, relevant=relevant)
    found.options = {"text": "body"}
    return found


def texts_of_noise(n: int, rng: Generator) -> Drawn:
    common = [f"word{i}" for i in range(100)]
    m = n + 1000
    texts = [" ".join(rng.choice(common, 12)) for _ in range(m)]
    y = np.array(["p", "q"])[rng.integers(2, size=m)]
    found = Drawn(pd.DataFrame({"body": texts, "y": y}), n, relevant=set(), bayes_error=0.5)
    found.options = {"text": "body"}
    return found


def leaking_word(n: int, rng: Generator) -> Drawn:
    found = texts_of_noise(n, rng)
    found.frame["body"] += np.where(found.frame["y"] == "p", " approved", " refused")
    found.relevant, found.leaks, found.bayes_error = {"approved", "refused"}, {"body"}, 0.0
    return found


# exploratory


def blobs(n: int, rng: Generator, clusters: int = 3, columns: int = 4) -> Drawn:
    which = rng.integers(clusters, size=n)
    centers = 12 * np.eye(clusters, columns)
    return Drawn(
        table(rng.normal(size=(n, columns)) + centers[which]), n, None, n_clusters=clusters
    )


def one_cloud(n: int, rng: Generator, columns: int = 4) -> Drawn:
    return Drawn(table(rng.normal(size=(n, columns))), n, None, n_clusters=1)


def skewed(n: int, rng: Generator, columns: int = 4) -> Drawn:
    """Independent lognormal columns: no clusters."""
    return Drawn(table(np.exp(rng.normal(size=(n, columns)))), n, None, n_clusters=1)


def uniform(n: int, rng: Generator) -> Drawn:
    return Drawn(table(rng.uniform(size=(n, 3))), n, None, n_clusters=1)


def manifold(n: int, rng: Generator, dimension: int, columns: int = 12) -> Drawn:
    """Rows on a curved surface of known dimension."""
    inner = rng.uniform(-1, 1, size=(n, dimension))
    weights = np.random.default_rng(7).normal(size=(dimension, columns))
    X = inner @ weights + 0.3 * np.sin(2 * inner @ weights[:, ::-1])
    return Drawn(table(X), n, None, dimension=float(dimension))


def planted_outliers(n: int, rng: Generator) -> Drawn:
    X = rng.normal(size=(n, 4))
    X[:5] = 15 + 3 * rng.normal(size=(5, 4))
    return Drawn(table(X), n, None, n_outliers=5, n_clusters=None)


PROBLEMS = (
    Problem("Gaussians, close", 60, partial(gaussians, shift=1.5)),
    Problem("Gaussians, few rows", 120, partial(gaussians, shift=2.0), quick=True),
    Problem("Gaussians", 400, partial(gaussians, shift=2.0)),
    Problem("Gaussians, many rows", 3000, partial(gaussians, shift=2.0)),
    Problem("Gaussians, apart", 400, partial(gaussians, shift=5.0)),
    Problem("noise, few rows", 100, noise, quick=True),
    Problem("noise", 400, noise),
    Problem("noise, many columns", 300, partial(noise, columns=30)),
    Problem("noise, many rows", 2000, noise),
    Problem("XOR", 400, xor),
    Problem("XOR, other columns", 400, partial(xor, others=6)),
    Problem("XOR, many rows", 2000, xor),
    Problem("rare class, few rows", 300, rare),
    Problem("rare class", 1000, rare),
    Problem("rare class, many rows", 4000, partial(rare, share=0.02)),
    Problem("lookup", 800, lookup),
    Problem("lookup, many rows", 3000, lookup),
    Problem("flipped labels", 200, flipped, quick=True),
    Problem("flipped labels, many rows", 2000, partial(flipped, share=0.04)),
    Problem("probabilities", 300, probabilities),
    Problem("probabilities, many rows", 3000, probabilities),
    Problem("circle", 500, circle),
    Problem("three classes", 150, three_classes, quick=True),
    Problem("three classes, many rows", 1500, three_classes),
    Problem("many columns", 200, many_columns),
    Problem("more columns than rows", 80, partial(many_columns, columns=200)),
    Problem("mixed types", 400, mixed, quick=True),
    Problem("mixed types, gaps", 600, partial(mixed, gaps=0.15)),
    Problem("informative gaps", 500, informative_gaps),
    Problem("ordered classes", 300, ordered_classes, quick=True),
    Problem("ordered classes, many rows", 2000, ordered_classes),
    Problem("codes as numbers", 600, numeric_codes),
    Problem("similar labels", 200, similar_labels),
    Problem("patients", 400, patients),
    Problem("patients, many rows", 2000, patients),
    Problem("sites", 600, sites),
    Problem("sites, many rows", 3000, sites),
    Problem("leaking column", 200, leaking_column, quick=True),
    Problem("leaking column, many rows", 1500, leaking_column),
    Problem("leaking identifier", 300, leaking_identifier),
    Problem("copies", 300, copies, quick=True),
    Problem("drift", 800, drifting),
    Problem("random walk", 600, series),
    Problem("linear", 100, linear, quick=True),
    Problem("linear, many rows", 2000, linear),
    Problem("noise, numbers", 200, numbers_of_noise, quick=True),
    Problem("Friedman", 400, friedman),
    Problem("Friedman, many rows", 5000, friedman),
    Problem("heavy tails", 600, heavy_tails),
    Problem("unequal spread", 800, unequal_spread),
    Problem("capped target", 400, capped),
    Problem("wrong numbers", 400, wrong_numbers),
    Problem("sum of columns", 200, summed),
    Problem("stores", 500, stores),
    Problem("topics", 300, topics),
    Problem("texts of noise", 200, texts_of_noise),
    Problem("leaking word", 200, leaking_word),
    Problem("blobs", 300, blobs, quick=True),
    Problem("five blobs", 1000, partial(blobs, clusters=5, columns=6)),
    Problem("one cloud", 300, one_cloud),
    Problem("skewed columns", 300, skewed, quick=True),
    Problem("skewed columns, many rows", 1000, partial(skewed, columns=8)),
    Problem("uniform rows", 300, uniform),
    Problem("2 dimensions", 500, partial(manifold, dimension=2)),
    Problem("4 dimensions", 1000, partial(manifold, dimension=4)),
    Problem("outliers", 300, planted_outliers),
)
