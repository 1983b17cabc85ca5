"""Mutated model files are loaded or refused in one sentence; none crashes or hangs the process."""

from __future__ import annotations

import json
import warnings
from functools import cache

import numpy as np
import pytest
from fuzz.mutations import ending, fuzzed, mutated_array, mutated_bytes, mutated_document
from hypothesis import given
from hypothesis import strategies as st
from store_cases import BUILDERS, answers, question, rows

from lookalike import load, save
from lookalike.errors import MemoryBudgetError, ModelFileError
from lookalike.store.container import read_container, write_container
from lookalike.store.file import read_header

SLOW = {"AutoEncoder"}
KINDS = sorted(set(BUILDERS) - SLOW)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A place for the files."""
    return tmp_path_factory.mktemp("models")


@cache
def built(kind, path):
    """Return the bytes, the document and the arrays of a model file of that kind, and a query."""
    X, y = rows(0, n=24)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BUILDERS[kind](X, y)
        save(model, path)
    _, text, arrays, _ = read_container(path)
    numbered = [np.array(arrays[str(i)]) for i in range(len(arrays))]
    return path.read_bytes(), json.loads(text), numbered, question(kind, model, X)


@fuzzed(40)
@given(data=st.data())
def test_changed_bytes_are_refused(folder, data):
    whole, *_ = built(data.draw(st.sampled_from(KINDS)), folder / "model")
    changed = data.draw(mutated_bytes(whole))
    if changed != whole:
        path = folder / "changed"
        path.write_bytes(changed)
        for read in (load, read_header):
            with pytest.raises(ModelFileError):
                read(path)


@fuzzed(500, 10_000)
@given(data=st.data())
def test_changed_contents_are_loaded_or_refused_and_answer_without_a_crash(folder, data):
    kind = data.draw(st.sampled_from(KINDS))
    _, document, arrays, Q = built(kind, folder / "model")
    if data.draw(st.booleans()):
        document = data.draw(mutated_document(document))
    if arrays and data.draw(st.booleans()):
        arrays = [*arrays]
        place = data.draw(st.integers(0, len(arrays) - 1))
        arrays[place] = data.draw(mutated_array(arrays[place]))
    path = folder / "changed"
    write_container(path, json.dumps(document), arrays)
    with ending(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_header(path)
            model = load(path)
        except ModelFileError:
            return
        try:
            answers(model, Q)
        except MemoryBudgetError:
            return
        except MemoryError:
            pytest.fail(f"a {kind} took more memory than an example may: {json.dumps(document)}")
        except Exception:  # of numbers that no fit would have given
            return
