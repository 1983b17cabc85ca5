"""Confidence intervals: that of a share, and what others are made of."""

from __future__ import annotations

import math
from statistics import NormalDist

from lookalike.errors import ParameterError
from lookalike.validation import check_float

# Standard deviations within which 95% of a normal variable lie.
NORMAL_95_DEVIATIONS = 1.959963984540054
OF_MEDIAN = 1.4826  # standard deviations of a normal variable over its median absolute one


def wilson(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    r"""Return the interval of [Wilson27] for a share of `n` independent rows.

    .. math:: \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}
    """
    confidence = check_float("confidence", confidence, least=0.0, most=1.0)
    if confidence in (0, 1):
        raise ParameterError(
            f"confidence={confidence:g} is not an interval. Give 0 < confidence < 1."
        )
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
