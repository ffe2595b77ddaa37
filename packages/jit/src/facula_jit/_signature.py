"""What a call looks like: calls of one signature may share a replay."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend import DEFAULT, LEAF, active_modes, current_mode
from facula_storage import Device, DType, Layout
from facula_tensor import Tensor
from facula_tensor.extend import other_defaults

if TYPE_CHECKING:
    from collections.abc import Hashable

    from facula_autograd.extend import Mode


PLAIN = (type(None), bool, int, float, complex, str, bytes)


def tensors_in(tree: Any) -> list[Tensor]:
    """The tensors among the leaves of tuples, lists and dicts in any nesting."""
    if isinstance(tree, Tensor):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else ()
    if is_dataclass(tree) and not isinstance(tree, type):
        parts = [getattr(tree, field.name) for field in fields(tree)]
    return [one for part in parts for one in tensors_in(part)]


def is_container(value: Any) -> bool:
    """Whether a value is a tuple, list or dict, or of a class of these that has no attributes of its own."""
    return isinstance(value, (tuple, list, dict)) and not getattr(value, "__dict__", None)


class Signature:
    """A call's tensors, and a key of everything else.

    Arguments:
        args: the positional arguments.
        kwargs: the keyword arguments.

    `kept` are objects that the key names by their id, `attributes` the names of tensors' own attributes.
    """

    __slots__ = ("attributes", "containers", "kept", "key", "supported", "tensors")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.tensors: list[Tensor] = []
        self.kept: list[object] = []
        self.attributes: set[str] = set()
        self.containers: list[Any] = []  # containers and dataclasses among the arguments
        mode = current_mode() if active_modes else DEFAULT
        self.supported = _is_supported(mode) and not other_defaults
        parts = [self._of(one) for one in args]
        parts += [(name, self._of(one)) for name, one in kwargs.items()]
        autocast: Any = mode.autocast
        self.key: tuple[Hashable, ...] = (
            tuple(parts), mode.grad, mode.inference, autocast and (autocast.dtype, autocast.casts is None),
        )  # fmt: skip

    def _of(self, value: Any) -> Hashable:
        if isinstance(value, Tensor):
            self.tensors.append(value)
            layout = value._layout
            if type(layout) is not Layout or layout.device.type != "cpu":
                self.supported = False
                return None
            wants: Hashable = "" if value.node is None else "leaf" if value.node is LEAF else "computed"
            if value._own_attributes:
                wants = wants, self._attributes(value._own_attributes)
            return Tensor, layout.dtype, layout.shape, layout.strides, wants
        kind = type(value)
        if is_container(value):
            self.containers.append(value)
            if isinstance(value, dict):
                return kind, *[(self._of(name), self._of(one)) for name, one in value.items()]
            return kind, *[self._of(one) for one in value]
        if is_dataclass(value) and not isinstance(value, type):
            self.containers.append(value)
            return kind, *[self._of(getattr(value, field.name)) for field in fields(value)]
        return self._named(value)

    def _attributes(self, own: dict[str, Any]) -> Hashable:
        """A tensor's attributes, which the function may read: plain values; others cannot be told apart by a key."""
        if not all([type(one) in PLAIN for one in own.values()]):
            self.supported = False
        self.attributes.update(own)
        return tuple([(name, type(one), repr(one)) for name, one in own.items() if type(one) in PLAIN])

    def _named(self, value: Any) -> Hashable:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, range)):
            return type(value), repr(value) if isinstance(value, (float, complex, np.generic)) else value
        if isinstance(value, slice):
            return slice, self._of(value.start), self._of(value.stop), self._of(value.step)
        self.kept.append(value)
        return id(value)


def shown(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call in words, for reports and errors."""
    return f"({', '.join([*map(_word, args), *[f'{name}={_word(kwargs[name])}' for name in kwargs]])})"


def bracketed(kind: type, words: list[str]) -> str:
    """The words of a container's parts, in its brackets."""
    if issubclass(kind, dict):
        return f"{{{', '.join(words)}}}"
    return (
        f"[{', '.join(words)}]" if issubclass(kind, list) else f"({', '.join(words)}{',' if len(words) == 1 else ''})"
    )


def _word(one: Any) -> str:
    if isinstance(one, Tensor):
        return f"{one._layout.dtype.name} {one._layout.shape}"
    if isinstance(one, dict) and is_container(one):
        return bracketed(dict, [f"{_word(key)}: {_word(value)}" for key, value in one.items()])
    if is_container(one):
        return bracketed(type(one), list(map(_word, one)))
    if is_dataclass(one) and not isinstance(one, type):
        inner = [f"{field.name}={_word(getattr(one, field.name))}" for field in fields(one)]
        return f"{type(one).__name__}({', '.join(inner)})"
    if one is None or isinstance(one, (bool, int, float, complex, str, bytes, DType, Device, slice, np.generic)):
        return repr(one)[:40]
    return type(one).__name__


def _is_supported(mode: Mode) -> bool:
    """Whether calls in this mode can be captured: not inside transforms, saved-tensor hooks or anomaly detection."""
    return (
        not mode.level
        and mode.vmap is mode.capture is mode.saved_hooks is mode.compute is mode.anomaly is None
        and mode.overrides
    )
