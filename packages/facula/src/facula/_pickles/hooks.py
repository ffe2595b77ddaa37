"""Module hooks in files, in the tables of PyTorch's modules.

The hooks themselves are the program's functions and objects, which it names with `add_safe_globals`.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import finalize

from facula_checkpoint.extend import Global, Marker, expect, refuse
from facula_tensor.extend.modules import Handle, Hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_nn import Module

    State = dict[str, Any]

WRAPPED = "torch.nn.modules.module _WrappedHook"
HANDLE = "torch.utils.hooks RemovableHandle"
FIRST = 1 << 32  # a hook's key in a file: PyTorch numbers its new hooks from 0 and overwrites existing keys
# PyTorch's tables: the function that registers a hook in one, and the tables of keys that store its calling options, by
# argument of that function.
_TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "_backward_pre_hooks": ("register_full_backward_pre_hook", {}),
    "_backward_hooks": ("register_full_backward_hook", {}),
    "_forward_hooks": (
        "register_forward_hook",
        {"with_kwargs": "_forward_hooks_with_kwargs", "always_call": "_forward_hooks_always_called"},
    ),
    "_forward_pre_hooks": ("register_forward_pre_hook", {"with_kwargs": "_forward_pre_hooks_with_kwargs"}),
    "_state_dict_hooks": ("_register_state_dict_hook", {}),
    "_state_dict_pre_hooks": ("register_state_dict_pre_hook", {}),
    "_load_state_dict_pre_hooks": ("register_load_state_dict_pre_hook", {}),
    "_load_state_dict_post_hooks": ("register_load_state_dict_post_hook", {}),
}
TABLES = [name for table, (_, flags) in _TABLES.items() for name in (table, *flags.values())]


class Wrapped:
    """PyTorch's wrapper of a hook that runs before a state dict is loaded, with the module or without."""

    def __init__(self, hook: object = None, module: Module | None = None) -> None:
        self.hook, self.module = hook, module

    def state(self) -> State:
        """Return the attributes of PyTorch's wrapper."""
        more = {} if self.module is None else {"module": self.module}
        return {"hook": self.hook, "with_module": self.module is not None, **more}


class Versioned:
    """A hook of PyTorch's `spectral_norm` that adds a version to state dicts. Ours have none."""

    def __init__(self, name: str, norm: object = None) -> None:
        self.name, self.norm = name, norm


VERSIONED = tuple(
    [f"torch.nn.utils.spectral_norm SpectralNorm{kind}Hook" for kind in ("StateDict", "LoadStateDictPre")]
)


def versioned_row(name: str) -> Global:
    """Return the row for such a hook."""
    made = partial(Versioned, name)
    return Global(Marker(name), call=made, new=made, instance=Versioned, build=lambda hook, state: None)


def fill_wrapped(wrapped: Wrapped, state: Any) -> None:
    """Set a new wrapper's hook."""
    state = expect(state, dict, "the state of a hook")
    wrapped.hook = state.get("hook")
    wrapped.module = state.get("module") if state.get("with_module") is True else None


def moved(table: dict[int, Any]) -> OrderedDict[int, Any]:
    """Return a table of hooks with keys that PyTorch's numbering does not reach; large keys are unchanged."""
    return OrderedDict([(key if key >= FIRST else FIRST + key, hook) for key, hook in table.items()])


def handle_state(handle: Handle) -> tuple[Hooks | None, int, tuple[()]]:
    """Return the state of PyTorch's handle: the hook's table, and its key in that."""
    return handle.hooks_dict_ref(), FIRST + handle.id, ()


_PLACED: dict[int, Placed] = {}  # by the id of a file's table, while the table exists


class Placed:
    """A module's table with the hooks of a file's table, and a map from the file's keys to the module's."""

    def __init__(self, table: Hooks) -> None:
        self.table = table
        self.keys: dict[int, int] = {}


def fill_handle(handle: Handle, state: Any, later: list[Callable[[], None]]) -> None:
    """Set a new handle's hook once its module exists. The handle of a missing hook removes nothing."""
    if type(state) is not tuple or len(state) not in (2, 3) or type(state[1]) is not int:
        refuse("its pickle has a handle of a hook that is none")
    table, key = expect(state[0], (OrderedDict, type(None)), "the hooks of a handle"), state[1]
    Handle.__init__(handle, Hooks(), -1)

    def finish() -> None:
        placed = _PLACED.get(id(table))
        if placed is not None:
            Handle.__init__(handle, placed.table, placed.keys.get(key, -1))

    later.append(finish)


def written(module: Module) -> State:
    """Return the tables of a module's hooks in PyTorch's form."""
    from facula_nn.extend import SpectralNorm, WithoutModule

    state: State = {}
    for name in TABLES:
        found = getattr(module, name) if module._hooks else {}
        state[name] = found if isinstance(found, Hooks) else moved(found)
    before = state["_load_state_dict_pre_hooks"] = moved(state["_load_state_dict_pre_hooks"])
    for key, hook in before.items():
        before[key] = Wrapped(hook.hook) if isinstance(hook, WithoutModule) else Wrapped(hook, module)
    for key, hook in moved(state["_forward_pre_hooks"]).items():
        if isinstance(hook, SpectralNorm):
            after, first = [Versioned(name, hook) for name in VERSIONED]
            state["_state_dict_hooks"] = moved(state["_state_dict_hooks"]) | {key: after}
            before[key] = Wrapped(first)
    return state | {"_is_full_backward_hook": True if state["_backward_hooks"] else None}


def fill(module: Module, state: State) -> None:
    """Move the tables from a file's attributes of a module to the module's own hooks."""
    whole = state.pop("_is_full_backward_hook", None)
    for table, (register, flags) in _TABLES.items():
        hooks = expect(state.pop(table, {}), (dict, OrderedDict), table)
        marked = {flag: expect(state.pop(name, {}), (dict, OrderedDict), name) for flag, name in flags.items()}
        if hooks and table == "_backward_hooks" and whole is not True:
            refuse(
                f"its pickle has a {type(module).__name__} with hooks of register_backward_hook; use "
                "register_full_backward_hook"
            )
        if not hooks:
            continue
        placed = Placed(getattr(module, table))
        if isinstance(hooks, OrderedDict):
            _PLACED[id(hooks)] = placed
            finalize(hooks, _PLACED.pop, id(hooks), None).atexit = False
        for key, hook in hooks.items():
            add: Callable[..., object] = getattr(module, register)
            if isinstance(hook, Wrapped):
                if hook.module is None:
                    add = module._register_load_state_dict_pre_hook
                hook = hook.hook
            if isinstance(hook, Versioned):
                continue
            if isinstance(hook, Marker) or not callable(hook):
                refuse(f"its pickle has a {type(hook).__name__} among the {table} of a module")
            add(hook, **{flag: True for flag, keys in marked.items() if key in keys})
            placed.keys[key] = next(reversed(placed.table))
