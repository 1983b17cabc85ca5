"""Every figure of every sentence is that of study.json, over 30 tables; none is contradicted."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import lookalike

ROWS = 120
SHARED = {
    "abalone.csv.gz": "rings",
    "adult.csv.gz": "income",
    "heart_cleveland.csv": "num",
    "higgs_sample.csv.gz": "label",
    "letter_recognition.csv.gz": "letter",
    "phoneme.csv.gz": "class",
    "sonar.csv.gz": "class",
    "soybean.csv": "class",
    "vote.csv": "class",
}
BUNDLED = ("iris", "wine", "breast_cancer", "diabetes", "digits")
FIXED = (  # figures of phrases, not of the study
    r"95% CI|95% of the variance|\d+-NN|\d+-fold|lag-1|\(\d+%\)|\(\d+\.\d% of the rows\)|F1 |"
    r"random seed \d+|of depth \d+|repeated \d+ times|where 1 is best|"
    r"99% of such samples|one of 5% would|and \d+ more|"
    r"the best of 2 to \d+ clusters, \d+|K-means: \d+"
)


def drawn(name):
    """Return a table with a target: classes, numbers, a rare class, copies, leaks, a series."""
    rng = np.random.default_rng(len(name))
    X = rng.normal(size=(ROWS, 4))
    frame = pd.DataFrame(X, columns=["a", "b", "c 2", "d"])
    signal = X[:, 0] + 0.8 * rng.normal(size=ROWS)
    made = {
        "two classes": lambda: frame.assign(y=np.where(signal > 0, "yes", "no")),
        "noise": lambda: frame.assign(y=rng.choice(["p", "q"], ROWS)),
        "three classes": lambda: frame.assign(y=np.digitize(signal, [-0.6, 0.6])),
        "rare": lambda: frame.assign(y=np.where(signal > 2.0, "rare 1", "common")),
        "numbers": lambda: frame.assign(y=1000 * signal),
        "small numbers": lambda: frame.assign(y=1e-4 * signal),
        "copies": lambda: pd.concat([frame.assign(y=rng.choice(["p", "q"], ROWS))] * 2),
        "copied numbers": lambda: pd.concat([frame.assign(y=signal)] * 2),
        "leak": lambda: frame.assign(y=np.where(signal > 0, "yes", "no"), e=signal > 0),
        "sum": lambda: frame.assign(y=3 * X[:, 0] + X[:, 1]),
        "series": lambda: frame.assign(y=np.cumsum(signal), day=np.arange(ROWS)),
        "towns": lambda: frame.assign(town=rng.choice(["G", "L"], ROWS), y=signal > 0),
        "gaps": lambda: frame.mask(rng.random(frame.shape) < 0.2).assign(y=signal > 0),
        "constant": lambda: frame.assign(y="same"),
        "clusters": lambda: pd.DataFrame(X + 6 * rng.integers(3, size=(ROWS, 1))),
        "one column": lambda: frame[["a"]].assign(y=np.where(signal > 0, "yes", "no")),
    }
    return made[name]()


DRAWN = ("two classes", "noise", "three classes", "rare", "numbers", "small numbers", "copies",
         "copied numbers", "leak", "sum", "series", "towns", "gaps", "constant", "clusters",
         "one column")  # fmt: skip


def table_of(name):
    """Return a table of few rows, and its target."""
    if name in DRAWN:
        frame, target = drawn(name).reset_index(drop=True), "y"
        return frame, target if "y" in frame else None
    if name in BUNDLED:
        frame, target = getattr(datasets, f"load_{name}")(as_frame=True).frame, "target"
    else:
        folder = os.environ.get("LOOKALIKE_DATA")
        if not folder:
            pytest.skip("LOOKALIKE_DATA names no folder of tables")
        frame, target = pd.read_csv(Path(folder) / name), SHARED[name]
    return frame.sample(ROWS, random_state=0).reset_index(drop=True), target


def at(content, path):
    """Return the value of study.json at a path."""
    value = content
    for step in re.split(r"\.(?!95$)", path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def figures(text):
    """Return the numbers of a text with half of the last digit of each."""
    found = []
    unit = 0.01 if text.endswith("%") else 1.0
    for match in re.finditer(r"([−-]?[\d,]*\.?\d+)(e[−-]?\+?\d+)?", text):
        digits = match[1].replace(",", "").replace("−", "-")
        power = 10.0 ** int((match[2] or "e0")[1:].replace("−", "-"))
        decimals = len(digits.partition(".")[2])
        found.append((float(digits) * power * unit, 0.5001 * 10.0**-decimals * power * unit))
    return found


def assert_figures_are_those_of_the_json(study, content):
    for finding in study.summary:
        for path, text in finding.figures.items():
            assert text in finding.text
            values = [at(content, one) for one in path.split("|")]
            values = values[0] if isinstance(values[0], list) else values
            shown = figures(text)
            assert len(shown) == len(values), (path, text)
            for value, (stated, rounding) in zip(values, shown, strict=True):
                assert abs(value - stated) <= rounding + 1e-12, (path, text, value)


def assert_no_figure_is_without_reference(study):
    names = [column.name for column in study.columns] + [study.shape.split]
    names += [feature.name for feature in study.feature_importance]  # of images, pixels
    names += [one.rule for one in study.slices]
    for one in study.candidates:
        names += [f"{name} = {value}" for name, value in one.hyperparameters.items()]
        names += [one.title, one.validation_method]
    if study.target is not None:
        names += [repr(label) for label in study.target.classes]
    if study.held_out is not None:
        names += [other.description for other in study.held_out.other_splits]
    for finding in study.summary:
        rest = re.sub(FIXED, "", finding.text)
        for text in sorted([*names, *finding.figures.values()], key=len, reverse=True):
            if re.search(r"\d", text):
                rest = re.sub(rf"(?<![\w.]){re.escape(text)}(?![\w])", "", rest)
        assert not re.search(r"\d", rest), (finding.text, rest)


def assert_derived_figures_are_those_of_the_study(study):
    """Shares and counts that stand in no field of study.json follow from fields that do."""
    shares = set()
    if study.target is not None:
        shares |= {count / sum(study.target.counts) for count in study.target.counts}
    of_target = [] if study.target is None else [study.target.profile]
    for profile in [*(column.profile for column in study.columns), *of_target]:
        if profile is not None and profile.n_values:
            ends = (profile.n_at_maximum, profile.n_at_minimum)
            shares |= {n / profile.n_values for n in ends if n is not None}
    for finding in study.summary:
        for stated in re.findall(r"\((\d+\.\d)% of the rows\)", finding.text):
            assert stated in {f"{100 * share:.1f}" for share in shares}, finding.text
        for few, every, share in re.findall(
            r"([\d,]+) of ([\d,]+) training rows \((\d+)%\)", finding.text
        ):
            part = float(few.replace(",", "")) / float(every.replace(",", ""))
            assert f"{part:.0%}" == f"{share}%", finding.text
        for stated in re.findall(r"repeated (\d+) times", finding.text):
            assert int(stated) == study.held_out.n_repeats
        for stated in re.findall(r"K-means: (\d+)|clusters, (\d+),", finding.text):
            assert int(stated[0] or stated[1]) == len(study.clustering.clusters)
        for stated in re.findall(r"best of 2 to (\d+)", finding.text):
            assert int(stated) == study.clustering.n_clusters_tried[-1]
        for stated in re.findall(r"random seed (\d+)", finding.text):
            assert int(stated) == study.seed


def assert_nothing_is_contradicted(study):
    scores, bayes = study.held_out, study.bayes_error
    if scores is not None:
        low, high = scores.interval
        assert low <= scores.error <= high
        for one in scores.scores:
            assert one.interval[0] - 1e-9 <= one.value <= one.interval[1] + 1e-9
    if bayes is not None:
        reached = [one.held_out_interval[1] for one in study.candidates if one.held_out_interval]
        assert 0 <= bayes.low <= bayes.high <= min([high, *reached]) + 1e-12
        assert bayes.converged or bayes.low == 0
    kinds = [finding.kind for finding in study.summary]
    assert kinds.count("model") == (0 if scores is None else 1)
    if study.leakage is not None:
        assert "leakage" in kinds[: 1 + len({"skipped", "groups"} & set(kinds))]
    if "intrinsic_dimension" in kinds:
        assert study.intrinsic_dimension.interval[1] < study.shape.n_features
    if "calibration" in kinds:
        assert study.winner != "baseline"
    if "learning_curve" in kinds:
        assert study.forecast.error[0] > study.forecast.high[1] > study.forecast.error[1]
    if study.audit is not None:
        assert all(0 <= n <= study.audit.n_rows for n in study.audit.counts.values())


@pytest.mark.parametrize("name", [*SHARED, *BUNDLED, *DRAWN])
def test_every_figure_of_the_summary_is_that_of_the_json_and_none_is_contradicted(
    name, few_candidates
):
    frame, target = table_of(name)
    study = lookalike.study(frame, target=target)
    content = json.loads(study.to_json())
    assert_figures_are_those_of_the_json(study, content)
    assert_no_figure_is_without_reference(study)
    assert_derived_figures_are_those_of_the_study(study)
    assert_nothing_is_contradicted(study)
    assert study.summary
