"""What a node saved, passed through `saved_tensors_hooks`: results and the operands of operators with many.

Operands in a node's own slots are `facula_autograd.extend.pack_saved`'s; this is for what only this package knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import Node, Rule, pack_saved

from ._rules import Kept
from ._tensor import Tensor, layout_of_tensor, make

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._operator import Operator

_SLOTS = ("seq", "code", "lasti", "e0", "e1", "s0", "s1", "v0", "v1", "rest")


class Packed:
    """Stands in a node's slot `s0`: its own rule, and what the pack hook made of the values."""

    __slots__ = ("out", "rule", "unpack", "values")

    def __init__(self, rule: Rule, unpack: Callable[[Any], Any]):
        self.rule, self.unpack = rule, unpack
        self.out: tuple | None = None
        self.values: tuple = ()


def pack_node(op: Operator, node: Node, results: list[Tensor], hooks: tuple) -> None:
    """Pass all that `node` saved through the hooks of a mode; its rule gets it back from a copy of the node."""
    kept = getattr(node, "rest", None)
    if not op.saves_out and type(kept) is not Kept:
        pack_saved(node, hooks, Tensor)
        return
    pack, unpack = hooks
    packed = Packed(node.rule, unpack)
    if op.saves_out:
        out = results[0]  # shown without its node, which would be a cycle in what the hook keeps
        packed.out = (pack(make(Tensor, layout_of_tensor(out), out._storage, out._offset)),)
    if type(kept) is Kept:
        packed.values = tuple([(pack(value),) if isinstance(value, Tensor) else value for value in kept.values])
        node.rest = Kept(kept.edges, (None,) * len(kept.values), kept.layouts, kept.parameters)
    node.s0, node.s1 = packed, None
    rule = node.rule
    node.rule = Rule(rule.name, _unpack_and_run, rule.fresh, True, rule.edges)


def _unpack_and_run(F: Any, node: Node, g: Any) -> Any:
    packed = node.s0
    twin = Node()
    twin.rule = packed.rule
    for slot in _SLOTS:
        if hasattr(node, slot):
            setattr(twin, slot, getattr(node, slot))
    if packed.out is not None:
        out = packed.unpack(packed.out[0])
        twin.s0, twin.s1, twin.v0, twin.v1 = out._storage, layout_of_tensor(out), out._storage.version, out._offset
    if packed.values:
        values = tuple([packed.unpack(value[0]) if type(value) is tuple else value for value in packed.values])
        twin.rest = Kept(node.rest.edges, values, node.rest.layouts, node.rest.parameters)
    return packed.rule.backward(F, twin, g)
