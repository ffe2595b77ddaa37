"""Normalisation within each example: layer, group and root mean square norms.

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

    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

    from ..._types import DeviceAndDType

    Lengths: TypeAlias = SupportsIndex | Iterable[SupportsIndex]


def _normalized_lengths(layer: str, normalized_shape: Any) -> tuple[int, ...]:
    several = hasattr(normalized_shape, "__iter__") and not isinstance(normalized_shape, bytes)
    given = normalized_shape if several else (normalized_shape,)
    try:
        shape = tuple([int(extent.__index__()) for extent in given])
    except AttributeError:
        raise InvalidTypeError(
            f"{layer}: expected normalized_shape to be an integer or several; got {normalized_shape!r:.60}"
        ) from None
    if not shape:
        raise InvalidValueError(f"{layer}: expected normalized_shape of at least one length; got {normalized_shape!r}")
    check_lengths(layer, **dict.fromkeys(("normalized_shape",), min(shape)))
    return shape


class _Affine(Module):
    """Base class with an optional weight of ones and an optional bias of zeros."""

    weight: Parameter | None
    bias: Parameter | None

    def _make_affine(self, shape: tuple[int, ...], weight: bool, bias: bool | None, place: DeviceAndDType) -> None:
        self.register_parameter("weight", Parameter(empty(shape, **place)) if weight else None)
        if bias is not None:
            self.register_parameter("bias", Parameter(empty(shape, **place)) if bias else None)

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)  # type: ignore[arg-type]


@boundary
class LayerNorm(_Affine):
    """Normalise the last dimensions, `normalized_shape`, to mean 0 and variance 1; scale by `weight` and add `bias`.

    The shape is preserved. State: `weight` and `bias` of `normalized_shape`, if `elementwise_affine` (and `bias`).

    Arguments:
        normalized_shape: the lengths of the last dimensions, one number or several.
        eps: the constant added to the variance.
        elementwise_affine: whether to use a trainable weight.
        bias: whether to add a trainable bias, too.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

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
        """Normalise `input` (*, normalized_shape)."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@boundary
class RMSNorm(_Affine):
    """Divide the last dimensions, `normalized_shape`, by the root of their mean square, and scale them by `weight`.

    `eps` is added to the mean square; None means the machine epsilon of the dtype, or of float32
    for half precisions. The shape is preserved.

    Arguments:
        normalized_shape: the lengths of the last dimensions, one number or several.
        eps: the constant added to the mean square.
        elementwise_affine: whether to use a trainable weight.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

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
        """Normalise `input` (*, normalized_shape)."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


@boundary
class GroupNorm(_Affine):
    """Normalise each of `num_groups` groups of channels to mean 0 and variance 1; scale by `weight` and add `bias`.

    The shape of the input (N, num_channels, ...) is preserved. State: `weight` and `bias`, one number per channel, if
    `affine`. ValueError unless num_groups divides num_channels.

    Arguments:
        num_groups: the number of groups.
        num_channels: the number of channels.
        eps: the constant added to the variance.
        affine: whether to use a trainable weight.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.
        bias: whether to add a trainable bias, too.

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
        """Normalise `input` (N, num_channels, ...)."""
        check_input("GroupNorm", input)
        if input.ndim < 2 or input.shape[1] != self.num_channels:
            raise InvalidValueError(
                f"GroupNorm: expected input (N, {self.num_channels}, ...); got shape {tuple(input.shape)}"
            )
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
