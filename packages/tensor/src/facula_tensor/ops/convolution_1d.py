"""Convolution of sequences: that of images of height 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from facula_errors.extend import boundary

from .._errors import ArgumentError
from .._operator import recording
from .._promotion import as_integer
from .._tensor import Tensor, layout_of_tensor
from .._viewing import as_tensor
from .convolution import conv2d

__all__ = ["conv1d"]


def length_of(argument: str, value: Any, least: int) -> int:
    """An integer, or a sequence of one."""
    if isinstance(value, (tuple, list)):
        if len(value) != 1:
            raise ArgumentError(f"conv1d: expected {argument} to be one integer; got {value!r}")
        (value,) = value
    number = as_integer(value, "conv1d", argument)
    if number < least:
        raise ArgumentError(f"conv1d: expected {argument} of at least {least}; got {value!r}")
    return number


@boundary
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The cross-correlation of sequences with filters: what networks call a convolution.

    input: (sequences, channels, length), or one without the first; weight: (filters, channels / groups, kernel
    length); bias: (filters,); dtypes, padding and resulting length as `conv2d`'s. ValueError where shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv1d(ones(1, 1, 4), ones(1, 1, 2), padding=1)
    tensor([[[1., 2., 2., 2., 1.]]])
    """
    x = layout_of_tensor(as_tensor("conv1d", input)).shape
    w = layout_of_tensor(as_tensor("conv1d", weight)).shape
    if len(x) not in (2, 3) or len(w) != 3:
        raise ArgumentError(
            f"conv1d: expected input (n, channels, length), or (channels, length), and weight (filters, channels / "
            f"groups, length); got input {x}, weight {w}"
        )
    groups = as_integer(groups, "conv1d", "groups")
    if groups < 1 or x[-2] != w[1] * groups or w[0] % groups:
        raise ArgumentError(
            f"conv1d: expected weight for {x[-2]} channels in {groups} groups, as input has; got input {x}, weight {w}"
        )
    if bias is not None and layout_of_tensor(as_tensor("conv1d", bias)).shape != w[:1]:
        raise ArgumentError(f"conv1d: expected bias of shape {w[:1]}; got {layout_of_tensor(bias).shape}")
    step, gap = length_of("stride", stride, 1), length_of("dilation", dilation, 1)
    around: Any = padding
    if not isinstance(padding, str):
        around = (0, length_of("padding", padding, 0))
        span, room = gap * (w[2] - 1) + 1, x[-1] + 2 * around[1]
        if span > room:
            raise ArgumentError(f"conv1d: the kernel spans {span} and does not fit the padded input of length {room}")
    elif padding not in ("same", "valid"):
        raise ArgumentError(f"conv1d: expected padding to be a number, 'same' or 'valid'; got {padding!r}")
    elif padding == "same" and step != 1:
        raise ArgumentError(f"conv1d: padding 'same' needs a stride of 1; got {stride!r}")
    F = recording
    image = conv2d(F.unsqueeze(input, -2), F.unsqueeze(weight, -2), bias, (1, step), around, (1, gap), groups)
    return F.squeeze(image, -2)
