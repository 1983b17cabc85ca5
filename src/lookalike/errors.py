"""The errors: every message says what was requested, what was found, and what to do."""

from __future__ import annotations

from lookalike.printable import printable


class LookalikeError(Exception):
    """Base of all errors of this package; each is also the matching builtin error.

    Names and cells from data in a message cannot act on a terminal: see `printable`.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class ParameterError(LookalikeError, ValueError):
    """A parameter has a value that cannot be honored."""


class ParameterTypeError(LookalikeError, TypeError):
    """A parameter or an input is of a kind that cannot be used."""


class UnsupportedError(LookalikeError, NotImplementedError):
    """Two options that are each valid cannot be combined."""


class ShapeError(LookalikeError, ValueError):
    """Rows, columns or labels do not fit together."""


class MissingValueError(LookalikeError, ValueError):
    """Values are missing or not finite where every value is needed."""


class ColumnError(LookalikeError, ValueError):
    """A column is absent, duplicated, unexpected or of the wrong kind."""


class SourceError(LookalikeError, ValueError):
    """A file or stream could not be read as a table."""


class SourceMissingError(LookalikeError, FileNotFoundError):
    """The named file or sample does not exist."""


class ModelFileError(LookalikeError, ValueError):
    """A model file is damaged, of another kind, or of a version that cannot be read."""


class WriteError(LookalikeError, OSError):
    """A file could not be written; what was there before is unchanged."""


class MagnitudeError(LookalikeError, ValueError):
    """Values are so large or so small that their squares overflow or underflow float64."""


class ConvergenceError(LookalikeError, ArithmeticError):
    """An iteration for eigenvalues did not converge."""


class RepeatError(LookalikeError, ValueError):
    """Several passes are needed over rows that can be read only once."""


class MemoryBudgetError(LookalikeError, MemoryError):
    """The work does not fit the memory budget."""


class EngineError(LookalikeError, ValueError):
    """The chosen engine cannot run on these rows."""


class ExtraMissingError(LookalikeError, ImportError):
    """An optional part is needed and not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> ExtraMissingError:
        """Return the error that names the extra which brings `what`."""
        return cls(
            f"{what} is needed here and not installed. Run: pip install 'lookalike[{extra}]'"
        )


class InputWarning(UserWarning):
    """Rows to predict lack columns of fit, or have categories that rows of fit had not.

    They are predicted nevertheless: what is missing is imputed.
    """
