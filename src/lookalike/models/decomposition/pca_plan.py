"""The plan of a PCA: its solver from its parameters, the number of components from the spectrum."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lookalike.data.source import Source
from lookalike.data.sources.sparse import SparseSource
from lookalike.decisions import Decisions
from lookalike.engines import Engine
from lookalike.errors import (
    MagnitudeError,
    MemoryBudgetError,
    ParameterError,
    ParameterTypeError,
)
from lookalike.kernels.scatter import Moments
from lookalike.models.decomposition.n_components import COMPONENT_RULES, PCASpectrum, n_explaining
from lookalike.models.decomposition.pca_missing import expected_moments
from lookalike.models.decomposition.pca_solvers import (
    PCASolution,
    TruncatedSolver,
    by_covariance,
    by_gram,
    by_svd,
    column_means,
    effective_rows,
    product_dtype,
)
from lookalike.models.linalg.centered import CenteredRows
from lookalike.models.linalg.magnitude import (
    MAX_SQUARES_FLOAT32,
    MAX_SQUARES_FLOAT64,
    MIN_SQUARES_FLOAT32,
    brought_near_one,
    can_rescale,
    require_range,
)
from lookalike.reductions.covariance import Covariance
from lookalike.reductions.wrappers import Checked, CountedState, Grouped, WithRowCount
from lookalike.settings import settings
from lookalike.typing import Array
from lookalike.validation import check_choice, check_int, check_random_state, is_int

if TYPE_CHECKING:
    from lookalike.models.decomposition.pca_updates import PCAModel

PCA_SOLVERS = ("auto", "covariance_eigh", "gram", "full", "leading", "arpack", "randomized")
PARTIAL_SOLVERS = (
    "leading",
    "arpack",
    "randomized",
)  # they find some components, not the whole spectrum
SOLVER_OPTIONS = {  # options that only some solvers use, with scikit-learn's default
    "tol": (0.0, ("leading", "arpack")),
    "iterated_power": ("auto", ("randomized",)),
    "n_oversamples": (10, ("randomized",)),
    "power_iteration_normalizer": ("auto", ("randomized",)),
}
MAX_COLUMNS_FOR_COVARIANCE = 64  # columns up to which the covariance is cheap whatever the rows
MIN_COLUMNS_FOR_PARTIAL = 2000  # columns from which a few directions are cheaper than all of them


# A solution, and the moments of all rows and of each fold where the solver gathered them.
Solved: TypeAlias = tuple[PCASolution, CountedState[Moments] | None, tuple[Moments, ...] | None]


class PCAPlan:
    """The checked parameters of a PCA, and what follows from them."""

    def __init__(self, pca: PCAModel) -> None:
        self.n_components: int | float | str | None = _check_number(pca.n_components)
        check_choice("svd_solver", pca.svd_solver, PCA_SOLVERS)
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
        self._in_range = False  # whether the magnitude of the rows has been looked at

    def rng(self) -> np.random.RandomState:
        """Return the random generator: that of seed 0 unless another was given."""
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
        if self.n_components == "cv":
            raise ParameterError(
                "Rows cannot join or leave with n_components='cv', which needs them in folds. "
                "Choose another rule, or fit all rows at once."
            )
        return True

    def solve(self, source: Source, engine: Engine, decisions: Decisions) -> tuple[Solved, float]:
        """Read the rows and find their principal components; times which power of two, too.

        Rows whose squares leave the range of float64 are read again, brought near 1.
        """
        try:
            return self._solve(source, engine, decisions), 1.0
        except MagnitudeError:
            rescaled, scale = brought_near_one(source, engine, decisions)
        self._in_range = True
        solution, moments, folds = self._solve(rescaled, engine, decisions)
        return (solution, moments if scale == 1.0 else None, folds), scale

    def _require_range(self, scatter: Array, source: Source) -> None:
        if self._in_range or not can_rescale(source):
            require_range(scatter, least=0.0)
        elif product_dtype(source) == np.float32:
            require_range(scatter, least=MIN_SQUARES_FLOAT32, most=MAX_SQUARES_FLOAT32)
        else:
            require_range(scatter, most=MAX_SQUARES_FLOAT64)

    def _solve(self, source: Source, engine: Engine, decisions: Decisions) -> Solved:
        pca, solver = self.pca, self._solver(source, engine, decisions)
        for name, (default, users) in SOLVER_OPTIONS.items():
            if getattr(pca, name) != default and solver not in users:
                decisions.add(name, "ignored", f"svd_solver={solver!r} does not use it")
        if solver == "covariance_eigh":
            return self._from_moments(source, engine, decisions)
        if solver == "leading":
            gathered = column_means(engine, source)
            self._require_range(gathered.state.scatter, source)
            rows = effective_rows(gathered.rows, float(gathered.state.count.max()))
            truncated = self._truncate(rows, source.n_features, solver, decisions)
            return truncated.leading(engine, source, gathered), None, None
        return self._from_rows(source, solver, decisions), None, None

    def n_kept(
        self, solution: PCASolution, decisions: Decisions, errors: Array | None = None
    ) -> int:
        """Return how many components are kept."""
        spectrum, n_components = solution.variance, self.n_components
        most = min(solution.rows, len(solution.mean))
        if solution.rank < min(most, solution.rows - 1) and len(spectrum) == most:
            decisions.add("rank_", solution.rank, f"the rows vary in no more of {most} directions")
        if n_components is None or len(spectrum) < most:
            return len(spectrum)
        if isinstance(n_components, int):
            return _in_range(n_components, 0, most, self.pca.svd_solver)
        if isinstance(n_components, float):
            everything = n_components == 1.0
            kept = max(solution.rank, 1) if everything else n_explaining(spectrum, n_components)
            reason = f"they explain {'all' if everything else f'{n_components:g}'} of the variance"
        else:
            rows = PCASpectrum(spectrum, solution.rows, self.pca.ddof, solution.column_variance)
            kept, reason = rows.by_rule(n_components, self.rng(), errors)
        decisions.add("n_components", kept, reason)
        return kept

    def n_kept_so_far(self, solution: PCASolution, decisions: Decisions) -> int:
        """Return how many components are kept while rows still join: as many as there are."""
        most = min(solution.rows, len(solution.mean))
        if isinstance(self.n_components, int) and self.n_components > most:
            decisions.add("n_components", most, f"{solution.rows} rows have come so far")
            return most
        return self.n_kept(solution, decisions)

    def _solver(self, source: Source, engine: Engine, decisions: Decisions) -> str:
        """Return the solver that was given, or the one that suits the rows."""
        solver, sparse = self.pca.svd_solver, isinstance(source, SparseSource)
        if sparse and solver in ("full", "randomized"):
            raise ParameterTypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, '
                f'while "{solver}" was passed. "gram", "leading" and "auto" keep them sparse too.'
            )
        if sparse and self.pca.missing == "em":
            raise ParameterTypeError(
                "missing='em' does not support sparse rows: what is not stored is zero, not "
                "missing. Choose missing='error', or give X.toarray()."
            )
        gathers = self.pca.missing == "em" or self.n_components == "cv"
        if solver == "auto":
            solver, reason = self._suiting(source, engine.name, gathers)
            decisions.add("svd_solver", solver, reason)
        if gathers and solver != "covariance_eigh":
            what = "missing='em'" if self.pca.missing == "em" else "n_components='cv'"
            raise ParameterError(
                f"{what} needs the covariance of the rows, not svd_solver={solver!r}. "
                "Choose svd_solver='covariance_eigh'."
            )
        if solver in PARTIAL_SOLVERS and isinstance(self.n_components, str):
            raise ParameterError(
                f"n_components={self.n_components!r} cannot be a string with "
                f"svd_solver='{solver}', which finds a given number of components. "
                "Choose svd_solver='covariance_eigh'."
            )
        if solver == "leading" and self.n_components is None:
            raise ParameterError(
                "svd_solver='leading' finds a given number of components. Give n_components."
            )
        return solver

    def _suiting(self, source: Source, engine: str, gathers: bool) -> tuple[str, str]:
        d, n = source.n_features, source.n_rows
        fits = 3 * 8 * d * d <= settings().memory
        few = isinstance(self.n_components, int) and 10 * self.n_components <= min(d, n or d)
        if gathers and fits:
            return "covariance_eigh", "the rule or the missing values need the covariance"
        if (
            few
            and d > MIN_COLUMNS_FOR_PARTIAL
            and source.repeatable
            and (n is None or n > MIN_COLUMNS_FOR_PARTIAL)
        ):
            return "leading", f"{self.n_components} of {d} components are requested"
        known = n if engine == "memory" else None
        cheap = (
            known is not None
            and d > MAX_COLUMNS_FOR_COVARIANCE
            and 2 * _work(d, known) <= _work(known, d)
        )
        if known is not None and cheap and 3 * 8 * known**2 <= settings().memory:
            return "gram", f"{n} rows are fewer than {d} columns"
        if fits:
            return "covariance_eigh", f"one pass, and {d} columns are not too many"
        raise MemoryBudgetError(
            f"The covariance of {d} columns exceeds memory={settings().memory:,} bytes. Choose "
            "few components, which svd_solver='leading' finds without it, or raise the budget: "
            "lookalike.config(memory=...)."
        )

    def _from_moments(self, source: Source, engine: Engine, decisions: Decisions) -> Solved:
        products = product_dtype(source)
        if self.pca.missing == "em":
            n_axes = self.n_components if isinstance(self.n_components, int) else None
            looked_at = self._in_range or not can_rescale(source)
            if not looked_at and brought_near_one(source, engine, decisions)[1] != 1.0:
                require_range(np.full(1, np.inf))
            gathered = expected_moments(engine, source, n_axes, decisions)
            return by_covariance(gathered, self.pca.ddof, np.dtype(np.float64)), None, None
        if self.n_components != "cv":
            gathered = engine.reduce(Checked(WithRowCount(Covariance()), source.columns), source)
            self._require_range(gathered.state.scatter, source)
            return by_covariance(gathered, self.pca.ddof, products), gathered, None
        rows, folds = engine.reduce(
            Checked(WithRowCount(Grouped(Covariance())), source.columns), source
        )
        moments = CountedState(rows, functools.reduce(Covariance().merge, folds))
        self._require_range(moments.state.scatter, source)
        return by_covariance(moments, self.pca.ddof, products), moments, folds

    def _from_rows(self, source: Source, solver: str, decisions: Decisions) -> PCASolution:
        pca = self.pca
        exact = solver in ("gram", "full") or source.dtype != np.float32
        data = CenteredRows(source, np.dtype(np.float64 if exact else np.float32))
        self._require_range(data.column_scatter, source)
        if source.home != "memory":
            decisions.add("rows", "gathered in memory", f"svd_solver={solver!r} needs them at once")
        if solver in ("gram", "full"):
            return (by_gram if solver == "gram" else by_svd)(data, pca.ddof)
        truncated = self._truncate(*data.shape, solver, decisions)
        if solver == "arpack":
            return truncated.arpack(data)
        return truncated.randomized(
            data,
            n_oversamples=pca.n_oversamples,
            n_iter=pca.iterated_power,
            power_iteration_normalizer=pca.power_iteration_normalizer,
        )

    def _truncate(
        self, rows: int, n_features: int, solver: str, decisions: Decisions
    ) -> TruncatedSolver:
        k = self._n_truncated(rows, n_features, solver)
        return TruncatedSolver(k, self.pca.ddof, self.pca.tol, self.rng(), decisions)

    def _n_truncated(self, rows: int, n_features: int, solver: str) -> int:
        """Return how many components a truncated solver computes."""
        most = min(rows, n_features)
        strict = solver == "arpack"
        if self.n_components is None:
            return most - strict
        k = _in_range(self.n_components, 1, most, solver)
        if strict and k == most:
            raise ParameterError(
                f"n_components={k} must be strictly less than min(n_samples, n_features)={most} "
                f"with svd_solver='{solver}'. Choose svd_solver='covariance_eigh' for all of them."
            )
        return k


def _work(inner: int, outer: int) -> float:
    """Return about what products of vectors of size `inner`, and the spectrum of their table, cost.

    The covariance is that of `outer` columns over `inner` rows; the Gram matrix the other way.
    """
    return inner * outer**2 + 10.0 * outer**3


def _check_number(n_components: object) -> int | float | str | None:
    """Return `n_components` as an int, a fraction, a rule or None."""
    if n_components is None:
        return None
    if isinstance(n_components, str):
        check_choice("n_components", n_components, COMPONENT_RULES)
        return n_components
    if isinstance(n_components, float | np.floating) and 0.0 < n_components <= 1.0:
        return float(n_components)
    if not is_int(n_components):
        raise ParameterTypeError(
            f"n_components={n_components!r} is neither a whole number nor a fraction of the "
            "variance, above 0 and up to 1.0. Give one of these, None, or a rule: "
            f"{', '.join(map(repr, COMPONENT_RULES))}."
        )
    return int(n_components)


def _in_range(n_components: object, least: int, most: int, solver: str) -> int:
    if not isinstance(n_components, int) or not least <= n_components <= most:
        raise ParameterError(
            f"n_components={n_components} must be between {least} and "
            f"min(n_samples, n_features)={most} with svd_solver={solver!r}. "
            f"Choose n_components <= {most}."
        )
    return n_components
