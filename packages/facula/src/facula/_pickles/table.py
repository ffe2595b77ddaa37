"""The table of objects that `facula.load` accepts from a file: tensors and parameters here, other objects in `rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import Global, Marker, Memory, Stored, TensorTable, attributes, expect, refuse
from facula_storage import Device, DType, contiguous, cpu, layout_of, uint8
from facula_tensor import Parameter, Size, Tensor, TypedStorage, UntypedStorage, strided
from facula_tensor.extend.tensors import as_class, make

from . import GENERATOR

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_checkpoint import Parts

    from .location import Relocate


class FaceTable(TensorTable):
    """The classes and functions that files may use when `facula.load` reads them.

    Arguments:
        named: the classes and functions that the program named with `add_safe_globals`, by their names.
        encoding, errors, fix_imports: for pickles of Python 2, as in `pickle.load`.
    """

    getter = Marker("getattr")

    def __init__(
        self, named: dict[str, Any], encoding: str = "utf-8", errors: str = "strict", fix_imports: bool = True
    ) -> None:
        super().__init__()
        self.named, self.encoding, self.errors, self.fix_imports = named, encoding, errors, fix_imports
        self.rows["torch Tensor"] = Global(Tensor)
        self.rows["torch.nn.parameter Parameter"] = Global(Parameter)
        self.rows["torch Size"].value = Size
        self.rows["torch device"].value = Device
        self.rows["torch._C _VariableFunctionsClass"] = Global(Marker("torch._C._VariableFunctionsClass"))
        self.rows["builtins getattr"] = Global(self.getter, call=self.attribute)

    def remedy(self, name: str) -> str:
        """Return the line to add if the program trusts the file."""
        module, _, last = name.partition(" ")
        if not all(part.isidentifier() for part in f"{module}.{last}".split(".")) or module.split(".")[0] == "torch":
            return super().remedy(name)
        return (
            f"where you trust the file, write before: import facula, {module}; "
            f"facula.serialization.add_safe_globals([{module}.{last}])"
        )

    def attribute(self, owner: Any, name: Any) -> Any:
        """Resolve `getattr(owner, name)` in a pickle."""
        from .rows import attribute_of

        return attribute_of(self, owner, name)

    def named_as(self, owner: Any) -> str | None:
        """Return the name under which the program registered a class."""
        return next((name for name, obj in self.named.items() if obj is owner and isinstance(obj, type)), None)

    def row_of(self, value: Any) -> Global | None:
        """Return the row of a partial function that creates an instance; PickleError for classes without instances."""
        from .rows import row_of_maker

        return row_of_maker(value) or super().row_of(value)

    def more(self, name: str) -> Global | None:
        """Return a row for a class that the program named, or for one of ours by PyTorch's name."""
        row = None if name == GENERATOR else super().more(name)  # which refuses PyTorch's generators
        if row is None:
            from .rows import face_row

            row = face_row(self, name)
        return row

    # ------------------------------------------------------------------------------------------------ objects
    def make_tensor(self, parts: Parts, requires_grad: bool) -> Tensor:
        """Return a tensor."""
        storage, layout, offset = parts
        tensor = make(Tensor, layout, storage, offset)
        return tensor.requires_grad_() if requires_grad else tensor

    def make_parameter(self, tensor: Any, requires_grad: bool, attributes: dict[str, Any]) -> Parameter:
        """Return a parameter over the memory of a tensor."""
        if type(tensor) is not Tensor:
            refuse(f"its pickle has a parameter of a {type(tensor).__name__}")
        if requires_grad and not (tensor.is_floating_point() or tensor.is_complex()):
            refuse(f"its pickle has a parameter of {tensor.dtype} that requires a gradient")
        made = as_class(Parameter, tensor, requires_grad, None)
        set_names(made, attributes)
        return made  # type: ignore[no-any-return]

    def make_of_type(self, kind: Any, tensor: Any, attributes: dict[str, Any]) -> Any:
        """Return a tensor with attributes, a buffer, or a tensor of a class that the program named."""
        if not isinstance(tensor, Tensor):
            refuse("its pickle has a tensor subclass of something else")
        if attributes.pop("_is_buffer", False) is True:
            from facula_nn import Buffer

            persistent = expect(attributes.pop("persistent", True), bool, "persistent")
            tensor, kind = Buffer(tensor.detach(), persistent=persistent), Buffer
        if kind is Parameter and type(tensor) is Tensor:
            tensor = as_class(Parameter, tensor, tensor.requires_grad, None)
        elif kind not in (Tensor, type(tensor)):
            if not any(kind is known for known in self.named.values()) or not issubclass(kind, Tensor):
                super().make_of_type(kind, tensor, attributes)
            tensor = as_class(kind, tensor, tensor.requires_grad, None)
        set_names(tensor, attributes)
        return tensor

    def make_storage(self, stored: Stored) -> UntypedStorage | TypedStorage:
        """Return a storage of bytes, or of elements."""
        memory, dtype = stored.memory, stored.dtype
        if dtype is uint8:
            return UntypedStorage(self._flat(stored, uint8))
        if memory.nbytes % dtype.itemsize:
            refuse(f"its pickle has a storage of {memory.nbytes} bytes with elements of {dtype}")
        return TypedStorage(self._flat(stored, dtype))

    def _flat(self, stored: Stored, dtype: DType) -> Tensor:
        memory = stored.memory
        layout = contiguous((memory.nbytes // dtype.itemsize,), dtype, memory.device)
        return make(Tensor, layout, memory.storage, 0)

    def make_size(self, shape: tuple[int, ...]) -> Size:
        """Return a Size."""
        return Size(shape)

    def make_layout(self, name: str) -> object:
        """Return the layout."""
        return strided


def tensors_at(relocate: Relocate | None) -> Callable[[Parts], Tensor]:
    """Return the function that creates a safetensors file's tensors on their device, each memory once."""
    memories: dict[int, tuple[object, Memory]] = {}

    def made(parts: Parts) -> Tensor:
        storage, layout, offset = parts
        if relocate is not None:
            if id(storage) not in memories:
                nbytes = offset + layout.extent
                memory = Memory(storage, nbytes, cpu)
                memories[id(storage)] = storage, relocate(lambda: memory, nbytes, "cpu") or memory
            moved = memories[id(storage)][1]
            storage, layout = moved.storage, layout_of(layout.shape, layout.strides, layout.dtype, moved.device)
        return make(Tensor, layout, storage, offset)

    return made


def set_names(tensor: Any, given: dict[str, Any]) -> None:
    """Set the attributes of a tensor that files may set."""
    for name, value in attributes(type(tensor), given).items():
        setattr(tensor, name, value)
