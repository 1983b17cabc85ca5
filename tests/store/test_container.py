"""Whatever a file holds: it is read, or refused in one sentence, and nothing in it runs."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import tracemalloc

import joblib
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from lookalike import PCA, KNeighborsClassifier, load, save
from lookalike.errors import ModelFileError
from lookalike.store.container import parse_container, read_container, write_container
from lookalike.store.file import read_header

SUM = re.compile(rb'"sha256":"[0-9a-f]{64}"')


@pytest.fixture
def path(tmp_path):
    """A small model file."""
    save(KNeighborsClassifier(1).fit([[0.0], [1.0], [3.0]], [0, 1, 1]), tmp_path / "model")
    return tmp_path / "model"


def sealed(header: bytes, data: bytes = b"", version: str = "1.0") -> bytes:
    """Return a file of which size and checksum are right, whatever its header says."""
    begin = f'{{"__metadata__":{{"lookalike":"{version}","bytes":"%019d","sha256":"%s",'
    empty = (begin % (0, "0" * 64)).encode()
    header = header.removeprefix(b'{"__metadata__":{')
    length = len(empty) + len(header)
    header += b" " * (-length % 8)
    length += -length % 8
    total = 8 + length + len(data)
    head = length.to_bytes(8, "little") + (begin % (total, "0" * 64)).encode()
    digest = hashlib.sha256(head + header + data).hexdigest()
    head = length.to_bytes(8, "little") + (begin % (total, digest)).encode()
    return head + header + data


def crafted(table: str, data: bytes = b"", document: str = '{"model":{}}') -> bytes:
    """Return a sealed file with this table of arrays."""
    text = f'{{"__metadata__":{{"model":{json.dumps(document)}}}{table}}}'
    return sealed(text.encode(), data)


def array(name="a", dtype="F64", shape="[1]", offsets="[0,8]"):
    return f',"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}'


def refuse(path, content, words):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=words):
        load(path)


def test_a_file_is_read_by_the_safetensors_library(path):
    arrays = load_file(path)
    assert any(np.array_equal(a, [[0.0], [1.0], [3.0]]) for a in arrays.values())
    with safe_open(path, "np") as file:
        assert file.metadata()["lookalike"] == "1.0"
        assert json.loads(file.metadata()["model"])["model"]["object"] == "KNeighborsClassifier"


def test_every_truncation_is_noticed(path):
    whole = path.read_bytes()
    for length in range(len(whole)):
        with pytest.raises(ModelFileError, match="truncated"):
            parse_container(path, whole[:length])
    refuse(path, whole[:-1], "truncated")


def test_every_flipped_bit_is_noticed(path):
    whole = path.read_bytes()
    opening = whole.index(b'"model":"') + 9
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ModelFileError) as caught:
            parse_container(path, flipped)
        if not 8 <= bit // 8 < opening:  # elsewhere the form is wrong before there is a sum
            assert "checksum" in str(caught.value)


def test_what_follows_the_end_is_noticed(path):
    refuse(path, path.read_bytes() + b"x", "followed by something else")


@pytest.mark.parametrize(
    ("table", "data", "words"),
    [
        (array(shape="[4611686018427387905]"), b"8" * 8, "bytes"),  # times 8 is 8 in 64 bits
        (array(shape="[1152921504606846976]", offsets="[0,9223372036854775808]"), b"", "reached"),
        (array(shape="[-1]", offsets="[8,0]"), b"8" * 8, "not described"),
        (array(shape="[1]", offsets="[-8,0]"), b"8" * 8, "not described"),
        (array(shape="[1.0]"), b"8" * 8, "not described"),
        (array(shape="[true]"), b"8" * 8, "not described"),
        (array(shape="[1]", offsets="[0,8,8]"), b"8" * 8, "not described"),
        (array(shape=f"[{'1,' * 40}1]"), b"8" * 8, "not described"),
        (array(shape="[0,1152921504606846976,1152921504606846976]", offsets="[0,0]"), b"", "shape"),
        (array(dtype="OBJECT"), b"8" * 8, "not described"),
        (array(dtype="F64") + array(), b"8" * 8, "'a' comes twice"),
        (array() + array("b", offsets="[0,8]"), b"8" * 8, "reached"),  # overlap
        (array() + array("b", offsets="[16,24]"), b"8" * 24, "reached"),  # a hole
        (array(), b"8" * 16, "belong to no array"),
        (array(offsets="[0,16]"), b"8" * 16, "bytes"),
        (array("a", "U8", "[1]", "[0,1]") + array("b", offsets="[1,9]"), b"8" * 9, "not described"),
        (',"a":3', b"", "not described"),
        (',"a":{"dtype":"F64"}', b"", "not described"),
        (',"a":[NaN]', b"", "NaN"),
        (',"a":[-Infinity]', b"", "Infinity"),
        (',"a":[1e999]', b"", "too large"),
        (f',"a":[{"9" * 30}]', b"", "too large"),
        (f',"a":[{"9" * 5000}]', b"", "plain JSON"),
        (f',"a":{"[" * 100_000}{"]" * 100_000}', b"", "nested too deeply"),
        (',"a":"\xff"', b"", "not described"),
        (",", b"", "plain JSON"),
    ],
)
def test_a_header_that_lies_is_refused_before_anything_is_allocated(table, data, words, path):
    content = crafted(table, data)
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=words):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 20 * len(content) + 2_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("[]", "describes no model"),
        ("{}", "describes no model"),
        ('{"model":3}', "describes no model"),
        ('{"model":{}}', "'nothing'"),
        ('{"model":{"reduce":["os.system","true"]}}', "'reduce'"),
        ('{"model":{"__init__":1}}', "'__init__'"),
        ('{"model":{"object":"os.system","state":{}}}', "'os.system'"),
        ('{"model":{"object":"subprocess.Popen","state":{"args":["true"]}}}', "'subprocess"),
        ('{"model":{"object":"CompiledFunction","state":{"function":1}}}', "'CompiledFunction'"),
        ('{"model":{"object":"Euclidean","state":{"address":1,"w":null}}}', "address"),
        ('{"model":{"object":"Gower","state":{"address":1}}}', "no attribute 'address'"),
        ('{"model":{"object":"PCA","state":{"fit":1}}}', "no attribute 'fit'"),
        ('{"model":{"object":"PCA","state":{"__class__":1}}}', "no attribute '__class__'"),
        ('{"model":{"object":"Pipeline","state":{"memory":"/tmp"}}}', "no attribute 'memory'"),
        ('{"model":{"object":"PCA","state":{"x":{"array":"7"}}}}', "does not fit"),
        ('{"model":{"object":"PCA","state":{"x":{"array":"__class__"}}}}', "does not fit"),
        ('{"model":{"object":"PCA","state":{"x":{"dtype":"O,O"}}}}', "not known"),
        ('{"model":{"object":"PCA","state":{"x":{"set":[[1]]}}}}', "does not fit"),
        ('{"model":{"object":"PCA","state":{"x":{"tuple":"abc"}}}}', "list is missing"),
        ('{"model":{"object":"PCA","state":{"x":{"values":[1],"shape":[2]}}}}', "does not fit"),
        (f'{{"model":{"[" * 200}{"]" * 200}}}', "describes no model"),
        (f'{{"model":{{"tuple":{"[" * 200}{"]" * 200}}}}}', "too deep"),
    ],
)
def test_a_document_that_is_no_model_is_refused(document, words, path):
    refuse(path, crafted("", document=document), words)


def test_numbers_of_an_index_that_point_outside_are_refused(path):
    sparse = {
        "object": "PCA",
        "state": {
            "x": {
                "sparse": "csr_matrix",
                "shape": [1, 1],
                "data": {"array": "a"},
                "indices": {"array": "b"},
                "indptr": {"array": "b"},
            }
        },
    }
    table = array() + array("b", "I64", "[2]", "[8,24]")
    data = np.array([1.0]).tobytes() + np.array([0, 1000]).tobytes()
    refuse(path, crafted(table, data, json.dumps({"model": sparse})), "does not fit")


def test_a_newer_minor_version_with_unknown_fields_is_read(path):
    _, text, arrays, _ = read_container(path)
    document = json.loads(text)
    document["color"] = "blue"
    document["model"]["note"] = "hello"
    write_container(path, json.dumps(document), [arrays[str(i)] for i in range(len(arrays))])
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = SUM.split(content[8 : 8 + length].rstrip(), maxsplit=1)[1].removeprefix(b",")
    newer = sealed(header, content[8 + length :], "1.7")
    path.write_bytes(newer)
    assert load(path).predict([[2.9]]) == [1]
    assert read_header(path)["format"] == "1.7"


def test_a_newer_major_version_is_refused_with_both_named(path):
    header = b'{"__metadata__":{"model":"{}"}}'
    refuse(path, sealed(header, version="2.0"), r"format 2\.0.*writes 1\.0")
    damaged = sealed(header, version="2.0")[:-1] + b"x"
    refuse(path, damaged, r"checksum.*2\.0")


@pytest.mark.parametrize("version", ["0.0", "0.9"])
def test_an_unknown_older_version_is_refused_by_its_name(version, path):
    header = b'{"__metadata__":{"model":"{}"}}'
    refuse(path, sealed(header, version=version), rf"format {version}, which no lookalike")


class Canary:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickles_in_disguise_are_refused_and_not_run(tmp_path):
    canary = tmp_path / "canary"
    path = tmp_path / "model.lookalike"
    with path.open("wb") as file:
        pickle.dump(Canary(canary), file)
    with pytest.raises(ModelFileError, match="not a lookalike model file"):
        load(path)
    joblib.dump(Canary(canary), path)
    with pytest.raises(ModelFileError, match="not a lookalike model file"):
        load(path)
    with path.open("wb") as file:
        np.savez(file, a=np.array([Canary(canary)], dtype=object))
    with pytest.raises(ModelFileError, match="not a lookalike model file"):
        load(path)
    assert not canary.exists()


def test_other_files_are_refused(tmp_path):
    refuse(tmp_path / "m", b"", "empty")
    refuse(tmp_path / "m", b"\x00" * 7, "not a lookalike")
    refuse(tmp_path / "m", b"a,b\n1,2\n" * 99, "not a lookalike")
    with pytest.raises(ModelFileError, match="folder"):
        load(tmp_path)
    with pytest.raises(ModelFileError, match="null"):
        load("a\0b")


def test_a_model_of_other_columns_says_so(path):
    with pytest.raises(ValueError, match="2 features"):
        load(path).predict([[1.0, 2.0]])


def test_arrays_of_the_other_byte_order_come_back_as_this_one(tmp_path):
    model = PCA(1)
    model.mean_ = np.arange(3.0).astype(">f8")
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").mean_, [0, 1, 2])
    assert load(tmp_path / "m").mean_.dtype == np.dtype("<f8")


@pytest.mark.parametrize(
    "value",
    [
        np.array(["a", "ünï", ""]),
        np.array([["a", "bb"], ["c", "d"]]).T,
        np.array([b"x", b"yz"]),
        np.array("text"),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        np.array([1, None, "a", 2.5], dtype=object),
        np.arange(6).reshape(2, 3)[:, ::2],
        np.arange(6).reshape(2, 3).T,
        np.zeros((0, 3)),
        np.float32(0.1),
        np.array(True),
        {1: (2.0, float("nan")), "a": {3, 4}, None: frozenset("ab"), False: slice(1, None)},
        [float("inf"), -0.0, 5e-324, 2**64 - 1, -(2**63), "\ud800\0é"],
        np.dtype("f4"),
        np.int32,
    ],
)
def test_plain_values_come_back_as_they_were(value, tmp_path):
    model = PCA(1)
    model.metric_ = value
    save(model, tmp_path / "m")
    again = load(tmp_path / "m").metric_
    assert type(again) is type(value)
    assert repr(again) == repr(value)
    if isinstance(value, np.ndarray):
        assert again.dtype == value.dtype
        assert again.dtype.kind in "US" or again.flags.fnc == value.copy("A").flags.fnc


def test_a_number_of_more_than_64_bits_is_refused_when_saving(tmp_path):
    with pytest.raises(TypeError, match="random_state"):
        save(PCA(1, random_state=2**64), tmp_path / "m")
