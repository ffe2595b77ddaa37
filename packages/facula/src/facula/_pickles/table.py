"""The rows for tensors, parameters, modules, optimizers, schedules, and the classes that a program named."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import Global, Marker, Memory, Pending, Stored, TensorTable, attributes, expect, refuse
from facula_errors.extend import is_library_module
from facula_storage import Device, DType, contiguous, cpu, layout_of, uint8
from facula_storage.extend import is_connected
from facula_tensor import Generator, Parameter, Size, Tensor, TypedStorage, UntypedStorage, strided
from facula_tensor.extend import as_class, make

from .attributes import METHODS, Method, fill_plain, is_plain, known_attributes, tuple_of
from .conversions import OWN, REFRESH, Endless, conversion, refreshed, set_generator
from .names import is_operator, object_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from facula_checkpoint import Parts

    from .location import Relocate

_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
# Where functions are that files may name.
_FUNCTIONS = (
    "torch.nn.functional ", "torch.nn.init ", "torch._C._nn ", "torch.utils.data._utils.collate ",
    "torch.utils.data.dataloader default_",
)  # fmt: skip
MAX_OPTIONS = 100  # of an optimizer
_LIGHTNING = ("pytorch_lightning", "lightning", "lightning_fabric", "lightning_utilities")


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
        self.rows["torch Size"] = self.rows["torch Size"]._replace(value=Size)
        self.rows["torch device"] = self.rows["torch device"]._replace(value=Device)
        self.rows["torch._C _VariableFunctionsClass"] = Global(Marker("torch._C._VariableFunctionsClass"))
        self.rows["builtins getattr"] = Global(self.getter, call=self.attribute)
        self.rows[REFRESH] = Global(refreshed)
        self.rows["torch.utils.data.dataloader _InfiniteConstantSampler"] = Global(Endless, call=Endless, new=Endless)
        self.rows["torch._C Generator"] = Global(
            Marker("torch._C.Generator"),
            call=_new_generator,
            instance=Generator,
            build=partial(set_generator, later=self.later),
        )
        self.rows["facula Generator"] = Global(Marker("facula.Generator"), call=_generator)

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
        """What `getattr(owner, name)` stands for in a pickle: a function in C++, or a class in a class.

        Python's pickle of protocol 2 has `__new__` of a class, too, where that takes arguments by their names.
        """
        if isinstance(owner, Marker) and owner.name == "torch._C._VariableFunctionsClass":
            return _function(name)
        if isinstance(owner, type) and is_library_module(owner.__module__) and name in METHODS.get(owner.__name__, ()):
            return Method(owner, name)
        path = owner.name if isinstance(owner, Pending) else self._named_as(owner)
        if type(name) is not str or path is None:
            refuse("its pickle asks for an attribute of an object; save state_dict()s, or plain values")
        if name == "__new__":
            return Maker(self.unknown(path) if isinstance(owner, Pending) else owner)
        self.pending.pop(path, None)
        path = f"{path}.{name}"
        return self.row(path) or self.pending.setdefault(path, Pending(path))

    def _named_as(self, owner: Any) -> str | None:
        return next((name for name, one in self.named.items() if one is owner and isinstance(one, type)), None)

    def row_of(self, value: Any) -> Global | None:
        """The row of a partial function that makes an instance; PickleError for classes of ours without instances."""
        if isinstance(value, type) and is_library_module(value.__module__):
            kind = value.__qualname__
            refuse(f"it has an object of {kind}, which is not loaded; save its state_dict(), or what it was made of")
        if type(value) is partial and type(value.func) is Maker:
            return Global(value, call=value)
        return super().row_of(value)

    def more(self, name: str) -> Global | None:
        """A row for a class that the program named, or for one of ours by PyTorch's name."""
        module, _, last = name.partition(" ")
        if last == "AttributeDict" and module.partition(".")[0] in _LIGHTNING:  # hyperparameters, a dict
            return Global(Marker(name), call=_dict, new=_dict)
        if module == "torch" and last in _FORMATS:
            import facula

            return Global(getattr(facula, last))
        if name in OWN:  # what PyTorch has not the like of
            row = self.row(OWN[name])
            return row and Global(Marker(name), call=row.new, instance=row.value, build=row.build)  # type: ignore[arg-type]
        row = super().more(name) or our_row(name, object_named(name))
        if row is not None and row.build is fill_plain:
            row = row._replace(build=partial(fill_plain, later=self.later))
        return named_row(self.named[name]) if row is None and name in self.named else row

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


def _dict(*arguments: Any) -> dict[Any, Any]:
    return dict(*[expect(one, dict, "an AttributeDict") for one in arguments])


class Maker:
    """`__new__` of a class that the program named."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __call__(self, kind: Any, *arguments: Any, **keywords: Any) -> Any:
        """A new instance of exactly that class."""
        if kind is not self.kind:
            refuse(f"its pickle makes an instance of {self.kind.__name__} as another class")
        return self.kind.__new__(self.kind, *arguments, **keywords)


def _function(name: Any) -> object:
    """`getattr(torch._C._VariableFunctionsClass, "tanh")`, as PyTorch writes functions in C++."""
    found = object_named(f"torch {name}")
    if found is None:
        refuse(f"its pickle asks for the function torch.{name:.60}, which is not loaded")
    return found


def _new_generator(device: Any) -> Generator:
    if not isinstance(device, Device):
        refuse("its pickle has a generator that is none")
    if device is not cpu and not is_connected(device):  # whose first use may import the package that brings it
        refuse(f"its pickle has a generator of {str(device)!r}, a device that this program has not used yet")
    return Generator(device)


def _generator(device: Any, state: Any) -> Generator:
    return _new_generator(device).set_state(expect(state, tuple, "the state of a generator"))


# Rows for classes ----------------------------------------------------------------------------------------------------


def our_row(name: str, value: Any) -> Global | None:
    """The row for a class or function of ours that files may use, by PyTorch's name."""
    if value is None:
        return None
    if not isinstance(value, type):
        functional = name.startswith(_FUNCTIONS)
        return Global(value) if functional or is_operator(value) else None

    def new() -> Any:
        return value.__new__(value)  # type: ignore[call-overload]

    converted = conversion(name)
    if converted is not None:
        return Global(value, new=new, build=converted.fill, stateful=True)
    if is_plain(name):
        bare = name.startswith("torch.distributions.constraints ")  # some have no attributes
        return Global(value, new=new, build=fill_plain, stateful=not bare)
    if name.startswith("torch.return_types "):
        return Global(value, call=lambda fields, names: tuple_of(value, expect(fields, tuple, "results")))
    if issubclass(value, tuple) and hasattr(value, "_fields"):
        return Global(value, new=lambda *fields: tuple_of(value, fields))
    from facula_nn import Module, UninitializedBuffer, UninitializedParameter
    from facula_optim import Optimizer
    from facula_optim.lr_scheduler import LRScheduler

    if issubclass(value, Module):
        from .modules import fill, tables_of

        return Global(value, new=new, build=fill, inner=tables_of, stateful=True)
    if issubclass(value, UninitializedParameter | UninitializedBuffer):

        def lazy(requires_grad: Any, device: Any = None, dtype: Any = None, *persistent: Any) -> Any:
            expect(device, (str, Device, type(None)), "a device")
            expect(dtype, (DType, type(None)), "a dtype")
            flags = [expect(one, bool, "a flag") for one in (requires_grad, *persistent)]
            return value(flags[0], device, dtype, *flags[1:])

        return Global(value, call=lazy)
    if issubclass(value, Optimizer):
        return Global(value, new=new, build=fill_optimizer, inner=_parts_of_optimizer, stateful=True)
    if issubclass(value, LRScheduler):
        return Global(value, new=new, build=fill_schedule, stateful=True)
    return Global(value)


def _parts_of_optimizer(*states: Any) -> Iterator[Any]:
    """What is in the state of an optimizer, and in its groups."""
    for state in states:
        if type(state) is not dict:
            continue
        yield from state.values()
        for group in groups if type(groups := state.get("param_groups")) is list else ():
            yield group
            yield from group.values() if type(group) is dict else ()


def fill_optimizer(optimizer: Any, state: Any) -> None:
    """Give a new optimizer its options, groups and state."""
    state = expect(state, dict, "the state of an optimizer")
    if set(state) != {"defaults", "state", "param_groups"}:
        refuse(f"its pickle has a {type(optimizer).__name__} that is not options, state and groups")
    expect(state["defaults"], dict, "an optimizer's options")
    kept = expect(state["state"], (dict, defaultdict), "an optimizer's state")
    groups = expect(state["param_groups"], list, "an optimizer's groups")
    if len(state["defaults"]) > MAX_OPTIONS:
        refuse(f"its pickle has a {type(optimizer).__name__} with more than {MAX_OPTIONS} options")
    for group in groups:
        parameters = expect(expect(group, dict, "a group").get("params"), list, "the parameters of a group")
        if not all(isinstance(one, Tensor) for one in parameters) or not all(type(name) is str for name in group):
            refuse("its pickle has a group of an optimizer that is not options and parameters")
        for name, value in state["defaults"].items():  # options that older versions of PyTorch did not have
            group.setdefault(name, value)
    if not all(isinstance(one, Tensor) and isinstance(entries, dict) for one, entries in kept.items()):
        refuse("its pickle has an optimizer with the state of something that is no tensor")
    optimizer.__setstate__({**state, "state": defaultdict(dict, kept)})


def fill_schedule(schedule: Any, state: Any) -> None:
    """Give a new schedule its attributes."""
    from facula_optim import Optimizer

    state = expect(state, dict, "the state of a schedule")
    if not isinstance(state.get("optimizer"), Optimizer):
        refuse(f"its pickle has a {type(schedule).__name__} without an optimizer")
    vars(schedule).update(known_attributes(type(schedule), state))


def named_row(value: Any) -> Global:
    """The row for a class or function that the program named: pickles use it as Python's pickle does."""
    if not isinstance(value, type):
        return Global(value, call=value, named=True)
    from facula_nn import Module

    def new(*arguments: Any, **keywords: Any) -> Any:
        return value.__new__(value, *arguments, **keywords)

    def build(instance: Any, state: Any) -> None:
        if isinstance(instance, Module):
            set_module(instance, state)
        elif hasattr(instance, "__setstate__"):
            instance.__setstate__(state)
        else:
            state, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
            if state:
                vars(instance).update(attributes(object, state))
            for name, one in attributes(object, slots).items():
                setattr(instance, name, one)

    return Global(value, call=value, new=new, build=build, named=True)


def set_module(instance: Any, state: Any) -> None:
    """Fill a module of the program's; its own `__setstate__` gets the attributes as modules of ours keep them."""
    from facula_nn import Module

    from .modules import fill

    own: Callable[..., None] = type(instance).__setstate__
    if own is Module.__setstate__ or not isinstance(state, (dict, OrderedDict)):
        fill(instance, state)
        return
    plain = Module.__new__(Module)
    fill(plain, state, type(instance))
    instance.__setstate__(dict(vars(plain)))
