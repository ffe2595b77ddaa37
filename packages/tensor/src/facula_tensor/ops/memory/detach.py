"""Tensors that share memory: `detach` shares the version counter, `data` has a separate one. Detached gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, Storage
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.memory import alias
from facula_storage.extend.objects import new_instance

from ..._core.call_sites import user_site
from ..._core.tensor import Tensor, method, snapshot
from ..._core.wrapped import LevelLayout, WrappedLayout, innermost, no_address
from ..._dispatch.overrides import call_torch_function, overridden
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked


@method()
def detach(self: Tensor) -> Tensor:
    """Return a tensor with the same memory that is not part of the graph and does not require a gradient.

    Both tensors share one version counter.

    >>> from facula_tensor import ones
    >>> ones(2, requires_grad=True).detach().requires_grad
    False
    """
    try:
        layout = self._layout
        storage = self._storage
        offset = self._offset
        if type(layout) is WrappedLayout:
            if overridden((self,)):
                return call_torch_function("detach", detach, (self,), {})
            layout = layout.real
        elif isinstance(layout, LevelLayout):
            return snapshot(self)
        t = new_instance(Tensor)
        t._layout = layout
        t._storage = storage
        t._offset = offset
        t.node = None
        return t
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def detach_(self: Tensor) -> Tensor:
    """Detach this tensor from its graph in place.

    Raises:
        RuntimeError: if this tensor is a view, because the other views of its family would remain in the graph.
    """
    if not isinstance(self, Tensor):
        raise InvalidTypeError(f"detach_: expected a Tensor; got {type(self).__name__}")
    if hasattr(self, "_viewed") and self.node is not None:
        raise OperationError("detach_: a view cannot be detached in place; use .detach()")
    self.node = None
    if isinstance(self._layout, LevelLayout):
        self._layout = snapshot(self)._layout
    return self


def zero_grad_(parameter: Tensor) -> None:
    """Detach the gradient of a tensor from its graph and fill it with zeros in place. None stays None."""
    grad = parameter.grad
    if grad is None:
        return
    if grad.grad_fn is not None:
        grad = parameter.grad = grad.detach()
    grad.requires_grad_(False).zero_()


def _get_data(self: Tensor) -> Tensor:
    now = snapshot(self)
    if not isinstance(now._layout, LevelLayout):
        now._storage = alias(now._storage)
    return now


def _set_data(self: Tensor, new: Tensor) -> None:
    if not isinstance(new, Tensor):
        raise InvalidTypeError(f"data: expected a Tensor; got {type(new).__name__}")
    if innermost((self, new)) is not None:
        no_address("data")
    now = snapshot(new)
    layout, storage, offset = now._layout, alias(now._storage), now._offset
    if self.node is not None and layout.dtype.category < FLOATING:
        raise InvalidTypeError(
            f"data: this tensor requires a gradient, which {layout.dtype.name} does not support; use a floating dtype"
        )
    become(self, layout, storage, offset, "data")


def become(self: Tensor, layout: Layout, storage: Storage, offset: int, name: str) -> None:
    """Replace the memory of a tensor by `storage`, which no other tensor may use.

    The version counter continues from that of the former memory, so that a node that saved this tensor detects the
    change.
    """
    if storage.version is not None:
        storage.version = (self._storage.version or 0) + 1
        storage.mutator = (name, *user_site())
    if type(self._layout) is WrappedLayout:
        layout = WrappedLayout(layout)  # type: ignore[assignment]
    # No call may separate these three assignments; otherwise another thread could see a mixture of old and new.
    self._layout = layout
    self._storage = storage
    self._offset = offset


Tensor.data = property(  # type: ignore[method-assign, assignment]
    _get_data,
    _set_data,
    doc="A tensor with the same memory and a separate version counter. Assignment replaces this tensor's memory.",
)


@function()
def to_dlpack(input: Checked) -> object:
    """Return a DLPack capsule of the tensor's memory, as `input.__dlpack__()` does. A capsule can be consumed once."""
    return input.__dlpack__()
