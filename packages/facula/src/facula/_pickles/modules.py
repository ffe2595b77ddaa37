"""The attributes of modules: the contents of a PyTorch module's `__dict__`, and their conversion to a module of ours.

Parameters, buffers and submodules are in separate dicts there, next to tables of hooks. All other attributes have the
same names and values here, except for the few in `THEIRS` (`attributes.py`) and `_DEFAULTS`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import attributes, expect, refuse
from facula_errors import InvalidTypeError
from facula_nn import Module
from facula_nn import functional as F
from facula_nn.extend import is_lazy
from facula_tensor import Parameter, Tensor

from . import hooks
from .attributes import tables_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    State = dict[str, Any]

_MEMBERS = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
# PyTorch's own, in addition to `THEIRS`.
_LEFT_OUT = frozenset({"_flat_weight_refs", "_backend", "_compiled_call_impl"})
# Attributes that older versions of PyTorch did not write, by their classes.
_DEFAULTS: dict[str, State] = {
    "Convolution": {"padding_mode": "zeros"},
    "RNNBase": {"proj_size": 0},
    "MultiheadAttention": {"batch_first": False, "_qkv_same_embed_dim": True},
    "TransformerEncoderLayer": {"activation": F.relu, "norm_first": False},
    "TransformerDecoderLayer": {"activation": F.relu, "norm_first": False},
    "GELU": {"approximate": "none"},
    "Upsample": {"recompute_scale_factor": None},
    "EmbeddingBag": {"include_last_offset": False, "padding_idx": None},
    "CrossEntropyLoss": {"label_smoothing": 0.0},
}


def exported(module: Module, attributes: State) -> State:
    """Return a module's `__dict__` in PyTorch's form; TypeError if there is no such form.

    Arguments:
        module: the module.
        attributes: its `__dict__`, or the result of its `__getstate__`.
    """
    kind = type(module).__name__
    members = {**module._parameters, **module._buffers, **module._modules}
    if any(is_lazy(member) for member in members.values()):
        raise InvalidTypeError(f"save: {kind} has parameters without a shape; call the module once, then save it")
    own = {*vars(Module()), "_hooks"}
    state: State = {"training": module.training, "_parameters": dict(module._parameters)}
    state |= {"_buffers": dict(module._buffers), "_non_persistent_buffers_set": set(module._non_persistent_buffers_set)}
    state |= hooks.written(module)
    state["_modules"] = dict(module._modules)
    state |= {name: value for name, value in attributes.items() if name not in members and name not in own}
    return state | {name: work(module) for name, work in tables_for(type(module))[0].items()}


def tables_of(*states: Any) -> Iterator[Any]:
    """Return the tables of members and hooks in a module's state, as copies."""
    for state in states:
        if isinstance(state, dict):
            yield from [state.get(name) for name in (*_MEMBERS, *hooks.TABLES)]


def fill(module: Any, state: Any, kind: type | None = None) -> None:
    """Set a file's members and attributes on a new module; PickleError for invalid ones.

    `kind` is the class whose methods no attribute may hide, if it is not the module's own.
    """
    state, own = dict(expect(state, (dict, OrderedDict), "the state of a module")), kind or type(module)
    Module.__init__(module)
    hidden = expect(state.pop("_non_persistent_buffers_set", set()), set, "names of buffers")
    for name, value in _pairs(own, state, "_parameters", Parameter):
        module.register_parameter(name, value)
    for name, value in _pairs(own, state, "_buffers", Tensor):
        module.register_buffer(name, value, persistent=name not in hidden)
    for name, value in _pairs(own, state, "_modules", Module):
        module.add_module(name, value)
    hooks.fill(module, state)
    module.training = expect(state.pop("training", True), bool, "training")
    for ancestor in type(module).__mro__:
        if ancestor.__module__.startswith("facula_nn."):
            for name, value in _DEFAULTS.get(ancestor.__name__, {}).items():
                state.setdefault(name, value)
    left_out = _LEFT_OUT.union(tables_for(type(module))[0])
    given = attributes(own, {name: value for name, value in state.items() if name not in left_out})
    for name in given:
        if name in vars(module):
            refuse(f"its pickle sets the attribute {name!r:.60} of a {type(module).__name__}, which files may not set")
    vars(module).update(given)


def _pairs(module: type, state: State, name: str, kind: type) -> list[tuple[str, Any]]:
    found = attributes(module, expect(state.pop(name, {}), (dict, OrderedDict), f"the {name} of a module"))
    for value in found.values():
        if not (value is None or isinstance(value, kind)):
            refuse(f"its pickle has a {type(value).__name__} among the {name} of a module")
    return list(found.items())
