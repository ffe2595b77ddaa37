"""PyTorch's functions for reading its files, for programs that call them: rows of `_places.txt` refer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, TypedStorage, UntypedStorage, empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    Storage = TypedStorage | UntypedStorage

ZIP_BEGINS = b"PK\x03\x04"


def is_zipfile(f: BinaryIO) -> bool:
    """Return whether an open file continues with a zip archive; its position stays.

    >>> import io
    >>> is_zipfile(io.BytesIO(b"PK\\x03\\x04...")), is_zipfile(io.BytesIO(b""))
    (True, False)
    """
    begin = f.tell()
    found = f.read(len(ZIP_BEGINS))
    f.seek(begin)
    return found == ZIP_BEGINS


@boundary
def default_restore_location(storage: Storage, location: str) -> Storage:
    """Return a storage on the device that a file names: itself for "cpu". NotImplementedError for another device."""
    if location != "cpu":
        raise UnsupportedError(
            f"default_restore_location: expected location 'cpu'; got {location!r}, which facula has no storages on; "
            "give load map_location='cpu'"
        )
    return storage


@boundary
def rebuild_tensor(
    storage: Storage,
    storage_offset: int,
    size: Sequence[int],
    stride: Sequence[int],
    requires_grad: bool = False,
    backward_hooks: object = None,
    metadata: object = None,
) -> Tensor:
    """Return a tensor over a typed storage.

    Arguments:
        storage: the memory, with a dtype.
        storage_offset: the offset of the first element, in elements.
        size: the shape.
        stride: the strides, in elements.
        requires_grad: whether the tensor requires a gradient.
        backward_hooks: hooks in the file, which are ignored.
        metadata: more data of PyTorch's, which are ignored.

    >>> from facula_tensor import arange
    >>> rebuild_tensor(arange(6).storage(), 1, (2,), (3,))
    tensor([1, 4])
    """
    if not isinstance(storage, TypedStorage):
        raise InvalidTypeError(
            f"rebuild_tensor: expected a TypedStorage, which knows its dtype; got {type(storage).__name__}"
        )
    made = empty(0, dtype=storage.dtype, device=storage.device)
    return made.set_(storage, storage_offset, tuple(size), tuple(stride)).requires_grad_(requires_grad)


def rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: object = None) -> Parameter:
    """Return a parameter over the memory of a tensor; hooks in the file are ignored."""
    return Parameter(data, requires_grad)
