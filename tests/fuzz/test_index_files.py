"""Mutated index files, with checksums that match, are opened or refused in one sentence."""

from __future__ import annotations

import copy
import io
import json
import warnings
import zlib

import numpy as np
import pandas as pd
import pytest
from fuzz.mutations import ending, fuzzed, mutated_array, mutated_bytes, mutated_document
from hypothesis import given
from hypothesis import strategies as st

from lookalike import _core
from lookalike.errors import LookalikeError, ModelFileError
from lookalike.index.disk import DiskIndex, build_index_file, folder

METRICS = ("euclidean", "mahalanobis", "cosine")
WIDTHS = {"euclidean": 140, "mahalanobis": 5, "cosine": 9}  # codes of all three kinds


class BuiltIndex:
    """An index whose files are changed one at a time and then put back."""

    def __init__(self, path, metric):
        self.path, self.rng = path, np.random.default_rng(3)
        d = WIDTHS[metric]
        X = self.rng.standard_normal((230, d)) * np.linspace(1, 0.01, d)
        table = pd.DataFrame(X, columns=[f"x{i}" for i in range(d)])
        table["town"] = np.array(["Bern", "Rome", ""])[np.arange(230) % 3]
        build_index_file(path, table, metric=metric, keep=["town"])
        index = DiskIndex(path)
        index.add(table[:70])
        index.remove([3, 100])
        self.Q = X[:3]
        self.files = {file.name: file.read_bytes() for file in path.iterdir()}
        self.listed = index._listed

    def write_list(self, listed):
        """Write a list with the checksum that belongs to it."""
        content = {**listed, "checksum": folder.checksum_of(listed)}
        (self.path / "index.json").write_text(json.dumps(content))

    def put_back(self):
        """Let every file be what it was."""
        for name, content in self.files.items():
            (self.path / name).write_bytes(content)

    def answer(self):
        """Open the index and ask it all that can be asked."""
        index = DiskIndex(self.path)
        index.query(self.Q, 4)
        index.query(self.Q[:1], 2, where="town == 'Rome'")
        index.query_radius(self.Q[:1], 0.5)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """One index of every kind."""
    place = tmp_path_factory.mktemp("indexes")
    return {metric: BuiltIndex(place / metric, metric) for metric in METRICS}


@fuzzed(60)
@given(data=st.data())
def test_a_list_with_changed_bytes_is_refused(built, data):
    index = built[data.draw(st.sampled_from(METRICS))]
    whole = index.files["index.json"]
    changed = data.draw(mutated_bytes(whole))
    (index.path / "index.json").write_bytes(changed)
    try:
        DiskIndex(index.path)
        assert json.loads(changed) == json.loads(whole), "a changed list was opened"
    except ModelFileError:
        pass  # refused
    finally:
        index.put_back()


@fuzzed(500, 10_000)
@given(data=st.data())
def test_forged_files_are_opened_or_refused_and_answer_without_a_crash(built, data):
    index = built[data.draw(st.sampled_from(METRICS))]
    listed = copy.deepcopy(index.listed)
    what = data.draw(st.sampled_from(["list", "list", "arrays", "codes", "rows", "column"]))
    if what == "arrays":
        forge_arrays(data, index, listed)
    elif what == "codes":
        forge_codes(data, index, listed)
    elif what in ("rows", "column"):
        forge_bytes(data, index, listed, what)
    if what == "list" or data.draw(st.booleans()):
        listed = data.draw(mutated_document(listed))
    index.write_list(listed)
    try:
        with ending(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            index.answer()
    except LookalikeError:
        pass  # refused in a sentence
    finally:
        index.put_back()


def forge_arrays(data, index, listed):
    """Change an array of a file, and the checksum of the file."""
    segment = data.draw(st.sampled_from([listed["arrays"], *listed["segments"]]))
    name, checksum = ("name", "checksum") if "name" in segment else ("arrays", "arrays_checksum")
    path = index.path / segment[name]
    with np.load(io.BytesIO(index.files[segment[name]])) as archive:
        arrays = {key: archive[key] for key in archive.files}
    key = data.draw(st.sampled_from(sorted(arrays)))
    arrays[key] = data.draw(mutated_array(arrays[key]))
    if data.draw(st.integers(0, 9)) == 0:
        del arrays[key]
    content = io.BytesIO()
    save = np.savez_compressed if data.draw(st.integers(0, 9)) == 0 else np.savez
    save(content, **arrays)
    path.write_bytes(content.getvalue())
    segment[checksum] = zlib.crc32(content.getvalue())


def forge_codes(data, index, listed):
    """Change bytes of the codes, and the checksums of the blocks."""
    segment = data.draw(st.sampled_from(listed["segments"]))
    codes = bytearray(index.files[segment["codes"]])
    for _ in range(data.draw(st.integers(1, 40))):
        codes[data.draw(st.integers(0, len(codes) - 1))] = data.draw(st.integers(0, 255))
    (index.path / segment["codes"]).write_bytes(codes)
    for block in segment["blocks"]:
        part = np.frombuffer(bytes(codes), np.uint8)[block[0] : block[0] + block[1]]
        block[4] = _core.checksum(np.ascontiguousarray(part))


def forge_bytes(data, index, listed, what):
    """Change numbers of the rows or of a column that is kept."""
    segment = data.draw(st.sampled_from(listed["segments"]))
    name = segment["rows"]["path"] if what == "rows" else segment["columns"][0]["file"]
    numbers = np.frombuffer(index.files[name], "<f8" if what == "rows" else "<i4")
    changed = data.draw(mutated_array(numbers)).tobytes()
    (index.path / name).write_bytes(changed)
    if what == "column":
        segment["columns"][0]["checksum"] = zlib.crc32(changed)
