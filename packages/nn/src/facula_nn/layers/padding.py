"""Layers that put elements around rows, images and volumes: zeros, one value, or what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_input
from .._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Pad(Module):
    """The amounts of padding, two for each dimension, the last dimension first."""

    _repr_items = "padding"
    _dims = 1
    _mode = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        name, count = type(self).__name__, 2 * self._dims
        if isinstance(padding, int) and not isinstance(padding, bool):
            self.padding: Sequence[int] = (padding,) * count
        elif (
            isinstance(padding, (tuple, list)) and len(padding) == count and all([type(one) is int for one in padding])
        ):
            self.padding = tuple(padding)
        else:
            raise InvalidTypeError(f"{name}: expected padding to be an integer or {count} of them; got {padding!r}")

    def forward(self, input: Tensor) -> Tensor:
        """`input` (N, C, ...) or (C, ...)."""
        check_input(type(self).__name__, input)
        return F.pad(input, self.padding, self._mode)


class _ConstantPad(_Pad):
    _repr_items = "padding=, value="

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """`input` of any shape with these dimensions."""
        check_input(type(self).__name__, input)
        return F.pad(input, self.padding, "constant", self.value)


@boundary
class ConstantPad1d(_ConstantPad):
    """`value` before and after rows: (N, C, L) to (N, C, L + padding).

    >>> from facula_tensor import ones
    >>> ConstantPad1d((1, 2), 5.0)(ones(1, 1))
    tensor([[5., 1., 5., 5.]])
    """


@boundary
class ConstantPad2d(_ConstantPad):
    """`value` around images: (N, C, H, W); padding (left, right, top, bottom)."""

    _dims = 2


@boundary
class ConstantPad3d(_ConstantPad):
    """`value` around volumes: (N, C, D, H, W); padding (left, right, top, bottom, front, back)."""

    _dims = 3


@boundary
class ZeroPad1d(_Pad):
    """Zeros before and after rows."""


@boundary
class ZeroPad2d(_Pad):
    """Zeros around images: padding (left, right, top, bottom).

    >>> from facula_tensor import ones
    >>> ZeroPad2d((1, 0, 0, 1))(ones(1, 1, 1))
    tensor([[[0., 1.],
             [0., 0.]]])
    """

    _dims = 2


@boundary
class ZeroPad3d(_Pad):
    """Zeros around volumes."""

    _dims = 3


@boundary
class ReflectionPad1d(_Pad):
    """Rows mirrored at their first and last element.

    >>> from facula_tensor import arange
    >>> ReflectionPad1d(2)(arange(3.0).view(1, 3))
    tensor([[2., 1., 0., 1., 2., 1., 0.]])
    """

    _mode = "reflect"


@boundary
class ReflectionPad2d(_Pad):
    """Images mirrored at their edges: padding (left, right, top, bottom)."""

    _dims = 2
    _mode = "reflect"


@boundary
class ReflectionPad3d(_Pad):
    """Volumes mirrored at their faces."""

    _dims = 3
    _mode = "reflect"


@boundary
class ReplicationPad1d(_Pad):
    """Rows with their first and last element repeated."""

    _mode = "replicate"


@boundary
class ReplicationPad2d(_Pad):
    """Images with their edges repeated: padding (left, right, top, bottom)."""

    _dims = 2
    _mode = "replicate"


@boundary
class ReplicationPad3d(_Pad):
    """Volumes with their faces repeated."""

    _dims = 3
    _mode = "replicate"


@boundary
class CircularPad1d(_Pad):
    """Rows with what is at their other end.

    >>> from facula_tensor import arange
    >>> CircularPad1d(1)(arange(3.0).view(1, 3))
    tensor([[2., 0., 1., 2., 0.]])
    """

    _mode = "circular"


@boundary
class CircularPad2d(_Pad):
    """Images with what is at their other side: padding (left, right, top, bottom)."""

    _dims = 2
    _mode = "circular"


@boundary
class CircularPad3d(_Pad):
    """Volumes with what is at their other side."""

    _dims = 3
    _mode = "circular"
