"""In-place methods of functions that are made of several operators."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary

from .._core.memory import check_overlap
from .._core.tensor import Tensor, method, snapshot
from .._dispatch.namespaces import recorded_ops
from .assigning import assign_inplace

if TYPE_CHECKING:
    from .._core.types import Function


def in_place_of(function: Function) -> None:
    """Add the method that stores the result of `function` in the tensor itself: `addmm_` for `addmm`."""
    name = function.__name__ + "_"
    plain = signature(function)
    given = [one for one in plain.parameters.values() if one.name != "out"]
    given[0] = given[0].replace(name="self", kind=Parameter.POSITIONAL_OR_KEYWORD)
    form = Signature(given, return_annotation="Tensor")

    def changing(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if "out" in kwargs:
            form.bind(self, *args, **kwargs)  # which says that there is no such argument
        tensors = [one for one in (self, *args, *kwargs.values()) if isinstance(one, Tensor)]
        check_overlap(name, snapshot(self), ())
        before = recorded_ops.clone(self) if any([one.node is not None for one in tensors]) else self  # nodes save it
        return assign_inplace(name, self, function(before, *args, **kwargs))

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"`{function.__name__}` in place: changes this tensor and returns it."
    changing.__signature__ = form  # type: ignore[attr-defined]
    method(name)(boundary(changing))
