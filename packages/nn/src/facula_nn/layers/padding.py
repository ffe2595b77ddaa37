"""Padding layers for sequences, images and volumes: zeros, a constant, reflection, replication or wrap-around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from .. import functional as F
from .._arguments import check_input
from .variant import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Pad(Variant):
    """Base class of padding layers: two amounts for each dimension, the last dimension first."""

    _repr_items = "padding"
    dims = 1
    _mode = "constant"

    def __init_subclass__(cls, mode: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._mode = mode or cls._mode

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        name, count = type(self).__name__, 2 * self.dims
        if isinstance(padding, int) and not isinstance(padding, bool):
            self.padding: Sequence[int] = (padding,) * count
        elif (
            isinstance(padding, (tuple, list))
            and len(padding) == count
            and all([type(number) is int for number in padding])
        ):
            self.padding = tuple(padding)
        else:
            raise InvalidTypeError(f"{name}: expected padding to be an integer or {count} of them; got {padding!r}")

    def forward(self, input: Tensor) -> Tensor:
        """Pad `input` (N, C, ...) or (C, ...)."""
        check_input(type(self).__name__, input)
        return F.pad(input, self.padding, self._mode)


class _ConstantPad(_Pad):
    _repr_items = "padding=, value="

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Pad `input`, of any shape with these dimensions."""
        check_input(type(self).__name__, input)
        return F.pad(input, self.padding, "constant", self.value)


@boundary
class ConstantPad1d(_ConstantPad):
    """Pad sequences with `value`: (N, C, L) to (N, C, L + padding).

    >>> from facula_tensor import ones
    >>> ConstantPad1d((1, 2), 5.0)(ones(1, 1))
    tensor([[5., 1., 5., 5.]])
    """


@boundary
class ConstantPad2d(_ConstantPad, dims=2):
    """Pad images (N, C, H, W) with `value`; padding (left, right, top, bottom).

    >>> from facula_tensor import ones
    >>> ConstantPad2d((1, 0, 0, 1), 5.0)(ones(1, 1, 1))
    tensor([[[5., 1.],
             [5., 5.]]])
    """


@boundary
class ConstantPad3d(_ConstantPad, dims=3):
    """Pad volumes (N, C, D, H, W) with `value`; padding (left, right, top, bottom, front, back).

    >>> from facula_tensor import ones
    >>> ConstantPad3d(1, 5.0)(ones(1, 2, 3, 4)).shape
    facula.Size([1, 4, 5, 6])
    """


@boundary
class ZeroPad1d(_Pad):
    """Pad sequences with zeros.

    >>> from facula_tensor import ones
    >>> ZeroPad1d((1, 2))(ones(1, 1))
    tensor([[0., 1., 0., 0.]])
    """


@boundary
class ZeroPad2d(_Pad, dims=2):
    """Pad images with zeros; padding (left, right, top, bottom).

    >>> from facula_tensor import ones
    >>> ZeroPad2d((1, 0, 0, 1))(ones(1, 1, 1))
    tensor([[[0., 1.],
             [0., 0.]]])
    """


@boundary
class ZeroPad3d(_Pad, dims=3):
    """Pad volumes with zeros.

    >>> from facula_tensor import ones
    >>> ZeroPad3d((1, 0, 0, 0, 0, 0))(ones(1, 1, 1, 1))
    tensor([[[[0., 1.]]]])
    """


@boundary
class ReflectionPad1d(_Pad, mode="reflect"):
    """Pad sequences by reflection at their first and last elements.

    >>> from facula_tensor import arange
    >>> ReflectionPad1d(2)(arange(3.0).view(1, 3))
    tensor([[2., 1., 0., 1., 2., 1., 0.]])
    """


@boundary
class ReflectionPad2d(_Pad, dims=2, mode="reflect"):
    """Pad images by reflection at their edges; padding (left, right, top, bottom).

    >>> from facula_tensor import arange
    >>> ReflectionPad2d((1, 1, 0, 0))(arange(3.0).view(1, 1, 3))
    tensor([[[1., 0., 1., 2., 1.]]])
    """


@boundary
class ReflectionPad3d(_Pad, dims=3, mode="reflect"):
    """Pad volumes by reflection at their faces."""


@boundary
class ReplicationPad1d(_Pad, mode="replicate"):
    """Pad sequences by repeating their first and last elements.

    >>> from facula_tensor import arange
    >>> ReplicationPad1d(2)(arange(3.0).view(1, 3))
    tensor([[0., 0., 0., 1., 2., 2., 2.]])
    """


@boundary
class ReplicationPad2d(_Pad, dims=2, mode="replicate"):
    """Pad images by repeating their edges; padding (left, right, top, bottom).

    >>> from facula_tensor import arange
    >>> ReplicationPad2d((1, 1, 0, 0))(arange(3.0).view(1, 1, 3))
    tensor([[[0., 0., 1., 2., 2.]]])
    """


@boundary
class ReplicationPad3d(_Pad, dims=3, mode="replicate"):
    """Pad volumes by repeating their faces."""


@boundary
class CircularPad1d(_Pad, mode="circular"):
    """Pad sequences with the elements of their opposite end.

    >>> from facula_tensor import arange
    >>> CircularPad1d(1)(arange(3.0).view(1, 3))
    tensor([[2., 0., 1., 2., 0.]])
    """


@boundary
class CircularPad2d(_Pad, dims=2, mode="circular"):
    """Pad images with the elements of their opposite side; padding (left, right, top, bottom).

    >>> from facula_tensor import arange
    >>> CircularPad2d((1, 0, 0, 0))(arange(3.0).view(1, 1, 1, 3))
    tensor([[[[2., 0., 1., 2.]]]])
    """


@boundary
class CircularPad3d(_Pad, dims=3, mode="circular"):
    """Pad volumes with the elements of their opposite side."""
