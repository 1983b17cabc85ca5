"""What a stranger's file may not set: slow patterns, files to read, too many threads."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline

from lookalike import LSA, PCA, KNeighborsClassifier, load, save
from lookalike.errors import ModelFileError, ParameterTypeError
from lookalike.store import checks
from lookalike.store.checks import is_linear
from lookalike.store.container import read_container, write_container
from lookalike.text import TermWeights
from lookalike.threads import usable_cores

TEXTS = ["a cat sat", "the dog ran", "the cat ran"]


def forge(path, old, new):
    """Write the model file again with another text in its document, and a matching checksum."""
    _, text, arrays, _ = read_container(path)
    assert old in text
    write_container(path, text.replace(old, new), [arrays[str(i)] for i in range(len(arrays))])


@pytest.mark.parametrize(
    "pattern",
    [r"(?u)\b\w\w+\b", r"\b\w+\b", r"\w+", r"\S+", r"[a-zA-Z]+", r"(?i)\b[a-z]{3,}\b", r"[^\s,]+",
     r"\w{2,5}", r"#\w+", r"\b[A-Z]\w*\b", r"\d{1,3}", r"\w\w+\b", r"\b\w{2}\w*\b"],
)  # fmt: skip
def test_usual_patterns_are_linear_and_stored(pattern, tmp_path):
    assert is_linear(pattern)
    save(CountVectorizer(token_pattern=pattern), tmp_path / "m")
    assert load(tmp_path / "m").token_pattern == pattern


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+b", r"(\w+)*x", r"(a|aa)+$", r"\w+\w+x", r"[a-z]+\b", r"\w+-\w+", r".*.*=", r"(?=a+)b",
     r"(.)\1", "a?" * 30 + "a" * 30, r"\b[\w-]+\b", "x" * 300, r"(?P<a>x)", r"a{1,100}b{1,100}"],
)  # fmt: skip
@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, LSA, TermWeights])
def test_patterns_that_may_be_slow_are_neither_stored_nor_loaded(kind, pattern, tmp_path):
    assert not is_linear(pattern)
    with pytest.raises(ParameterTypeError, match="token_pattern"):
        save(kind(token_pattern=pattern), tmp_path / "m")
    save(kind(token_pattern="placeholder"), tmp_path / "m")
    forge(tmp_path / "m", '"placeholder"', json.dumps(pattern))
    with pytest.raises(ModelFileError, match="token_pattern"):
        load(tmp_path / "m")


def test_the_pattern_of_a_stemmer_is_checked_too(tmp_path):
    save(LSA(1, stem="porter", token_pattern="[a-z]+").fit(TEXTS), tmp_path / "m")
    assert load(tmp_path / "m").transform(TEXTS).shape == (3, 1)
    _, text, _, _ = read_container(tmp_path / "m")
    document = json.loads(text)
    vectorizer = document["model"]["state"]["vectorizer_"]
    vectorizer["parameters"]["tokenizer"]["state"]["token_pattern"] = "(a+)+b"
    forge(tmp_path / "m", text, json.dumps(document))
    with pytest.raises(ModelFileError, match="token_pattern"):
        load(tmp_path / "m")


def test_linear_patterns_take_linear_time():
    text = "a" * 200_000 + "!"
    for pattern in (r"\b\w\w+\b", r"[a-z]+", r"\b[a-z]{3,}\b", r"a?b?a?[a-z]*"):
        assert is_linear(pattern)
        assert len(re.findall(pattern, text)) <= 3  # a quadratic one would take minutes


@pytest.mark.parametrize("value", ["filename", "file"])
def test_a_stored_vectorizer_that_would_read_files_is_refused(value, tmp_path):
    with pytest.raises(ParameterTypeError, match="would read files"):
        save(CountVectorizer(input=value), tmp_path / "m")
    save(make_pipeline(CountVectorizer(), PCA(1)), tmp_path / "m")
    forge(tmp_path / "m", '"input": "content"', f'"input": "{value}"')
    with pytest.raises(ModelFileError, match="would read files"):
        load(tmp_path / "m")


@pytest.mark.parametrize("name", ["preprocessor", "tokenizer", "analyzer", "strip_accents"])
def test_a_stored_vectorizer_calls_nothing_but_our_tokenizer(name, tmp_path):
    save(CountVectorizer(), tmp_path / "m")
    old = '"analyzer": "word"' if name == "analyzer" else f'"{name}": null'
    forge(tmp_path / "m", old, f'"{name}": {{"object": "Decisions", "state": {{}}}}')
    with pytest.raises(ModelFileError, match=f"{name} of a vectorizer is a Decisions"):
        load(tmp_path / "m")


@pytest.mark.parametrize("threads", [10**6, np.int64(10**9)])
def test_the_threads_that_a_file_asks_for_are_capped(threads, tmp_path):
    most = max(checks.MOST_THREADS, usable_cores())
    union = FeatureUnion([("a", PCA(1))], n_jobs=threads)
    for model in (KNeighborsClassifier(n_jobs=threads), union):
        save(model, tmp_path / "m")
        assert load(tmp_path / "m").n_jobs == most
    for kept in (None, 1, -1, most):
        save(KNeighborsClassifier(n_jobs=kept), tmp_path / "m")
        assert load(tmp_path / "m").n_jobs == kept


def test_a_key_or_attribute_that_comes_twice_is_refused(tmp_path):
    save(KNeighborsClassifier(metric_params={"w": 1}), tmp_path / "m")
    forge(tmp_path / "m", '["w", 1]', '["w", 1], ["w", 2]')
    with pytest.raises(ModelFileError, match="key of a dictionary comes twice"):
        load(tmp_path / "m")
    save(KNeighborsClassifier(), tmp_path / "m")
    forge(tmp_path / "m", '"state": {', '"state": {"n_neighbors": 7')
    with pytest.raises(ModelFileError, match="'n_neighbors' of KNeighborsClassifier comes twice"):
        load(tmp_path / "m")
    save(KNeighborsClassifier(), tmp_path / "m")
    forge(tmp_path / "m", '"n_neighbors": 5', '"n_neighbors": 5, "n_neighbors": 6')
    with pytest.raises(ModelFileError, match=r"not plain JSON \('n_neighbors' comes twice"):
        load(tmp_path / "m")


@pytest.mark.parametrize("kind", [DummyClassifier, DummyRegressor])
@pytest.mark.parametrize("y", [[0, 1, 1], [[0, 5], [1, 6], [1, 6]]])
def test_a_baseline_has_no_more_targets_than_values(kind, y, tmp_path):
    path, X = tmp_path / "m.lookalike", np.zeros((3, 2))
    baseline = kind().fit(X, y)
    save(baseline, path)
    np.testing.assert_array_equal(load(path).predict(X), baseline.predict(X))
    forge(path, f'"n_outputs_": {np.ndim(y)}', '"n_outputs_": 2147483648')
    with pytest.raises(ModelFileError, match="n_outputs_=2147483648"):
        load(path)
