"""From the parameters of a PCA to the solver, and from its spectrum to the number kept."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from lookalike.data.source import Source
from lookalike.data.sparse import SparseSource
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import MemoryBudgetError, ParameterError, ParameterTypeError
from lookalike.kernels.scatter import Moments
from lookalike.models.decomposition import pca_solvers
from lookalike.models.decomposition.n_components import RULES, Table, by_rule, explaining
from lookalike.models.decomposition.pca_missing import expected_moments
from lookalike.models.decomposition.pca_solvers import (
    Few,
    Solution,
    by_covariance,
    by_gram,
    by_svd,
    effective_rows,
    product_dtype,
)
from lookalike.models.linalg.centered import CenteredRows
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked, CountedState, Grouped, WithRowCount
from lookalike.settings import settings
from lookalike.typing import Array
from lookalike.validation import check_choice, check_int

if TYPE_CHECKING:
    from lookalike.models.decomposition.pca import PCA

SOLVERS = ("auto", "covariance_eigh", "gram", "full", "leading", "arpack", "randomized")
PARTIAL = ("leading", "arpack", "randomized")  # they find some directions, not the spectrum
OPTIONS = {  # what solvers have a use for, beside scikit-learn's default
    "tol": (0.0, ("leading", "arpack")),
    "iterated_power": ("auto", ("randomized",)),
    "n_oversamples": (10, ("randomized",)),
    "power_iteration_normalizer": ("auto", ("randomized",)),
}
SMALL = 500  # columns up to which the covariance is cheap whatever the rows
WIDE = 2000  # columns from which a few directions are cheaper than all of them


class Found(NamedTuple):
    """A solution, and the moments it came from where there are any."""

    solution: Solution
    moments: CountedState[Moments] | None = None
    folds: tuple[Moments, ...] | None = None


class Plan:
    """The checked parameters of a PCA, and what follows from them."""

    def __init__(self, pca: PCA) -> None:
        self.asked = _checked_number(pca.n_components)
        check_choice("svd_solver", pca.svd_solver, SOLVERS)
        check_choice("ddof", pca.ddof, (0, 1))
        check_choice("missing", pca.missing, ("error", "em"))
        check_choice("copy", pca.copy, (True, False))
        check_choice("whiten", pca.whiten, (True, False))
        check_choice(
            "power_iteration_normalizer",
            pca.power_iteration_normalizer,
            ("auto", "QR", "LU", "none"),
        )
        check_int("n_oversamples", pca.n_oversamples, least=1)
        if pca.iterated_power != "auto":
            check_int("iterated_power", pca.iterated_power, least=0)
        if not isinstance(pca.tol, int | float | np.number) or not pca.tol >= 0:
            raise ParameterError(f"tol={pca.tol!r} is not a number >= 0. Give one, such as 1e-6.")
        self.pca = pca

    def rng(self) -> np.random.RandomState:
        """Return the source of chance: that of seed 0 unless another was given."""
        seed = self.pca.random_state
        rng: np.random.RandomState = check_random_state(0 if seed is None else seed)
        return rng

    def require_mergeable(self) -> bool:
        """Return True, or raise where rows cannot join one after the other."""
        for name, able in (
            ("svd_solver", ("auto", "covariance_eigh")),
            ("missing", ("error",)),
        ):
            if getattr(self.pca, name) not in able:
                raise ParameterError(
                    f"Rows cannot join or leave with {name}={getattr(self.pca, name)!r}. "
                    f"Choose {name}={able[-1]!r}, or fit all rows at once."
                )
        if self.asked == "cv":
            raise ParameterError(
                "Rows cannot join or leave with n_components='cv', which needs them in folds. "
                "Choose another rule, or fit all rows at once."
            )
        return True

    def solve(self, source: Source, engine: Engine, decisions: Decisions) -> Found:
        """Go through the rows and find their directions."""
        pca, solver = self.pca, self._solver(source, engine, decisions)
        for name, (default, users) in OPTIONS.items():
            if getattr(pca, name) != default and solver not in users:
                decisions.add(name, "not needed", f"svd_solver={solver!r} has no use for it")
        if solver == "covariance_eigh":
            return self._from_moments(source, engine, decisions)
        if solver == "leading":
            gathered = pca_solvers.column_means(engine, source)
            rows = effective_rows(gathered.rows, float(gathered.state.count.max()))
            k = self._n_truncated(rows, source.n_features, solver)
            problem = Few(k, pca.ddof, pca.tol, self.rng())
            return Found(pca_solvers.by_leading(engine, source, gathered, problem, decisions))
        return Found(self._from_rows(source, solver, decisions))

    def n_kept(self, solution: Solution, decisions: Decisions, errors: Array | None = None) -> int:
        """Return how many directions are kept."""
        spectrum, asked = solution.variance, self.asked
        most = min(solution.rows, len(solution.mean))
        if solution.rank < min(most, solution.rows - 1) and len(spectrum) == most:
            decisions.add("rank_", solution.rank, f"the rows vary in no more of {most} directions")
        if asked is None or len(spectrum) < most:
            return len(spectrum)
        if isinstance(asked, int):
            return _in_range(asked, 0, most, self.pca.svd_solver)
        if isinstance(asked, float):
            kept, reason = explaining(spectrum, asked), f"they explain {asked:g} of the variance"
        else:
            kept, reason = by_rule(
                asked,
                spectrum,
                Table(solution.rows, self.pca.ddof, solution.column_variance),
                self.rng(),
                errors,
            )
        decisions.add("n_components", kept, reason)
        return kept

    def n_kept_so_far(self, solution: Solution, decisions: Decisions) -> int:
        """Return how many directions are kept while rows still join: as many as there are."""
        most = min(solution.rows, len(solution.mean))
        if isinstance(self.asked, int) and self.asked > most:
            decisions.add("n_components", most, f"{solution.rows} rows have come so far")
            return most
        return self.n_kept(solution, decisions)

    def _solver(self, source: Source, engine: Engine, decisions: Decisions) -> str:
        """Return the solver asked for, or the one that suits the rows."""
        solver, sparse = self.pca.svd_solver, isinstance(source, SparseSource)
        if sparse and solver in ("full", "randomized"):
            raise ParameterTypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, '
                f'while "{solver}" was passed. "gram", "leading" and "auto" keep them sparse too.'
            )
        if sparse and self.pca.missing == "em":
            raise ParameterTypeError(
                "Sparse rows cannot be had with missing='em': what is not stored is zero, not "
                "missing. Choose missing='error', or give X.toarray()."
            )
        gathers = self.pca.missing == "em" or self.asked == "cv"
        if solver == "auto":
            solver, reason = self._suiting(source, engine.name, gathers)
            decisions.add("svd_solver", solver, reason)
        if gathers and solver != "covariance_eigh":
            what = "missing='em'" if self.pca.missing == "em" else "n_components='cv'"
            raise ParameterError(
                f"{what} needs the covariance of the rows, not svd_solver={solver!r}. "
                "Choose svd_solver='covariance_eigh'."
            )
        if solver in PARTIAL and isinstance(self.asked, str):
            raise ParameterError(
                f"n_components={self.asked!r} cannot be a string with svd_solver='{solver}', which "
                "finds a given number of directions. Choose svd_solver='covariance_eigh'."
            )
        if solver == "leading" and self.asked is None:
            raise ParameterError(
                "svd_solver='leading' finds a given number of directions. Give n_components."
            )
        return solver

    def _suiting(self, source: Source, engine: str, gathers: bool) -> tuple[str, str]:
        d, n = source.n_features, source.n_rows
        fits = 3 * 8 * d * d <= settings().memory
        few = isinstance(self.asked, int) and 10 * self.asked <= min(d, n or d)
        if gathers and fits:
            return "covariance_eigh", "the rule or the missing values need the covariance"
        if few and d > WIDE and source.repeatable and (n is None or n > WIDE):
            return "leading", f"{self.asked} directions of {d} are wanted"
        held = n if engine == "memory" else None
        if held is not None and held < d > SMALL and 3 * 8 * held**2 <= settings().memory:
            return "gram", f"{n} rows are fewer than {d} columns"
        if fits:
            return "covariance_eigh", f"one pass, and {d} columns are not too many"
        raise MemoryBudgetError(
            f"The covariance of {d} columns exceeds memory={settings().memory:,} bytes. Ask for "
            "few components, which svd_solver='leading' finds without it, or raise the budget: "
            "lookalike.config(memory=...)."
        )

    def _from_moments(self, source: Source, engine: Engine, decisions: Decisions) -> Found:
        products = product_dtype(source)
        if self.pca.missing == "em":
            n_axes = self.asked if isinstance(self.asked, int) else None
            gathered = expected_moments(engine, source, n_axes, decisions)
            return Found(by_covariance(gathered, self.pca.ddof, np.dtype(np.float64)))
        if self.asked != "cv":
            gathered = engine.reduce(Checked(WithRowCount(Covariance()), source.columns), source)
            return Found(by_covariance(gathered, self.pca.ddof, products), gathered)
        rows, folds = engine.reduce(
            Checked(WithRowCount(Grouped(Covariance())), source.columns), source
        )
        moments = CountedState(rows, functools.reduce(Covariance().merge, folds))
        return Found(by_covariance(moments, self.pca.ddof, products), moments, folds)

    def _from_rows(self, source: Source, solver: str, decisions: Decisions) -> Solution:
        pca = self.pca
        exact = solver in ("gram", "full") or source.dtype != np.float32
        data = CenteredRows(source, np.dtype(np.float64 if exact else np.float32))
        if source.home != "memory":
            decisions.add("rows", "gathered in memory", f"svd_solver={solver!r} needs them at once")
        if solver in ("gram", "full"):
            return (by_gram if solver == "gram" else by_svd)(data, pca.ddof)
        k = self._n_truncated(*data.shape, solver)
        few = Few(k, pca.ddof, pca.tol, self.rng())
        if solver == "arpack":
            return pca_solvers.by_arpack(data, few, decisions)
        options = {
            "n_oversamples": pca.n_oversamples,
            "n_iter": pca.iterated_power,
            "power_iteration_normalizer": pca.power_iteration_normalizer,
        }
        return pca_solvers.by_random_projection(data, few, options, decisions)

    def _n_truncated(self, rows: int, n_features: int, solver: str) -> int:
        """Return how many directions a solver is asked for that does not find all of them."""
        most = min(rows, n_features)
        strict = solver == "arpack"
        if self.asked is None:
            return most - strict
        k = _in_range(self.asked, 1, most, solver)
        if strict and k == most:
            raise ParameterError(
                f"n_components={k} must be strictly less than min(n_samples, n_features)={most} "
                f"with svd_solver='{solver}'. Choose svd_solver='covariance_eigh' for all of them."
            )
        return k


def _checked_number(asked: Any) -> int | float | str | None:
    """Return `n_components` as an int, a fraction, a rule or None."""
    if asked is None:
        return None
    if isinstance(asked, str):
        check_choice("n_components", asked, RULES)
        return asked
    if isinstance(asked, float | np.floating) and 0.0 < asked < 1.0:
        return float(asked)
    if isinstance(asked, bool) or not hasattr(asked, "__index__"):
        raise ParameterTypeError(
            f"n_components={asked!r} is neither a whole number nor a fraction between 0 and 1. "
            f"Give one of these, None, or a rule: {', '.join(map(repr, RULES))}."
        )
    return int(asked)


def _in_range(asked: Any, least: int, most: int, solver: str) -> int:
    if not isinstance(asked, int) or not least <= asked <= most:
        raise ParameterError(
            f"n_components={asked} must be between {least} and min(n_samples, n_features)={most} "
            f"with svd_solver={solver!r}. Choose n_components <= {most}."
        )
    return asked
