"""Normalisation of each example by its own numbers: of layers, of groups of channels, of each channel.

J. Ba et al., Layer Normalization, 2016. Y. Wu and K. He, Group Normalization, ECCV 2018. B. Zhang and R. Sennrich, Root
Mean Square Layer Normalization, NeurIPS 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from ... import functional as F
from ... import init
from ..._arguments import check_input, check_lengths
from ..._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, SupportsIndex, TypeAlias

    from facula_tensor.extend import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType

    Lengths: TypeAlias = SupportsIndex | Iterable[SupportsIndex]


def _normalized_lengths(layer: str, normalized_shape: Any) -> tuple[int, ...]:
    several = hasattr(normalized_shape, "__iter__") and not isinstance(normalized_shape, bytes)
    given = normalized_shape if several else (normalized_shape,)
    try:
        shape = tuple([int(one.__index__()) for one in given])
    except AttributeError:
        raise InvalidTypeError(
            f"{layer}: expected normalized_shape to be an integer or several; got {normalized_shape!r:.60}"
        ) from None
    if not shape:
        raise InvalidValueError(f"{layer}: expected normalized_shape of at least one length; got {normalized_shape!r}")
    check_lengths(layer, **dict.fromkeys(("normalized_shape",), min(shape)))
    return shape


class _Affine(Module):
    """An optional weight of ones, and an optional bias of zeros."""

    weight: Parameter | None
    bias: Parameter | None

    def _make_affine(self, shape: tuple[int, ...], weight: bool, bias: bool | None, place: DeviceAndDType) -> None:
        self.register_parameter("weight", Parameter(empty(shape, **place)) if weight else None)
        if bias is not None:
            self.register_parameter("bias", Parameter(empty(shape, **place)) if bias else None)

    def reset_parameters(self) -> None:
        """Weight 1 and bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)  # type: ignore[arg-type]


@boundary
class LayerNorm(_Affine):
    """The last dimensions, `normalized_shape`, with mean 0 and variance 1; then times `weight` plus `bias`.

    Shape stays. State: `weight` and `bias` of that shape, where `elementwise_affine` (and `bias`).

    Arguments:
        normalized_shape: the last lengths, a number or several.
        eps: what is added to the variance.
        elementwise_affine: whether there is a weight.
        bias: whether there is a bias, too.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

    >>> from facula_tensor import tensor
    >>> LayerNorm(2)(tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    _repr_items = "normalized_shape, eps=, elementwise_affine=, bias="
    normalized_shape: tuple[int, ...]

    def __init__(
        self,
        normalized_shape: Lengths,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _normalized_lengths("LayerNorm", normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        place: DeviceAndDType = {"device": device, "dtype": dtype}
        self._make_affine(self.normalized_shape, elementwise_affine, elementwise_affine and bias, place)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """`input` (*, normalized_shape)."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@boundary
class RMSNorm(_Affine):
    """The last dimensions, `normalized_shape`, divided by the root of their mean square; then times `weight`.

    `eps` is added to the mean square; None: the distance from 1 to the next number of the dtype. Shape stays.

    Arguments:
        normalized_shape: the last lengths, a number or several.
        eps: what is added to the mean square.
        elementwise_affine: whether there is a weight.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

    >>> from facula_tensor import tensor
    >>> RMSNorm(2)(tensor([[3.0, 4.0]])).detach()
    tensor([[0.8485, 1.1314]])
    """

    _repr_items = "normalized_shape, eps=, elementwise_affine="
    normalized_shape: tuple[int, ...]

    def __init__(
        self,
        normalized_shape: Lengths,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _normalized_lengths("RMSNorm", normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, None, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """`input` (*, normalized_shape)."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


@boundary
class GroupNorm(_Affine):
    """Each of `num_groups` groups of the channels with mean 0 and variance 1; then times `weight` plus `bias`.

    Input (N, num_channels, ...), whose shape stays. State: `weight` and `bias`, a number a channel, where `affine`.
    ValueError unless num_groups divides num_channels.

    Arguments:
        num_groups: how many groups there are.
        num_channels: how many channels there are.
        eps: what is added to the variance.
        affine: whether there is a weight.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.
        bias: whether there is a bias, too.

    >>> from facula_tensor import tensor
    >>> GroupNorm(1, 2)(tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    _repr_items = "num_groups, num_channels, eps=, affine=, bias="

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        check_lengths("GroupNorm", 1, num_groups=num_groups)
        if num_channels % num_groups:
            raise InvalidValueError(
                f"GroupNorm: expected num_groups to divide num_channels; got num_groups={num_groups} and "
                f"num_channels={num_channels}"
            )
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._make_affine((num_channels,), affine, affine and bias, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, num_channels, ...)."""
        check_input("GroupNorm", input)
        if input.ndim < 2 or input.shape[1] != self.num_channels:
            raise InvalidValueError(
                f"GroupNorm: expected input (N, {self.num_channels}, ...); got shape {tuple(input.shape)}"
            )
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
