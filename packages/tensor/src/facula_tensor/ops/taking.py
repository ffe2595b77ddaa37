"""Elements by their places in a flattened tensor, or along a dimension: `take`, `put`, `take_along_dim`, `argwhere`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary

from .._core.memory import check_overlap
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method, snapshot, steady
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.planning import broadcast_shapes
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .assigning import assign_inplace
from .choosing import nonzero
from .gathering import as_index, different_dtypes, gather
from .indexing.many import flattened

if TYPE_CHECKING:
    from .._core.types import Operand

__all__ = ["argwhere", "put", "take", "take_along_dim"]


@overridable
@method()
@boundary
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at places of `input`, counted as if it had one dimension: the shape of `index`.

    Negative places count from the end. IndexError for those that there are not.

    Arguments:
        input: the tensor.
        index: the places, as integers.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> take(tensor([[1, 2], [3, 4]]), tensor([0, -1]))
    tensor([1, 4])
    """
    flat, places = flattened("take", steady(as_tensor("take", input)), as_index("take", index))
    return write_out("take", recorded_ops.take(flat, places, (0,)), out, (input, index))


def _put(operation: str, input: Tensor, index: Tensor, source: Operand, accumulate: bool) -> Tensor:
    """`input` with `source` at flat places, added where `accumulate`."""
    input, index, source = steady(as_tensor(operation, input)), as_index(operation, index), as_tensor(operation, source)
    layout, given = layout_of_tensor(input), layout_of_tensor(source)
    if given.dtype is not layout.dtype:
        raise different_dtypes(operation, layout, given)
    if given.numel != index.numel():
        raise ArgumentError(
            f"{operation}: expected source to have an element for each index; got {given.shape}, index "
            f"{tuple(index.shape)}"
        )
    places, values = no_record_ops.reshape(index, (-1,)), recorded_ops.reshape(source, (-1,))
    result = recorded_ops.put(recorded_ops.reshape(input, (-1,)), places, values, (0, bool(accumulate), False))
    return recorded_ops.reshape(result, layout.shape)


@overridable
@method()
@boundary
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with elements set to those of `source`, or with them added, at places as `take` counts them.

    Arguments:
        input: the tensor that is copied.
        index: the places, as integers.
        source: the elements.
        accumulate: whether they are added to those that are there.

    >>> from facula_tensor import tensor, zeros
    >>> put(zeros(2, 2), tensor([0, 3]), tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return _put("put", input, index, source, accumulate)


@overridable
@method()
@boundary
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put` in place: changes this tensor and returns it.

    Arguments:
        index: the places, as integers.
        source: the elements.
        accumulate: whether they are added to those that are there.
    """
    check_overlap("put_", snapshot(self), ())
    return assign_inplace("put_", self, _put("put_", self, index, source, accumulate))


@overridable
@method()
@boundary
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`gather` of tensors that broadcast but along `dim`; without `dim`, of both flattened.

    `indices` is what `argmax` or `argsort` of `input` gives; negative ones count from the end.

    Arguments:
        input: the tensor.
        indices: places along `dim`.
        dim: the dimension; that of both flattened if None.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> x = tensor([[1, 3], [4, 2]])
    >>> take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [4]])
    """
    input, indices = steady(as_tensor("take_along_dim", input)), as_index("take_along_dim", indices)
    if dim is None:
        flat, places = flattened("take_along_dim", input, no_record_ops.reshape(indices, (-1,)))
        return write_out("take_along_dim", recorded_ops.take(flat, places, (0,)), out, (input, indices))
    ndim = input.ndim
    if indices.ndim != ndim:
        raise ArgumentError(
            f"take_along_dim: expected indices with the dimensions of input; got {tuple(indices.shape)} for "
            f"{tuple(input.shape)}; without dim both are flattened"
        )
    at = check_dim("take_along_dim", dim, ndim)
    own, named = list(input.shape), list(indices.shape)
    own[at : at + 1] = named[at : at + 1] = [1] * min(ndim, 1)
    shape = broadcast_shapes("take_along_dim", tuple(own), tuple(named))
    input = recorded_ops.expand(input, (*shape[:at], *input.shape[at : at + 1], *shape[at + 1 :]))
    size = input.shape[at] if ndim else 1
    indices = no_record_ops.where(no_record_ops.lt(indices, 0), no_record_ops.add(indices, size), indices)
    indices = no_record_ops.expand(indices, (*shape[:at], *indices.shape[at : at + 1], *shape[at + 1 :]))
    return write_out("take_along_dim", gather(input, at, indices), out, (input, indices))


@overridable
@method()
@boundary
def argwhere(input: Tensor) -> Tensor:
    """Where the elements are that are not zero, in row-major order: (n, dimensions) int64, a row for each.

    >>> from facula_tensor import tensor
    >>> argwhere(tensor([[0, 3], [4, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return nonzero(input)
