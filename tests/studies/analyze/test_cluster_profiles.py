"""The profile of a cluster is what it has more or less of than all rows."""

import numpy as np

from lookalike.studies.analyze.cluster_profiles import profile_clusters
from lookalike.studies.load.dataset import Dataset

LABEL = np.repeat([0, 1], [6, 4])


def described(rows, kinds, Z, **options):
    dataset = Dataset(rows, kinds, np.arange(100, 110), **options)
    centers = np.array([Z[number == LABEL].mean(axis=0) for number in (0, 1)])
    return profile_clusters(Z, centers, LABEL, dataset)


def test_numbers_and_categories_that_differ_most_are_the_traits_with_their_means_and_shares():
    rows = {
        "age": np.array([20.0, 22, 24, np.nan, 22, 22, 60, 62, 64, 62]),
        "sex": np.array(["f", "m", "f", "m", "f", "m", "f", "m", "f", None], object),
        "smokes": np.array(["no"] * 6 + ["yes"] * 4, object),
    }
    kinds = {"age": "number", "sex": "category", "smokes": "category"}
    young, old = described(rows, kinds, np.nan_to_num(rows["age"], nan=22.0)[:, None])
    assert (young.n_rows, old.n_rows) == (6, 4)
    assert {trait.name for trait in old.traits} == {"age", "smokes = no", "smokes = yes"}
    age = next(trait for trait in old.traits if trait.name == "age")
    assert (age.mean, age.is_share) == (62.0, False)
    np.testing.assert_allclose(age.overall_mean, np.nanmean(rows["age"]))
    smokes = next(trait for trait in old.traits if trait.name == "smokes = yes")
    assert (smokes.mean, smokes.overall_mean, smokes.is_share) == (1.0, 0.4, True)


def test_the_rows_nearest_to_the_center_are_the_typical_ones_by_their_numbers():
    Z = np.array([0.0, 1, 2, 3, 4, 5, 10, 11, 12, 30])[:, None]
    low, high = described(Z, {"x": "number"}, Z)
    assert [one.row for one in low.typical_rows] == [102, 103, 101]
    assert [one.row for one in high.typical_rows] == [108, 107, 106]
    np.testing.assert_allclose([one.distance for one in low.typical_rows], [0.5, 0.5, 1.5])


def test_traits_of_texts_are_terms_and_images_have_typical_rows_only():
    words = ["wing lift drag"] * 6 + ["heat flux plate"] * 4
    Z = LABEL[:, None].astype(float)
    wings, heat = described({"text": np.array(words, object)}, {"text": "text"}, Z, text="text")
    assert {"wing", "heat"} <= {trait.name for trait in wings.traits}
    assert next(t for t in heat.traits if t.name == "heat").mean == 1.0
    pixels = np.arange(40.0).reshape(10, 4)
    kinds = dict.fromkeys(["a", "b", "c", "d"], "number")
    groups = described(pixels, kinds, pixels, image_shape=(2, 2))
    assert all(group.traits == () and group.typical_rows[0].thumbnail for group in groups)
