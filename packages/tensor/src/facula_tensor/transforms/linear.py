"""The level of `linearize`, whose functions may change saved tensors in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import replace_mode
from facula_autograd.extend.nodes import LEAF, Node, Rule, edge_to, next_seq

from .._core.call_sites import user_site
from .._core.tensor import Tensor
from .._dispatch.namespaces import recorded_ops
from .grad import GradLevel
from .levels import is_at

if TYPE_CHECKING:
    from .._core.types import Edges, Operands, Parameters
    from .._dispatch.operator import Operator
    from .rules import OperatorCall

CHANGEABLE = Rule("linearize", lambda F, node, g: ((node.e0, g),), False, False)


class LinearLevel(GradLevel):
    """A tape that copies saved values before the function changes them in place.

    The level intercepts changes of its own tensors (`copy`). It cannot intercept changes of others, so nodes
    save copies of them from the start, except for leaves.
    """

    __slots__ = ("by_storage",)

    def __init__(self) -> None:
        super().__init__()
        self.by_storage: dict[int, list[tuple[OperatorCall, list[int | None]]]] = {}

    def argument(self, leaf: Tensor) -> Tensor:
        """Return a tensor that shares a leaf's memory and may be changed in place."""
        new = self.constant(self.value(leaf))
        node = new.node = Node()
        node.rule, node.seq, node.e0 = CHANGEABLE, next_seq(), edge_to(leaf)
        node.code, node.lasti = user_site()
        return new

    def saved(
        self, op: Operator, operands: Operands, edges: Edges, results: list[Tensor], parameters: Parameters
    ) -> tuple[OperatorCall, list[int | None]]:
        """Return the values that a node saves, and index them by their memory."""
        call, versions = super().saved(op, operands, edges, results, parameters)
        self._copy(call, versions, [*(is_at(self, a) for a in operands), *(True for _ in call.results)])
        for storage in {id(a._storage) for a in (*call.operands, *call.results) if isinstance(a, Tensor)}:
            self.by_storage.setdefault(storage, []).append((call, versions))
        return call, versions

    def to_save(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return copies of the tensors that a Function saves."""
        return tuple([self._copied(value) for value in values])

    def copy(self, operation: str, target: Tensor, source: Tensor) -> Tensor:
        """Copy as `GradLevel` does, after copying the saved values that share the memory."""
        if self.open:
            storage = self.value(target)._storage
            for call, versions in self.by_storage.pop(id(storage), ()):
                values = (*call.operands, *call.results)
                self._copy(call, versions, [getattr(value, "_storage", None) is not storage for value in values])
        return super().copy(operation, target, source)

    def _copy(self, call: OperatorCall, versions: list[int | None], kept: list[bool]) -> None:
        """Replace saved values that are about to change with copies."""
        values = [*call.operands, *call.results]
        for place, value in enumerate(values):
            if not kept[place]:
                values[place] = self._copied(value)
                versions[place] = versions[place] if values[place] is value else None
        call.operands, call.results = tuple(values[: len(call.operands)]), values[len(call.operands) :]

    def _copied(self, value: Any) -> Any:
        if not isinstance(value, Tensor) or value.node is LEAF:
            return value
        with replace_mode(grad=self.records):
            return recorded_ops.clone(value)
