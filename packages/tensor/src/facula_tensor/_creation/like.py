"""New tensors with the shape, dtype and device of another one: uninitialised, constant or random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import cpu

from .._core.allocation import fresh, layout_for
from .._core.default_device import other_defaults
from .._core.tensor import layout_of_tensor
from .._core.wrapped import batched_as
from .._dispatch.namespaces import composite, no_record_ops, recorded_ops
from .._dispatch.written import maker
from .batches import open_batches
from .filled import full, layout_like, number_to_fill
from .filling import filled
from .random import NORMAL, UNIFORM, drawn_batched, fill_with_draws, randint

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import DeviceLike, DTypeLike, Lengths, Operand
    from .._dispatch.namespaces import Namespace
    from .generator import Generator


@maker("like", memory_format=True, inline=True)
def empty_like(input: Tensor, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Return an uninitialised tensor with the shape, dtype and device of `input`."""
    result = fresh(layout_like("empty_like", input, dtype, device), "empty_like")
    return batched_as(result, input) if open_batches else result


@maker("like", memory_format=True, inline=True)
def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Return a tensor of zeros with the shape, dtype and device of `input`.

    >>> from facula_tensor import ones
    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    result = filled(layout_like("zeros_like", input, dtype, device), 0.0, "zeros_like")
    return batched_as(result, input) if open_batches else result


@maker("like", memory_format=True, inline=True)
def ones_like(input: Tensor, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Return a tensor of ones with the shape, dtype and device of `input`.

    >>> from facula_tensor import zeros
    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    result = filled(layout_like("ones_like", input, dtype, device), 1.0, "ones_like")
    return batched_as(result, input) if open_batches else result


@maker("like", memory_format=True, inline=True)
def full_like(
    input: Tensor, fill_value: Operand, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return a tensor filled with one value, with the shape, dtype and device of `input`.

    Arguments:
        fill_value: a number, or a zero-dimensional tensor.

    >>> from facula_tensor import zeros
    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    if type(fill_value) is not float and type(fill_value) is not int:
        fill_value = number_to_fill(fill_value, "full_like")
    result = filled(layout_like("full_like", input, dtype, device), fill_value, "full_like")
    return batched_as(result, input) if open_batches else result


@maker("like", memory_format=True, inline=True)
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Draw numbers uniformly from [0, 1), in the shape, dtype and device of `input`."""
    made = layout_like("rand_like", input, dtype, device)
    result = drawn_batched(made, UNIFORM, generator, 0.0, 1.0) if open_batches else fresh(made, "rand_like")
    if not open_batches:
        fill_with_draws(made, result._storage, 0, UNIFORM, generator, 0.0, 1.0)
    return result


@maker("like", memory_format=True, inline=True)
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Draw from the standard normal distribution, in the shape, dtype and device of `input`."""
    made = layout_like("randn_like", input, dtype, device)
    result = drawn_batched(made, NORMAL, generator, 0.0, 1.0) if open_batches else fresh(made, "randn_like")
    if not open_batches:
        fill_with_draws(made, result._storage, 0, NORMAL, generator, 0.0, 1.0)
    return result


@composite
def zeros_like_(F: Namespace, like: Tensor) -> Tensor:
    """Return zeros; the operator that rules call."""
    return zeros_like(like)


@composite
def ones_like_(F: Namespace, like: Tensor) -> Tensor:
    """Return ones; the operator that rules call."""
    return ones_like(like)


for _F in (no_record_ops, recorded_ops):
    _F.zeros_like, _F.ones_like = _F.zeros_like_, _F.ones_like_


# --------------------------------------------------------------- methods: this tensor's dtype and device, any shape
@maker("like", method=True, public=False, quick=True, inline=True)
def new_empty(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return an uninitialised tensor with the dtype and the device of this tensor.

    Arguments:
        dtype: the dtype of the result; that of this tensor if None.
        device: the device of the result; that of this tensor if None.
    """
    own = layout_of_tensor(self)
    if dtype is None:
        dtype = own.dtype
    if device is None and (own.device is not cpu or other_defaults):
        device = own.device
    result = fresh(layout_for("new_empty", lengths, size, dtype, device), "new_empty")
    return batched_as(result, self) if open_batches else result


@maker("like", method=True, public=False, quick=True, inline=True)
def new_zeros(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a tensor of zeros with the dtype and the device of this tensor.

    Arguments:
        dtype: the dtype of the result; that of this tensor if None.
        device: the device of the result; that of this tensor if None.
    """
    own = layout_of_tensor(self)
    if dtype is None:
        dtype = own.dtype
    if device is None and (own.device is not cpu or other_defaults):
        device = own.device
    result = filled(layout_for("new_zeros", lengths, size, dtype, device), 0.0, "new_zeros")
    return batched_as(result, self) if open_batches else result


@maker("like", method=True, public=False, quick=True, inline=True)
def new_ones(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a tensor of ones with the dtype and the device of this tensor.

    Arguments:
        dtype: the dtype of the result; that of this tensor if None.
        device: the device of the result; that of this tensor if None.
    """
    own = layout_of_tensor(self)
    if dtype is None:
        dtype = own.dtype
    if device is None and (own.device is not cpu or other_defaults):
        device = own.device
    result = filled(layout_for("new_ones", lengths, size, dtype, device), 1.0, "new_ones")
    return batched_as(result, self) if open_batches else result


@maker("like", method=True, public=False, quick=True)
def new_full(
    self: Tensor,
    size: Lengths,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a tensor filled with one value, with the dtype and the device of this tensor.

    Arguments:
        size: the shape.
        fill_value: a number, or a zero-dimensional tensor.
        dtype: the dtype of the result; that of this tensor if None.
        device: the device of the result; that of this tensor if None.
    """
    own = layout_of_tensor(self)
    dtype, device = own.dtype if dtype is None else dtype, own.device if device is None else device
    result = full(size, fill_value, dtype=dtype, device=device)
    return batched_as(result, self) if open_batches else result


@maker("like", memory_format=True)
def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Draw integers uniformly from `low` (inclusive) to `high` (exclusive), in the shape of `input`.

    `randint_like(input, high)` draws from 0.

    Arguments:
        low: the lower bound, inclusive.
        high: the upper bound, exclusive.

    >>> from facula_tensor import ones
    >>> randint_like(ones(2), 1)
    tensor([0., 0.])
    """
    made = layout_like("randint_like", input, dtype, device)
    ends = (low, high) if high is not None else (0, low)
    return randint(*ends, made.shape, generator=generator, dtype=made.dtype, device=made.device)
