"""Dropout of whole channels, and dropout that preserves mean and variance.

J. Tompson and others: Efficient object localization using convolutional networks, 2015. G. Klambauer and others:
Self-normalizing neural networks, 2017.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import warn
from facula_storage import bool_, contiguous, float32, float64
from facula_storage.extend.layouts import FLOATING

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.filled import ones
from ..._creation.random import bernoulli_draws
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function
from .dropout import PROBABILITY, dropout

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Flag, Float

SELU_LIMIT = -1.7580993408473766  # the limit of selu at negative infinity


@elementwise
class _alpha_dropped:
    """input * scale + shift, or `limit` for dropped elements."""

    inputs = ("dropped", "input", "scale", "shift", "limit")
    mask_operands = 1
    no_gradient = ("dropped", "scale", "shift", "limit")
    inplace = False

    def value(F, dropped, input, scale, shift, limit):
        return F.where(dropped, limit, input * scale + shift)

    def vjp_input(F, g, dropped, scale):
        return F.where(dropped, 0, g * scale)


def drop(name: str, input: Tensor, p: float, training: bool, inplace: bool, dims: int, keeps: bool) -> Tensor:
    """Return `input` with whole parts dropped, one part for each index of the first `dims` dimensions.

    Arguments:
        name: the operator's name, for error messages.
        input: a tensor of a floating dtype.
        p: the probability that a part is dropped.
        training: whether to drop parts at all.
        inplace: whether to write the result to `input`.
        dims: the number of leading dimensions that index the parts.
        keeps: whether dropped elements become selu's limit and mean and variance are preserved; if False, they become
            0 and the others are divided by 1 - p.
    """
    layout = layout_of_tensor(input)
    if not training or p == 0 or not layout.numel:
        return input
    if layout.dtype.category != FLOATING:
        raise DTypeError(f"{name}: defined for floating dtypes; got {layout.dtype.name}; convert with .float()")
    F, shape = recorded_ops, layout.shape
    parts = (*shape[:dims], *(1,) * (len(shape) - dims))
    if keeps and p < 1:
        dropped = bernoulli_draws(contiguous(parts, bool_, layout.device), p)
        scale = ((1 - p) * (1 + p * SELU_LIMIT**2)) ** -0.5
        result = F.alpha_dropped(dropped, input, scale, -p * SELU_LIMIT * scale, (1 - p) * SELU_LIMIT * scale)
    else:
        wide = float64 if layout.dtype is float64 else float32
        mask = dropout(ones(parts, dtype=wide, device=layout.device), p)
        result = F.mul(input, F.to(mask, (layout.dtype,)))
    return input.copy_(result) if inplace else result


def channel_dims(name: str, input: Tensor, dims: tuple[int, ...]) -> int:
    """Return the number of dimensions up to the channels: 1 for dims[0] dimensions, 2 (with a batch) for dims[1].

    Raises:
        ValueError: for another number of dimensions; the message names the function.
    """
    shape = layout_of_tensor(input).shape
    ndim = len(shape)
    if ndim not in dims:
        raise ArgumentError(f"{name}: expected {dims[0]} dimensions (channels, ...) or {dims[1]}; got shape {shape}")
    return 1 if ndim == dims[0] else 2


@function(overridable=True, refuses=PROBABILITY)
def dropout1d(input: Checked, p: Float = 0.5, training: Flag = True, inplace: Flag = False) -> Tensor:
    """In training, set each channel of sequences to 0 with probability `p` and divide the others by 1 - p.

    Arguments:
        input: (n, channels, length), or (channels, length).
        p: the probability, from 0 to 1.
        training: whether to drop channels; if False, `input` itself is returned.

    Raises:
        ValueError: for another number of dimensions, or if p is not in [0, 1].

    >>> from facula_tensor import ones
    >>> dropout1d(ones(2, 1), p=1.0)
    tensor([[0.],
            [0.]])
    """
    return drop("dropout1d", input, p, training, inplace, channel_dims("dropout1d", input, (2, 3)), False)


@function(overridable=True, refuses=PROBABILITY)
def dropout2d(input: Checked, p: Float = 0.5, training: Flag = True, inplace: Flag = False) -> Tensor:
    """In training, set each channel of images to 0 with probability `p` and divide the others by 1 - p.

    Arguments:
        input: (n, channels, height, width); other shapes (n, channels, ...) raise a warning.
        p: the probability, from 0 to 1.
        training: whether to drop channels; if False, `input` itself is returned.

    >>> from facula_tensor import ones
    >>> dropout2d(ones(1, 1, 1, 2), p=1.0)
    tensor([[[[0., 0.]]]])
    """
    shape = layout_of_tensor(input).shape
    if len(shape) < 2:
        raise ArgumentError(f"dropout2d: expected input (n, channels, ...); got shape {shape}")
    if len(shape) != 4:
        warn(
            f"dropout2d: the first two of {len(shape)} dimensions are interpreted as batch and channels; see dropout1d"
        )
    return drop("dropout2d", input, p, training, inplace, 2, False)


@function(overridable=True, refuses=PROBABILITY)
def dropout3d(input: Checked, p: Float = 0.5, training: Flag = True, inplace: Flag = False) -> Tensor:
    """In training, set each channel of volumes to 0 with probability `p` and divide the others by 1 - p.

    Arguments:
        input: (n, channels, depth, height, width), or without n.
        p: the probability, from 0 to 1.
        training: whether to drop channels; if False, `input` itself is returned.

    >>> from facula_tensor import ones
    >>> dropout3d(ones(1, 1, 1, 1, 2), p=1.0)
    tensor([[[[[0., 0.]]]]])
    """
    return drop("dropout3d", input, p, training, inplace, channel_dims("dropout3d", input, (4, 5)), False)


@function(overridable=True, refuses=PROBABILITY)
def alpha_dropout(input: Checked, p: Float = 0.5, training: Flag = False, inplace: Flag = False) -> Tensor:
    """In training, set each element to selu's limit with probability `p`, then restore mean and variance.

    Arguments:
        input: a tensor of a floating dtype.
        p: the probability, from 0 to 1.
        training: whether to drop elements; if False, `input` itself is returned.

    Raises:
        ValueError: if p is not in [0, 1].

    >>> from facula_tensor import ones
    >>> alpha_dropout(ones(2), p=1.0, training=True)
    tensor([0., 0.])
    """
    ndim = len(layout_of_tensor(input).shape)
    return drop("alpha_dropout", input, p, training, inplace, ndim, True)


@function(overridable=True, refuses=PROBABILITY)
def feature_alpha_dropout(input: Checked, p: Float = 0.5, training: Flag = False, inplace: Flag = False) -> Tensor:
    """Apply `alpha_dropout` to whole channels.

    Arguments:
        input: (n, channels, ...).
        p: the probability, from 0 to 1.
        training: whether to drop channels; if False, `input` itself is returned.

    >>> from facula_tensor import ones
    >>> feature_alpha_dropout(ones(1, 2), p=1.0, training=True)
    tensor([[0., 0.]])
    """
    shape = layout_of_tensor(input).shape
    if training and len(shape) < 2:
        raise ArgumentError(f"feature_alpha_dropout: expected input (n, channels, ...); got shape {shape}")
    return drop("feature_alpha_dropout", input, p, training, inplace, 2, True)
