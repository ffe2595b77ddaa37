"""The tape of the outermost gradient, which needs no level: plain tensors on the ordinary tape, as `autograd.grad` has.

Where no transform is under way and no argument has a history, leaves of our own cannot be taken for anybody else's.
What the function uses beside them (parameters that want a gradient) may have a history: then the gradient is recorded,
and results keep theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Node, active_modes, current_mode, edge_to, edges_of, run_backward
from facula_storage import Layout

from .._core.call_sites import user_site
from .._core.tensor import Tensor, make
from .._core.wrapped import levels_around

if TYPE_CHECKING:
    from collections.abc import Sequence


def serves(tensors: Sequence[Tensor]) -> bool:
    """Whether a plain tape can take the gradient by these."""
    return not levels_around() and all([one.node is None and type(one._layout) is Layout for one in tensors])


class PlainTape:
    """What `GradLevel` is, for the outermost gradient."""

    __slots__ = ("leaves", "open", "reaches_others", "records")

    def __init__(self) -> None:
        self.records: bool = not active_modes or current_mode().grad
        self.open = True
        self.leaves: list[Tensor] = []
        self.reaches_others: bool | None = None  # whether results depend on leaves of others; None before it was asked

    def leaf(self, value: Tensor) -> Tensor:
        """Another tensor over the memory of `value`, a leaf."""
        new = make(Tensor, value._layout, value._storage, value._offset)
        new.node, new._grad, new.hooks = LEAF, None, None
        self.leaves.append(new)
        return new

    def argument(self, leaf: Tensor) -> Tensor:
        """What a function is given for a leaf."""
        return leaf

    def value(self, operand: Any) -> Any:
        """A result without this tape: without its history, unless that leads to others' leaves as well."""
        if not isinstance(operand, Tensor) or operand.node is None or (self.records and self._leads_on([operand])):
            return operand
        return operand.detach()

    def _leads_on(self, outputs: Sequence[Tensor]) -> bool:
        """Whether something computed here depends on leaves that are not of this tape."""
        own = {id(leaf) for leaf in self.leaves}
        stack, seen = [edge_to(one) for one in outputs if one.node is not None], set()
        while stack:
            edge = stack.pop()
            if type(edge) is not Node:
                if id(edge) not in own:
                    return True
            elif edge not in seen:
                seen.add(edge)
                stack += [one for one in edges_of(edge) if one is not None]
        return False

    def pull(
        self,
        roots: Sequence[Tensor],
        gradients: Sequence[Tensor],
        inputs: Sequence[Tensor],
        *,
        record: bool,
        retain: bool = False,
    ) -> list[Tensor | None]:
        """The gradients of `inputs`, as `GradLevel.pull` gives them; recorded only where somebody can tell.

        Arguments:
            roots: results.
            gradients: the gradient of each.
            inputs: leaves of this tape.
            record: whether gradients are to be recorded, where others' leaves are reached.
            retain: keep the graph for another pass.
        """
        if self.reaches_others is None:
            self.reaches_others = self._leads_on(roots)
        record = record and self.reaches_others
        found: dict[int, Any] = {}

        def collect(value: Any, g: object) -> None:
            found[id(value)] = g

        reached = [(root, g) for root, g in zip(roots, gradients, strict=True) if root.node is not None]
        if reached:
            starts, given = zip(*reached, strict=True)
            run_backward(starts, given, retain or record, record, inputs, user_site(), collect, "grad")
        return [found.get(id(one)) for one in inputs]


class PointTape(PlainTape):
    """The ordinary tape itself: functions may do whatever `autograd.grad` allows, and points may have a history.

    Arguments:
        create_graph: whether results can be differentiated again; otherwise they are detached.
    """

    __slots__ = ()

    def __init__(self, create_graph: bool) -> None:
        super().__init__()
        self.records = create_graph

    def leaf(self, value: Tensor) -> Tensor:
        """Another tensor over the memory of `value`, a leaf unless the history of `value` takes part."""
        return value.view_as(value) if self.records and value.requires_grad else value.detach().requires_grad_()

    def _leads_on(self, outputs: Sequence[Tensor]) -> bool:
        return True
