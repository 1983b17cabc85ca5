"""More problems with a known answer: groups, sites, seasons, rare events, identifiers, copies."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from benchmarks.truth.problem import FRESH_ROWS, Drawn, Problem
from benchmarks.truth.problems import Generator, labels, normal, table

FRESH_DAYS = 300


def days(n_rows: int) -> list[str]:
    """Return consecutive days as text."""
    moments = pd.Timestamp("2017-03-01") + pd.to_timedelta(np.arange(n_rows), "D")
    return moments.strftime("%Y-%m-%d").tolist()


def new_groups(frame: pd.DataFrame, n: int, rng: Generator) -> pd.DataFrame:
    """Return the studied rows in random order, and the fresh ones, of other groups, after them."""
    return pd.concat([frame.iloc[rng.permutation(n)], frame.iloc[n:]])


# groups and sites


def heavy_groups(n: int, rng: Generator) -> Drawn:
    """Some clinics have many rows, many have few; fresh rows are of other clinics."""
    sizes = np.concatenate([[n // 4, n // 8, n // 8], np.full((n + FRESH_ROWS) // 10, 10)])
    clinic = np.repeat(np.arange(len(sizes)), sizes)[: n + FRESH_ROWS]
    X, level = normal(n, rng, 3), 2 * rng.normal(size=len(sizes))[clinic]
    name = np.char.add("clinic ", clinic.astype(str))
    frame = table(X, clinic=name, score=X[:, 0] + level + 0.5 * rng.normal(size=len(X)))
    relevant = {"x0", "clinic"}
    return Drawn(new_groups(frame, n, rng), n, "score", groups="clinic", relevant=relevant)


def scanners(n: int, rng: Generator) -> Drawn:
    """Each scanner shifts all measurements, and has its own share of ill; fresh ones are others."""
    scanner = np.arange(n + FRESH_ROWS) // (n // 12)
    shift = 3 * rng.normal(size=(scanner.max() + 1, 4))[scanner]
    ill = rng.random(len(scanner)) < rng.choice([0.2, 0.8], scanner.max() + 1)[scanner]
    X = shift + rng.normal(size=shift.shape)
    X[:, 0] += 1.0 * ill
    frame = table(X, scanner=np.char.add("S", scanner.astype(str)), y=labels(ill))
    return Drawn(new_groups(frame, n, rng), n, groups="scanner", relevant=None)


def panel(n: int, rng: Generator, n_stores: int = 10) -> Drawn:
    """Days of ten stores, each a slow random walk; fresh rows are later days of these stores."""
    n_days = n // n_stores + FRESH_DAYS // n_stores
    walk = np.cumsum(rng.normal(size=(n_days, n_stores)), axis=0)
    X = rng.normal(size=(n_days * n_stores, 2))
    frame = table(
        X,
        store=np.tile([f"store {i}" for i in range(n_stores)], n_days),
        day=np.repeat(days(n_days), n_stores),
        sold=walk.ravel() + X[:, 0],
    )
    return Drawn(frame, n, "sold", ordered=True)


# time


def seasons(n: int, rng: Generator) -> Drawn:
    """A trend, the seasons, and weekends; fresh rows are the days after."""
    day = np.arange(n + FRESH_DAYS)
    warm = np.sin(2 * np.pi * day / 365)
    y = 0.01 * day + 3 * warm + 2 * (day % 7 >= 5) + 0.5 * rng.normal(size=len(day))
    frame = table(rng.normal(size=(len(day), 1)), warm=warm + 0.3 * rng.normal(size=len(day)))
    return Drawn(frame.assign(day=days(len(day)), y=y), n, ordered=True)


def level_shift(n: int, rng: Generator) -> Drawn:
    """A relation that changes once, at four fifths of the rows studied."""
    X = rng.normal(size=(n + FRESH_DAYS, 3))
    before = np.arange(len(X)) < 0.8 * n
    y = np.where(before, X[:, 0], -X[:, 0]) + 0.5 * rng.normal(size=len(X)) > 0
    frame = table(X, day=days(len(X)), y=labels(y))
    return Drawn(frame, n, ordered=True, drifting=True)


# targets


def very_rare(n: int, rng: Generator, share: float = 0.01) -> Drawn:
    """One of 100 rows is of a class that two columns tell in part."""
    X = normal(n, rng, 5)
    y = rng.random(len(X)) < share
    X[:, :2] += 2.0 * y[:, None]
    return Drawn(table(X, y=np.where(y, "fraud", "fine")), n, relevant={"x0", "x1"})


def rare_noise(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 4)
    y = np.where(rng.random(len(X)) < 0.04, "rare", "common")
    return Drawn(table(X, y=y), n, relevant=set(), bayes_error=0.04)


def ratings(n: int, rng: Generator) -> Drawn:
    """Eleven ratings in an order, most of them high."""
    X = normal(n, rng, 5)
    y = np.clip(np.round(7.5 + 1.5 * X[:, 0] + X[:, 1] + rng.normal(size=len(X))), 0, 10)
    return Drawn(table(X, rating=y.astype(int)), n, "rating", relevant={"x0", "x1"})


def counts(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 4)
    visits = rng.poisson(np.exp(1.2 + 0.6 * X[:, 0]))
    return Drawn(table(X, visits=visits), n, "visits", relevant={"x0"})


def mostly_zero(n: int, rng: Generator) -> Drawn:
    """Amounts that are 0 in most rows, and lognormal in the others."""
    X = normal(n, rng, 4)
    some = rng.random(len(X)) < 1 / (1 + np.exp(1.5 - 2 * X[:, 0]))
    amount = np.where(some, np.exp(2 + 0.5 * X[:, 1] + 0.5 * rng.normal(size=len(X))), 0.0)
    return Drawn(table(X, amount=amount), n, "amount", relevant={"x0", "x1"})


def thirty_classes(n: int, rng: Generator) -> Drawn:
    center = 1.5 * np.random.default_rng(8).normal(size=(30, 6))
    y = rng.integers(30, size=n + FRESH_ROWS)
    X = center[y] + 0.8 * rng.normal(size=(len(y), 6))
    names = np.array([f"species {i}" for i in range(30)])
    return Drawn(table(X, species=names[y]), n, "species", relevant=None)


def one_threshold(n: int, rng: Generator) -> Drawn:
    """One column that is known when predicting decides alone, without an error."""
    X = normal(n, rng, 5)
    frame = table(X, y=labels(X[:, 0] > 0))
    return Drawn(frame, n, relevant={"x0"}, bayes_error=0.0, carries_all={"x0"})


# columns


def identifiers(n: int, rng: Generator) -> Drawn:
    """Identifiers in no order, and a code of 60 values with an effect."""
    X = normal(n, rng, 3)
    code = rng.integers(60, size=len(X))
    effect = np.random.default_rng(4).normal(size=60)[code]
    number = rng.permutation(10 * len(X))[: len(X)]
    frame = table(
        X,
        customer=[f"C{value:07d}" for value in number],
        order_number=rng.permutation(len(X)) + 100_000,
        branch=[f"B{value}" for value in code],
        y=labels(X[:, 0] + effect + 0.5 * rng.normal(size=len(X)) > 0),
    )
    return Drawn(frame, n, relevant={"x0", "branch"})


def dead_columns(n: int, rng: Generator) -> Drawn:
    """Constants, an empty column, one with a single other value, and a column given twice."""
    X = normal(n, rng, 3)
    once = np.zeros(len(X))
    once[::n] = 1.0
    frame = table(X, unit="cm", empty=np.nan, once=once, zero=0, twice=2 * X[:, 0])
    y = labels(X[:, 0] + 0.7 * rng.normal(size=len(X)) > 0)
    return Drawn(frame.assign(y=y), n, relevant={"x0", "twice"})


def mostly_missing(n: int, rng: Generator) -> Drawn:
    X = normal(n, rng, 5)
    y = labels(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=len(X)) > 0)
    frame = table(X).mask(rng.random(X.shape) < 0.6)
    return Drawn(frame.assign(y=y), n, relevant={"x0", "x1"})


def notes(n: int, rng: Generator) -> Drawn:
    """A text and numbers, which both tell the target in part."""
    m = n + 1000
    good, bad = ["fine", "happy", "quick", "clean"], ["slow", "broken", "rude", "dirty"]
    common = [f"item{i}" for i in range(80)]
    mood, price = rng.normal(size=m), rng.normal(size=m)
    words = np.where(rng.random((m, 3)) < 1 / (1 + np.exp(-2 * mood))[:, None],
                     rng.choice(good, (m, 3)), rng.choice(bad, (m, 3)))  # fmt: skip
    other = rng.choice(common, (m, 9))
    note = [" ".join([*own, *rest]) for own, rest in zip(words, other, strict=True)]
    y = labels(mood - price + 0.5 * rng.normal(size=m) > 0)
    frame = pd.DataFrame({"note": note, "price": price, "width": rng.normal(size=m), "y": y})
    return Drawn(frame, n, relevant={"note", "price", *good, *bad})


def categories_of_two(n: int, rng: Generator) -> Drawn:
    """Two categories that tell the target together alone, and three that tell nothing."""
    codes = rng.integers(4, size=(n + FRESH_ROWS, 5))
    told = (codes[:, 0] + codes[:, 1]) % 2 == 0
    y = np.where(rng.random(len(told)) < 0.1, ~told, told)
    frame = pd.DataFrame({f"c{i}": np.array(list("pqrs"))[codes[:, i]] for i in range(5)})
    return Drawn(frame.assign(y=labels(y)), n, relevant={"c0", "c1"}, bayes_error=0.1)


def extreme_values(n: int, rng: Generator) -> Drawn:
    """Columns without a mean: extreme values are no errors."""
    X = rng.standard_cauchy(size=(n + FRESH_ROWS, 4))
    y = labels(np.tanh(X[:, 0]) + 0.4 * rng.normal(size=len(X)) > 0)
    return Drawn(table(X, y=y), n, relevant={"x0"}, n_outliers=n // 10)


# copies


def near_copies(n: int, rng: Generator, each: int = 4) -> Drawn:
    """Rows that were measured four times, with a little noise; the labels are chance."""
    X = normal(n, rng, 5)
    X[:n] = np.repeat(X[: n // each], each, axis=0) + 0.003 * rng.normal(size=(n, 5))
    y = rng.random(len(X)) < 0.5
    y[:n] = np.repeat(y[: n // each], each)
    frame = table(X, y=labels(y))
    frame = pd.concat([frame.iloc[rng.permutation(n)], frame.iloc[n:]])
    return Drawn(frame, n, relevant=set(), bayes_error=0.5, n_near_copies=n - n // each)


def copied_numbers(n: int, rng: Generator) -> Drawn:
    """Each row stands twice; the numbers are chance."""
    X = normal(n, rng, 4)
    y = rng.normal(size=len(X))
    X[n // 2 : n], y[n // 2 : n] = X[: n - n // 2], y[: n - n // 2]
    return Drawn(table(X, y=y), n, relevant=set(), n_copies=n - n // 2)


HARD_PROBLEMS = (
    Problem("heavy groups", 600, heavy_groups),
    Problem("scanners", 600, scanners),
    Problem("panel", 600, panel),
    Problem("seasons", 900, seasons),
    Problem("level shift", 700, level_shift),
    Problem("one of 100", 2000, very_rare),
    Problem("rare class of noise", 700, rare_noise),
    Problem("ratings", 600, ratings),
    Problem("counts", 500, counts),
    Problem("mostly zero", 600, mostly_zero),
    Problem("30 classes", 600, thirty_classes),
    Problem("one threshold", 300, one_threshold),
    Problem("identifiers", 500, identifiers),
    Problem("dead columns", 300, dead_columns),
    Problem("mostly missing", 600, mostly_missing),
    Problem("notes", 400, notes),
    Problem("categories of two", 500, categories_of_two),
    Problem("extreme values", 400, extreme_values),
    Problem("near copies", 400, near_copies),
    Problem("near copies, pairs", 300, partial(near_copies, each=2)),
    Problem("copied numbers", 400, copied_numbers),
)
