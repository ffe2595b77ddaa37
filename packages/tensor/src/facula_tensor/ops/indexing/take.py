"""Elements by position in a flattened tensor or along a dimension: `take`, `put`, `take_along_dim`, `argwhere`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError

from ..._core.memory import check_overlap
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, snapshot
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .gather import different_dtypes, gather, int64_index
from .many import flattened_for_reading, from_zero

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.arguments import steady_tensor
    from ..._dispatch.kinds import Checked, Steady
from ..._dispatch.namespaces import Namespace


@function(method=True, out=("input", "index"))
def take(F: Namespace, input: Steady, index: Tensor) -> Tensor:
    """Return the elements of the flattened `input` at `index`, with the shape of `index`.

    Negative positions count from the end. Raises IndexError for positions out of range.

    Arguments:
        index: the positions, as integers.

    >>> from facula_tensor import tensor
    >>> take(tensor([[1, 2], [3, 4]]), tensor([0, -1]))
    tensor([1, 4])
    """
    flat, places = flattened_for_reading("take", input, int64_index("take", index))
    return F.take(flat, places, (0,))


def _put_flat(operation: str, input: Tensor, index: Tensor, source: Operand, accumulate: bool) -> Tensor:
    """Return `input` with `source` at flat positions, added if `accumulate`."""
    input, index, source = steady_tensor(operation, input), int64_index(operation, index), as_tensor(operation, source)
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


@function(method=True, changes=True)
def put(operation: str, input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Set elements of a copy of the flattened `input` at `index` to those of `source`, or add them.

    Arguments:
        input: the tensor to copy.
        index: the positions, as integers.
        source: the new elements.
        accumulate: whether they are added to the existing elements.

    >>> from facula_tensor import tensor, zeros
    >>> put(zeros(2, 2), tensor([0, 3]), tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    if operation == "put_":
        check_overlap(operation, snapshot(input), ())
    result = _put_flat(operation, input, index, source, accumulate)
    return result if operation == "put" else assign_inplace(operation, input, result)


@function(method=True, out=("input", "indices"))
def take_along_dim(F: Namespace, input: Steady, indices: Tensor, dim: int | None = None) -> Tensor:
    """Gather from tensors that broadcast except along `dim`; without `dim`, from both flattened.

    `indices` is, for example, the result of `argmax` or `argsort` of `input`; negative ones count from the end.

    Arguments:
        indices: positions along `dim`.
        dim: the dimension; both tensors are flattened if None.

    >>> from facula_tensor import tensor
    >>> x = tensor([[1, 3], [4, 2]])
    >>> take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [4]])
    """
    indices = int64_index("take_along_dim", indices)
    if dim is None:
        flat, places = flattened_for_reading("take_along_dim", input, no_record_ops.reshape(indices, (-1,)))
        return F.take(flat, places, (0,))
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
    input = F.expand(input, (*shape[:at], *input.shape[at : at + 1], *shape[at + 1 :]))
    size = input.shape[at] if ndim else 1
    indices = from_zero(indices, size)
    indices = no_record_ops.expand(indices, (*shape[:at], *indices.shape[at : at + 1], *shape[at + 1 :]))
    return gather(input, at, indices)


@function(method=True, inline=True)
def argwhere(input: Checked) -> Tensor:
    """Return the positions of nonzero elements in row-major order: (n, dimensions) int64, one row for each.

    >>> from facula_tensor import tensor
    >>> argwhere(tensor([[0, 3], [4, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return Tensor.nonzero(input)
