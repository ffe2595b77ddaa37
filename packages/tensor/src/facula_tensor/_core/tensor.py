"""The Tensor: a layout, a storage, an offset, and the autograd state it has as a Value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload
from weakref import ref

from facula_autograd.extend.nodes import LEAF
from facula_autograd.extend.values import Value
from facula_errors import InvalidIndexError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import Device, DType, Layout, Storage
from facula_storage.extend.objects import dict_descriptor, new_instance
from facula_storage.extend.recording import note_read, note_sizes, recorders

from .errors import NAMING, named, shown
from .formats import has_format
from .names import present
from .size import Size
from .view_family import leave_family, root_of
from .wrapped import LevelLayout, check_taped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self, TypeVar

    from facula_autograd.extend.hooks import Handle

    from .methods import Methods
    from .types import Data, DeviceLike, MemoryFormat

    F = TypeVar("F", bound=Callable[..., Any])
    T = TypeVar("T", bound="Tensor")

    class _Base(Value, Methods):
        """Base class with the operators' methods, for type checkers; it does not exist at run time."""
else:
    _Base = Value


class Tensor(_Base):
    """A multi-dimensional array on a device, which records its history if gradients are required.

    Make tensors with `tensor`, `zeros`, `from_numpy` and the like. As in PyTorch, `Tensor(2, 3)` is `empty(2,
    3)`, and `Tensor([1, 2])` is `tensor([1, 2])` in the default floating dtype. Operators are functions
    (`facula.exp(x)`), methods (`x.exp()`) and Python's own (`x + y`). The methods of operators
    are put here where the operators are declared (`ops/`).

    >>> from facula_tensor import tensor
    >>> x = tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([[2., 4.],
            [6., 8.]])
    """

    # Users' attributes are in a dict, which `new_instance` does not make: the first attribute creates it.
    __slots__ = ("__dict__", "__weakref__", "_layout", "_offset", "_storage", "_viewed", "_views")

    _layout: Layout
    _storage: Storage
    _offset: int  # in bytes, so that an address is one addition
    _viewed: Tensor  # the tensor that this is a view of; unset on others
    _views: list[
        ref[Tensor]
    ]  # weak references to the views of the family, shared by its members; unset until the first view

    if TYPE_CHECKING:
        _own_attributes: dict[str, Any] | None  # None until the first is set

        def __init__(self, *arguments: Data, device: DeviceLike | None = None) -> None: ...

        @property
        def grad(self) -> Tensor | None:
            """The gradient accumulated by backward passes, or None; settable and deletable."""

        @grad.setter
        def grad(self, grad: Tensor | None) -> None: ...
        @grad.deleter
        def grad(self) -> None: ...
        def backward(
            self,
            gradient: Tensor | Sequence[Tensor | None] | None = None,
            retain_graph: bool | None = None,
            create_graph: bool = False,
            inputs: Tensor | Sequence[Tensor] | None = None,
        ) -> None:
            """Add the gradients of this value to the `.grad` of the leaves it was computed from."""

        def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Handle:
            """Call `hook(gradient)` when this value's gradient is complete; its result, unless None, replaces
            the gradient. Returns a handle whose `remove()` removes the hook.
            """

        def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Handle:
            """Call `hook(leaf)` in each backward pass, once this leaf's `.grad` is complete."""

    # ------------------------------------------------------------------------------- what it looks like
    @property
    def shape(self) -> Size:
        """The length of each dimension."""
        layout = self._layout
        shape = layout.shape if type(layout) is Layout else layout_of_tensor(self).shape
        return tuple.__new__(Size, note_sizes(shape) if recorders else shape)

    @overload
    @boundary
    def size(self, dim: None = None) -> Size: ...
    @overload
    @boundary
    def size(self, dim: int) -> int: ...
    @boundary
    def size(self, dim: int | None = None) -> Size | int:
        """Return the shape, or the length of one dimension; IndexError if the dimension does not exist."""
        shape = layout_of_tensor(self).shape
        if recorders:
            shape = note_sizes(shape)
        return tuple.__new__(Size, shape) if dim is None else shape[check_dim("size", dim, len(shape))]

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        layout: Any = self._layout  # `layout_of_tensor`, inlined, as in the properties below
        return (layout if type(layout) is Layout else layout.real).dtype

    @property
    def device(self) -> Device:
        """The device of the elements."""
        layout: Any = self._layout
        return (layout if type(layout) is Layout else layout.real).device

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        layout: Any = self._layout
        return len((layout if type(layout) is Layout else layout.real).shape)

    def dim(self) -> int:
        """The number of dimensions."""
        layout: Any = self._layout
        return len((layout if type(layout) is Layout else layout.real).shape)

    def numel(self) -> int:
        """The number of elements."""
        layout = self._layout
        if type(layout) is not Layout:
            layout = layout_of_tensor(self)
        return tuple.__new__(Size, note_sizes(layout.shape)).numel() if recorders else layout.numel

    nelement: Callable[[Tensor], int] = numel
    ndimension: Callable[[Tensor], int] = dim

    @overload
    @boundary
    def stride(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    @boundary
    def stride(self, dim: int) -> int: ...
    @boundary
    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Return the strides, in elements, or the stride of one dimension."""
        strides = layout_of_tensor(self).strides
        if dim is None:
            return strides
        at = check_dim("stride", dim, len(strides))
        if not strides:
            raise named(InvalidIndexError(f"stride: expected at least 1 dimension, to take dim {dim}; got a number"))
        return strides[at]

    def storage_offset(self) -> int:
        """Return the offset of the first element in the storage, in elements."""
        now = snapshot(self)
        return now._offset // layout_of_tensor(now).dtype.itemsize

    def element_size(self) -> int:
        """Bytes of one element."""
        return layout_of_tensor(self).dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return layout_of_tensor(self).dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return layout_of_tensor(self).nbytes

    def is_contiguous(self, memory_format: MemoryFormat | None = None) -> bool:
        """Return whether the elements are in row-major order without gaps, or in the order of `memory_format`."""
        if memory_format is not None:
            return has_format(layout_of_tensor(self), memory_format)
        return layout_of_tensor(self).is_contiguous

    def is_floating_point(self) -> bool:
        """Whether the dtype is a real floating-point type."""
        layout: Any = self._layout
        return (layout if type(layout) is Layout else layout.real).dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        layout: Any = self._layout
        return (layout if type(layout) is Layout else layout.real).dtype.is_complex

    @property
    def is_cuda(self) -> bool:
        """Whether the elements are on a CUDA device."""
        return self.device.type == "cuda"

    @property
    def is_meta(self) -> bool:
        """Whether this tensor is on the meta device: with a shape and without elements."""
        return self.device.type == "meta"

    @property
    def _version(self) -> int | None:
        """The number of in-place changes of the storage; None for read-only memory."""
        return self._storage.version

    @property
    def _base(self) -> Tensor | None:
        """The root of a view's family; None for a tensor that is not a view."""
        root = root_of(self)
        return None if root is self else root

    @boundary
    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether this leaf requires a gradient; return the tensor itself.

        RuntimeError inside `vmap` and the other functions of `facula.func`, where it would have no effect.
        """
        check_taped("requires_grad_", self)
        super().requires_grad_(requires_grad)
        if self.node is LEAF:
            leave_family(self)  # backward passes of results computed from it end here
        return self

    def __dir__(self) -> list[str]:
        return present(type(self), self, _ENGINE)


Tensor._own_attributes = dict_descriptor(Tensor)
NAMING.append(Tensor)
# used by the engine, which does not know this package's names, and by overrides
_ENGINE = frozenset({"hooks", "node", "_has_dispatching_methods"})


def make(cls: type[T], layout: Layout, storage: Storage, offset: int = 0) -> T:
    """Return a tensor of class `cls` over existing memory that requires no gradient.

    Arguments:
        cls: Tensor, or a class derived from it.
        layout: the layout.
        storage: the memory.
        offset: the byte offset of the tensor in it.
    """
    new = new_instance(cls)
    new._layout, new._storage, new._offset, new.node = layout, storage, offset, None
    return new


# Note [One moment]
# ~~~~~~~~~~~~~~~~~
# `x.data = y` stores a layout, a storage and an offset with no call between, while other threads compute with `x`.
# Python switches threads at calls and at backward jumps, but not between plain loads. Code that loads the three
# with no call between gets a consistent state. A layout from before a switch and a storage from after it would
# expose memory beyond the tensor's. Therefore code reads a tensor only once: operators load the three first
# (fast paths and views), or work on a `snapshot` (the slow path, exports); composite functions begin with
# `steady`. A single read, such as `x.shape` for a message, may use the tensor itself. A property or
# `layout_of_tensor` is a call.
def snapshot(tensor: Tensor) -> Tensor:
    """Return a plain tensor over the memory that `tensor` has at this moment, without a gradient. For a wrapped
    tensor, return a wrapped tensor of the same elements that no level differentiates.
    """
    layout = tensor._layout
    storage = tensor._storage
    offset = tensor._offset
    if type(layout) is not Layout:
        if isinstance(layout, LevelLayout):
            return layout.constant()
        layout = layout.real  # type: ignore[attr-defined]
    t = new_instance(Tensor)
    t._layout = layout
    t._storage = storage
    t._offset = offset
    t.node = None
    return t


def addressable(operation: str, tensor: Tensor) -> Tensor:
    """Return a `snapshot` with memory, for an operation that needs its address; raise if a transform wraps the
    tensor."""
    now = snapshot(tensor)
    layout: Any = now._layout
    if type(layout) is not Layout:
        layout.no_address(operation)
    return now


def steady(tensor: Tensor) -> Tensor:
    """Return `tensor` in its state at this moment, with its history, for composite functions. A leaf that
    requires a gradient is returned itself, since it accumulates its gradient.
    """
    layout = tensor._layout
    storage = tensor._storage
    offset = tensor._offset
    node = tensor.node
    if node is LEAF or type(layout) is not Layout:
        return tensor
    t = new_instance(Tensor)
    t._layout = layout
    t._storage = storage
    t._offset = offset
    t.node = node
    return t


def alias(tensor: Tensor, cls: type[T]) -> T:
    """Return a tensor of class `cls` over the memory of `tensor` that requires no gradient."""
    now = snapshot(tensor)
    return make(cls, now._layout, now._storage, now._offset)


def layout_of_tensor(tensor: Tensor) -> Layout:
    """Return the tensor's layout, also for subclasses that override operators and for wrapped tensors."""
    layout = tensor._layout
    return layout if type(layout) is Layout else layout.real  # type: ignore[attr-defined]  # a WrappedLayout


def readable(tensor: Tensor, operation: str) -> Tensor:
    """Return the tensor whose elements an operation reads: the contents of a wrapped tensor, or `tensor` itself."""
    if recorders:
        note_read(operation)
    while isinstance(tensor._layout, LevelLayout):
        tensor = tensor._layout.readable(operation)
    return tensor


def elements(tensor: Tensor) -> Tensor:
    """Return a tensor of all elements: the contents of a wrapped tensor, such as a whole batch, or `tensor`
    itself."""
    while isinstance(tensor._layout, LevelLayout):
        tensor = tensor._layout.elements()
    return tensor


def example(tensor: Tensor) -> Tensor:
    """Return a tensor with memory and the layout of `tensor`: the contents of a wrapped tensor, an element of a
    batch, or itself."""
    while isinstance(tensor._layout, LevelLayout):
        tensor = tensor._layout.example()
    return tensor


def check_dim(operation: str, dim: Any, ndim: int) -> int:
    """Return a nonnegative `dim`; IndexError naming the range, TypeError for values that are not integers.

    Arguments:
        operation: how errors begin.
        dim: the dimension; a negative one counts from the end.
        ndim: the number of dimensions; 0 is treated as 1.
    """
    try:
        index = dim.__index__()
    except (AttributeError, TypeError):
        raise named(InvalidTypeError(f"{operation}: expected dim to be an integer; got {shown(dim)}")) from None
    room = ndim or 1
    if not -room <= index < room:
        raise named(
            InvalidIndexError(f"{operation}: dim is {dim}; expected {-room} to {room - 1} for {ndim} dimension(s)")
        )
    return index + room if index < 0 else index


def method(*names: str) -> Callable[[F], F]:
    """Make the decorated function a method of Tensor, under these names (default: its own)."""

    def attach(function: F) -> F:
        if names and not names[0].startswith("__") and hasattr(function, "__qualname__"):
            within: Any = function  # errors for missing arguments name the function inside its wrappers
            while within is not None:
                within.__name__ = within.__qualname__ = names[0]
                within = getattr(within, "__wrapped__", None)
        for name in names or (function.__name__,):
            setattr(Tensor, name, function)
        return function

    return attach
