"""Where scikit-learn's own tests do not hold for our neighbors, by file and test, each with why.

`python tests/sklearn_exceptions.py > docs/coming_from_scikit_learn.md` writes the page of it.
"""

from __future__ import annotations

import re

SORTED = "rows within a radius come nearest first, equal distances by row number"
SETS = (
    "metrics of sets (`jaccard`, `dice`, …) refuse numbers other than 0 and 1, which would all "
    "count as true: give booleans, such as `X != 0`"
)
GROWS = (
    "the radius of `RadiusNeighborsClassifier` grows for a row without neighbors; "
    '`ties="nearest"` makes it an error'
)
COVARIANCE = "a `VI` with negative eigenvalues is an error: distances by it would be imaginary"
LATITUDE = "`haversine` refuses latitudes beyond π/2, which are degrees given for radians"
SPREAD = (
    "`StandardScaler` scales columns whose spread is small beside their offset: the variance keeps "
    "the digits that scikit-learn's has lost there"
)
CONSTANT = "a constant column scores 0 with a p-value of 1, without a warning"
SPARSE_INFORMATION = "mutual information takes sparse rows as numbers"
UNCHANGED = "rows given are neither changed nor returned themselves, whatever `copy` is"
ALGORITHMS = "`algorithm` names a search, and rules out no metric that an exact one serves"
TASKS = (
    "`NeighborhoodComponentsAnalysis` learns from numbers, too, and takes few rows with as many "
    'whole numbers for such; `task="classification"` decides otherwise'
)
PRIVATE, WORDING = "private attributes", "the wording of errors"
SET_METRICS = "(jaccard|dice|rogerstanimoto|russellrao|sokalmichener|sokalsneath|yule)"

IMPROVEMENTS = {  # by file: patterns of tests
    "neighbors": {
        r"test_k_and_radius_neighbors_duplicates\[.*": SORTED,
        r"test_k_and_radius_neighbors_train_is_not_query": SORTED,
        r"test_radius_neighbors_sort_results\[.*-euclidean.*": SORTED,
        r"test_radius_neighbors_classifier_when_no_neighbors\[-None-.*": GROWS,
        r"test_pairwise_boolean_distance": SETS,
        rf"test_valid_brute_metric_for_auto_algorithm\[.*-{SET_METRICS}\]": SETS,
        rf"test_radius_neighbors_brute_backend\[-{SET_METRICS}\]": SETS,
        r"test_(neighbors_metrics|kneighbors_brute_backend)\[-sokalmichener\]": SETS,
        r"test_(radius_neighbors|kneighbors)_brute_backend\[-mahalanobis\]": COVARIANCE,
    },
    "kd_tree": {
        r"test_kd_tree_numerical_consistency\[(euclidean|chebyshev|minkowski)\]": SORTED,
    },
    "ball_tree": {
        r"test_ball_tree_numerical_consistency\[(euclidean|chebyshev|minkowski)\]": SORTED,
        rf"test_(ball_tree|kernel_density)_numerical_consistency\[{SET_METRICS}\]": SETS,
        r"test_query_haversine\[BallTree-6\]": LATITUDE,
    },
    "kde": {r"test_kde_algorithm_metric_choice\[haversine-.*": LATITUDE},
    "data": {
        r"test_standard_scaler_near_constant_features\[.*-float64-"
        r"(1e-10|1|1(0){10}\.0)-100(00)?\]": SPREAD,
        r"test_scaler_2d_arrays": UNCHANGED,
    },
    "chi2": {r"test_chi2_unused_feature": CONSTANT},
    "feature_select": {r"test_f_classif_constant_feature": CONSTANT},
    "mutual_info": {r"test_mutual_info_options\[.*": SPARSE_INFORMATION},
    "hdbscan": {
        r"test_hdbscan_default_copy_warning": UNCHANGED,
        r"test_hdbscan_algorithms\[(correlation|cosine|haversine|nan_euclidean|sqeuclidean"
        r"|dice|jaccard|rogerstanimoto|russellrao|sokalsneath)-ball_tree\]": ALGORITHMS,
        r"test_hdbscan_sparse\[.*": ALGORITHMS,
    },
    "nca": {
        r"test_auto_init\[(3-5-(3|5|7|11)-(7|11)|3-7-(3|5|7|11)-11|5-7-(5|7|11)-11)\]": TASKS,
        r"test_singleton_class": TASKS,
    },
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
        r"test_hdbscan_(cosine_metric_invalid_algorithm|precomputed_non_brute)\[.*": WORDING,
        r"test_hdbscan_(distance_matrix|precomputed_dense_nan|tree_invalid_metric)": WORDING,
        r"test_hdbscan_sparse_distances_too_few_nonzero\[.*": WORDING,
        r"test_labelling_distinct\[.*": PRIVATE,
    },
    "k_means": {
        r"test_kmeans_init_auto_with_initial_centroids\[KMeans-.*": PRIVATE,
        r"test_n_init_auto\[KMeans-10\]": PRIVATE,
        r"test_sample_weight_(init|zero)\[.*": PRIVATE,
    },
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
    "ball_tree": {r"test_array_object_type\[BallTree\]": "the wording of an error"},
    "kd_tree": {r"test_array_object_type\[KDTree\]": "the wording of an error"},
}
OPEN = {  # what scikit-learn does and we do not yet
    "neighbors": {
        r"test_kneighbors_regressor_sparse": "sparse distances to a model fitted on dense ones",
        r"test_metric_params_interface": "`p` in `metric_params` beside `p` does not warn",
    },
    "ball_tree": {
        r"test_bad_pyfunc_metric\[BallTree\]": "a metric function is not tried before a query",
    },
    "data": {
        r"test_standard_scaler_dtype\[.*": "float16, and the type of sparse rows, are not kept",
        r"test_standard_scaler_callback_support\[.*": "callbacks hear of one task more",
    },
    "dbscan": {r"test_dbscan_metric_params": "`p` in `metric_params` beside `p` does not warn"},
    "feature_select": {r"test_scorefunc_multilabel": "targets of several columns"},
    "gaussian_mixture": {
        r"test_gaussian_mixture_setting_best_params": "a start that fails ends the fit",
    },
    "hdbscan": {
        r"test_hdbscan_usable_inputs\[kwargs0-X0\]": "infinite distances in a square",
    },
    "k_means": {
        r"test_float_precision\[KMeans-.*": "centers of float32 rows are float64",
        r"test_warning_elkan_1_cluster": "`algorithm='elkan'` with one cluster does not warn",
    },
    "kernel_pca": {r"test_precomputed_kernel_not_psd\[.*": "a kernel with negative eigenvalues"},
    "pca": {r"test_pca_score\[.*": "the likelihood does not depend on `whiten`"},
}


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
        "imputation by neighbors, scalers, scores of columns, Isomap and locally linear embedding "
        "run with these classes in the place of its own (`tests/sklearn_swap`).",
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
