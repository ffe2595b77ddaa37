"""`pad`: add elements around a tensor, with a constant or with the tensor's elements."""

from __future__ import annotations

from functools import lru_cache, partial
from math import copysign
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError
from facula_storage import bfloat16, cpu, float16, float32, float64
from facula_storage.extend.layouts import FLOATING, contiguous_strides

from ...._core.promotion import number_for
from ...._core.sizes import sizes
from ...._core.tensor import Tensor, layout_of_tensor
from ...._creation.from_memory import from_numpy
from ...._dispatch.arguments import geometry
from ...._dispatch.autocast import autocast_state
from ...._dispatch.written import function
from ...indexing.masks import check_room
from .resample import RegularTaps, Taps, resample_dims

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from facula_storage import DType

    from ...._dispatch.kinds import Checked, Steady
    from ...._dispatch.namespaces import Namespace

WORDS = {
    "reflect": "less than {0} elements on each side of a dimension of length {0}",
    "circular": "at most {0} elements on each side of a dimension of length {0}",
}


@lru_cache(maxsize=1024)
def places(mode: str, length: int, before: int, after: int) -> np.ndarray:
    """Return the source position of each element of a padded dimension."""
    at = np.arange(-before, length + after)
    if mode == "circular":  # of the elements that negative padding leaves
        kept = np.arange(max(-before, 0), length - max(-after, 0))
        return kept[np.arange(-max(before, 0), len(kept) + max(after, 0)) % len(kept)]
    if mode == "replicate":
        return at.clip(0, length - 1)
    return length - 1 - np.abs(length - 1 - np.abs(at))


@lru_cache(maxsize=1024)
def padded_taps(mode: str, length: int, before: int, after: int) -> Taps:
    """Return the source positions as a matrix."""
    find = partial(places, mode, length, before, after)
    return RegularTaps(length, length + before + after, 1, (mode, before, after, 0), find)


@geometry
def sides_of(
    name: str, operands: tuple[tuple[tuple[int, ...], DType], ...], amounts: tuple[int, ...], mode: str
) -> list[tuple[int, int, int]]:
    """Return (dimension, before, after) of each pair of `amounts`; raise an error if there are too few elements."""
    ((shape, _),) = operands
    if len(amounts) % 2 or len(amounts) > 2 * len(shape):
        raise ArgumentError(
            f"{name}: expected pad to have two numbers for each of up to {len(shape)} dimension(s); got {amounts}"
        )
    sides = [(len(shape) - 1 - i, amounts[2 * i], amounts[2 * i + 1]) for i in range(len(amounts) // 2)]
    for dim, before, after in sides:
        kept = shape[dim] + min(before, 0) + min(after, 0)
        if kept < 0 if mode == "constant" else shape[dim] + before + after <= 0:
            raise ArgumentError(
                f"{name}: {before} before and {after} after leave no elements in dimension {dim}; got shape {shape}"
            )
    if mode == "constant":
        return sides
    if len(sides) > 3 or len(shape) not in (len(sides) + 1, len(sides) + 2):
        raise ArgumentError(
            f"{name}: mode {mode!r} pads one to three last dimensions of images (N, C, ...) or (C, ...); "
            f"got shape {shape} and pad for {len(sides)}"
        )
    for dim, before, after in sides:
        length = shape[dim]
        most = length - 1 if mode == "reflect" else length if mode == "circular" else max(before, after)
        cropped = mode == "circular" and length + min(before, 0) + min(after, 0) < 1
        if max(before, after) > most or not length or cropped:
            words = WORDS.get(mode, "a dimension with elements").format(length)
            raise ArgumentError(f"{name}: mode {mode!r} takes {words}; got {before} and {after} at {dim}")
    return sides


@function()
def pad(
    F: Namespace,
    input: Steady,
    pad: Sequence[int],
    mode: Literal["constant", "reflect", "replicate", "circular"] = "constant",
    value: float | None = None,
) -> Tensor:
    """Add elements before and after dimensions of `input`; negative numbers remove elements.

    Raises ValueError if there are too few elements.

    Arguments:
        input: the tensor; images (N, C, ...) or (C, ...) for all modes but "constant".
        pad: the numbers before and after for the last dimension, then for the one before it, and so on.
        mode: "constant" (any dtype and dimensions), "reflect" (mirrored at the first and last element), "replicate"
            (those two repeated) or "circular" (from the other end); the last three pad up to three last dimensions.
        value: the constant for mode "constant", which the dtype must represent; 0 if None.

    >>> from facula_tensor import arange
    >>> pad(arange(3), (1, 2), value=9)
    tensor([9, 0, 1, 2, 9, 9])
    >>> pad(arange(3.0).view(1, 3), (2, 1), "reflect")
    tensor([[2., 1., 0., 1., 2., 1.]])
    """
    sides = sides_of("pad", (input,), sizes("pad", (), pad, "pad"), mode)
    if mode == "constant":
        return _constant_pad(F, input, sides, value)
    if value:
        raise ArgumentError(f"pad: expected a value only for mode 'constant'; got {value!r} for {mode!r}")
    state = autocast_state()
    if state is not None and (mode == "replicate" or (mode == "reflect" and len(sides) < 3)):
        input = state.widen(input, True) if layout_of_tensor(input).device is cpu else input
    lengths = layout_of_tensor(input).shape
    changed = [(dim, mode, lengths[dim], before, after) for dim, before, after in sides if before or after]
    if not changed:
        return F.clone(input)
    dtype = input.dtype
    half = dtype in (float16, bfloat16) and layout_of_tensor(input).device is cpu
    if half or dtype in (float32, float64):
        input = F.to(input, (float32,)) if half else input
        input = resample_dims(F, input, tuple([(dim, padded_taps(*arguments)) for dim, *arguments in changed]))
        return F.to(input, (dtype,)) if half else input
    for dim, *arguments in changed:
        input = F.take(input, from_numpy(places(*arguments)).to(input.device), (dim,))
    return input


def _constant_pad(F: Namespace, input: Tensor, sides: list[tuple[int, int, int]], value: float | None) -> Tensor:
    """Add `value` at `sides` of `input`: (dimension, before, after); negative numbers remove elements."""
    number: complex = 0
    dtype = layout_of_tensor(input).dtype
    if isinstance(value, float) and not value and copysign(1, value) < 0 and dtype.category == FLOATING:
        return F.neg(_constant_pad(F, F.neg(input), sides, None))  # plans do not distinguish -0 from 0
    if value:
        number = value
        if type(value) not in (int, float) or not -127 <= value <= 127 or dtype.category != FLOATING:
            number = number_for(value, dtype, "pad", "value")
            check_room("pad", number, dtype)
    size, start = list(layout_of_tensor(input).shape), [0] * input.ndim
    for dim, before, after in sides:
        first, last = max(-before, 0), size[dim] - max(-after, 0)
        if before < 0 or after < 0:
            input = F.slice(input, dim, min(first, last), last, 1)
        size[dim], start[dim] = size[dim] + before + after, max(before, 0)
    strides = contiguous_strides(tuple(size))
    offset = sum([at * step for at, step in zip(start, strides, strict=True)])
    return F.inset(input, (tuple(size), strides, offset, (), number))


@function(overridable=True, out=True)
def constant_pad_nd(F: Namespace, input: Checked, pad: Sequence[int], value: float = 0) -> Tensor:
    """Pad `input` with a constant, as `functional.pad`.

    Arguments:
        pad: pairs (before, after) from the last dimension on; negative numbers remove elements.
        value: the constant.

    >>> from facula_tensor import ones
    >>> constant_pad_nd(ones(2), (1, 0), 5)
    tensor([5., 1., 1.])
    """
    sides = sides_of("constant_pad_nd", (input,), sizes("constant_pad_nd", (), pad, "pad"), "constant")
    result = _constant_pad(F, input, sides, value)
    return F.clone(result) if result is input else result
