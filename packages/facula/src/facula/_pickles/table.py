"""The table of what `facula.load` takes from a file: tensors and parameters here, other objects in `rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import Global, Marker, Memory, Stored, TensorTable, attributes, expect, refuse
from facula_storage import Device, DType, contiguous, cpu, layout_of, uint8
from facula_tensor import Parameter, Size, Tensor, TypedStorage, UntypedStorage, strided
from facula_tensor.extend import as_class, make

from . import GENERATOR

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_checkpoint import Parts

    from .location import Relocate


class FaceTable(TensorTable):
    """What a file may use when it is loaded by `facula.load`.

    Arguments:
        named: the classes and functions that the program named with `add_safe_globals`, by their names.
        encoding, errors, fix_imports: for what Python 2 wrote, as of `pickle.load`.
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
        """The line to write, if the program trusts the file."""
        module, _, last = name.partition(" ")
        if not all(part.isidentifier() for part in f"{module}.{last}".split(".")) or module.split(".")[0] == "torch":
            return super().remedy(name)
        return (
            f"where you trust the file, write before: import facula, {module}; "
            f"facula.serialization.add_safe_globals([{module}.{last}])"
        )

    def attribute(self, owner: Any, name: Any) -> Any:
        """What `getattr(owner, name)` stands for in a pickle."""
        from .rows import attribute_of

        return attribute_of(self, owner, name)

    def named_as(self, owner: Any) -> str | None:
        """The name under which the program gave a class."""
        return next((name for name, one in self.named.items() if one is owner and isinstance(one, type)), None)

    def row_of(self, value: Any) -> Global | None:
        """The row of a partial function that makes an instance; PickleError for classes of ours without instances."""
        from .rows import row_of_maker

        return row_of_maker(value) or super().row_of(value)

    def more(self, name: str) -> Global | None:
        """A row for a class that the program named, or for one of ours by PyTorch's name."""
        row = None if name == GENERATOR else super().more(name)  # which refuses generators of PyTorch's
        if row is None:
            from .rows import face_row

            row = face_row(self, name)
        return row

    # ------------------------------------------------------------------------------------------------ objects
    def make_tensor(self, parts: Parts, requires_grad: bool) -> Tensor:
        """A tensor."""
        storage, layout, offset = parts
        tensor = make(Tensor, layout, storage, offset)
        return tensor.requires_grad_() if requires_grad else tensor

    def make_parameter(self, tensor: Any, requires_grad: bool, attributes: dict[str, Any]) -> Parameter:
        """A parameter over the memory of a tensor."""
        if type(tensor) is not Tensor:
            refuse(f"its pickle has a parameter of a {type(tensor).__name__}")
        if requires_grad and not (tensor.is_floating_point() or tensor.is_complex()):
            refuse(f"its pickle has a parameter of {tensor.dtype} that requires a gradient")
        made = as_class(Parameter, tensor, requires_grad, None)
        set_names(made, attributes)
        return made  # type: ignore[no-any-return]

    def make_of_type(self, kind: Any, tensor: Any, attributes: dict[str, Any]) -> Any:
        """A tensor with attributes, a buffer, or one of a class that the program named."""
        if not isinstance(tensor, Tensor):
            refuse("its pickle has a tensor subclass of something else")
        if attributes.pop("_is_buffer", False) is True:
            from facula_nn import Buffer

            persistent = expect(attributes.pop("persistent", True), bool, "persistent")
            tensor, kind = Buffer(tensor.detach(), persistent=persistent), Buffer
        if kind is Parameter and type(tensor) is Tensor:
            tensor = as_class(Parameter, tensor, tensor.requires_grad, None)
        elif kind not in (Tensor, type(tensor)):
            if not any(kind is one for one in self.named.values()) or not issubclass(kind, Tensor):
                super().make_of_type(kind, tensor, attributes)
            tensor = as_class(kind, tensor, tensor.requires_grad, None)
        set_names(tensor, attributes)
        return tensor

    def make_storage(self, stored: Stored) -> UntypedStorage | TypedStorage:
        """A storage of bytes, or of elements."""
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
        """A Size."""
        return Size(shape)

    def make_layout(self, name: str) -> object:
        """The layout."""
        return strided


def tensors_at(relocate: Relocate | None) -> Callable[[Parts], Tensor]:
    """The function that makes tensors of a safetensors file where they are wanted, each memory once."""
    memories: dict[int, tuple[object, Memory]] = {}

    def made(parts: Parts) -> Tensor:
        storage, layout, offset = parts
        if relocate is not None:
            if id(storage) not in memories:
                nbytes = offset + layout.extent
                memories[id(storage)] = storage, relocate(lambda: Memory(storage, nbytes, cpu), nbytes, "cpu")
            moved = memories[id(storage)][1]
            storage, layout = moved.storage, layout_of(layout.shape, layout.strides, layout.dtype, moved.device)
        return make(Tensor, layout, storage, offset)

    return made


def set_names(tensor: Any, given: dict[str, Any]) -> None:
    """Set attributes of a tensor that files may set."""
    for name, value in attributes(type(tensor), given).items():
        setattr(tensor, name, value)
