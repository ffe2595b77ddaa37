"""The table of operators with ONNX nodes, and the calls that their converters receive."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from facula_storage import bool_

from .._nodes import OnnxExporterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from facula_storage import DType, Layout

    from .._nodes import Builder

    Converter: TypeAlias = Callable[[Builder, "Call"], "str | Sequence[str | None]"]


class Call(NamedTuple):
    """One call of an operator in the model.

    Attributes:
        operator: its name.
        parameters: the parameters of its plan.
        operands: names of values, numbers, and None for omitted operands.
        layouts: the layouts of the values; None for numbers and omitted operands.
        results: the layouts of its results.
        numbers: further arguments of its kernel.
    """

    operator: str
    parameters: tuple[Any, ...]
    operands: list[str | float | None]
    layouts: list[Layout | None]
    results: list[Layout]
    numbers: tuple[float, ...]

    def name(self, place: int) -> str:
        """Return the name of an operand that is a value."""
        found = self.operands[place]
        assert isinstance(found, str)
        return found

    def optional(self, place: int) -> str | None:
        """Return the name of an operand that is a value, or None."""
        return None if self.operands[place] is None else self.name(place)

    def layout(self, place: int = 0) -> Layout:
        """Return the layout of an operand that is a value."""
        found = self.layouts[place]
        assert found is not None
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first operand."""
        return self.layout().shape

    @property
    def dtype(self) -> DType:
        """The compute dtype: that of the first operand other than a mask, or of the result."""
        arrays = [layout.dtype for layout in self.layouts if layout is not None]
        return next((array for array in arrays if array is not bool_), arrays[0] if arrays else self.results[0].dtype)

    def refuse(self, problem: str, remedy: str) -> OnnxExporterError:
        """Return the error for a form of an operator without a node."""
        return OnnxExporterError(f"{problem}; {remedy}")


FAMILIES: dict[str, dict[str, str]] = {
    "each element": {
        "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan",
        "atanh": "Atanh", "cos": "Cos", "cosh": "Cosh", "div": "Div", "erf": "Erf", "exp": "Exp",
        "hardswish": "HardSwish", "isnan": "IsNaN", "log": "Log", "mish": "Mish", "neg": "Neg", "pow": "Pow",
        "pow_number": "Pow", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin",
        "sinh": "Sinh", "softsign": "Softsign", "sqrt": "Sqrt", "sub": "Sub", "tan": "Tan",
        "tanh": "Tanh", "where": "Where",
    },
    "numbers or bools": {  # the second node is for bools
        "add": "Add Or", "mul": "Mul And", "maximum": "Max Or", "minimum": "Min And", "bitwise_and": "BitwiseAnd And",
        "bitwise_or": "BitwiseOr Or", "bitwise_xor": "BitwiseXor Xor", "bitwise_not": "BitwiseNot Not",
    },
    "comparison": {
        "eq": "Equal", "ne": "Equal Not", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual",
    },
    "rounding": {"ceil": "Ceil", "floor": "Floor", "round": "Round"},  # they leave integers unchanged
    "reduction": {
        "sum": "ReduceSum", "prod": "ReduceProd", "amax": "ReduceMax", "amin": "ReduceMin", "norm2": "ReduceL2",
        "log_sum_exp": "ReduceLogSumExp",
    },
    "truth": {"any": "ReduceMax", "all": "ReduceMin"},
    "place": {"argmax": "ArgMax", "argmin": "ArgMin"},
    "extreme and place": {"max_dim": "Max", "min_dim": "Min"},
    "along a dimension": {"softmax": "Softmax", "log_softmax": "LogSoftmax"},
    "at an index": {"index_select": "Gather", "take": "Gather", "gather": "GatherElements"},
}  # fmt: skip
"""Operators for which one ONNX operator of a family exists since opset 18, and its name."""
converters: dict[str, Converter] = {}


def converter(*operators: str) -> Callable[[Converter], Converter]:
    """Register the decorated function for these operators. It is called as `function(builder, call)`.

    It returns the name of the result, or of each result; None for a result that is not a value; "" to export the
    operator as its parts.
    """

    def register(function: Converter) -> Converter:
        for operator in operators:
            converters[operator] = function
        return function

    return register


def family(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function for a family. It is called as `function(op_type, builder, call)`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for operator, op_type in FAMILIES[name].items():
            converters[operator] = partial(function, op_type)
        return function

    return register
