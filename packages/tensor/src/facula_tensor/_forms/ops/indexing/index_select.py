"""The public functions of `ops/indexing/index_select.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand, Scalar

bodies = bodies_of("ops.indexing.index_select")


@overridable
@method()
@boundary
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1, out: Tensor | None = None
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("index_add", input)
    result = bodies.index_add("index_add", input, dim, index, source, alpha=alpha)
    return result if out is None else write_out("index_add", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """`index_add` in place: changes `self` and returns it. Arguments: those of `index_add`."""
    if not isinstance(self, Tensor):
        self = as_tensor("index_add_", self)
    return bodies.index_add("index_add_", self, dim, index, source, alpha=alpha)


@overridable
@method()
@boundary
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("index_copy", input)
    result = bodies.index_copy("index_copy", input, dim, index, source)
    return result if out is None else write_out("index_copy", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy` in place: changes `self` and returns it. Arguments: those of `index_copy`."""
    if not isinstance(self, Tensor):
        self = as_tensor("index_copy_", self)
    return bodies.index_copy("index_copy_", self, dim, index, source)


@overridable
@method()
@boundary
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("index_fill", input)
    return bodies.index_fill("index_fill", input, dim, index, value)


@overridable
@method()
@boundary
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`index_fill` in place: changes `self` and returns it. Arguments: those of `index_fill`."""
    if not isinstance(self, Tensor):
        self = as_tensor("index_fill_", self)
    return bodies.index_fill("index_fill_", self, dim, index, value)


@overridable
@method()
@boundary
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    """
    if not isinstance(input, Tensor):
        input = as_tensor("index_reduce", input)
    result = bodies.index_reduce(ops, "index_reduce", input, dim, index, source, reduce, include_self=include_self)
    return result if out is None else write_out("index_reduce", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_reduce_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`index_reduce` in place: changes `self` and returns it. Arguments: those of `index_reduce`."""
    if not isinstance(self, Tensor):
        self = as_tensor("index_reduce_", self)
    return bodies.index_reduce(ops, "index_reduce_", self, dim, index, source, reduce, include_self=include_self)
