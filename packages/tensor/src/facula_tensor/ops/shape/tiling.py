"""Repetition of elements: `repeat`, `tile`, `repeat_interleave`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, DTypeError, UnsupportedError
from facula_storage import int32, int64, meta

from ..._core.promotion import as_integer
from ..._core.tensor import Tensor, check_dim, layout_of_tensor
from ..._creation.from_memory import from_numpy
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Lengths
    from ..._dispatch.kinds import Each, SizesByName, Steady
    from ..._dispatch.namespaces import Namespace


def _tiled(operation: str, input: Tensor, counts: tuple[int, ...]) -> Tensor:
    """Return the tensor repeated `counts` times; there is a count for every dimension, and there may be more."""
    if min(counts, default=0) < 0:
        raise ArgumentError(f"{operation}: expected counts of at least 0; got {counts}")
    shape = layout_of_tensor(input).shape
    missing = len(counts) - len(shape)
    if missing:
        input = recorded_ops.reshape(input, (1,) * missing + shape)
    return recorded_ops.tile(input, (counts, (1,) * len(counts)))


@function(method=True)
def repeat(input: Steady, *counts: Each, repeats: SizesByName = None) -> Tensor:
    """Return a copy with each dimension repeated as a whole; surplus counts add new dimensions in front.

    Arguments:
        counts: the number of repetitions of each dimension, as several arguments or one sequence.
        repeats: `counts`, as a keyword argument.

    Raises:
        ValueError: if there are fewer counts than dimensions (`tile` accepts those).

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    ndim = len(layout_of_tensor(input).shape)
    if len(counts) < ndim:
        raise ArgumentError(
            f"repeat: expected a count for each of {ndim} dimension(s); got {counts}; use tile, or put 1 first"
        )
    return _tiled("repeat", input, counts)


@function(method=True)
def tile(input: Steady, *counts: Each, dims: SizesByName = None) -> Tensor:
    """Return a copy with dimensions repeated as a whole.

    Arguments:
        counts: the number of repetitions of the last dimensions, as several arguments or one sequence; surplus counts
            add new dimensions in front.
        dims: `counts`, as a keyword argument.

    >>> from facula_tensor import tensor
    >>> tile(tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]])
    """
    return _tiled("tile", input, (1,) * (input.ndim - len(counts)) + counts)


@function(method=True)
def repeat_interleave(
    F: Namespace,
    input: Steady,
    repeats: Lengths | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Return a copy with each element along `dim` repeated: all equally often, or as an integer tensor specifies.

    Without `dim` the tensor is flattened. `repeat_interleave(repeats)` with counts alone returns the position of each
    count, repeated that many times.

    Arguments:
        input: the tensor, or counts alone.
        repeats: the number of repetitions: an integer, or an integer tensor with one count per element.
        dim: the dimension; None flattens the tensor first.
        output_size: the expected length of the result, which is checked; None skips the check.

    >>> from facula_tensor import tensor
    >>> repeat_interleave(tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> repeat_interleave(tensor([1, 2]), tensor([1, 3]))
    tensor([1, 2, 2, 2])
    """
    if repeats is None:
        return _positions(input, None, output_size, input)
    at = 0 if dim is None else check_dim("repeat_interleave", dim, input.ndim)
    length = input.numel() if dim is None else input.shape[at] if input.ndim else 1
    places = None
    if isinstance(repeats, Tensor) and repeats.numel() != 1:  # check the counts before any element is moved
        places = _positions(repeats, length, output_size, input)
    if dim is None:
        input = F.flattened(F.contiguous(input), 0, -1)
    if not input.ndim:
        input = F.unsqueeze(input, 0)
    if places is not None:
        return F.take(input, places, (at,))
    if isinstance(repeats, Tensor):
        _check_counts(repeats)
        repeats = repeats.item()
    count = as_integer(repeats, "repeat_interleave", "repeats")
    if count < 0:
        raise ArgumentError(f"repeat_interleave: expected repeats of at least 0; got {count}")
    _check_size(length * count, output_size)
    ones = (1,) * input.ndim
    return F.tile(input, (ones, (*ones[:at], count, *ones[at + 1 :])))


def _check_counts(repeats: Tensor) -> None:
    if repeats.dtype not in (int32, int64):
        raise DTypeError(
            f"repeat_interleave: expected repeats to be int32 or int64; got {repeats.dtype.name}; use .long()"
        )


def _check_size(size: int, output_size: int | None) -> None:
    if output_size is not None and output_size != size:
        raise ArgumentError(
            f"repeat_interleave: expected output_size to be {size}, the sum of repeats; got {output_size}"
        )


def _positions(repeats: Tensor, length: int | None, output_size: int | None, like: Tensor) -> Tensor:
    """Return each position repeated as often as its entry in `repeats` specifies.

    Arguments:
        repeats: the counts.
        length: the required number of counts; None for any number.
        output_size: the expected sum, or None.
        like: a tensor on the device of the result.
    """
    _check_counts(repeats)
    if repeats.ndim != 1 or (length is not None and length != repeats.numel()):
        wanted = "1 dimension" if length is None else f"one count for each of {length} elements"
        raise ArgumentError(f"repeat_interleave: expected repeats of {wanted}; got shape {tuple(repeats.shape)}")
    if repeats.device is meta:
        raise UnsupportedError(
            "repeat_interleave: the result's size depends on counts, which meta tensors lack; use another device"
        )
    counts = repeats.detach().cpu().numpy()
    seen = counts if counts.size and counts.strides[0] else counts[:1]  # an expanded tensor repeats one element
    if seen.size and seen.min() < 0:
        raise ArgumentError(f"repeat_interleave: expected counts of at least 0; got {seen.min()}")
    places = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    _check_size(len(places), output_size)
    return from_numpy(places).to(like.device, repeats.dtype if length is None else int64)
