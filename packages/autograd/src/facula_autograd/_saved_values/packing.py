"""Packing of saved values with the two functions of `saved_tensors_hooks`.

Note [Packed values]
The pack function receives a leaf itself, and an alias without history of any other value. An object that it keeps can
therefore not lead back to the node that keeps the object. The history is stored separately, as an edge. The unpacked
value gets this history again, so that second derivatives follow it. Both functions run without recording.
"""

from __future__ import annotations

from facula_errors import InvalidTypeError, OperationError

from .._adapters import adapter_of
from .._graph.hooks import wrap_rule
from .._graph.node import Node, copy_node, edge_to, relay
from .._modes.grad_mode import no_grad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import AnyValue, Leaf

    Hooks = tuple[Callable[[AnyValue], AnyValue], Callable[[AnyValue], AnyValue]]


class Packed:
    """A packed value: the pack function's result, with the data to restore the value."""

    __slots__ = ("edge", "kind", "metadata", "packed", "unpack")

    def __init__(self, value: Leaf, hooks: Hooks) -> None:
        pack, self.unpack = hooks
        adapter = adapter_of(value)
        self.kind, self.metadata, self.edge = adapter, adapter.metadata(value), edge_to(value)
        version = adapter.version(value)
        with no_grad():
            self.packed = pack(adapter.alias(value) if type(value.node) is Node else value)
        if adapter.version(value) != version:
            mutation = adapter.describe_mutation(value)
            raise OperationError(
                f"saved_tensors_hooks: expected pack_hook not to change its argument ({adapter.describe(value)}); "
                f"it was changed in place{f', last by {mutation}' if mutation else ''}. Change a clone() instead"
            )

    def get(self) -> Leaf:
        """Return the value, with its history."""
        with no_grad():
            value = self.unpack(self.packed)
        edge = self.edge
        if value is edge:
            return value  # type: ignore[return-value]  # the leaf itself
        adapter = adapter_of(value)
        if adapter is not self.kind or adapter.metadata(value) != self.metadata:
            raise InvalidTypeError(
                "saved_tensors_hooks: expected unpack_hook to return a value like the packed one "
                f"({self.metadata}); got {adapter.describe(value)}"
            )
        value = adapter.alias(value)
        value.node = edge if edge is None or type(edge) is Node else relay(Node(), edge)
        return value


def pack_value(saved: object, hooks: Hooks, kind: type[Leaf]) -> AnyValue:
    """Return `saved`, packed if it is a value; the values of a tuple are packed one by one.

    Arguments:
        saved: an object that a node keeps: a value, a tuple, or another object, which is returned unchanged.
        hooks: the mode's `saved_hooks`.
        kind: the class of values.
    """
    if isinstance(saved, kind):
        return Packed(saved, hooks)
    if type(saved) is tuple and any(isinstance(part, kind) for part in saved):
        return tuple(Packed(part, hooks) if isinstance(part, kind) else part for part in saved)
    return saved


def unpack_value(saved: object) -> AnyValue:
    """Reverse `pack_value`."""
    if type(saved) is Packed:
        return saved.get()
    if type(saved) is tuple and any(type(part) is Packed for part in saved):
        return tuple(part.get() if type(part) is Packed else part for part in saved)
    return saved


def pack_saved(node: Node, hooks: Hooks, kind: type[Leaf]) -> None:
    """Pack the values that a node saved in `s0` or `s1`, or in tuples there, with the hooks of `saved_tensors_hooks`.

    Called last when recording, and only in a mode with such hooks. The rule need not know about it: it will run on a
    copy of the node that has the unpacked values and their present versions.

    Arguments:
        node: the node.
        hooks: the mode's `saved_hooks`.
        kind: the class of values; objects of other types stay unchanged.
    """
    found = False
    for slot in ("s0", "s1"):
        saved = getattr(node, slot, None)
        packed = pack_value(saved, hooks, kind)
        if packed is not saved:
            setattr(node, slot, packed)
            found = True
    if found:
        unpack_with(node, _copy_unpacked)


def unpack_with(node: Node, unpacked: Callable[[Node], Node]) -> None:
    """Make `node`'s rule run on the copy that `unpacked(node)` creates."""
    wrap_rule(node).unpack = unpacked


def _copy_unpacked(node: Node) -> Node:
    twin = copy_node(node)
    for slot, versions in (("s0", "v0"), ("s1", "v1")):
        saved = getattr(node, slot, None)
        value = unpack_value(saved)
        if value is not saved:
            setattr(twin, slot, value)
            version = tuple(map(_version, value)) if type(value) is tuple else _version(value)
            setattr(twin, versions, version)
    return twin


def _version(value: object) -> int:
    return adapter_of(value).version(value)
