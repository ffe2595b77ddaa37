"""The public functions of `ops/indexing/take.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

bodies = bodies_of("ops.indexing.take")


@overridable
@method()
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements of the flattened `input` at `index`, with the shape of `index`.

    Negative positions count from the end. Raises IndexError for positions out of range.

    Arguments:
        input: the tensor.
        index: the positions, as integers.

    >>> from facula_tensor import tensor
    >>> take(tensor([[1, 2], [3, 4]]), tensor([0, -1]))
    tensor([1, 4])
    """
    try:
        input = steady_tensor("take", input)
        result = bodies.take(ops, input, index)
        return result if out is None else write_out("take", result, out, (input, index))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
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
    try:
        return bodies.put("put", input, index, source, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put` in place: changes `input` and returns it. Arguments: those of `put`."""
    try:
        return bodies.put("put_", input, index, source, accumulate)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Gather from tensors that broadcast except along `dim`; without `dim`, from both flattened.

    `indices` is, for example, the result of `argmax` or `argsort` of `input`; negative ones count from the end.

    Arguments:
        input: the tensor.
        indices: positions along `dim`.
        dim: the dimension; both tensors are flattened if None.

    >>> from facula_tensor import tensor
    >>> x = tensor([[1, 3], [4, 2]])
    >>> take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [4]])
    """
    input = steady_tensor("take_along_dim", input)
    result = bodies.take_along_dim(ops, input, indices, dim)
    return result if out is None else write_out("take_along_dim", result, out, (input, indices))


@overridable
@method()
def argwhere(input: Tensor) -> Tensor:
    """Return the positions of nonzero elements in row-major order: (n, dimensions) int64, one row for each.

    >>> from facula_tensor import tensor
    >>> argwhere(tensor([[0, 3], [4, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("argwhere", input)
        return Tensor.nonzero(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
