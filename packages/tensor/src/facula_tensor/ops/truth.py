"""Whether any or all elements are nonzero, over all of them or along dimensions."""

from __future__ import annotations

from typing import Any

from facula_storage import bool_

from .._declare import operator
from .._operator import recording
from .._overrides import asks
from .._tensor import Tensor, method
from .._viewing import as_tensor
from .reducing import axis_for, dims_of, reduced

__all__ = ["all", "any"]


def _truth(name: str) -> Any:
    class body:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            return reduced(layout, dims, keepdim, bool_)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "Whether elements are nonzero.", __name__
    return operator(body)


_any = _truth("any")
_all = _truth("all")


@asks
@method()
def any(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether any element is nonzero, over all or along `dim`: bool, for every dtype.

    >>> from facula_tensor import tensor
    >>> tensor([[0, 1], [0, 0]]).any(1)
    tensor([ True, False])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "any")
    input = as_tensor("any", input).to(bool_)
    return recording.any(input, (dims_of("any", dim, input.ndim), bool(keepdim or keepdims)), out=out)


@asks
@method()
def all(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype.

    >>> from facula_tensor import tensor
    >>> tensor([[1, 1], [0, 1]]).all(1)
    tensor([ True, False])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "all")
    input = as_tensor("all", input).to(bool_)
    return recording.all(input, (dims_of("all", dim, input.ndim), bool(keepdim or keepdims)), out=out)
