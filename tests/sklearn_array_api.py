"""Run scikit-learn's checks of array API dispatch on every estimator, and print those that fail.

SciPy reads SCIPY_ARRAY_API when it is imported, so that this is a process of its own.
"""

from __future__ import annotations

import warnings

from public_estimators import PUBLIC_ESTIMATORS
from sklearn.utils.estimator_checks import estimator_checks_generator

FEW_STEPS = {"max_iter": 5, "n_estimators": 5, "max_epochs": 5}
NEEDED = {  # by what the checks ask for, of scikit-learn's classes of these names, too
    "KernelPCA": {"fit_inverse_transform": True},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},
    "SimpleImputer": {"add_indicator": True},
}


def small(name):
    """Return an estimator with its defaults, and few steps."""
    model = PUBLIC_ESTIMATORS[name]()
    known = model.get_params()
    few = {key: value for key, value in FEW_STEPS.items() if key in known}
    return model.set_params(**few, **NEEDED.get(name, {}))


def main():
    warnings.simplefilter("ignore")
    count = failed = 0
    for name in sorted(PUBLIC_ESTIMATORS):
        for estimator, check in estimator_checks_generator(small(name)):
            if not check.func.__name__.startswith("check_array_api"):
                continue
            count += 1
            try:
                check(estimator)
            except Exception as error:
                failed += 1
                print(f"{name}: {type(error).__name__}: {error}")
    print(f"{count} checks, {failed} failed")


if __name__ == "__main__":
    main()
