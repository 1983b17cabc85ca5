"""The page of errors lists every error, with the builtin error that it is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from sklearn.exceptions import NotFittedError

from lookalike import errors
from lookalike.models.discriminant.qda import RankError
from lookalike.models.estimator import UnfittedError

PAGE = Path(__file__).parents[1] / "docs" / "errors.md"


def test_the_page_lists_every_error_with_its_builtin_type():
    listed = dict(re.findall(r"\| `(\w+)` \| .*?`(\w+)` \|", PAGE.read_text(encoding="utf-8")))
    kinds = [one for one in vars(errors).values() if isinstance(one, type)]
    ours = {one for one in kinds if issubclass(one, errors.LookalikeError)}
    elsewhere = {"RankError", "UnfittedError"}  # beside what raises them
    names = {one.__name__ for one in ours} - {"LookalikeError"} | elsewhere
    assert set(listed) == names
    for name in names - elsewhere:
        bases = {base.__name__ for base in getattr(errors, name).__mro__}
        assert listed[name] in bases, name
    assert issubclass(UnfittedError, (errors.LookalikeError,))
    assert issubclass(UnfittedError, NotFittedError)
    assert issubclass(RankError, (errors.LookalikeError,))
    assert issubclass(RankError, np.linalg.LinAlgError)
