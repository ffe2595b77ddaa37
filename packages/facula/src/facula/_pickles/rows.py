"""Rows for modules, optimizers, schedules, generators, functions, and the classes that a program named.

Imported when a file has such a name: most files contain only tensors and containers.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from functools import partial
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import Global, Marker, Pending, attributes, expect, refuse
from facula_errors.extend import is_library_module
from facula_storage import Device, DType, cpu
from facula_storage.extend.devices import is_connected
from facula_tensor import Generator, Tensor
from facula_tensor.extend.modules import Handle

from . import DATA_PARALLEL, GENERATOR
from .attributes import METHODS, Method, fill_plain, is_plain, known_attributes, tables_for, tuple_of
from .conversions import OWN, REFRESH, Endless, conversion, fill_converted, refreshed, set_generator
from .hooks import HANDLE, VERSIONED, WRAPPED, Wrapped, fill_handle, fill_wrapped, versioned_row
from .names import is_operator, name_of, object_named
from .samplers import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
# Modules of the functions that files may name.
_FUNCTIONS = (
    "torch.nn.functional ", "torch.nn.init ", "torch._C._nn ", "torch.utils.data._utils.collate ",
    "torch.utils.data.dataloader default_",
)  # fmt: skip
MAX_OPTIONS = 100  # of an optimizer
_LIGHTNING = ("pytorch_lightning", "lightning", "lightning_fabric", "lightning_utilities")


def face_row(table: Any, name: str) -> Global | None:
    """Return the row for a name other than those of tensors and containers; None for one that files may not use."""
    module, _, last = name.partition(" ")
    if last == "AttributeDict" and module.partition(".")[0] in _LIGHTNING:  # hyperparameters, a dict
        return Global(Marker(name), call=_dict, new=_dict)
    if module == "torch" and last in _FORMATS:
        import facula

        return Global(getattr(facula, last))
    if name == REFRESH:
        return Global(refreshed)
    if name == "torch.utils.data.dataloader _InfiniteConstantSampler":
        return Global(Endless, call=Endless, new=Endless)
    if name == GENERATOR:
        build = partial(set_generator, later=table.later)
        return Global(Marker("torch._C.Generator"), call=_new_generator, instance=Generator, build=build)
    if name == HANDLE:
        build = partial(fill_handle, later=table.later)
        return Global(Handle, new=partial(Handle.__new__, Handle), build=build, stateful=True)
    if name == WRAPPED:
        return Global(Marker(WRAPPED), call=Wrapped, new=Wrapped, instance=Wrapped, build=fill_wrapped)
    if name in VERSIONED:
        return versioned_row(name)
    if name == DATA_PARALLEL:
        return Global(Marker(DATA_PARALLEL), call=_wrap)
    if name == "facula Generator":
        return Global(Marker("facula.Generator"), call=_generator)
    if name in OWN:  # objects without an equivalent in PyTorch
        own = table.row(OWN[name])
        return own and Global(Marker(name), call=own.new, instance=own.value, build=own.build)  # type: ignore[arg-type]
    row = our_row(name, object_named(name))
    if row is not None and (row.build is fill_plain or isinstance(row.build, partial)):
        row.build = partial(row.build, later=table.later)
    return named_row(table.named[name], table.later) if row is None and name in table.named else row


def attribute_of(table: Any, owner: Any, name: Any) -> Any:
    """Resolve `getattr(owner, name)` in a pickle: a function in C++, a nested class, or a method.

    Python's protocol 2 also names `__new__` of a class whose `__new__` takes keyword arguments.
    """
    if isinstance(owner, Marker) and owner.name == "torch._C._VariableFunctionsClass":
        return _function(name)
    if isinstance(owner, type) and any(
        is_library_module(base.__module__) and name in METHODS.get(base.__name__, ()) for base in owner.__mro__
    ):
        return Method(owner, name)
    if type(name) is str and table.named_as(type(owner)) is not None:
        method = getattr_static(type(owner), name, None)  # which runs no code of the class
        if isinstance(method, FunctionType):
            return MethodType(method, owner)
    path = owner.name if isinstance(owner, Pending) else table.named_as(owner)
    if type(name) is not str or path is None:
        refuse("its pickle asks for an attribute of an object; save state_dict()s, or plain values")
    if name == "__new__":
        return Maker(table.unknown(path) if isinstance(owner, Pending) else owner)
    table.pending.pop(path, None)
    path = f"{path}.{name}"
    return table.row(path) or table.pending.setdefault(path, Pending(path))


def row_of_maker(value: Any) -> Global | None:
    """Return the row of a partial function that creates an instance; PickleError for our classes without instances."""
    if isinstance(value, type) and is_library_module(value.__module__):
        kind = value.__qualname__
        refuse(f"it has an object of {kind}, which is not loaded; save its state_dict(), or what it was made of")
    return Global(value, call=value) if type(value) is partial and type(value.func) is Maker else None


def _dict(*arguments: Any) -> dict[Any, Any]:
    return dict(*[expect(argument, dict, "an AttributeDict") for argument in arguments])


class Maker:
    """`__new__` of a class that the program named."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __call__(self, kind: Any, *arguments: Any, **keywords: Any) -> Any:
        """Return a new instance of exactly that class."""
        if kind is not self.kind:
            refuse(f"its pickle makes an instance of {self.kind.__name__} as another class")
        return self.kind.__new__(self.kind, *arguments, **keywords)


def _function(name: Any) -> object:
    """Resolve `getattr(torch._C._VariableFunctionsClass, "tanh")`, PyTorch's form of functions in C++."""
    found = object_named(f"torch {name}")
    if found is None:
        refuse(f"its pickle asks for the function torch.{name:.60}, which is not loaded")
    return found


def _new_generator(device: Any) -> Generator:
    if not isinstance(device, Device):
        refuse("its pickle has a generator that is none")
    if device is not cpu and not is_connected(device):  # whose first use may import their package
        refuse(f"its pickle has a generator of {str(device)!r}, a device that this program has not used yet")
    return Generator(device)


def _generator(device: Any, state: Any) -> Generator:
    return _new_generator(device).set_state(expect(state, tuple, "the state of a generator"))


def _wrap(module: Any, options: Any) -> Any:
    from facula_nn import Module

    from ..nn.parallel._files import loaded

    if not isinstance(module, Module):
        refuse(f"its pickle has a {type(module).__name__} in a DistributedDataParallel")
    return loaded(module, expect(options, dict, "the options of a DistributedDataParallel"))


def our_row(name: str, value: Any) -> Global | None:
    """Return the row for a class or function of ours that files may use, by PyTorch's name."""
    if value is None:
        return None
    if not isinstance(value, type):
        functional = name.startswith(_FUNCTIONS)
        return Global(value) if functional or is_operator(value) else None

    def new() -> Any:
        return value.__new__(value)  # type: ignore[call-overload]

    converted = conversion(name)
    if converted is not None:
        return Global(value, new=new, build=partial(fill_converted, converted), stateful=True)
    if is_plain(name):
        bare = name.startswith(("torch.distributions.constraints ", "torch.nn.utils.prune "))  # some have no attributes
        inner = copied if name.startswith("torch.utils.data.sampler ") else None
        return Global(value, new=new, build=fill_plain, inner=inner, stateful=not bare)
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
            flags = [expect(flag, bool, "a flag") for flag in (requires_grad, *persistent)]
            return value(flags[0], device, dtype, *flags[1:])

        return Global(value, call=lazy)
    if issubclass(value, Optimizer):
        return Global(value, new=new, build=fill_optimizer, inner=_parts_of_optimizer, stateful=True)
    if issubclass(value, LRScheduler):
        return Global(value, new=new, build=fill_schedule, stateful=True)
    return Global(value)


def _parts_of_optimizer(*states: Any) -> Iterator[Any]:
    """Yield the values in an optimizer's state, and in its groups."""
    for state in states:
        if type(state) is not dict:
            continue
        yield from state.values()
        for group in groups if type(groups := state.get("param_groups")) is list else ():
            yield group
            yield from group.values() if type(group) is dict else ()


def fill_optimizer(optimizer: Any, state: Any) -> None:
    """Set a new optimizer's options, groups and state."""
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
        if not all(isinstance(parameter, Tensor) for parameter in parameters) or not all(
            type(name) is str for name in group
        ):
            refuse("its pickle has a group of an optimizer that is not options and parameters")
        for name, value in state["defaults"].items():  # options that older versions of PyTorch did not have
            group.setdefault(name, value)
    if not all(isinstance(name, Tensor) and isinstance(entries, dict) for name, entries in kept.items()):
        refuse("its pickle has an optimizer with the state of something that is no tensor")
    optimizer.__setstate__({**state, "state": defaultdict(dict, kept)})


def fill_schedule(schedule: Any, state: Any) -> None:
    """Set a new schedule's attributes."""
    from facula_optim import Optimizer

    state = expect(state, dict, "the state of a schedule")
    if not isinstance(state.get("optimizer"), Optimizer):
        refuse(f"its pickle has a {type(schedule).__name__} without an optimizer")
    vars(schedule).update(known_attributes(type(schedule), state))


def base_of(kind: type) -> tuple[type, str] | None:
    """Return the nearest base of ours with another form of attributes in PyTorch's files, and PyTorch's name of it."""
    for base in kind.__mro__[1:]:
        name = name_of(base) if is_library_module(base.__module__) else None
        if name is not None and (
            conversion(name) or is_plain(name) or name.startswith("torch.optim.lr_scheduler ")
        ):  # fmt: skip
            return base, name
    return None


def named_row(value: Any, later: list[Callable[[], None]]) -> Global:
    """Return the row for a class or function that the program named: used as in Python's pickle."""
    if not isinstance(value, type):
        return Global(value, call=value, named=True)
    from facula_nn import Module

    def new(*arguments: Any, **keywords: Any) -> Any:
        return value.__new__(value, *arguments, **keywords)

    base = base_of(value)

    def build(instance: Any, state: Any) -> None:
        if isinstance(instance, Module):
            set_module(instance, state)
        elif base is not None:
            set_inherited(instance, state, base, later)
        elif hasattr(instance, "__setstate__"):
            instance.__setstate__(state)
        else:
            state, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
            if state:
                vars(instance).update(attributes(object, state))
            for name, attribute in attributes(object, slots).items():
                setattr(instance, name, attribute)

    whole = base is not None and (conversion(base[1]) is not None or bool(tables_for(value)[1]))
    return Global(value, call=value, new=new, build=build, named=True, stateful=whole)


def set_inherited(instance: Any, state: Any, base: tuple[type, str], later: list[Callable[[], None]]) -> None:
    """Fill an instance of a program's class like its base; its own `__setstate__` receives the file's state."""
    kind, (library, name) = type(instance), base
    converted = conversion(name)
    theirs, ours = tables_for(kind) if converted is None else ({*converted.theirs}, ())
    if getattr(kind, "__setstate__", None) is not getattr(library, "__setstate__", None):
        instance.__setstate__(state)
        state = dict(vars(instance))
        if all(key in state for key in ours) and not any(key in state for key in theirs if key not in ours):
            return  # rebuilt, as by its constructor
        vars(instance).clear()
    state, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    if converted is not None:
        fill_converted(converted, instance, state, later)
    elif is_plain(name):
        fill_plain(instance, state or {}, later)
    else:
        fill_schedule(instance, state)
    for name, attribute in attributes(object, slots).items():
        setattr(instance, name, attribute)


def set_module(instance: Any, state: Any) -> None:
    """Fill a module of the program's; its own `__setstate__` receives the attributes in our form."""
    from facula_nn import Module

    from .modules import fill

    own: Callable[..., None] = type(instance).__setstate__
    if own is Module.__setstate__ or not isinstance(state, (dict, OrderedDict)):
        fill(instance, state)
        return
    plain = Module.__new__(Module)
    fill(plain, state, type(instance))
    instance.__setstate__(dict(vars(plain)))
