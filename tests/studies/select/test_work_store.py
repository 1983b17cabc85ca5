"""Rows and models of folds are kept in memory, or in files that are mapped into memory."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from lookalike.studies.select.work_store import FolderStore, MemoryStore

LARGE = np.arange(50_000.0)
VALUE = {
    "large": LARGE,
    "again": LARGE,
    "small": np.arange(3),
    "texts": np.array(["a", None], object),
    "sparse": csr_array(np.eye(300, 400).repeat(40, axis=0)),
}


@pytest.fixture(params=["memory", "folder"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else FolderStore(tmp_path)


def test_what_is_kept_comes_back_until_it_is_dropped(store):
    store.put("value", VALUE)
    result = store.get("value")
    np.testing.assert_array_equal(result["large"], LARGE)
    assert result["large"] is result["again"] or result["large"].base is not None
    np.testing.assert_array_equal(result["texts"], VALUE["texts"])
    assert (result["sparse"] != VALUE["sparse"]).nnz == 0
    store.drop("value")
    store.drop("value")
    with pytest.raises((KeyError, FileNotFoundError)):
        store.get("value", mapped=False)


def test_large_arrays_are_written_once_and_mapped(tmp_path):
    store = FolderStore(tmp_path)
    store.put("value", {"large": LARGE, "again": LARGE})
    assert len(list(tmp_path.glob("*.npy"))) == 1
    assert (tmp_path / "value.pickle").stat().st_size < 1000
    mapped = pickle.loads(pickle.dumps(store)).get("value")["large"]
    assert not mapped.flags.writeable
    assert store.get("value", mapped=False)["large"].flags.writeable
