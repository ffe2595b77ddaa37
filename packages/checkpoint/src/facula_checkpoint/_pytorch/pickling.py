"""Pickling of an object under PyTorch's names, with its storages stored separately."""

from __future__ import annotations

import io
import pickle
import pickletools
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_storage import Device, DType, Layout, Storage
from facula_storage.extend.memory import borrow

from . import names
from .names import Named, named
from .numpy_globals import KINDS
from .tensor_globals import STORAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    Reduced: TypeAlias = "tuple[Any, ...] | str"

PROTOCOL = 2  # every reader of PyTorch's files supports it, including restricted ones
MAX_BITS = 2039  # of an integer in 255 bytes
_UNTYPED = "torch.storage UntypedStorage"
_CLASSES = {dtype: f"torch {kind}Storage" for kind, dtype in STORAGES.items()}


class Block(NamedTuple):
    """Bytes of a storage that are written as one storage of the file."""

    storage: Storage
    offset: int
    nbytes: int
    device: Device


class _Reference:
    """A storage of the file within a pickle; it becomes a persistent id."""

    __slots__ = ("identifier",)

    def __init__(self, identifier: tuple[object, ...]) -> None:
        self.identifier = identifier


class CheckpointPickler(pickle.Pickler):
    """A pickler that collects the storages of the pickled objects.

    Arguments:
        file: the output of the pickle; `renamed` returns it with PyTorch's names.
        reduce: like `reducer_override`, with this pickler as first argument: pickles the caller's objects.
        storages: maps classes of storages to functions that return the memory and the dtype of elements.
        merged: blocks that are written instead of the blocks that they contain.
    """

    def __init__(
        self,
        file: io.BytesIO,
        reduce: Callable[[CheckpointPickler, Any], Reduced],
        storages: Mapping[type, Callable[[Any], tuple[Block, DType]]],
        merged: Sequence[Block] = (),
    ) -> None:
        super().__init__(file, PROTOCOL)
        self.file, self.reduce, self.storage_classes, self.merged = file, reduce, storages, merged
        self.blocks: list[Block] = []
        self.keys: dict[tuple[object, ...], tuple[str, str]] = {}  # key and class by address, size and device
        self.names: dict[bytes, bytes] = {}  # maps bytes in the pickle to their replacement

    # -------------------------------------------------------------------------------------------- for `reduce`
    def rename(self, module: str, qualname: str, name: str) -> None:
        """Write the global `module.qualname` as "module name"."""
        if "." not in qualname:
            self.names[f"c{module}\n{qualname}\n".encode()] = f"c{name.replace(' ', chr(10))}\n".encode()

    def global_of(self, name: str) -> Named:
        """Return the object that is pickled as "module name"."""
        return named(name)

    def storage(self, block: Block, dtype: DType) -> tuple[_Reference, bool, int]:
        """Return the reference to a storage, whether it is one of elements of `dtype`, and the offset of `block` in it.

        A storage has only one class in a file. If it already has a different one, tensors must store their dtype.
        """
        address = block.storage.ptr + block.offset
        shift = 0
        for tensor in self.merged if block.nbytes else ():
            begin = tensor.storage.ptr
            if tensor.device is block.device and begin <= address and address + block.nbytes <= begin + tensor.nbytes:
                block, shift, address = tensor, address - begin, begin
                break
        place: tuple[object, ...] = (address, block.nbytes, block.device)
        if not block.nbytes:
            place = (id(block.storage), block.device)
        kind = None
        if block.nbytes % dtype.itemsize == 0 and shift % dtype.itemsize == 0:
            kind = _CLASSES.get(dtype.name)
        if place not in self.keys:
            self.keys[place] = str(len(self.blocks)), kind or _UNTYPED
            self.blocks.append(block)
        key, has = self.keys[place]
        typed = has == kind
        if not typed:
            has = _UNTYPED
        count = block.nbytes // dtype.itemsize if typed else block.nbytes
        return _Reference(("storage", named(has), key, str(block.device), count)), typed, shift

    def tensor(self, block: Block, layout: Layout, offset: int, requires_grad: bool) -> tuple[Any, ...]:
        """Return the reduction of a tensor that begins `offset` bytes after the start of its block."""
        itemsize = layout.dtype.itemsize
        if layout.device.type == "meta":
            name = "torch._utils _rebuild_meta_tensor_no_storage"
            return named(name), (layout.dtype, layout.shape, layout.strides, requires_grad)
        reference, typed, shift = self.storage(block, layout.dtype)
        offset += shift
        common: tuple[Any, ...] = (
            reference,
            offset // itemsize,
            layout.shape,
            layout.strides,
            requires_grad,
            OrderedDict(),
        )
        if typed:
            return named("torch._utils _rebuild_tensor_v2"), common
        return named("torch._utils _rebuild_tensor_v3"), (*common, layout.dtype)

    # -------------------------------------------------------------------------------------------- of the pickler
    def persistent_id(self, obj: Any) -> tuple[object, ...] | None:
        """Return the persistent id of a storage; raise ValueError for an integer that `load` would reject."""
        if type(obj) is int and obj.bit_length() > MAX_BITS:
            raise InvalidValueError(
                f"save: expected integers of at most {MAX_BITS} bits; got one of {obj.bit_length()}; save it as text"
            )
        if type(obj) is _Reference:
            return obj.identifier
        found = self.storage_classes.get(type(obj))
        return None if found is None else self.storage(*found(obj))[0].identifier

    def reducer_override(self, obj: Any) -> Any:  # type: ignore[override]
        """Return the reduction of an object without a plain type."""
        if isinstance(obj, DType):
            home = type(obj).__module__  # the module that defines all dtypes; bool_ differs from the name of its dtype
            found = next((name for name, value in vars(sys.modules[home]).items() if value is obj), obj.name)
            self.rename(home, found, f"torch {obj.name}")
            return found
        if isinstance(obj, (np.ndarray, np.generic)) and obj.dtype.kind not in KINDS:
            raise InvalidTypeError(
                f"save: expected NumPy arrays of numbers, bools or texts; got one of {obj.dtype}; save x.tolist()"
            )
        if isinstance(obj, Device):
            return named("torch device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
        if type(obj) is Named:
            self.rename(names.__name__, obj.__qualname__, obj.name)
            return obj.__qualname__
        return self.reduce(self, obj)

    def renamed(self) -> bytes:
        """Return the pickle with PyTorch's names."""
        data = self.file.getvalue()
        if any(data.count(old) != 1 for old in self.names):  # a string also contains a name: replace by opcode
            return _renamed_globals(data, self.names)
        for old, new in self.names.items():
            data = data.replace(old, new)
        return data


def merged(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks that cover overlapping ones, which are independent views of the same memory."""
    found: list[Block] = []
    by_address = sorted(
        [(str(block.device), block.storage.ptr + block.offset, block) for block in blocks if block.nbytes],
        key=lambda item: item[:2],
    )
    group: list[Block] = []
    first = last = 0
    for _, begin, block in [*by_address, ("", 0, None)]:
        if group and block is not None and block.device is group[0].device and begin < last:
            group.append(block)
            last = max(last, begin + block.nbytes)
            continue
        if len(group) > 1:
            memory = borrow(first, last - first, group)
            found.append(Block(memory, 0, last - first, group[0].device))
        if block is not None:
            group, first, last = [block], begin, begin + block.nbytes
    return found


def _renamed_globals(data: bytes, renames: dict[bytes, bytes]) -> bytes:
    """Replace only the names of globals in the pickle."""
    pieces, done = [], 0
    for opcode, argument, position in pickletools.genops(data):
        if opcode.name == "GLOBAL" and position is not None:
            module, _, name = str(argument).partition(" ")
            old = f"c{module}\n{name}\n".encode()
            if old in renames:
                pieces += [data[done:position], renames[old]]
                done = position + len(old)
    return b"".join([*pieces, data[done:]])
