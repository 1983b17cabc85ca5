"""Which classes are rare: the rule of the summary, the report and the alerts."""

from __future__ import annotations

from collections.abc import Sequence

RARE_CLASS_SHARE = 0.3  # part of its equal share below which a class is rare


def rare_classes(classes: Sequence[object], counts: Sequence[int]) -> list[tuple[object, float]]:
    """Return the classes with less than 30% of an equal share, the rarest first, and their shares.

    Examples
    --------
    >>> rare_classes(["no", "yes"], [97, 3])
    [('yes', 0.03)]
    """
    total, least = sum(counts), RARE_CLASS_SHARE / max(len(classes), 1)
    shares = sorted((count / total, code) for code, count in enumerate(counts))
    return [(classes[code], share) for share, code in shares if share < least]
