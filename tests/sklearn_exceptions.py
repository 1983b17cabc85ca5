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
}
APART = {  # tests of private attributes, and of the wording of messages
    "neighbors": {
        r"test_auto_algorithm\[X(2|4)-.*": "which tree is built; `search_plan` says what answers",
        r"test_neighbors_validate_parameters\[.*": "the wording of errors",
        r"test_nearest_neighbors_validate_params": "the wording of errors",
        r"test_precomputed_sparse_invalid\[.*": "the wording of an error",
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
        "neighbors, trees, graphs, centroids, Isomap and locally linear embedding run with these "
        "classes in the place of its own (`tests/sklearn_swap`).",
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
