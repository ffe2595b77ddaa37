"""The values saved by the nodes of a graph, each with the node that saved it."""

from __future__ import annotations

from .._adapters import all_adapters
from .._engine.engine import walk
from .._function.function_context import FunctionContext
from .._graph.node import LEAF, Node
from .._saved_values.checkpoint import Recomputed
from .._saved_values.disk import OnDisk
from .._saved_values.packing import Packed
from .._saved_values.saved_tensor_modes import Copied, OnHost, Unmoved
from .._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._types import AnyValue


class SavedValue:
    """One value that one node saved.

    `value` is None if it is not in memory; `elsewhere` then names its place, and `nbytes` its size. `made` is true if
    `value` was assembled for inspection from parts that the node holds.
    """

    __slots__ = ("elsewhere", "made", "nbytes", "node", "value")

    def __init__(self, node: Node, value: AnyValue, elsewhere: str = "", nbytes: int = 0, made: bool = False) -> None:
        self.node, self.value, self.elsewhere, self.nbytes, self.made = node, value, elsewhere, nbytes, made


def saved_values_of(roots: Iterable[AnyValue]) -> Iterator[SavedValue]:
    """Yield all values saved by the graph below `roots`, values or nodes; nodes in the order of their creation."""
    edges = [root if type(root) is Node else root.node for root in roots]
    nodes = walk(edges)
    for node in sorted(nodes.values(), key=lambda node: node.seq):
        for value in (*_flat(getattr(node, "s0", None)), *_flat(getattr(node, "s1", None))):
            yield _found(node, value)
        for value in _flat(getattr(node, "rest", None)):
            if type(value) is Packed or value.node is not LEAF:  # other leaves here are edges
                yield _found(node, value)
        for adapter in all_adapters():
            for value, made in adapter.saved_values(node):
                found = _found(node, value)
                found.made = made
                yield found


def _flat(part: object) -> Iterator[AnyValue]:
    """Yield the values in a slot of a node."""
    if isinstance(part, Value) or type(part) is Packed:
        yield part
    elif isinstance(part, FunctionContext):
        for entry in part._saved or ():
            if entry is not None:
                yield entry[0]
        for name, value in vars(part).items():
            if not name.startswith("_"):
                yield from _flat(value)
    elif isinstance(part, (tuple, list)):
        for element in part:
            yield from _flat(element)
    elif type(part) is dict:
        for element in part.values():
            yield from _flat(element)


def _found(node: Node, value: AnyValue) -> SavedValue:
    if type(value) is not Packed:
        return SavedValue(node, value)
    packed = value.packed
    if isinstance(packed, Value):
        return SavedValue(node, packed)
    if isinstance(packed, (Unmoved, Copied)):
        return SavedValue(node, packed.value)
    if isinstance(packed, OnHost):
        return SavedValue(node, packed.copy)
    if isinstance(packed, OnDisk):
        return SavedValue(node, None, "on disk", packed.nbytes)
    if isinstance(packed, Recomputed):
        return SavedValue(node, None, "computed again")
    return SavedValue(node, None, f"packed as {type(packed).__name__}")
