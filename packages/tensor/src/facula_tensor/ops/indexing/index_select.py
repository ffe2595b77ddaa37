"""Slices along a dimension by a list of positions: select, copy, add, fill and reduce."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError, InvalidIndexError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, bool_, contiguous, int64

from ..._core.errors import relabel
from ..._core.memory import check_overlap, check_writable, meet
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, method, snapshot, steady
from ..._creation.filled import zeros
from ..._dispatch.arguments import needed_dim
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.inplace_checks import starts_inplace
from ..._dispatch.slow_path.launching import mutated
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .batches import taken
from .gather import at_least_one, different_dtypes, int64_index
from .getitem import put_into
from .masks import fitting, masked_fill, masked_fill_
from .scatter import check_reduction, scatter_reduced

if TYPE_CHECKING:
    from ..._core.types import Operand, Scalar
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace


@operator
class _index_select:
    """`take` with non-negative indices; `skip` gets no gradient, `scaled` divides gradients by index frequency."""

    inputs = ("input", "index")
    parameters = ("dim", "skip", "scaled")
    linear = ("input",)
    holomorphic = False

    batching = taken

    def outputs(layout, index, dim, skip, scaled):
        shape = (*layout.shape[:dim], *index.shape, *layout.shape[dim + 1 :])
        return contiguous(shape, layout.dtype, layout.device)

    def vjp_input(F, g, index, input_layout, dim, skip, scaled):
        if scaled:
            ones = no_record_ops.ones_like(no_record_ops.to(index, (input_layout.dtype,)))
            counts = no_record_ops.take_back(ones, index, (input_layout.shape[:1], 0, None))
            g = F.div(g, no_record_ops.unsqueeze(no_record_ops.take(counts, index, (0,)), -1))
        return F.take_back(g, index, (input_layout.shape, dim, skip))


@overridable
@method()
def index_select(
    input: Tensor,
    dim: int | None = None,
    index: Tensor | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy of the slices along `dim` at the positions in `index`.

    Arguments:
        input: any tensor.
        dim: the dimension.
        index: positions, int64 or int32; a vector, or a zero-dimensional tensor for one position.
        axis: NumPy's name for `dim`.
        out: a tensor that takes the result, or None.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor
    >>> index_select(tensor([[1, 2], [3, 4]]), 1, tensor([1, 1]))
    tensor([[2, 2],
            [4, 4]])
    """
    try:
        try:  # the common case
            layout = index._layout  # type: ignore[union-attr]  # None is an AttributeError
            is_int64_vector = len(layout.shape) == 1 and layout.dtype is int64
            if is_int64_vector and out is axis is None and 0 <= dim < input._layout.ndim:  # type: ignore[operator]
                return recorded_ops.index_select(input, index, (dim, None, False))
        except (AttributeError, TypeError):
            pass
        input, index = steady(as_tensor("index_select", input)), int64_index("index_select", index)  # type: ignore[arg-type]
        dim = check_dim("index_select", needed_dim("index_select", dim, axis), input.ndim)
        if index.ndim > 1:
            raise InvalidIndexError(
                f"index_select: expected index to have one dimension; got shape {tuple(index.shape)}; flatten "
                "it, or use gather for a separate index of each element"
            )
        if not input.ndim and index.numel() != 1:
            raise InvalidIndexError(
                f"index_select: expected one index for a tensor without dimensions; got {index.numel()}"
            )
        result = recorded_ops.index_select(
            at_least_one(recorded_ops, input), at_least_one(no_record_ops, index), (dim, None, False)
        )
        return write_out("index_select", result if input.ndim else recorded_ops.squeeze(result, 0), out, (input, index))
    except FaculaError as error:
        trim_traceback(error)
        raise


# --------------------------------------------------------------------------------------------- set and added
def _dim_and_index(operation: str, input: Tensor, dim: int, index: Tensor) -> tuple[int, Tensor]:
    """Return the non-negative `dim` of `input` and the list of positions; errors name the operator."""
    index = at_least_one(no_record_ops, int64_index(operation, index))
    if index.ndim != 1:
        raise InvalidIndexError(
            f"{operation}: expected index to have one dimension; got shape {tuple(index.shape)}; flatten it"
        )
    return check_dim(operation, dim, input.ndim), index


def _slices(operation: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return a snapshot of `source`, which must have a slice of `input` along `dim` for each position of `index`.

    Raises TypeError, with the operator's name, if the dtype differs, ValueError if the shape does.
    """
    source = steady(as_tensor(operation, source))
    layout, given = layout_of_tensor(input), layout_of_tensor(source)
    if given.dtype is not layout.dtype:
        raise different_dtypes(operation, layout, given)
    own = layout.shape or (1,)
    wanted = (*own[:dim], index.numel(), *own[dim + 1 :])
    if (given.shape or (1,)) != wanted:
        raise ArgumentError(
            f"{operation}: expected source of shape {wanted}, a slice of input {layout.shape} for each index; got "
            f"{given.shape}"
        )
    return at_least_one(recorded_ops, source)


def _put_slices(
    operation: str, self: Tensor, dim: int, index: Tensor, values: Tensor, accumulate: bool, inplace: bool
) -> Tensor:
    """Set the slices of `values` along `dim`, or add them if `accumulate`: in a copy, or `inplace` in `self`.

    `operation` is the function or method that errors name.
    """
    if not inplace:
        self = steady(self)
        at_least = at_least_one(recorded_ops, self)
        if all([one.node is None and type(one._layout) is Layout for one in (self, index, values)]):
            result = no_record_ops.clone(at_least)  # as the operator does, without checks that have been made
            put_into(result, index, values, dim, accumulate, True)
        else:
            result = recorded_ops.put(at_least, index, values, (dim, accumulate, True))
        return result if self.ndim else recorded_ops.squeeze(result, 0)
    check_writable(operation, self)
    if starts_inplace(operation, self, (self, index, values)):
        return assign_inplace(operation, self, _put_slices(operation, self, dim, index, values, accumulate, False))
    there = snapshot(self)
    check_overlap(operation, there, ())
    index, values = (
        no_record_ops.clone(operand) if meet(operand, there) else operand for operand in (index, snapshot(values))
    )
    put_into(at_least_one(no_record_ops, there), index, values, dim, accumulate, True)
    mutated(there, operation)
    return self


@function(method=True, changes=True, out=("input", "index", "source"))
def index_add(operation: str, input: Checked, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """Add slices of `source` times `alpha` to the slices of a copy of `input` at `index` along `dim`.

    Arguments:
        index: positions, int64 or int32; they may repeat.
        source: a slice for each position, with the dtype of `input`.
        alpha: a number.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor, zeros
    >>> index_add(zeros(3), 0, tensor([0, 2, 0]), tensor([1.0, 2.0, 3.0]))
    tensor([4., 0., 2.])
    """
    dim, index = _dim_and_index(operation, input, dim, index)
    source = _slices(operation, input, dim, index, source)
    if type(alpha) is not int or alpha != 1:
        source = recorded_ops.mul(source, fitting(operation, alpha, input))
    return _put_slices(operation, input, dim, index, source, True, operation == "index_add_")


@function(method=True, changes=True, out=("input", "index", "source"))
def index_copy(operation: str, input: Checked, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Replace the slices of a copy of `input` at `index` along `dim` by those of `source`.

    If a position is repeated, the last slice applies.

    Arguments:
        index: positions, int64 or int32.
        source: a slice for each position, with the dtype of `input`.

    Raises:
        IndexError: if a position is negative or beyond the dimension; the message names it.

    >>> from facula_tensor import tensor, zeros
    >>> index_copy(zeros(3), 0, tensor([2, 0]), tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    dim, index = _dim_and_index(operation, input, dim, index)
    source = _slices(operation, input, dim, index, source)
    return _put_slices(operation, input, dim, index, source, False, operation == "index_copy_")


def _mask_of_slices(operation: str, self: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return a mask of the slices along `dim` at `index`, which broadcasts to them; errors name the operator."""
    dim, index = _dim_and_index(operation, self, dim, index)
    shape = tuple(self.shape)
    mask = zeros(shape[dim : dim + 1] or (1,), dtype=bool_, device=self.device)
    mask = no_record_ops.put(mask, index, no_record_ops.ones_like(no_record_ops.to(index, (bool_,))), (0, False, False))
    return mask.view(-1, *[1] * (len(shape) - 1 - dim)) if shape else mask[0]


@function(method=True, changes=True)
def index_fill(operation: str, input: Checked, dim: int, index: Tensor, value: Operand) -> Tensor:
    """Fill the slices of a copy of `input` at `index` along `dim` with `value`.

    Arguments:
        index: positions, int64 or int32; negative ones count from the end.
        value: a number or a zero-dimensional tensor.

    >>> from facula_tensor import tensor, zeros
    >>> index_fill(zeros(3), 0, tensor([0, -1]), 5)
    tensor([5., 0., 5.])
    """
    mask = _mask_of_slices(operation, input, dim, index)
    try:
        return (
            masked_fill(steady(input), mask, value) if operation == "index_fill" else masked_fill_(input, mask, value)
        )
    except FaculaError as error:
        relabel(error, operation)
        raise


# -------------------------------------------------------------------------------------------------- reduced
REDUCTIONS = ("prod", "mean", "amax", "amin")


def _reduced(operation: str, self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, own: bool) -> Tensor:
    """Compute `index_reduce`; `own` is `include_self`; errors name the operator."""
    mode = check_reduction(operation, reduce, REDUCTIONS)
    dim, index = _dim_and_index(operation, self, dim, index)
    source, shape = _slices(operation, self, dim, index, source), tuple(self.shape)
    self = at_least_one(recorded_ops, steady(self))
    every = no_record_ops.expand(no_record_ops.reshape(index, (-1, *[1] * (self.ndim - 1 - dim))), tuple(source.shape))
    return recorded_ops.reshape(scatter_reduced(operation, self, dim, every, source, mode, own), shape)


@function(method=True, changes=True, out=("input", "index", "source"))
def index_reduce(
    F: Namespace,
    operation: str,
    input: Checked,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Reduce slices of `source` into the slices of a copy of `input` at `index` along `dim`.

    Arguments:
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
    if operation == "index_reduce":
        return _reduced(operation, input, dim, index, source, reduce, include_self)
    check_overlap(operation, snapshot(input), ())
    copy = F.clone(input)  # the rules save a copy, because this tensor is about to change
    return assign_inplace(operation, input, _reduced(operation, copy, dim, index, source, reduce, include_self))
