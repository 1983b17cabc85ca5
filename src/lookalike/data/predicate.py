"""Which rows satisfy a condition on columns: a text, an expression of a frame, or a function."""

from __future__ import annotations

import ast
import operator
import re
import sys
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lookalike.errors import ColumnError, ParameterError, ParameterTypeError
from lookalike.typing import AnyArray
from lookalike.validation import few, is_function, shown

_COMPARISON_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: np.isin,
    ast.NotIn: lambda left, right: ~np.isin(left, right),
}
_ARITHMETIC_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.BitAnd: np.logical_and,
    ast.BitOr: np.logical_or,
}
_QUOTED_NAME = re.compile(r"`([^`]*)`")


class Expression(Protocol):
    """An expression of polars or narwhals."""

    def alias(self, name: str, /) -> Self:
        """Return the expression by another name."""


Where: TypeAlias = (  # None: all rows
    ArrayLike | Expression | Callable[[Mapping[str, AnyArray]], ArrayLike] | None
)


def is_predicate(where: Where) -> bool:
    """Return whether `where` is a condition on columns, and not a mask or row numbers."""
    return isinstance(where, str) or _is_expression(where) or is_function(where)


def rows_where(
    where: Any, columns: Mapping[str, AnyArray], *, n_rows: int | None = None
) -> AnyArray:
    """Return for each row whether it satisfies the condition `where` on its columns.

    Parameters
    ----------
    where : str, expression or function
        A text in the syntax of ``pandas.DataFrame.query``: comparisons, ``in``, ``and``, ``or``,
        ``not``, arithmetic; a column whose name is not a word stands in backticks. Names of columns
        and constants are all that it can refer to. Or an expression of polars or narwhals. Or a
        function, which gets the columns by name and returns a mask.
    columns : mapping
        The columns, arrays of one length.
    n_rows : int, optional
        This length, where no column is to be read to learn it.

    Examples
    --------
    >>> columns = {"age": np.array([20, 35, 50]), "city": np.array(["Rome", "Oslo", "Rome"])}
    >>> rows_where("age > 30 and city == 'Rome'", columns)
    array([False, False,  True])
    >>> rows_where(lambda rows: rows["age"] < 40, columns)
    array([ True,  True, False])
    """
    if n_rows is None:
        n_rows = len(next(iter(columns.values())))
    if isinstance(where, str):
        mask = _of_text(where, columns)
    elif _is_expression(where):
        mask = _of_expression(where, columns)
    else:
        mask = _of_function(where, columns)
    mask = np.asarray(mask)
    if mask.dtype == object:
        mask = mask == True  # noqa: E712 - a missing answer is no
    if mask.dtype != bool or mask.shape not in ((), (n_rows,)):
        raise ParameterTypeError(
            f"where={shown(where)} gives {mask.dtype} of shape {mask.shape} for {n_rows} rows, and "
            "not True or False for each. Give a condition, for example 'age > 30'."
        )
    return np.broadcast_to(mask, (n_rows,))


def _of_text(text: str, columns: Mapping[str, AnyArray]) -> object:
    quoted: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        stands_for = f"_column_{len(quoted)}_"
        quoted[stands_for] = match[1]
        return stands_for

    try:
        tree = ast.parse(_QUOTED_NAME.sub(name, text).strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        deep = isinstance(error, (RecursionError, MemoryError))
        reason = "it is nested too deep" if deep else getattr(error, "msg", error)
        raise ParameterError(
            f'where={shown(text)} is not a condition: {reason}. Give one such as "age > 30 and '
            "city == 'Rome'\"."
        ) from None
    try:
        with np.errstate(all="ignore"):
            return _Evaluator(text, columns, quoted).value(tree.body)
    except RecursionError:
        raise ParameterError(
            f"where={shown(text)} is nested too deep. Give a shorter condition, or a function of "
            "the columns."
        ) from None


class _Evaluator:
    """Computes a condition from columns and constants; there is nothing else that it can reach."""

    def __init__(
        self, text: str, columns: Mapping[str, AnyArray], quoted: Mapping[str, str]
    ) -> None:
        self._text, self._columns, self._quoted = text, columns, quoted

    def value(self, node: ast.expr) -> Any:  # noqa: PLR0911 - one for each kind
        """Return what a part of the condition stands for."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, bool)):
            return node.value
        if isinstance(node, ast.Name):
            return self._column(self._quoted.get(node.id, node.id))
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [self.value(element) for element in node.elts]
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return self._compute(node, reduce, join, [self.value(part) for part in node.values])
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC_OPERATORS:
            parts = self.value(node.left), self.value(node.right)
            return self._compute(node, _combine, _ARITHMETIC_OPERATORS[type(node.op)], *parts)
        if isinstance(node, ast.UnaryOp):
            inner = self.value(node.operand)
            if isinstance(node.op, (ast.Not, ast.Invert)):
                return self._compute(node, np.logical_not, inner)
            sign = operator.sub if isinstance(node.op, ast.USub) else operator.add
            return self._compute(node, _combine, sign, 0, inner)
        raise ParameterError(
            f"where={shown(self._text)} holds {ast.unparse(node)!r}, which is neither a comparison "
            "nor arithmetic on columns. Give a function of the columns for more."
        )

    def _compute(self, node: ast.expr, function: Callable[..., object], *parts: object) -> Any:
        try:
            return function(*parts)
        except (TypeError, ValueError, ArithmeticError):
            raise ParameterError(
                f"where={shown(self._text)} computes what cannot be computed: "
                f"{shown(ast.unparse(node))}. Compute with numbers and with columns of numbers."
            ) from None

    def _comparison(self, node: ast.Compare) -> object:
        parts = [self.value(operand) for operand in (node.left, *node.comparators)]
        try:
            results = [
                _COMPARISON_OPERATORS[type(op)](left, right)
                for op, left, right in zip(node.ops, parts[:-1], parts[1:], strict=True)
            ]
        except (KeyError, TypeError, ValueError):
            raise ParameterError(
                f"where={shown(self._text)} compares what cannot be compared: "
                f"{ast.unparse(node)}. Compare numbers with numbers and text with text."
            ) from None
        return reduce(np.logical_and, results)

    def _column(self, name: str) -> AnyArray:
        if name not in self._columns:
            raise ColumnError(
                f"where={shown(self._text)} names the column {name!r}, and the rows have "
                f"{few(self._columns)}. Name one of them; text stands in quotes."
            )
        return self._columns[name]


def _combine(function: Callable[[Any, Any], Any], left: object, right: object) -> Any:
    """Return what two numbers give; a text or a list times a number would fill the memory."""
    return _bound(function(_as_number(left), _as_number(right)))


def _as_number(value: object) -> Any:
    """Return a number, or a column of numbers or dates; raise for anything else."""
    if isinstance(value, (int, float)):
        return _bound(value)
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind in "biufmM":
            return value
        return np.asarray(value, np.float64)  # objects that are numbers, NaN for None
    raise TypeError


def _bound(value: object) -> Any:
    """Return a whole number beyond 64 bits as a float: it cannot grow without end."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value


def _is_expression(where: object) -> bool:
    return type(where).__name__ == "Expr" and type(where).__module__.split(".")[0] in (
        "polars",
        "narwhals",
    )


def _of_expression(where: Any, columns: Mapping[str, AnyArray]) -> object:
    given = {name: values.tolist() for name, values in columns.items()}
    try:
        if type(where).__module__.startswith("polars"):
            frame = sys.modules["polars"].DataFrame(given)
            return frame.select(where).to_series().to_numpy()
        import narwhals.stable.v2 as nw

        named = next(
            n for n in ("polars", "pandas", "pyarrow") if n in sys.modules or n == "pyarrow"
        )
        frame = nw.from_dict(given, backend=named)
        return frame.select(where.alias("where"))["where"].to_numpy()
    except Exception as error:  # each library has its own errors
        raise ParameterError(
            f"where={shown(where)} cannot be computed from the columns "
            f"{few(columns)}: {error}. Use columns of the rows."
        ) from None


def _of_function(where: Callable[[Mapping[str, AnyArray]], object], columns: Any) -> object:
    try:
        return where(columns)
    except KeyError as error:
        raise ColumnError(
            f"where uses the column {error}, and the rows have {few(columns)}. Use one of them."
        ) from None
