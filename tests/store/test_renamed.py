"""Objects of older files are those of today, whatever their classes were called."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike
from lookalike.data.chunk import Chunk
from lookalike.reductions.within_class_scatter import WithinClassScatter
from lookalike.store.decode import Decoder
from lookalike.store.renamed import RENAMED_CLASSES


def old(name, parameters=None, **state):
    return Decoder({}).decode({"object": name, "parameters": parameters or {}, "state": state})


@pytest.mark.parametrize("name", RENAMED_CLASSES)
def test_every_old_name_leads_to_a_class(name):
    from lookalike.store.known import KNOWN_CLASSES

    assert isinstance(KNOWN_CLASSES[RENAMED_CLASSES[name]].load(), type)


def test_a_curve_of_an_older_file_is_a_dictionary_of_arrays():
    curve = old("PenaltyCurve", alpha=[0.1, 1.0], mse=[3.0, 2.0])
    assert curve == {"alpha": [0.1, 1.0], "mse": [3.0, 2.0]}


@pytest.mark.parametrize("name", ["Pooled", "WithinClassState"])
def test_moments_of_classes_of_an_older_file_join_those_of_today(name):
    X, y = np.array([[0.0, 1.0], [2.0, 2.0], [3.0, 0.0], [5.0, 4.0]]), np.array([0, 0, 1, 1])
    reduction = WithinClassScatter()
    means, scatter = reduction.update(reduction.init(2), Chunk(X, y))
    arrays, classes = {"scatter": scatter}, []
    for label, (count, mean, tail) in means.items():
        arrays |= {f"mean {label}": mean, f"tail {label}": tail}
        state = {
            "count": count,
            "mean": {"array": f"mean {label}"},
            "tail": {"array": f"tail {label}"},
        }
        classes.append([label, {"object": "ClassMean", "state": state}])
    state = {"means": {"dict": classes}, "scatter": {"array": "scatter"}}
    before = Decoder(arrays).decode({"object": name, "state": state})
    both = reduction.finalize(reduction.merge(before, (means, scatter)))
    assert both.count.tolist() == [4.0, 4.0]
    np.testing.assert_array_equal(both.mean, [[1.0, 1.5], [4.0, 2.0]])
    np.testing.assert_array_equal(both.scatter, 2 * scatter)


def test_an_imputer_of_an_older_file_is_a_simple_imputer():
    fills = {"values": [2.0, 7.0], "shape": [2]}
    model = old("Imputer", {"strategy": "mode", "engine": "auto", "n_jobs": None}, n_features_in_=2)
    assert type(model) is lookalike.SimpleImputer
    assert model.strategy == "most_frequent"
    model = old("Imputer", {"strategy": "mode"}, n_features_in_=2, statistics_=fills)
    model.statistics_ = model.statistics_.astype(float)
    model.engine, model.n_jobs = "auto", None
    assert model.transform(np.array([[np.nan, 1.0]])).tolist() == [[2.0, 1.0]]


def test_a_preparer_of_an_older_file_is_a_table_preprocessor():
    model = old("Preparer", {"columns": None, "scale": "none", "encoding": "onehot"})
    assert type(model) is lookalike.TablePreprocessor


def test_a_learned_map_of_an_older_file_is_one_of_all_rows():
    model = old("NeighborhoodComponentsAnalysis", {"diagonal": True})
    assert model.max_samples is None
