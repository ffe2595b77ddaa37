"""Signatures of calls: calls with equal signatures may share a replay."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend.hooks import WrappedRule
from facula_autograd.extend.modes import DEFAULT, active_modes, current_mode
from facula_autograd.extend.nodes import LEAF, Node
from facula_storage import Device, DType, Layout, cpu
from facula_tensor import Tensor
from facula_tensor.extend.arguments import other_defaults

from .pytrees import factory_of, is_dataclass, parts_of
from .tensor_guards import HOOKS, contents_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from facula_autograd.extend.modes import Mode


NUMBERS = (int, float, complex, str, bytes)
EAGER_BACKWARD = "facula_jit._autograd.eager_backward"  # its hooks only detect recorded backward passes
MAX_WORDS = 8  # nesting depth of the containers whose parts are shown
PLAIN = frozenset((*NUMBERS, type(None), bool, range))  # types that are compared by value only


def tensors_in(tree: Any) -> list[Tensor]:
    """Return the tensors among the leaves of nested tuples, lists and dicts."""
    if isinstance(tree, Tensor):
        return [tree]
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (tuple, list)) else ()
    if is_dataclass(type(tree)):
        parts = [getattr(tree, field.name) for field in fields(tree)]
    return [tensor for part in parts for tensor in tensors_in(part)]


def is_container(value: Any) -> bool:
    """Return True for a tuple, list or dict, or an instance of a subclass without attributes."""
    return isinstance(value, (tuple, list, dict)) and not getattr(value, "__dict__", None)


class Signature:
    """The tensors of a call, and a key of all other properties.

    Arguments:
        args: the positional arguments.
        kwargs: the keyword arguments.

    Attributes:
        kept: objects that the key identifies by their id.
        containers: the containers whose parts are all in the key.
        classes: the classes of containers, tensors, numbers and strings.
        attributes: the names of the attributes that the program has set on tensors.
    """

    __slots__ = ("attributes", "classes", "containers", "kept", "key", "supported", "tensors")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.tensors: list[Tensor] = []
        self.kept: list[object] = []
        self.attributes: set[str] = set()
        self.containers: list[Any] = []
        self.classes: set[type] = set()
        mode = current_mode() if active_modes else DEFAULT
        self.supported = _is_supported(mode) and not other_defaults
        parts = [self._of(arg) for arg in args]
        parts += [(name, self._of(value)) for name, value in kwargs.items()]
        autocast: Any = mode.autocast
        self.key: tuple[Hashable, ...] = (
            tuple(parts), mode.grad, mode.inference, autocast and (*autocast.dtypes.items(), autocast.casts is None),
        )  # fmt: skip

    def _of(self, value: Any) -> Hashable:
        if isinstance(value, Tensor):
            return self._tensor(value)
        kind = type(value)
        if kind in PLAIN:
            return kind, repr(value) if kind in (float, complex, range) else value
        if kind is slice:
            return slice, self._of(value.start), self._of(value.stop), self._of(value.step)
        if isinstance(value, np.generic) and kind.__module__ == "numpy":
            if isinstance(value, np.void):  # its elements may change
                self.supported = False
            return kind, repr(value)
        if isinstance(value, NUMBERS) and not getattr(value, "__dict__", None):
            self.classes.add(kind)
            return kind, next(base for base in NUMBERS if issubclass(kind, base)).__repr__(value)  # type: ignore[arg-type]
        if (at := next((at for at, container in enumerate(self.containers) if container is value), None)) is not None:
            return "again", at  # also for a container that contains itself
        if (pieces := by_value(value)) is not None:
            self.containers.append(value)
            self.classes.add(kind)
            names, parts = pieces
            found: list[Hashable] = [self._of(part) for part in parts]
            if isinstance(value, dict):
                found = [*zip(map(self._of, names or ()), found, strict=True)]
            if isinstance(value, defaultdict):
                found.append(self._of(factory_of(value)))
            return kind, *found
        self.kept.append(value)
        return id(value)

    def _tensor(self, tensor: Tensor) -> Hashable:
        self.tensors.append(tensor)
        kind, layout = type(tensor), tensor._layout
        if type(layout) is not Layout or (layout.device is not cpu and not replays_on(layout.device)):
            self.supported = False
            return None
        self.classes.add(kind)
        wants: Hashable = "" if tensor.node is None else "leaf" if tensor.node is LEAF else "computed"
        if tensor._own_attributes:
            wants = wants, self._attributes(tensor._own_attributes)
        found: tuple[Any, ...] = Tensor, layout.dtype, layout.shape, layout.strides, wants
        if kind is not Tensor:
            found = *found, kind
        if layout.device is not cpu:
            found = *found, layout.device
        return (*found, "hooks") if has_hooks(tensor) else found

    def _attributes(self, own: dict[str, Any]) -> Hashable:
        """Return a key of the attributes set on a tensor, which the function may read. Only plain values are
        supported.
        """
        if not all([type(attribute) in PLAIN for attribute in own.values()]):
            self.supported = False
        self.attributes.update(own)
        return tuple(
            [(name, type(attribute), repr(attribute)) for name, attribute in own.items() if type(attribute) in PLAIN]
        )


def replays_on(device: Device) -> bool:
    """Return True if replays may launch on a device: on the CPU, or where all work of the program runs in one order."""
    return device is cpu or getattr(device.backend, "in_order", False)


def has_hooks(tensor: Tensor) -> bool:
    """Return True if hooks are registered on a tensor, or were on a leaf; backward passes run them."""
    node = tensor.node
    if node is LEAF:
        hooks = getattr(tensor, "hooks", None) if type(tensor) is Tensor else contents_of(tensor, HOOKS)
        return hooks is not None
    if type(node) is not Node or type(around := node.rule.extra) is not WrappedRule:
        return False
    return any([getattr(watcher, "__module__", "") != EAGER_BACKWARD for watcher in around.watchers()])


def by_value(value: Any) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]] | None:
    """Return the names and parts of a container that is compared by its parts; None for other values."""
    kind = type(value)
    if is_dataclass(kind) and kind.__eq__ is object.__eq__:  # compared by identity, also as a key
        return None
    return parts_of(value)


def shown(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return a call as text, for reports and errors."""
    return f"({', '.join([*map(_word, args), *[f'{name}={_word(kwargs[name])}' for name in kwargs]])})"


def bracketed(kind: type, words: list[str]) -> str:
    """Return the texts of a container's parts, in its kind of brackets."""
    if issubclass(kind, dict):
        return f"{{{', '.join(words)}}}"
    return (
        f"[{', '.join(words)}]" if issubclass(kind, list) else f"({', '.join(words)}{',' if len(words) == 1 else ''})"
    )


def _word(element: Any, depth: int = 0) -> str:
    if isinstance(element, Tensor):
        return f"{element._layout.dtype.name} {element._layout.shape}"
    inside = depth + 1
    if depth < MAX_WORDS and isinstance(element, dict) and is_container(element):
        return bracketed(dict, [f"{_word(key, inside)}: {_word(value, inside)}" for key, value in element.items()])
    if depth < MAX_WORDS and is_container(element):
        return bracketed(type(element), [_word(part, inside) for part in element])
    if depth < MAX_WORDS and is_dataclass(type(element)):
        own = [(field.name, getattr(element, field.name, None)) for field in fields(element)]
        return f"{type(element).__name__}({', '.join([f'{name}={_word(value, inside)}' for name, value in own])})"
    if element is None or isinstance(
        element, (bool, int, float, complex, str, bytes, DType, Device, slice, np.generic)
    ):
        return repr(element)[:40]
    return type(element).__name__


def _is_supported(mode: Mode) -> bool:
    """Return True if calls in this mode can be captured: not in transforms, saved-tensor hooks or anomaly detection."""
    return (
        not mode.level
        and mode.vmap is mode.capture is mode.saved_hooks is mode.compute is mode.anomaly is None
        and mode.overrides
    )
