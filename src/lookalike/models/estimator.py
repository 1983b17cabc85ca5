"""The base of the estimators: tables become sources, results get the table type of the input."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_feature_names_in, validate_data
from sklearn.utils.validation import check_is_fitted as require_fitted

from lookalike.data.checks import column_differences, require_same_columns
from lookalike.data.chunk import Chunk, Column
from lookalike.data.source import Source, open_features
from lookalike.data.sources.frames import like
from lookalike.data.sources.tensors import as_given
from lookalike.decisions import Decisions
from lookalike.engines import Engine, engine_for
from lookalike.errors import (
    ColumnError,
    LookalikeError,
    ParameterError,
    ParameterTypeError,
    ShapeError,
)
from lookalike.models.inputs import as_sample_weight, is_sklearn_table
from lookalike.models.sklearn_bases import BaseEstimator, CallbackSupport, TransformerMixin
from lookalike.models.state import hold_state_in_public, replace_state
from lookalike.progress import listening
from lookalike.reductions.base import runs_on_gpu
from lookalike.typing import AnyArray, TableLike
from lookalike.validation import check_types, has_checked_types, shown, typed

if TYPE_CHECKING:
    from sklearn.utils import Tags

try:
    from sklearn.callback import with_callbacks as sklearn_with_callbacks
except ImportError:  # before scikit-learn 1.9
    sklearn_with_callbacks = None

STATE_CHANGING_METHODS = frozenset(  # that `replace_state` is not put around
    {"fit", "fit_predict", "fit_transform", "get_params", "set_output", "set_params"}
)
ChunkFunction = Callable[[tuple[Column, ...], Chunk], AnyArray]
Fit = TypeVar("Fit", bound=Callable[..., Any])


class UnfittedError(LookalikeError, NotFittedError):
    """A model is used that was not fitted."""


def check_is_fitted(model: object) -> None:
    """Raise unless the model is fitted."""
    if isinstance(model, Model) and not hasattr(model, "__sklearn_is_fitted__"):
        for name in reversed(vars(model)):  # as scikit-learn tells, in one pass
            if name.endswith("_") and not name.startswith("__"):
                return
    try:
        require_fitted(model)
    except NotFittedError as error:
        raise UnfittedError(str(error)) from None
    except TypeError as error:  # a class, or no model at all
        raise ParameterTypeError(f"{error} Give a fitted model.") from None


def in_our_errors(method: Fit) -> Fit:
    """Return a method of scikit-learn's whose errors about its arguments are then ours."""

    @functools.wraps(method)
    def translated(self: object, *args: object, **kwargs: object) -> object:
        try:
            return method(self, *args, **kwargs)
        except LookalikeError:
            raise
        except NotFittedError as error:
            raise UnfittedError(str(error)) from None
        except Exception as error:
            raise ParameterTypeError(
                f"{method.__name__} cannot use what it was given: {' '.join(str(error).split())}. "
                "Give other arguments."
            ) from error

    translated.__module__ = __name__
    return cast(Fit, translated)


@in_our_errors
def feature_names(model: object, input_features: object = None) -> AnyArray:
    """Return the names of the columns of fit, which `input_features` may repeat or give."""
    names: AnyArray = _check_feature_names_in(model, input_features)
    return names


def cloned(model: object, name: str, *, method: str = "predict") -> BaseEstimator:
    """Return a copy of a model that is a parameter, not fitted; raise if it is not a model."""
    if isinstance(model, type) or not all(hasattr(model, needed) for needed in ("fit", method)):
        raise ParameterTypeError(
            f"{name}={shown(model)} is not a model with fit and {method}. Give an estimator."
        )
    try:
        copy: BaseEstimator = clone(model)
    except TypeError as error:
        raise ParameterTypeError(f"{name} cannot be copied: {error}") from None
    return copy


class Model(CallbackSupport, BaseEstimator):
    """Base of the estimators: opens rows, picks the engine, keeps `decisions_`.

    Subclasses have the parameters `engine` and `n_jobs`. The tables that they take are all that
    :func:`lookalike.data.open_source` takes.
    """

    engine: str
    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: AnyArray
    _kept_on_failure: ClassVar[tuple[str, ...]] = ()  # work that a later fit goes on with
    _sparse_rows: ClassVar[bool] = False  # these say what the model takes, as scikit-learn's tags
    _missing_values: ClassVar[bool] = False
    _requires_target: ClassVar[bool] = False
    _several_outputs: ClassVar[bool] = False

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for name in ("get_feature_names_out", "get_support", "inverse_transform", "score"):
            method = getattr(cls, name, None)
            if method is not None and method.__module__.startswith("sklearn."):
                setattr(cls, name, in_our_errors(method))
        if not cls.__module__.startswith("lookalike."):
            return  # methods of others are theirs
        for name, attribute in list(vars(cls).items()):
            if (
                not name.startswith("_")
                and inspect.isfunction(attribute)
                and has_checked_types(attribute)
            ):
                setattr(cls, name, typed(attribute))
        hold_state_in_public(cls, STATE_CHANGING_METHODS)

    def _open(self, X: object, y: object = None, sample_weight: object = None) -> Source:
        """Return the rows to fit on, and note their columns."""
        source = open_features(X, y, weight=as_sample_weight(sample_weight))
        self._note_columns(X, source, reset=True)
        return source

    def _reopen(self, X: object) -> Source:
        """Return the rows to predict or transform, checked against the columns of fit."""
        check_is_fitted(self)
        source = open_features(X)
        self._note_columns(X, source, reset=False)
        return source

    def _note_columns(self, X: object, source: Source, *, reset: bool) -> None:
        """Set or check the number and names of the columns, as scikit-learn does."""
        unnamed = isinstance(X, np.ndarray) and (reset or not hasattr(self, "feature_names_in_"))
        if is_sklearn_table(X) and not unnamed:
            self._note_table(X, reset=reset)
        elif reset:
            self.n_features_in_ = source.n_features
            self.__dict__.pop("feature_names_in_", None)
            if source.named:
                self.feature_names_in_ = np.array([c.name for c in source.columns], dtype=object)
        elif source.named and hasattr(self, "feature_names_in_"):
            require_same_columns([Column(name) for name in self.feature_names_in_], source.columns)
        elif source.n_features != self.n_features_in_:
            raise ShapeError(
                f"X has {source.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input. Give the columns of fit."
            )

    def _note_table(self, X: object, *, reset: bool) -> None:
        """Let scikit-learn set or check the columns; its errors become ours, naming columns."""
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except TypeError as error:
            raise ParameterTypeError(str(error)) from None
        except ValueError as error:
            names = [str(name) for name in getattr(X, "columns", ())]
            fitted = [str(name) for name in getattr(self, "feature_names_in_", ())]
            if names and fitted:
                raise ColumnError(f"{error}{column_differences(fitted, names)}") from None
            raise ShapeError(f"{error} Give the columns of fit.") from None

    @replace_state
    def set_params(self, **params: object) -> Self:
        """Set parameters by name, those of a nested model as ``model__name``."""
        try:
            super().set_params(**params)
        except ValueError as error:
            raise ParameterError(str(error)) from None
        return self

    def _check_types(self) -> None:
        """Raise unless the parameters are of the types of the constructor's signature."""
        check_types(type(self).__init__, vars(self))

    def _engine(self, source: Source, decisions: Decisions | None = None) -> Engine:
        return engine_for(source, self.engine, n_jobs=self.n_jobs, decisions=decisions)

    def _map_chunks(self, function: ChunkFunction, X: object) -> AnyArray:
        """Return `function` of the chunks of `X`, joined: where `X` lies."""
        result: AnyArray = as_given(X, join_outputs(self._results(function, X)))
        return result

    def _map_rows(
        self, function: ChunkFunction, X: object, names: Sequence[str] | AnyArray
    ) -> TableLike:
        """Return `function` of the rows of `X`, as the kind of table that `X` is."""
        results = self._results(function, X)
        if sp.issparse(results[0]):
            return sp.vstack(results, format="csr")
        return like(X, join_outputs(results), list(names))

    def _results(self, function: ChunkFunction, X: object) -> list[AnyArray]:
        source = self._reopen(X)
        columns = source.columns  # workers need these and their chunk, not the source
        of_chunk = functools.partial(function, columns)
        vars(of_chunk)["on_gpu"] = runs_on_gpu(function)
        return list(self._engine(source).map(of_chunk, source))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse_rows
        tags.input_tags.allow_nan = self._missing_values
        tags.target_tags.required = self._requires_target
        tags.target_tags.multi_output = self._several_outputs
        return tags


class Transformer(TransformerMixin, Model):
    """Base of the estimators that transform rows, those of float32 into float32."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def join_outputs(parts: Sequence[AnyArray]) -> AnyArray:
    """Return the results of all chunks in one array: that of a single chunk as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def with_callbacks(fit: Fit) -> Fit:
    """Report the progress of `fit` to scikit-learn's callbacks, one task for every step.

    What is done in a single step is not a task of its own. A fit that fails or is interrupted
    leaves the model as it was.
    """
    fit = replace_state(fit)

    @functools.wraps(fit)
    def fit_with_callbacks(self: Any, X: object, *args: object, **kwargs: object) -> object:
        self._check_types()
        if not getattr(self, "_skl_callbacks", None):
            return fit(self, X, *args, **kwargs)
        context = self._init_callback_context(max_subtasks=None)
        y = args[0] if args else kwargs.get("y")
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        begun: set[str] = set()

        def report(label: str, done: int, total: int | None) -> None:
            if done == total and label not in begun:
                return
            begun.add(label)
            step = context.subcontext(task_name=label)
            step.call_on_fit_task_begin(estimator=self)
            step.call_on_fit_task_end(estimator=self)

        with listening(report):
            fitted = fit(self, X, *args, **kwargs)
        context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes={})
        return fitted

    if sklearn_with_callbacks is None:
        return cast(Fit, fit_with_callbacks)
    wrapped: Fit = sklearn_with_callbacks(fit_with_callbacks)
    return wrapped
