"""An ONNX graph as it is built: nodes on named values, float64 throughout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from lookalike.errors import ExtraMissingError, UnsupportedError
from lookalike.typing import AnyArray

ONNX_OPSET = 19  # of the operators; from this one on, texts are compared
ML_OPSET = 3  # of trees, from which on they are of float64
IR_VERSION = 9
ML_DOMAIN = "ai.onnx.ml"
Operand: TypeAlias = "str | AnyArray | float"  # the name of a value, or a constant


class Prediction(NamedTuple):
    """What a classifier gives: the place of the class of every row, and the shares of all."""

    place: str  # (rows,), int64
    shares: str  # (rows, classes)
    classes: AnyArray


class Graph:
    """The nodes of a graph; those of its subgraphs see its values.

    Nodes read values by name, and constants as they are: numbers are float64, integers int64.
    """

    def __init__(self, names: count[int] | None = None) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._names = count() if names is None else names

    def add(self, operator: str, *operands: Operand, domain: str = "", **attributes: Any) -> str:
        """Add a node of one output, and return its name."""
        (name,) = self.add_several(operator, 1, *operands, domain=domain, **attributes)
        return name

    def add_several(
        self, operator: str, outputs: int, *operands: Operand, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node of several outputs, and return their names."""
        helper = onnx_package().helper
        inputs = [self.name_of(operand) for operand in operands]
        names = [self._new_name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names

    def name_of(self, operand: Operand) -> str:
        """Return the name of a value; a constant becomes one."""
        if isinstance(operand, str):
            return operand
        array = np.asarray(operand)
        if array.dtype.kind in "US":
            array = array.astype(object)
        elif array.dtype.kind == "f" and array.dtype != np.float32:
            array = array.astype(np.float64)
        elif array.dtype.kind in "iu":
            array = array.astype(np.int64)
        name = self._new_name()
        self.constants.append(onnx_package().numpy_helper.from_array(array, name))
        return name

    def as_doubles(self, value: Operand) -> str:
        """Return a value as float64."""
        return self.add("Cast", value, to=onnx_package().TensorProto.DOUBLE)

    def as_integers(self, value: Operand) -> str:
        """Return a value as int64."""
        return self.add("Cast", value, to=onnx_package().TensorProto.INT64)

    def subgraph(
        self, write: Callable[[Graph, Sequence[str]], Sequence[str]], inputs: Sequence[Any] = ()
    ) -> Any:
        """Return a graph inside of this one; `write` adds its nodes and returns its outputs.

        `inputs` are the types of its inputs, as pairs of ONNX type and shape.
        """
        inner, helper = Graph(self._names), onnx_package().helper
        names = [self._new_name() for _ in inputs]
        outputs = [inner.add("Identity", name) for name in write(inner, names)]
        return helper.make_graph(
            inner.nodes,
            self._new_name(),
            [
                helper.make_tensor_value_info(name, *kind)
                for name, kind in zip(names, inputs, strict=True)
            ],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            inner.constants,
        )

    def _new_name(self) -> str:
        return f"#{next(self._names)}"  # as no column is called


def onnx_package() -> ModuleType:
    """Return the package onnx, or raise an error that says how to install it."""
    try:
        import onnx
    except ImportError:
        raise ExtraMissingError.of("onnx", "onnx") from None
    return onnx


def refuse(model: object, why: str) -> NoReturn:
    """Raise the error for a model that ONNX cannot say."""
    raise UnsupportedError(
        f"{type(model).__name__} cannot be exported to ONNX: {why}. Serve it with "
        "`lookalike serve`, or export another model of the study."
    )
