"""PyTorch's storage classes: address, size and bytes of a tensor's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from facula_errors import ArgumentError, InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_storage import Device, DType, Storage, contiguous, cpu, uint8

from .._core.promotion import as_integer
from .._core.resizing import reserve
from .._core.tensor import Tensor, layout_of_tensor, make, method, snapshot
from .._core.view_family import root_of
from .._creation.filled import empty
from .._creation.strided import from_file

if TYPE_CHECKING:
    from .._core.types import DeviceLike, Index, Number, Operand


class UntypedStorage:
    """The memory of a tensor, and of all tensors that share it, as bytes.

    `UntypedStorage(n)` is n bytes of new memory; `x.untyped_storage()` is that of `x`.

    >>> from facula_tensor import zeros
    >>> zeros(3).untyped_storage().nbytes()
    12
    """

    __slots__ = ("_bytes",)
    _bytes: Tensor  # all of the storage, uint8

    @boundary
    def __init__(self, size: int | Tensor = 0, *, device: DeviceLike | None = None) -> None:
        if isinstance(size, Tensor):
            self._bytes = size
            return
        count = as_integer(size, "UntypedStorage", "size")
        if count < 0:
            raise ArgumentError(f"UntypedStorage: expected at least 0 bytes; got {count}")
        self._bytes = empty(count, dtype=uint8, device=device)

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Map the first `nbytes` bytes of a file, which are read on access.

        With `shared`, changes are written to the file, which is created or extended if it is too small;
        otherwise they are private. ValueError if the file is shorter; OSError if it cannot be opened.

        Arguments:
            filename: the path of the file.
            shared: whether changes are written to the file.
            nbytes: the number of bytes.
        """
        return cls(from_file(filename, shared, nbytes, dtype=uint8))

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._bytes.numel()

    size = nbytes

    def __len__(self) -> int:
        return self._bytes.numel()

    def element_size(self) -> int:
        """Bytes of an element: 1."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte; 0 where there is none."""
        return self._bytes._storage.ptr

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return self._bytes.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self._bytes.is_cuda

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    @boundary
    def tolist(self) -> list[int]:
        """The bytes."""
        return self._bytes.tolist()

    @boundary
    def tobytes(self) -> bytes:
        """Return a copy of the bytes."""
        return self._bytes.cpu().numpy().tobytes()

    @boundary
    def clone(self) -> UntypedStorage:
        """Return a copy in other memory."""
        return UntypedStorage(self._bytes.clone())

    @boundary
    def cpu(self) -> UntypedStorage:
        """Return this storage in host memory; itself if it is there."""
        return self if self.device is cpu else UntypedStorage(self._bytes.cpu())

    @boundary
    def cuda(self, device: DeviceLike | int | None = None, non_blocking: bool = False) -> UntypedStorage:
        """Return this storage in memory of a CUDA device, by default of the current one; itself if it is there."""
        moved = self._bytes.cuda(device, non_blocking)
        return self if moved is self._bytes else UntypedStorage(moved)

    @boundary
    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Copy the bytes of another storage of the same size."""
        self._bytes.copy_(bytes_of(source))
        return self

    @boundary
    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte."""
        self._bytes.fill_(value)
        return self

    @boundary
    def share_memory_(self) -> UntypedStorage:
        """Move it to memory that other processes can be sent; see `Tensor.share_memory_`."""
        self._bytes.share_memory_()
        return self

    def is_shared(self) -> bool:
        """Whether other processes can be sent the memory without a copy."""
        return self._bytes.is_shared()

    @boundary
    def resize_(self, size: int) -> UntypedStorage:
        """Ensure a size of at least `size` bytes. The storage never shrinks, and its contents are preserved."""
        count = max(as_integer(size, "resize_", "size"), self.nbytes())
        reserve(self._bytes, count)
        now = snapshot(self._bytes)
        self._bytes = make(Tensor, contiguous((count,), uint8, now.device), now._storage, 0)
        return self

    @boundary
    def __getitem__(self, index: Index) -> Any:
        found = self._bytes[index]
        return UntypedStorage(found) if isinstance(index, slice) else int(found.item())

    @boundary
    def __setitem__(self, index: Index, value: int) -> None:
        self._bytes[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and own_storage(other._bytes) is own_storage(self._bytes)

    def __hash__(self) -> int:
        return hash(id(own_storage(self._bytes)))

    def __repr__(self) -> str:
        return f"<facula.UntypedStorage of {self.nbytes()} bytes on {self.device}>"


class TypedStorage:
    """The memory of a tensor as elements of its dtype, returned by `x.storage()`. `untyped_storage` is the
    newer interface."""

    __slots__ = ("_elements",)
    _elements: Tensor

    def __init__(self, elements: Tensor) -> None:
        if not isinstance(elements, Tensor):
            raise InvalidTypeError(
                f"TypedStorage: expected a tensor of all elements; got {type(elements).__name__}; use x.storage()"
            )
        self._elements = elements

    def size(self) -> int:
        """The number of elements."""
        return self._elements.numel()

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._elements.nbytes

    def element_size(self) -> int:
        """Bytes of an element."""
        return self._elements.element_size()

    def data_ptr(self) -> int:
        """The address of the first element; 0 where there is none."""
        return self._elements._storage.ptr

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._elements.dtype

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return self._elements.device

    @boundary
    def share_memory_(self) -> TypedStorage:
        """Move it to memory that other processes can be sent; see `Tensor.share_memory_`."""
        self._elements.share_memory_()
        return self

    def is_shared(self) -> bool:
        """Whether other processes can be sent the memory without a copy."""
        return self._elements.is_shared()

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(storage_bytes(self._elements))

    @boundary
    def tolist(self) -> list[Number]:
        """The elements."""
        return self._elements.tolist()

    @boundary
    def __getitem__(self, index: Index) -> Any:
        found = self._elements[index]
        return TypedStorage(found) if isinstance(index, slice) else found.item()

    @boundary
    def __setitem__(self, index: Index, value: Operand) -> None:
        self._elements[index] = value

    def __iter__(self) -> Iterator[Number]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        return f"<facula.TypedStorage of {self.size()} {self.dtype.name} on {self.device}>"


def elements_of(storage: TypedStorage | UntypedStorage) -> Tensor:
    """Return the elements of a storage, which shares memory with them; those of an untyped one are bytes."""
    return storage._bytes if isinstance(storage, UntypedStorage) else storage._elements


def bytes_of(storage: object) -> Tensor:
    """Return all bytes of a typed or untyped storage."""
    if not isinstance(storage, (TypedStorage, UntypedStorage)):
        raise InvalidTypeError(f"storage: expected a storage; got {type(storage).__name__}")
    return storage.untyped()._bytes


def storage_bytes(tensor: Tensor) -> Tensor:
    """Return a tensor's whole storage as bytes.

    Blocks are larger than requested, and the requested size is not stored; the root of the tensor's view family
    determines it. For a detached view, the bytes extend from the start of the storage to the view's end.
    """
    now = snapshot(tensor)
    root = snapshot(root_of(tensor))
    whole = root if root._storage is now._storage else now
    count = getattr(own_storage(now), "nbytes", None)
    if count is None:
        count = whole._offset + whole._layout.extent
    return make(Tensor, contiguous((count,), uint8, now._layout.device), now._storage, 0)


def own_storage(tensor: Tensor) -> Storage:
    """Return the storage that owns the buffer: `x.data` has a separate one over the same buffer."""
    storage = tensor._storage
    while isinstance(getattr(storage, "base", None), Storage):
        storage = storage.base
    return storage


@method()
@boundary
def untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the memory of this tensor, and of all tensors that share it, as bytes.

    >>> from facula_tensor import zeros
    >>> x = zeros(4)
    >>> x[2:].untyped_storage().data_ptr() == x.data_ptr()
    True
    """
    return UntypedStorage(storage_bytes(self))


@method()
@boundary
def storage(self: Tensor) -> TypedStorage:
    """Return the memory of this tensor, and of all tensors that share it, as elements of its dtype.
    `untyped_storage` is the newer interface."""
    whole = storage_bytes(self)
    now = snapshot(whole)
    layout = layout_of_tensor(self)
    count = whole.numel() // layout.dtype.itemsize
    return TypedStorage(make(Tensor, contiguous((count,), layout.dtype, layout.device), now._storage, 0))


def is_storage(obj: object) -> bool:
    """Return whether `obj` is a storage, as returned by `untyped_storage()` or `storage()`."""
    return isinstance(obj, (TypedStorage, UntypedStorage))


def _refuse(self: object, protocol: object) -> NoReturn:
    raise OperationError("storage: expected a tensor to pickle; pickle the tensor, or save it with facula.save")


UntypedStorage.__reduce_ex__ = TypedStorage.__reduce_ex__ = boundary(_refuse)  # type: ignore[assignment, method-assign]
