"""scikit-learn's callbacks, where its version has them, told of our progress."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from lookalike.progress import listening

__all__ = ["CallbackSupport", "observed"]

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """Stands where scikit-learn has no callbacks yet."""

    with_callbacks = None

Fit = TypeVar("Fit", bound=Callable[..., Any])


def observed(fit: Fit) -> Fit:
    """Let the callbacks of an estimator follow its `fit`: a task for every stretch of progress."""

    @functools.wraps(fit)
    def followed(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not getattr(self, "_skl_callbacks", None):
            return fit(self, X, *args, **kwargs)
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self)

        def tell(label: str, done: int, total: int | None) -> None:  # noqa: ARG001
            step = context.subcontext(task_name=label)
            step.call_on_fit_task_begin(estimator=self)
            step.call_on_fit_task_end(estimator=self)

        with listening(tell):
            fitted = fit(self, X, *args, **kwargs)
        context.call_on_fit_task_end(estimator=self)
        return fitted

    return followed if with_callbacks is None else with_callbacks(followed)  # type: ignore[return-value]
