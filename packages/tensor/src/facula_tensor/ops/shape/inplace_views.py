"""In-place view operators, which replace the layout of a tensor: `squeeze_`, `transpose_`, `as_strided_`, `set_`, ...

Note [Becoming a view]
~~~~~~~~~~~~~~~~~~~~~~
`x.t_()` assigns x another layout over the same memory; no element changes. The other views of x's family are therefore
not affected, and x's node becomes the node of a view of the former x. If x changes in place later, its region of the
family's root is computed from its layout, as for all views (Note [Views and changes]). `as_strided_` may expose other
elements than before: the former x remains the root of the family, and x becomes a view of it. The graph is recorded
under `no_grad` too, because a gradient of the former shape would not fit. The version counter increases: nodes that
saved x saved it with its former shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import enable_grad, is_grad_enabled
from facula_autograd.extend.nodes import LEAF
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


def _become_view(
    name: str, self: Tensor, view: Callable[..., Tensor], *arguments: object, moves: bool = False
) -> Tensor:
    """Replace the layout of `self` by that of the view `view(self, *arguments)`, for the method `name`.

    Arguments:
        moves: whether the view may expose other elements than `self` does.
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
        now._viewed = self._viewed  # a view may reach all elements of its root
    if node is None or node is LEAF:
        seen = view(now, *arguments)
    else:
        now.node = node
        with enable_grad():
            seen = view(now, *arguments)
    layout, offset, new = seen._layout, seen._offset, seen.node
    if type(self._layout) is WrappedLayout:
        layout = WrappedLayout(layout)  # type: ignore[assignment]
    # No call may separate these assignments; otherwise another thread could see a mixture of old and new.
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
    """Remove dimensions of length 1 from this tensor, as `squeeze` does, and return it.

    >>> from facula_tensor import ones
    >>> ones(1, 2).squeeze_().shape
    facula.Size([2])
    """
    return _become_view("squeeze_", self, squeeze, dim)


@overridable
@method()
@boundary
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Insert a new dimension of length 1 at `dim` into this tensor, as `unsqueeze` does, and return it.

    >>> from facula_tensor import ones
    >>> ones(2).unsqueeze_(0).shape
    facula.Size([1, 2])
    """
    return _become_view("unsqueeze_", self, Tensor.unsqueeze, dim)


@overridable
@method()
@boundary
def t_(self: Tensor) -> Tensor:
    """Transpose this matrix in place, as `t` does, and return it."""
    return _become_view("t_", self, recorded_ops.t)


@overridable
@method()
@boundary
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchange two dimensions of this tensor, as `transpose` does, and return it.

    Arguments:
        dim0: one dimension.
        dim1: the other.

    >>> from facula_tensor import ones
    >>> ones(2, 3).transpose_(0, 1).shape
    facula.Size([3, 2])
    """
    return _become_view("transpose_", self, Tensor.transpose, dim0, dim1)


@overridable
@method()
@boundary
def swapdims_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Alias of `transpose_`."""
    return _become_view("swapdims_", self, Tensor.transpose, dim0, dim1)


@overridable
@method()
@boundary
def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """Alias of `transpose_`, under NumPy's name."""
    return _become_view("swapaxes_", self, Tensor.transpose, axis0, axis1)


@overridable
@method()
@boundary
def as_strided_(self: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None) -> Tensor:
    """Replace shape, strides and offset of this tensor over its storage, as `as_strided` does, and return it.

    Arguments:
        size: the shape.
        stride: the strides, in elements.
        storage_offset: the position of the first element in the storage; None keeps it.
    """
    return _become_view("as_strided_", self, as_strided, size, stride, storage_offset, moves=True)


# ----------------------------------------------------------------------------------------------- other memory
@method()
@boundary
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Resize this tensor to the shape of another, as `resize_` does, and return it.

    >>> from facula_tensor import arange, ones
    >>> arange(4).resize_as_(ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    shape = tuple(as_tensor("resize_as_", the_template).shape)
    return as_tensor("resize_as_", self).resize_(shape, memory_format=memory_format)
