"""The base class of activations that pass their fields to a function."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from facula_tensor import Tensor

from ... import functional
from ..._modules.module import Module

F: Any = functional
_FORWARDS: Any = (  # by the number of fields
    lambda self, input: F.function(input),
    lambda self, input: F.function(input, self.first),
    lambda self, input: F.function(input, self.first, self.second),
    lambda self, input: F.function(input, self.first, self.second, self.third),
)


class Activation(Module):
    """Base class of layers that apply a function of `functional` with their fields as the other arguments.

    The class keyword `function` names it. `forward` is a copy of one of `_FORWARDS` with these names, as fast as if it
    were written by hand.
    """

    def __init_subclass__(cls, function: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if function:
            fields = vars(cls).get("__annotations__", {})
            code = _FORWARDS[len(fields)].__code__
            code = code.replace(co_name="forward", co_names=("F", function, *fields))
            made = FunctionType(code, globals(), "forward")
            made.__qualname__, made.__module__ = f"{cls.__qualname__}.forward", cls.__module__
            made.__annotations__ = {"input": "Tensor", "return": "Tensor"}
            made.__doc__ = "Apply the function to each element, or along a dimension."
            cls.forward = made  # type: ignore[method-assign]

    if TYPE_CHECKING:

        def forward(self, input: Tensor) -> Tensor: ...
