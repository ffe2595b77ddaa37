"""`embedding`, rows of a table selected by indices, and `one_hot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidIndexError, UnsupportedError
from facula_storage import int64
from facula_storage.extend.layouts import FLOATING

from ..._core.errors import show
from ..._core.memory import check_overlap, check_writable
from ..._core.promotion import as_integer, as_real
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._core.wrapped import batched_as
from ..._creation.filled import zeros
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.slow_path.launching import mutated
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..indexing import index_select as _index_select  # noqa: F401  declares index_select
from ..indexing.gather import int64_index
from ..indexing.getitem import put_into

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Flag, Integer
    from ..._dispatch.namespaces import Namespace


def prepared(
    operation: str,
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    sparse: bool,
) -> tuple[Tensor, tuple[int, int | None]]:
    """Check the arguments of an embedding and scale the rows of its weight: see `embedding`.

    Returns a snapshot of the index, and a pair of the dimension and the row without gradient.
    """
    if sparse:
        raise UnsupportedError(
            f"{operation}: sparse=True is not supported; there are no sparse gradients; leave it out"
        )
    index, layout = int64_index(operation, input), layout_of_tensor(as_tensor(operation, weight))
    if layout.ndim != 2:
        raise ArgumentError(f"{operation}: expected weight (numbers, features); got {show(layout)}")
    rows = layout.shape[0]
    if padding_idx is not None:
        padding_idx = as_integer(padding_idx, operation, "padding_idx")
        if not -rows <= padding_idx < rows:
            raise ArgumentError(f"{operation}: expected padding_idx from {-rows} to {rows - 1}; got {padding_idx}")
        padding_idx %= rows
    if max_norm is not None:
        most, order = as_real(max_norm, operation, "max_norm"), as_real(norm_type, operation, "norm_type")
        _limit_norms(operation, weight, index, most, order)
    return index, (0, padding_idx)


def _limit_norms(operation: str, weight: Tensor, index: Tensor, most: float, order: float) -> None:
    """Scale used rows whose norm of this order exceeds `most` down to it, in place.

    Records no history. Errors name the operator.
    """
    there = snapshot(weight)
    if there.dtype.category != FLOATING:
        raise DTypeError(f"{operation}: max_norm needs a floating weight; got {there.dtype.name}")
    check_writable(operation, there)
    check_overlap(operation, there, ())
    rows = no_record_ops.index_select(there, no_record_ops.reshape(index, (-1,)), (0, None, False))
    if not rows.numel():
        return
    sizes = no_record_ops.abs(rows)
    if order == float("inf"):
        norms = no_record_ops.amax(sizes, ((1,), True))
    else:
        norms = no_record_ops.pow(no_record_ops.sum(no_record_ops.pow(sizes, float(order)), ((1,), True)), 1 / order)
    factors = no_record_ops.where(
        no_record_ops.gt(norms, most), no_record_ops.div(float(most), no_record_ops.add(norms, 1e-7)), 1
    )
    put_into(there, no_record_ops.reshape(index, (-1,)), no_record_ops.mul(rows, factors), 0, False)
    mutated(there, operation)


@function(overridable=True, inline=True)
def embedding(
    F: Namespace,
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: Flag = False,
    sparse: Flag = False,
) -> Tensor:
    """Select the rows of `weight` at the indices in `input`.

    The row `padding_idx` gets no gradient. With `max_norm`, used rows whose `norm_type`-norm is larger are first scaled
    down to it, in place. `scale_grad_by_freq` divides the gradient of a row by the number of its uses. `sparse=True`
    raises an error.

    Arguments:
        input: the indices, int64 or int32, of any shape (*).
        weight: (numbers, features).
        padding_idx: the row that gets no gradient, or None.
        max_norm: the maximum norm: longer rows are scaled down to it when they are used, in place; no bound if None.
        norm_type: the exponent of that norm.
        scale_grad_by_freq: whether to divide the gradient of a row by the number of its uses.
        sparse: must be false.

    Returns:
        (*, features).

    Raises:
        IndexError: if an index is out of range; the message names its position.

    >>> from facula_tensor import tensor
    >>> embedding(tensor([1, 0, 1]), tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if padding_idx is None and max_norm is None and not (scale_grad_by_freq or sparse):
        try:  # the common case
            if input._layout.dtype is int64 and weight._layout.ndim == 2:
                return F.index_select(weight, input, (0, None, False))
        except AttributeError:
            pass
    index, parameters = prepared("embedding", input, weight, padding_idx, max_norm, norm_type, sparse)
    return F.index_select(weight, index, (*parameters, bool(scale_grad_by_freq)))


@function(overridable=True)
def one_hot(input: Checked, num_classes: Integer = -1) -> Tensor:
    """Encode class numbers as vectors with a 1 at the class and 0 elsewhere: int64 (*) to int64 (*, num_classes).

    Raises ValueError for invalid classes.

    Arguments:
        input: the class numbers.
        num_classes: the number of classes; -1 for the largest class number plus one.

    >>> from facula_tensor import tensor
    >>> one_hot(tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    layout, classes = layout_of_tensor(input), num_classes
    if layout.dtype is not int64:
        raise DTypeError(f"one_hot: expected input to be int64; got {show(layout)}; convert with .long()")
    index = snapshot(input)
    every = (tuple(range(layout.ndim)), False)
    if classes == -1:
        if not layout.numel or input.is_meta:
            raise ArgumentError(f"one_hot: expected num_classes where there are no numbers to tell; got {show(layout)}")
        classes = max(no_record_ops.amax(index, every).item() + 1, 1)
    elif classes < 1:
        raise ArgumentError(f"one_hot: expected num_classes to be positive, or -1; got {classes}")
    result = batched_as(zeros(*layout.shape, classes, dtype=int64, device=layout.device), index)
    try:
        return result.scatter_(-1, no_record_ops.unsqueeze(index, -1), 1)
    except InvalidIndexError:
        found = [
            label
            for label in (no_record_ops.amin(index, every).item(), no_record_ops.amax(index, every).item())
            if not 0 <= label < classes
        ]
        raise ArgumentError(
            f"one_hot: expected classes from 0 to {classes - 1}; got {found[0] if found else 'others'}"
        ) from None
