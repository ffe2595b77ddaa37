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
    """Add slices of `source` times `alpha` to the slices of a copy of `input` at `index` along `dim`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        index: positions, int64 or int32; they may repeat.
        source: a slice for each position, with the dtype of `input`.
        alpha: a number.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor, zeros
    >>> index_add(zeros(3), 0, tensor([0, 2, 0]), tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    if type(input) is not Tensor:
        input = as_tensor("index_add", input)
    result = bodies.index_add("index_add", input, dim, index, source, alpha=alpha)
    return result if out is None else write_out("index_add", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """`index_add` in place: changes `input` and returns it. Arguments: those of `index_add`."""
    if type(input) is not Tensor:
        input = as_tensor("index_add_", input)
    return bodies.index_add("index_add_", input, dim, index, source, alpha=alpha)


@overridable
@method()
@boundary
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Replace the slices of a copy of `input` at `index` along `dim` by those of `source`.

    If a position is repeated, the last slice applies.

    Arguments:
        input: the tensor.
        dim: the dimension.
        index: positions, int64 or int32.
        source: a slice for each position, with the dtype of `input`.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor, zeros
    >>> index_copy(zeros(3), 0, tensor([2, 0]), tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    if type(input) is not Tensor:
        input = as_tensor("index_copy", input)
    result = bodies.index_copy("index_copy", input, dim, index, source)
    return result if out is None else write_out("index_copy", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy` in place: changes `input` and returns it. Arguments: those of `index_copy`."""
    if type(input) is not Tensor:
        input = as_tensor("index_copy_", input)
    return bodies.index_copy("index_copy_", input, dim, index, source)


@overridable
@method()
@boundary
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """Fill the slices of a copy of `input` at `index` along `dim` with `value`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        index: positions, int64 or int32; negative ones count from the end.
        value: a number or a zero-dimensional tensor.

    >>> from facula_tensor import tensor, zeros
    >>> index_fill(zeros(3), 0, tensor([0, -1]), 5)
    tensor([5., 0., 5.])
    """
    if type(input) is not Tensor:
        input = as_tensor("index_fill", input)
    return bodies.index_fill("index_fill", input, dim, index, value)


@overridable
@method()
@boundary
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`index_fill` in place: changes `input` and returns it. Arguments: those of `index_fill`."""
    if type(input) is not Tensor:
        input = as_tensor("index_fill_", input)
    return bodies.index_fill("index_fill_", input, dim, index, value)


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
    """Reduce slices of `source` into the slices of a copy of `input` at `index` along `dim`.

    Arguments:
        input: the tensor.
        dim: the dimension.
        index: positions, int64 or int32; they may repeat.
        source: a slice for each position, with the dtype of `input`.
        reduce: the reduction: "prod", "mean", "amax" or "amin".
        include_self: whether the elements of `input` take part.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor
    >>> index_reduce(tensor([1.0, 2.0]), 0, tensor([0, 0]), tensor([5.0, 3.0]), "amax")
    tensor([5., 2.])
    """
    if type(input) is not Tensor:
        input = as_tensor("index_reduce", input)
    result = bodies.index_reduce(ops, "index_reduce", input, dim, index, source, reduce, include_self=include_self)
    return result if out is None else write_out("index_reduce", result, out, (input, index, source))


@overridable
@method()
@boundary
def index_reduce_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`index_reduce` in place: changes `input` and returns it. Arguments: those of `index_reduce`."""
    if type(input) is not Tensor:
        input = as_tensor("index_reduce_", input)
    return bodies.index_reduce(ops, "index_reduce_", input, dim, index, source, reduce, include_self=include_self)
