"""How much work a study puts into its models and figures: as users get it, or a quick look."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from lookalike.errors import ParameterError
from lookalike.validation import shown

ENVIRONMENT_VARIABLE = "LOOKALIKE_EFFORT"


@dataclass(frozen=True)
class Effort:
    """How many folds, repeats, trees, centers and draws a study uses.

    `study(effort="quick")` takes the numbers of :meth:`quick`, for a first look or for tests of
    what stands on a study; where nothing is said, the environment variable LOOKALIKE_EFFORT
    decides, and without it the numbers are those of :meth:`full`.
    """

    folds: int = 5
    repeats: int = 3  # of all folds, below `repeated_rows`
    repeated_rows: int = 500
    cross_validated_rows: int = 20_000  # beyond them, one of the folds is held out
    forest_trees: int = 200
    small_forest_trees: int = 100  # with few rows
    trial_trees: int = 15  # of each kind of trees compared
    boosting_steps: int = 600  # at most
    network_centers: int = 128
    kernel_centers: int = 2000
    kernel_tuning_rows: int = 500
    score_draws: int = 200  # of the bootstrap of scores that are not means over rows
    map_steps: int = 300
    references: bool = True  # whether models of other kinds are run for comparison
    libraries: bool = False  # whether the boosting libraries that are installed are, too
    ensemble: bool = True  # whether a weighted mean of candidates is one as well

    @classmethod
    def full(cls) -> Effort:
        """Return the effort of a study as it is without a word about it."""
        return cls()

    @classmethod
    def quick(cls) -> Effort:
        """Return a small effort: three folds once, and small models."""
        return cls(
            folds=3,
            repeats=1,
            forest_trees=20,
            small_forest_trees=20,
            trial_trees=5,
            boosting_steps=10,
            network_centers=32,
            kernel_centers=200,
            kernel_tuning_rows=150,
            score_draws=50,
            map_steps=20,
            references=False,
            ensemble=False,
        )

    def with_libraries(self, libraries: bool) -> Effort:
        """Return the effort with the boosting libraries as references, where `libraries` says."""
        return replace(self, references=True, libraries=True) if libraries else self

    @classmethod
    def named(cls, effort: str | Effort | None) -> Effort:
        """Return the effort of a name, "full" or "quick"; None: as the environment says.

        Examples
        --------
        >>> Effort.named("quick").folds, Effort.named(Effort(folds=4)).folds
        (3, 4)
        """
        if isinstance(effort, Effort):
            return effort
        name = effort or os.environ.get(ENVIRONMENT_VARIABLE) or "full"
        if name not in ("full", "quick"):
            raise ParameterError(
                f"effort={shown(name)} is not an effort. Choose 'full' or 'quick'."
            )
        return cls.quick() if name == "quick" else cls.full()
