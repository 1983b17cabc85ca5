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


@pytest.mark.parametrize(
    ("parameters", "state", "kind", "expected"),
    [
        ({}, {}, "StandardScaler", [[2.0, 2.0]]),
        ({"method": "minmax"}, {}, "MinMaxScaler", [[2.0, 2.0]]),
        ({"method": "minmax", "center": False}, {"mean_": [0, 0]}, "StandardScaler", [[2.5, 3.0]]),
        ({"method": "whiten"}, {"components_": [[0, 1], [1, 0]]}, "PCA", [[4.0, 1.0]]),
        (
            {"method": "whiten"},
            {"components_": [[0, 1], [1, 0]], "scale_": [2, np.inf]},
            *("PCA", [[4.0, 0.0]]),
        ),
    ],
)
def test_a_standardizer_of_an_older_file_is_the_scaler_of_today(parameters, state, kind, expected):
    state = {"mean_": [1, 2], "scale_": [2, 4], "components_": None} | state
    arrays = {name: np.array(value, float) for name, value in state.items() if value is not None}
    stored = {name: None if state[name] is None else {"array": name} for name in state}
    stored |= {"n_features_in_": 2, "n_samples_seen_": 9.0}
    parameters = {"engine": "auto", "n_jobs": None, "ddof": 0, **parameters}
    decoder = Decoder(arrays)
    model = decoder.decode({"object": "Standardizer", "parameters": parameters, "state": stored})
    assert type(model) is getattr(lookalike, kind)
    rows = np.array([[5.0, 10.0]]) if state["mean_"] == [1, 2] else np.array([[5.0, 12.0]])
    np.testing.assert_allclose(model.transform(rows), expected)
    np.testing.assert_allclose(
        model.inverse_transform(expected)[:, 0], rows[:, 0] if 0.0 not in expected[0] else [1.0]
    )
    model.fit(np.arange(12.0).reshape(4, 3) ** 2)  # and learns anew
