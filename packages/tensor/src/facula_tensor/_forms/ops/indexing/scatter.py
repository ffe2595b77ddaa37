"""The public functions of `ops/indexing/scatter.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ...._core.tensor import Tensor, method
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand

bodies = bodies_of("ops.indexing.scatter")


@overridable
@method()
@boundary
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Operand | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    result = bodies.scatter("scatter", input, dim, index, src, value=value, reduce=reduce)
    return result if out is None else write_out("scatter", result, out, (input, index, src))


@overridable
@method()
@boundary
def scatter_(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Operand | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`scatter` in place: changes `self` and returns it. Arguments: those of `scatter`."""
    return bodies.scatter("scatter_", self, dim, index, src, value=value, reduce=reduce)


@overridable
@method()
@boundary
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    if not isinstance(src, Tensor):
        src = as_tensor("scatter_add_", src)
    return bodies.scatter_add_(input, dim, index, src)


@overridable
@method()
@boundary
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    if not isinstance(src, Tensor):
        src = as_tensor("scatter_reduce", src)
    result = bodies.scatter_reduce("scatter_reduce", input, dim, index, src, reduce, include_self=include_self)
    return result if out is None else write_out("scatter_reduce", result, out, (input, index, src))


@overridable
@method()
@boundary
def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`scatter_reduce` in place: changes `self` and returns it. Arguments: those of `scatter_reduce`."""
    if not isinstance(src, Tensor):
        src = as_tensor("scatter_reduce_", src)
    return bodies.scatter_reduce("scatter_reduce_", self, dim, index, src, reduce, include_self=include_self)
