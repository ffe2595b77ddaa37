"""Rows for PyTorch's own objects: storages, dtypes, devices, sizes, tensors and parameters.

This package has no tensors, so `TensorTable` returns triples of storage, layout and offset; a subclass, such as that of
`facula`, creates its own tensors from them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from facula_storage import Device, DType, Layout, bool_, cpu, layout_of
from facula_storage import dtype_named as registered_dtype

from .plain_globals import PLAIN, expect
from .tables import Global, Marker, PickleError, Table, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .._parts import Parts
    from .storages import Memory

MAX_DIMENSIONS = 64
MAX_SIZE = (1 << 63) - 1
DEVICES = frozenset("cpu cuda meta mps xpu xla hpu hip ipu mtia privateuseone vulkan".split())
MAX_DEVICES = 256
STORAGES = {
    "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64", "Int": "int32",
    "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
}  # fmt: skip

DTYPES = frozenset(
    "bool half float double short int long bfloat16 float16 float32 float64 complex32 complex64 complex128 uint8 "
    "uint16 uint32 uint64 int8 int16 int32 int64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz "
    "float8_e8m0fnu float4_e2m1fn_x2 quint8 qint8 qint32 quint4x2 quint2x4".split()
)

# Modules of Python's library with names in `rare_globals`.
RARE_MODULES = frozenset("argparse datetime decimal fractions functools multiprocessing.context pathlib types".split())

_DENSE = "save dense tensors: x.to_dense()"
_QUANTIZED = "quantized tensors are not loaded; save x.dequantize(), or x.int_repr() with its scale and zero point"
REFUSED = {
    "torch._utils _rebuild_qtensor": _QUANTIZED,
    **{f"torch {kind}Storage": _QUANTIZED for kind in ("QInt8", "QUInt8", "QInt32", "QUInt4x2", "QUInt2x4")},
    "torch._utils _rebuild_sparse_tensor": f"sparse tensors are not loaded; {_DENSE}",
    "torch._utils _rebuild_sparse_csr_tensor": f"sparse tensors are not loaded; {_DENSE}",
    "torch._utils _rebuild_nested_tensor": "nested tensors are not loaded; save a list: list(x.unbind())",
    "torch.storage _load_from_bytes": "tensors that were pickled without torch.save are not loaded; use torch.save",
    "torch._C Generator": "PyTorch's generators cannot be continued by others; save a seed, and call manual_seed",
    "torch.jit _script": "TorchScript is not loaded; save model.state_dict()",
}


class StorageClass(Marker):
    """The object for the name of one of PyTorch's storage classes."""

    __slots__ = ("dtype",)

    def __init__(self, name: str, dtype: DType) -> None:
        super().__init__(name)
        self.dtype = dtype


class Stored:
    """A storage of a file with the dtype of its elements."""

    __slots__ = ("dtype", "memory")

    def __init__(self, memory: Memory, dtype: DType) -> None:
        self.memory, self.dtype = memory, dtype


def integers(value: Value, what: str) -> tuple[int, ...]:
    """Return a tuple of at most 64 integers from 0 to 2**63 - 1 after checking them."""
    if not isinstance(value, (tuple, list)) or len(value) > MAX_DIMENSIONS:
        refuse(f"its pickle has {shown(value)} for {what}; expected at most {MAX_DIMENSIONS} integers")
    for element in value:
        if type(element) is not int or not 0 <= element <= MAX_SIZE:
            refuse(f"its pickle has {shown(element)} in {what}; expected integers from 0 to 2**63 - 1")
    return tuple(value)


class TensorTable(Table):
    """The table of all names that are supported without a class of tensors.

    Arguments:
        from_parts: makes a tensor from (storage, layout, offset in bytes); None leaves the triples.
    """

    rebuilders: dict[str, Callable[..., Value]]

    def __init__(self, from_parts: Callable[[Parts], Value] | None = None) -> None:
        self.from_parts = from_parts
        self.stored: dict[int, tuple[Value, Stored]] = {}
        self.bools: list[Parts] = []  # their bytes are checked once they are loaded
        self.later: list[Callable[[], None]] = []  # work of rows that requires the loaded bytes
        self.rebuilders = {
            "torch._utils _rebuild_tensor": self._tensor,
            "torch._utils _rebuild_tensor_v2": self._tensor_v2,
            "torch._utils _rebuild_tensor_v3": self._tensor_v3,
            "torch._utils _rebuild_meta_tensor_no_storage": self._meta_tensor,
            "torch._utils _rebuild_parameter": self._parameter,
            "torch._utils _rebuild_parameter_with_state": self._parameter,
            "torch._tensor _rebuild_from_type_v2": self._of_type,
        }
        calls: dict[str, Callable[..., Value]] = {
            **self.rebuilders,
            "torch device": self._device,
            "torch.serialization _get_layout": self._layout,
        }
        rows = {name: Global(Marker(name), call=call, inner=_parts_of_tuples) for name, call in calls.items()}
        rows["torch Size"] = Global(Marker("torch Size"), call=self._size, new=self._size)
        rows["torch.torch_version TorchVersion"] = Global(Marker("torch version"), call=_version, new=_version)
        super().__init__({**PLAIN, **rows})

    def more(self, name: str) -> Global | None:
        """Return a row for a storage class, a dtype, or a name of a module that is imported on demand."""
        if name in REFUSED:
            refuse(f"it uses {name.replace(' ', '.')}: {REFUSED[name]}")
        module, _, last = name.partition(" ")
        if module.partition(".")[0] == "numpy":
            from .numpy_globals import NUMPY

            return NUMPY.get(name)
        if module in RARE_MODULES:
            from .rare_globals import RARE

            return RARE[name]() if name in RARE else None
        if module in ("torch", "torch.cuda", "torch.storage") and last.endswith("Storage"):
            kind = "uint8" if last == "UntypedStorage" else STORAGES.get(last.removesuffix("Storage"))
            return None if kind is None else Global(StorageClass(name, registered_dtype(kind)))
        return Global(named_dtype(last)) if module == "torch" and last in DTYPES else None

    def complete(self) -> None:
        """Finish objects that depend on elements of tensors; raise PickleError if that fails."""
        try:
            for work in self.later:
                work()
        except (PickleError, MemoryError):
            raise
        except Exception as error:
            refuse(f"its pickle has values that do not fit: {type(error).__name__}: {error!s:.200}")

    # ----------------------------------------------------------------------------------- hooks for subclasses
    def make_tensor(self, parts: Parts, requires_grad: bool) -> Value:
        """Return the object for a tensor."""
        return parts if self.from_parts is None else self.from_parts(parts)

    def make_parameter(self, tensor: Value, requires_grad: bool, attributes: dict[str, Value]) -> Value:
        """Return the object for a parameter over `tensor`."""
        return tensor

    def make_of_type(self, kind: Value, tensor: Value, attributes: dict[str, Value]) -> Value:
        """Return the object for a tensor of a subclass, or one with attributes."""
        refuse(f"its pickle has a tensor of the class {shown(kind)}, which is not loaded")

    def make_storage(self, stored: Stored) -> Value:
        """Return the object for a storage."""
        return stored

    def make_size(self, shape: tuple[int, ...]) -> Value:
        """Return the object for a shape."""
        return shape

    def make_layout(self, name: str) -> Value:
        """Return the object for "strided", the only supported layout of tensors."""
        return name

    # -------------------------------------------------------------------------------------------------- calls
    def storage(self, memory: Memory, dtype: DType) -> Value:
        """Return the object for a persistent id."""
        made = self.make_storage(stored := Stored(memory, dtype))
        self.stored[id(made)] = made, stored
        return made

    def _stored(self, value: Value) -> Stored:
        found = self.stored.get(id(value))
        if found is None:
            refuse(f"its pickle makes a tensor of {shown(value)}; expected a storage")
        return found[1]

    def _tensor(self, storage: Value, offset: Value, size: Value, stride: Value) -> Value:
        return self._tensor_v2(storage, offset, size, stride, False, None)

    def _tensor_v2(
        self, storage: Value, offset: Value, size: Value, stride: Value, requires_grad: Value, hooks: Value,
        metadata: Value = None,
    ) -> Value:  # fmt: skip
        stored = self._stored(storage)
        return self._made(stored, stored.dtype, offset, size, stride, requires_grad, hooks, metadata)

    def _tensor_v3(
        self, storage: Value, offset: Value, size: Value, stride: Value, requires_grad: Value, hooks: Value,
        dtype: Value, metadata: Value = None,
    ) -> Value:  # fmt: skip
        stored = self._stored(storage)
        if not isinstance(dtype, DType):
            refuse(f"its pickle has {shown(dtype)} for the dtype of a tensor")
        return self._made(stored, dtype, offset, size, stride, requires_grad, hooks, metadata)

    def _made(
        self, stored: Stored, dtype: DType, offset: Value, size: Value, stride: Value, requires_grad: Value,
        hooks: Value, metadata: Value,
    ) -> Value:  # fmt: skip
        _no_hooks(hooks)
        if metadata is not None:
            for name, value in expect(metadata, dict, "the metadata of a tensor").items():
                if value:
                    refuse(f"its pickle has a tensor with the mark {shown(name)}; save x.resolve_conj().resolve_neg()")
        layout = self._layout_of(size, stride, dtype, stored.memory.device)
        (first,) = integers((offset,), "the offset of a tensor")
        begin = first * dtype.itemsize
        if begin + layout.extent > stored.memory.nbytes:
            refuse(
                f"its pickle has a tensor of shape {layout.shape} and strides {layout.strides} from element {first} "
                f"on, which needs {begin + layout.extent} bytes of a storage of {stored.memory.nbytes}"
            )
        parts = (stored.memory.storage, layout, begin)
        if dtype is bool_ and layout.numel and layout.device is cpu:
            self.bools.append(parts)
        return self.make_tensor(parts, expect(requires_grad, bool, "requires_grad"))

    def _layout_of(self, size: Value, stride: Value, dtype: DType, device: Device) -> Layout:
        shape, strides = integers(size, "the shape of a tensor"), integers(stride, "the strides of a tensor")
        if len(shape) != len(strides):
            refuse(f"its pickle has a tensor of shape {shape} with {len(strides)} strides")
        try:
            return layout_of(shape, strides, dtype, device)
        except OverflowError:
            refuse(f"its pickle has a tensor of shape {shape} and strides {strides}, too large for 64 bits")

    def _meta_tensor(self, dtype: Value, size: Value, stride: Value, requires_grad: Value) -> Value:
        from facula_storage.extend.memory import allocate

        if not isinstance(dtype, DType):
            refuse(f"its pickle has {shown(dtype)} for the dtype of a tensor")
        layout = self._layout_of(size, stride, dtype, Device("meta"))
        return self.make_tensor((allocate(layout), layout, 0), expect(requires_grad, bool, "requires_grad"))

    def _parameter(self, tensor: Value, requires_grad: Value, hooks: Value, state: Value = None) -> Value:
        _no_hooks(hooks)
        return self.make_parameter(tensor, expect(requires_grad, bool, "requires_grad"), attributes_of(state))

    def _of_type(self, rebuild: Value, kind: Value, arguments: Value, state: Value) -> Value:
        name = rebuild.name if isinstance(rebuild, Marker) else ""
        if name not in self.rebuilders or name == "torch._tensor _rebuild_from_type_v2":
            refuse(f"its pickle makes a tensor by {shown(rebuild)}")
        tensor = self.rebuilders[name](*expect(arguments, tuple, "arguments"))
        return self.make_of_type(kind, tensor, attributes_of(state))

    def _device(self, kind: Value, index: Value = None) -> Device:
        if type(kind) is not str or kind not in DEVICES or not (index is None or type(index) is int):
            refuse(f"its pickle has the device {shown(kind)}, {shown(index)}")
        if index is not None and not 0 <= index < MAX_DEVICES:
            refuse(f"its pickle has the device {shown(kind)}, {shown(index)}")
        return Device(kind, index)

    def _size(self, *sizes: Value) -> Value:
        (given,) = sizes or ((),)
        return self.make_size(integers(given, "a size"))

    def _layout(self, name: Value) -> Value:
        if name != "torch.strided":
            refuse(f"its pickle has the layout {shown(name)}; only torch.strided is loaded")
        return self.make_layout("strided")


def storage_kind(kind: Marker) -> str:
    """Convert `torch FloatStorage` to `Float`; raise PickleError unless the class is one of PyTorch's storages."""
    module, _, last = kind.name.partition(" ")
    short = last.removesuffix("Storage")
    if module not in ("torch", "torch.cuda", "torch.storage") or short not in STORAGES:
        refuse(f"its pickle has a storage of the class {kind}")
    return short


def is_class(identifier: Value) -> bool:
    """Return whether a persistent id is a class with its source code, which the legacy format stores for modules."""
    return type(identifier) is tuple and len(identifier) == 4 and identifier[0] == "module"


def parse_identifier(identifier: Value) -> tuple[Marker, str, str, int]:
    """Parse the class, key, device and number of elements of a persistent id."""
    if type(identifier) is not tuple or len(identifier) not in (5, 6) or identifier[0] != "storage":
        refuse(f"its pickle asks for {shown(identifier)}; expected a storage")
    _, kind, key, location, count, *view = identifier
    if not isinstance(kind, Marker) or type(key) is not str or type(location) is not str or type(count) is not int:
        refuse("its pickle asks for a storage that is not described by class, key, device and number of elements")
    if any(part is not None for part in view):
        refuse("its pickle has a view of a storage, which PyTorch 0.1 wrote; load and save it with a newer PyTorch")
    if not 0 <= count < 1 << 60 or len(key) > 200 or len(location) > 100:
        refuse(f"its pickle has a storage {key!r:.50} of {count} elements")
    return kind, key, location, count


def named_dtype(name: str) -> DType:
    """Return the dtype of PyTorch's name; raise PickleError if facula lacks it."""
    try:
        return registered_dtype(name)
    except TypeError:
        refuse(f"it uses the dtype torch.{name:.50}, which facula does not have; convert such tensors before saving")


def attributes_of(state: Value) -> dict[str, Value]:
    """Return the attributes of a tensor from its state: a dict, or a pair of a dict and the values of slots."""
    if type(state) is tuple and len(state) == 2:
        state, slots = state
        if slots:
            refuse("its pickle has a tensor with slots")
    if state is None:
        return {}
    for name in expect(state, (dict, OrderedDict), "the attributes of a tensor"):
        if type(name) is not str:
            refuse(f"its pickle has a tensor with the attribute {shown(name)}")
    return dict(state)


def _parts_of_tuples(*arguments: Value) -> Iterator[Value]:
    """Iterate over the members of tuple arguments: states with slots, arguments of another function and metadata."""
    for argument in arguments:
        if type(argument) is tuple:
            yield from argument


def _no_hooks(hooks: Value) -> None:
    if hooks is not None and (type(hooks) is not OrderedDict or hooks):
        refuse("its pickle has a tensor with hooks, which are functions; save it without")


def _version(text: Value) -> Any:
    return expect(text, str, "a version")
