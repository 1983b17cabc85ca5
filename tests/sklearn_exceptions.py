"""Where scikit-learn's own tests do not hold for our neighbors, by file and test, each with why.

`python tests/sklearn_exceptions.py > docs/coming_from_scikit_learn.md` writes the page of it.
"""

from __future__ import annotations

import re

SORTED = "rows within a radius come nearest first, equal distances by row number"
GROWS = (
    "the radius of `RadiusNeighborsClassifier` grows for a row without neighbors; "
    '`ties="nearest"` makes it an error'
)
COVARIANCE = "a `VI` with negative eigenvalues is an error: distances by it would be imaginary"
SPREAD = (
    "`StandardScaler` scales columns whose spread is small beside their offset: the variance keeps "
    "the digits that scikit-learn's has lost there"
)
FRAMES = "a data frame comes back as a data frame"
SPARSE_INFORMATION = "mutual information takes sparse rows as numbers"
UNCHANGED = "rows given are neither changed nor returned themselves, whatever `copy` is"
WHITENED = (
    "the likelihood of `PCA` does not depend on `whiten`, which changes the scores and not the "
    "density of the rows; scikit-learn counts the variances twice"
)
STARTS = (
    "the first centers of `KMeans` depend on the values of the rows alone, not on their order or "
    "on duplicates; rows rounded to float32 are other rows, and start elsewhere"
)
PRIVATE_TREE = "a private class of scikit-learn, whose unsorted results have an order of their own"
PRIVATE, WORDING = "private attributes", "the wording of errors"

IMPROVEMENTS = {  # by file: patterns of tests
    "neighbors": {
        r"test_k_and_radius_neighbors_(duplicates\[.*|train_is_not_query)": SORTED,
        r"test_radius_neighbors_classifier_when_no_neighbors\[-None-.*": GROWS,
        r"test_(radius_neighbors|kneighbors)_brute_backend\[-mahalanobis\]": COVARIANCE,
    },
    "data": {
        r"test_standard_scaler_near_constant_features\[.*-float64-"
        r"(1e-10|1|1(0){10}\.0)-100(00)?\]": SPREAD,
        r"test_scaler_2d_arrays": UNCHANGED,
    },
    "impute": {
        r"test_imputation_copy": UNCHANGED,
        r"test_simple_impute_pd_na": FRAMES,
    },
    "mutual_info": {r"test_mutual_info_options\[.*": SPARSE_INFORMATION},
    "pca": {r"test_pca_score\[.*": WHITENED},
    "k_means": {r"test_float_precision\[.*": STARTS},
    "bisect_k_means": {r"test_float32_float64_equivalence\[.*None\]": STARTS},
}
APART = {  # tests of private attributes, and of the wording of messages
    "neighbors": {
        r"test_auto_algorithm\[X(2|4)-.*": "which tree is built; `search_plan` says what answers",
        r"test_neighbors_validate_parameters\[.*": "the wording of errors",
        r"test_nearest_neighbors_validate_params": "the wording of errors",
        r"test_precomputed_sparse_invalid\[.*": "the wording of an error",
    },
    "data": {
        r"test_one_to_one_features_pandas\[(MinMax|Standard)Scaler\]": WORDING,
        r"test_standard_scaler_raise_error_for_1d_input": WORDING,
    },
    "gaussian_mixture": {
        r"test_check_weights": WORDING,
        r"test_gaussian_mixture_all_init_does_not_estimate_gaussian_parameters": PRIVATE,
        r"test_gaussian_mixture_precisions_init\[.*": PRIVATE,
    },
    "hdbscan": {
        r"test_hdbscan_precomputed_non_brute\[.*": WORDING,
        r"test_hdbscan_(distance_matrix|precomputed_dense_nan|tree_invalid_metric)": WORDING,
        r"test_hdbscan_default_copy_warning": "the wording of a warning of a coming default",
        r"test_hdbscan_sparse_distances_too_few_nonzero\[.*": WORDING,
        r"test_labelling_distinct\[.*": PRIVATE,
    },
    "k_means": {
        r"test_kmeans_init_auto_with_initial_centroids\[.*": PRIVATE,
        r"test_minibatch_kmeans_init_size": PRIVATE,
        r"test_n_init_auto\[.*": PRIVATE,
        r"test_sample_weight_(init|zero)\[.*": PRIVATE,
    },
    "kde": {r"test_kde_algorithm_metric_choice\[haversine-kd_tree\]": WORDING},
    "incremental_pca": {r"test_incremental_pca_validation": WORDING},
    "knn": {r"test_knn_imputer_default_with_invalid_input\[.*": WORDING},
    "lof": {
        r"test_lof(_precomputed)?\[\]": PRIVATE,
        r"test_lof_error_n_neighbors_too_large": WORDING,
    },
    "nca": {
        r"test_(finite_differences|toy_example_collapse_points)": PRIVATE,
        r"test_(init_transformation|n_components|params_validation)": WORDING,
    },
    "optics": {r"test_(bad_extract|minimum_number_of_sample_check)": WORDING},
    "pca": {
        r"test_pca_svd_solver_auto\[.*": PRIVATE,
        r"test_pca_validation\[auto-3-n_components=3.*": WORDING,
    },
    "ball_tree": {
        r"test_array_object_type\[BallTree\]": "the wording of an error",
        r"test_ball_tree_numerical_consistency\[(?!manhattan).*\]": PRIVATE_TREE,
    },
    "kd_tree": {
        r"test_array_object_type\[KDTree\]": "the wording of an error",
        r"test_kd_tree_numerical_consistency\[(euclidean|chebyshev|minkowski)\]": PRIVATE_TREE,
    },
}
OPEN: dict[str, dict[str, str]] = {}  # what scikit-learn does and we do not yet


def reason_of(stem: str, test: str) -> str | None:
    """Return why a test of scikit-learn does not hold here; None where it does."""
    for listed in (IMPROVEMENTS, APART, OPEN):
        for pattern, reason in listed.get(stem, {}).items():
            if re.fullmatch(pattern, test):
                return reason
    return None


def page() -> str:
    """Return the page of the documentation."""
    names = {reason: [] for tests in IMPROVEMENTS.values() for reason in tests.values()}
    lines = [
        "# Coming from scikit-learn",
        "",
        "Change the import, and nothing else: `from lookalike.neighbors import …` has the names of "
        "`sklearn.neighbors`, `from lookalike import …` the others. scikit-learn's own tests of "
        "neighbors, trees, graphs, centroids, clusters, densities, mixtures, projections, "
        "discriminants, imputation, scalers, scores of columns, label propagation, Isomap and "
        "locally linear embedding run with these classes in the place of its own, and "
        "`check_estimator` with every estimator (`tests/sklearn_swap`). `lookalike.cluster`, "
        "`lookalike.decomposition` and `lookalike.discriminant_analysis` are named as there.",
        "",
        "## What is different on purpose",
        "",
        *(f"{number}. {_sentence(reason)}" for number, reason in enumerate(names, 1)),
        "",
        "## Tests of scikit-learn that do not hold",
        "",
        "| file | test | why |",
        "|---|---|---|",
    ]
    for kind, listed in (("", IMPROVEMENTS), ("apart: ", APART), ("not yet: ", OPEN)):
        for stem, tests in listed.items():
            for pattern, reason in tests.items():
                cell = pattern.replace("\\", "").replace("|", "\\|").replace(".*", "…")
                number = f"{list(names).index(reason) + 1}." if not kind else f"{kind}{reason}"
                lines.append(f"| `test_{stem}` | `{cell}` | {number} |")
    return "\n".join([*lines, ""])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    print(page(), end="")
