"""Predictions far outside the targets that a model learned from."""

from __future__ import annotations

import numpy as np

from lookalike.printable import number
from lookalike.typing import AnyArray

FAR_SHARE = 0.1  # of the range of training targets: what lies further outside is far


class FarPredictions:
    """Counts predictions that lie far outside the targets of training rows; `sentence` says it.

    Parameters
    ----------
    targets : tuple of float or None
        The least and the largest target of training rows; None of classes.

    Examples
    --------
    >>> import numpy as np
    >>> far = FarPredictions((34_900.0, 755_000.0))
    >>> far.add(np.array([160_000.0, 977_519.0, 760_000.0]))
    >>> far.sentence()
    'predictions far outside the targets of the training rows (34,900 to 755,000): 1, 977,519.'
    """

    count: int

    def __init__(self, targets: tuple[float, float] | None) -> None:
        self.targets = targets
        self.count = 0
        self._farthest, self._distance = 0.0, 0.0

    def add(self, predicted: AnyArray) -> None:
        """Count those of some rows."""
        if self.targets is None or not predicted.size:
            return
        low, high = self.targets
        distance = np.maximum(low - predicted, predicted - high)
        self.count += int(np.count_nonzero(distance > FAR_SHARE * (high - low)))
        place = int(distance.argmax())
        if distance.flat[place] > self._distance:
            self._farthest, self._distance = float(predicted.flat[place]), distance.flat[place]

    def sentence(self) -> str:
        """Return how many there are, and the farthest; nothing where there is none."""
        if self.targets is None or not self.count:
            return ""
        low, high = map(number, self.targets)
        several = "the farthest " if self.count > 1 else ""
        return (
            f"predictions far outside the targets of the training rows ({low} to {high}): "
            f"{self.count:,}, {several}{number(self._farthest)}."
        )
