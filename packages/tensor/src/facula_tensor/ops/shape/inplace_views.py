"""Views that a tensor itself becomes: `squeeze_`, `transpose_`, `as_strided_`, `set_` and kin.

Note [Becoming a view]
~~~~~~~~~~~~~~~~~~~~~~
`x.t_()` gives x another layout over the memory that it has; no element changes. So nothing happens to the other members
of its family of views, and x's node becomes that of a view of what x was. Where x is to change in place later, its
region of the family's root is found from its layout, as of all views (Note [Views and changes]). `as_strided_` may show
other elements than before: what x was stays at the root of the family, and x is a view of it. History is kept under
`no_grad` too, since a gradient of the former shape would not fit. The version counts: nodes that saved x saved it in
its former shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import enable_grad, is_grad_enabled
from facula_autograd.extend import LEAF
from facula_errors import OperationError
from facula_errors.extend import boundary

from ..._core.tensor import Tensor, method, snapshot
from ..._core.view_family import first_view, register
from ..._core.wrapped import LevelLayout, WrappedLayout
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.launching import mutated
from ..._dispatch.view_call import as_tensor
from .as_strided import as_strided
from .transpose import squeeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._core.types import Dims, Lengths, MemoryFormat


def _seen_through(
    name: str, self: Tensor, view: Callable[..., Tensor], *arguments: object, moves: bool = False
) -> Tensor:
    """Let `self` become the view `view(self, *arguments)`, for the method of this name.

    `moves`: the view may show other elements than `self` does.
    """
    self = as_tensor(name, self)
    node = self.node
    if node is LEAF and is_grad_enabled():
        raise OperationError(
            f"{name}: this tensor is a leaf that requires a gradient, which would be of its former shape; use "
            f"no_grad(), or {name.removesuffix('_')}() for a new tensor"
        )
    if isinstance(self._layout, LevelLayout):
        seen = view(self, *arguments)
        self._layout, self._offset, self.node = seen._layout, seen._offset, seen.node
        return self
    now = snapshot(self)
    if hasattr(self, "_viewed"):
        now._viewed = self._viewed  # a view may reach all elements that its root shows
    if node is None or node is LEAF:
        seen = view(now, *arguments)
    else:
        now.node = node
        with enable_grad():
            seen = view(now, *arguments)
    layout, offset, new = seen._layout, seen._offset, seen.node
    if type(self._layout) is WrappedLayout:
        layout = WrappedLayout(layout)  # type: ignore[assignment]
    # All with no call between, so that no thread sees a mixture.
    self._layout = layout
    self._offset = offset
    if node is not LEAF:
        self.node = new
        if moves:
            now._views = self._views if hasattr(self, "_views") else first_view(now)
            self._viewed = now
            register(self, now)
    if self._storage.version is not None:
        mutated(self, name)
    return self


@overridable
@method()
@boundary
def squeeze_(self: Tensor, dim: Dims | None = None) -> Tensor:
    """`squeeze` in place: this tensor without dimensions of length 1. Returns it.

    >>> from facula_tensor import ones
    >>> ones(1, 2).squeeze_().shape
    facula.Size([2])
    """
    return _seen_through("squeeze_", self, squeeze, dim)


@overridable
@method()
@boundary
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """`unsqueeze` in place: this tensor with a new dimension of length 1 at `dim`. Returns it.

    >>> from facula_tensor import ones
    >>> ones(2).unsqueeze_(0).shape
    facula.Size([1, 2])
    """
    return _seen_through("unsqueeze_", self, Tensor.unsqueeze, dim)


@overridable
@method()
@boundary
def t_(self: Tensor) -> Tensor:
    """`t` in place: this matrix transposed. Returns it."""
    return _seen_through("t_", self, recorded_ops.t)


@overridable
@method()
@boundary
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` in place: this tensor with two dimensions exchanged. Returns it.

    Arguments:
        dim0: one dimension.
        dim1: the other.

    >>> from facula_tensor import ones
    >>> ones(2, 3).transpose_(0, 1).shape
    facula.Size([3, 2])
    """
    return _seen_through("transpose_", self, Tensor.transpose, dim0, dim1)


@overridable
@method()
@boundary
def swapdims_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose_`, by another name."""
    return _seen_through("swapdims_", self, Tensor.transpose, dim0, dim1)


@overridable
@method()
@boundary
def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose_`, by the name that NumPy's programs have for it."""
    return _seen_through("swapaxes_", self, Tensor.transpose, axis0, axis1)


@overridable
@method()
@boundary
def as_strided_(self: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None) -> Tensor:
    """`as_strided` in place: this tensor with another shape, strides and offset over its storage. Returns it.

    Arguments:
        size: the shape.
        stride: the strides, in elements.
        storage_offset: the place of the first element in the storage; None keeps it.
    """
    return _seen_through("as_strided_", self, as_strided, size, stride, storage_offset, moves=True)


# ----------------------------------------------------------------------------------------------- other memory
@method()
@boundary
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Give this tensor the shape of another, as `resize_` does. Returns it.

    >>> from facula_tensor import arange, ones
    >>> arange(4).resize_as_(ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    shape = tuple(as_tensor("resize_as_", the_template).shape)
    return as_tensor("resize_as_", self).resize_(shape, memory_format=memory_format)
