"""Writing objects of facula into a file: as PyTorch's objects, under its names."""

from __future__ import annotations

import sys
from collections import OrderedDict
from copyreg import __newobj__ as new_object  # type: ignore[attr-defined]
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NoReturn

from facula_checkpoint.extend import Block, CheckpointPickler, is_settable
from facula_errors import InvalidTypeError
from facula_errors.extend import is_library_module
from facula_storage import cpu
from facula_tensor import Generator, Parameter, Size, Tensor, TypedStorage, UntypedStorage, memory_format, strided
from facula_tensor.extend.declaring import no_record_ops
from facula_tensor.extend.modules import Handle, Hooks
from facula_tensor.extend.sampling import state_pair
from facula_tensor.extend.tensors import addressable, attributes, block_under, elements_of

from . import DATA_PARALLEL
from .attributes import Method, fill_plain, written
from .conversions import Endless, conversion, generator_state, given_by_program, write_converted
from .hooks import HANDLE, WRAPPED, Versioned, Wrapped, handle_state, moved
from .names import name_of
from .rows import base_of, fill_schedule, our_row

if TYPE_CHECKING:
    from facula_checkpoint.extend import Global
    from facula_storage import DType, Layout


class Raw:
    """The data of a parameter, or of a tensor of a subclass, pickled as a plain tensor."""

    __slots__ = ("parts", "requires_grad")

    def __init__(self, parts: tuple[Block, Layout, int], requires_grad: bool) -> None:
        self.parts, self.requires_grad = parts, requires_grad


def reduce(pickler: CheckpointPickler, obj: Any) -> Any:
    """Return the result of the pickler's `reducer_override` for an object."""
    if isinstance(obj, (type, FunctionType)):
        if is_library_module(obj.__module__):
            name = HANDLE if obj is Handle else _row(obj, f"{obj.__module__}.{obj.__qualname__}")[1]
            pickler.rename(obj.__module__, obj.__qualname__, name)
        return NotImplemented
    if isinstance(obj, MethodType) and is_library_module(type(obj.__self__).__module__):
        _refuse(f"the method {obj.__qualname__} of an object", "save the object")
    if isinstance(obj, Tensor) and hasattr(obj, "full_tensor"):
        _refuse("a DTensor", "save its full_tensor(), or use facula.distributed.checkpoint")
    if isinstance(obj, Tensor):
        return NotImplemented if _reduces_itself(obj) else _tensor(pickler, obj)
    if type(obj) is Method:
        return pickler.global_of("__builtin__ getattr"), (obj.owner, obj.name)
    if type(obj) is Raw:
        return pickler.tensor(*obj.parts, obj.requires_grad)
    if isinstance(obj, Size):
        return pickler.global_of("torch Size"), (tuple(obj),)
    if obj is strided:
        return pickler.global_of("torch.serialization _get_layout"), ("torch.strided",)
    if isinstance(obj, memory_format):
        pickler.rename(type(obj).__module__, obj.name, f"torch {obj.name}")
        return obj.name
    if isinstance(obj, Generator):
        if obj.device is not cpu:
            return pickler.global_of("facula Generator"), (obj.device, state_pair(obj))
        return pickler.global_of("torch._C Generator"), (obj.device,), generator_state(obj)
    if isinstance(obj, Hooks):
        return OrderedDict, (), None, None, iter(moved(obj).items())
    if type(obj) is Handle:
        from facula_nn.extend import LoadHooks

        if isinstance(obj.hooks_dict_ref(), LoadHooks):
            _refuse("a handle of a hook that is called before loading", "save its module alone")
        return new_object, (Handle,), handle_state(obj)
    if type(obj) is Wrapped:
        return pickler.global_of(WRAPPED), (obj.hook,), obj.state()
    if type(obj) is Versioned:
        return pickler.global_of(obj.name), (obj.norm,)
    if type(obj) is Endless:
        return pickler.global_of("torch.utils.data.dataloader _InfiniteConstantSampler"), ()
    parallel = sys.modules.get("facula.nn.parallel.distributed")
    if parallel is not None and type(obj) is parallel.DistributedDataParallel:
        from ..nn.parallel._files import saved

        return pickler.global_of(DATA_PARALLEL), saved(obj)
    return _object(pickler, obj) if is_library_module(type(obj).__module__) else _module(pickler, obj)


def _refuse(what: str, remedy: str) -> NoReturn:
    raise InvalidTypeError(f"save: expected what load and PyTorch's load can read; got {what}; {remedy}")


def _row(value: type | FunctionType, what: str, remedy: str = "save its name, as a text") -> tuple[Global, str]:
    """Return the row that reads a class or function of ours, and PyTorch's name; TypeError if there is none."""
    name = name_of(value)
    row = None if name is None else our_row(name, value)
    if name is None or row is None:
        _refuse(what, remedy)
    return row, name


def _reduces_itself(tensor: Tensor) -> bool:
    """Return whether a tensor is lazy, or of a class of ours with its own method, such as DTensor, which raises."""
    network, kind = sys.modules.get("facula_nn.extend"), type(tensor)
    if network is not None and network.is_lazy(tensor):
        return True
    return kind.__reduce_ex__ is not Tensor.__reduce_ex__ and is_library_module(kind.__module__)


def storage(obj: UntypedStorage | TypedStorage) -> tuple[Block, DType]:
    """Return a storage's memory, and the type of its elements."""
    elements = elements_of(obj)
    return _block(elements)[0], elements.dtype


def _object(pickler: CheckpointPickler, obj: Any) -> Any:
    """Reduce an instance of a class of ours like PyTorch's own; TypeError if no row reads it."""
    kind = type(obj)
    remedy = "save its state_dict()" if hasattr(obj, "state_dict") else "save its arguments, and create it again"
    what = f"an object of {kind.__module__.partition('.')[0]}.{kind.__qualname__}"
    row, name = _row(kind, what, remedy)
    if row.call is None and row.new is None:
        _refuse(what, remedy)
    if name.startswith("torch.return_types "):
        return pickler.global_of(name), (tuple(obj), {})
    converted = conversion(name)
    if converted is not None:
        state = write_converted(converted, obj, pickler, vars(obj))
        _settable(kind, given_by_program(converted, state))
        return (pickler.global_of(converted.own), (), state) if converted.is_own(obj) else (new_object, (kind,), state)
    if row.build is fill_plain or row.build is fill_schedule:
        function, arguments, state = obj.__reduce_ex__(2)[:3]
        state = written(obj, _settable(kind, state or {}))
        return (function, arguments, state) if state else (function, arguments)
    return _module(pickler, obj)


def _inherited(pickler: CheckpointPickler, obj: Any, base: Any, name: str) -> Any:
    """Reduce an instance of a program's class, with the attributes of PyTorch's instances of its base."""
    made, kind = obj.__reduce_ex__(2), obj.__class__
    if type(made) is not tuple or made[0] is not new_object:  # the program's own method
        return NotImplemented
    state, slots = made[2] if type(made[2]) is tuple and len(made[2]) == 2 else (made[2], None)
    if kind.__getstate__ is not base.__getstate__:
        whole = base.__getstate__(obj)
        whole = whole[0] if type(whole) is tuple else whole
        if not (isinstance(state, dict) and whole.keys() <= state.keys()):  # a custom state
            return NotImplemented
    converted = conversion(name)
    try:
        if converted is None:
            state = written(obj, state or {}) or None
        else:
            state = write_converted(converted, obj, pickler, state)
    except Exception as error:
        raise InvalidTypeError(
            f"save: an object of {kind.__name__} is no {base.__name__} that can be saved: {error}; call its __init__"
        ) from error
    if converted is not None and converted.is_own(obj):
        _refuse(f"an object of {kind.__name__} which PyTorch has not the like of", f"save a {base.__name__}")
    return (*made[:2], state if slots is None else (state, slots), *made[3:])


def _module(pickler: CheckpointPickler, obj: Any) -> Any:
    """Reduce a module, with the attributes of PyTorch's modules; NotImplemented for all other objects."""
    network = sys.modules.get("facula_nn")
    if network is None or not isinstance(obj, network.Module):
        base = base_of(type(obj))
        if base is not None:
            return _inherited(pickler, obj, *base)
        if type(obj).__module__ in ("argparse", "collections", "types"):
            _settable(type(obj), getattr(obj, "__dict__", {}))
        return NotImplemented
    made = obj.__reduce_ex__(2)
    if type(made) is not tuple or len(made) < 3 or not isinstance(made[2], dict):
        return NotImplemented
    if not vars(network.Module()).keys() <= made[2].keys():  # a custom state
        return NotImplemented
    from .modules import exported

    return (*made[:2], exported(obj, _settable(type(obj), made[2])), *made[3:])


def _settable(kind: type, state: dict[str, Any]) -> dict[str, Any]:
    """Return an instance's attributes; TypeError for one that `load` refuses to set."""
    for name in state:
        if not is_settable(kind, name):
            _refuse(f"the attribute {name!r:.60} of a {kind.__name__}", "delete it, or give it another name")
    return state


def _tensor(pickler: CheckpointPickler, tensor: Tensor) -> tuple[Any, ...]:
    kind, extra = type(tensor), _settable(type(tensor), attributes(tensor) or {})
    parts, requires_grad = _block(tensor), tensor.requires_grad
    if kind is Tensor and not extra:
        return pickler.tensor(*parts, requires_grad)
    if kind is Parameter:
        name, more = ("_rebuild_parameter_with_state", (extra,)) if extra else ("_rebuild_parameter", ())
        arguments = (Raw(parts, False), requires_grad, OrderedDict(), *more)
        return pickler.global_of(f"torch._utils {name}"), arguments
    name_, arguments = pickler.tensor(*parts, requires_grad)
    written: Any = kind
    if kind.__module__.startswith("facula_nn") and kind.__name__ == "Buffer":
        written, extra = Tensor, {**extra, "_is_buffer": True}
    if written is Tensor:
        written = pickler.global_of("torch Tensor")
    return pickler.global_of("torch._tensor _rebuild_from_type_v2"), (name_, written, arguments, extra)


def _block(tensor: Tensor) -> tuple[Block, Layout, int]:
    """Return the memory that is written with a tensor, and the tensor's layout in it."""
    if tensor.device.type == "meta":
        return Block(tensor._storage, 0, 0, tensor.device), tensor._layout, 0
    now = addressable("save", tensor)
    found, layout, offset = block_under("save", tensor)
    if offset % layout.dtype.itemsize:
        found, layout, offset = block_under("save", no_record_ops.clone(now.detach()))
    return Block(found.storage, found.offset, found.nbytes, found.device), layout, offset
