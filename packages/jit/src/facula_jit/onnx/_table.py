"""The table of operators that have ONNX nodes, and what each one's converter is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_storage import bool_

from ._nodes import OnnxExporterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from facula_storage import DType, Layout

    from ._nodes import Builder

    Converter: TypeAlias = Callable[[Builder, "Call"], "str | Sequence[str | None]"]


class Call(NamedTuple):
    """One operator of the model, its operands being values.

    Attributes:
        operator: its name.
        parameters: what its plan was made for beside layouts.
        operands: names of values, numbers, and None for what is left out.
        layouts: those of the values; None for numbers and what is left out.
        results: the layouts of what it makes.
        numbers: what its kernel takes beside.
    """

    operator: str
    parameters: tuple[Any, ...]
    operands: list[str | float | None]
    layouts: list[Layout | None]
    results: list[Layout]
    numbers: tuple[float, ...]

    def name(self, place: int) -> str:
        """An operand that is a value."""
        found = self.operands[place]
        assert isinstance(found, str)
        return found

    def optional(self, place: int) -> str | None:
        """An operand that is a value, or None."""
        return None if self.operands[place] is None else self.name(place)

    def layout(self, place: int = 0) -> Layout:
        """The layout of an operand that is a value."""
        found = self.layouts[place]
        assert found is not None
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first operand."""
        return self.layout().shape

    @property
    def dtype(self) -> DType:
        """What numbers are computed in: the dtype of the first operand that is no mask, or of the result."""
        arrays = [one.dtype for one in self.layouts if one is not None]
        return next((one for one in arrays if one is not bool_), arrays[0] if arrays else self.results[0].dtype)

    def refuse(self, problem: str, remedy: str) -> OnnxExporterError:
        """The error for a form of an operator that has no node."""
        return OnnxExporterError(f"{problem}; {remedy}")


converters: dict[str, Converter] = {}


def converter(*operators: str) -> Callable[[Converter], Converter]:
    """Register the decorated function for these operators: it is called as `function(builder, call)`.

    It gives the name of the result, or of each result; None for one that is no value.
    """

    def register(function: Converter) -> Converter:
        for operator in operators:
            converters[operator] = function
        return function

    return register
