"""The tape of the outermost gradient: plain tensors on the ordinary tape, as in `autograd.grad`, without a level.

If no transform is active and no argument has a history, the leaves of this tape cannot be confused with others.
Other tensors that the function uses (parameters that require a gradient) may have a history. Then the gradient
is recorded, and results keep their history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.graphs import gradients_at
from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF, Node, edge_to, edges_of
from facula_storage import Layout

from .._core.call_sites import user_site
from .._core.tensor import Tensor, make
from .._core.wrapped import levels_around

if TYPE_CHECKING:
    from collections.abc import Sequence


def serves(tensors: Sequence[Tensor]) -> bool:
    """Return whether a plain tape can compute the gradient with respect to these."""
    return not levels_around() and all([tensor.node is None and type(tensor._layout) is Layout for tensor in tensors])


class PlainTape:
    """The counterpart of `GradLevel` for the outermost gradient."""

    __slots__ = ("leaves", "open", "reaches_others", "records")

    def __init__(self) -> None:
        self.records: bool = not active_modes or current_mode().grad
        self.open = True
        self.leaves: list[Tensor] = []
        self.reaches_others: bool | None = None  # whether results depend on other leaves; None until it is computed

    def leaf(self, value: Tensor) -> Tensor:
        """Return a leaf that shares the memory of `value`."""
        new = make(Tensor, value._layout, value._storage, value._offset)
        new.node, new._grad, new.hooks = LEAF, None, None
        self.leaves.append(new)
        return new

    def argument(self, leaf: Tensor) -> Tensor:
        """Return the tensor that the function receives for a leaf."""
        return leaf

    def value(self, operand: Any) -> Any:
        """Return a result without this tape: without its history, unless that also leads to other leaves."""
        if not isinstance(operand, Tensor) or operand.node is None or (self.records and self._leads_on([operand])):
            return operand
        return operand.detach()

    def _leads_on(self, outputs: Sequence[Tensor]) -> bool:
        """Return whether a result depends on leaves that do not belong to this tape."""
        own = {id(leaf) for leaf in self.leaves}
        stack, seen = [edge_to(tensor) for tensor in outputs if tensor.node is not None], set()
        while stack:
            edge = stack.pop()
            if type(edge) is not Node:
                if id(edge) not in own:
                    return True
            elif edge not in seen:
                seen.add(edge)
                stack += [edge_ for edge_ in edges_of(edge) if edge_ is not None]
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
        """Return the gradients of `inputs` as `GradLevel.pull` does; recorded only if other leaves are reached."""
        if self.reaches_others is None:
            self.reaches_others = self._leads_on(roots)
        record = record and self.reaches_others
        reached = [(root, g) for root, g in zip(roots, gradients, strict=True) if root.node is not None]
        starts, given = [root for root, _ in reached], [g for _, g in reached]
        return gradients_at(starts, given, inputs, retain or record, record, user_site())


class PointTape(PlainTape):
    """The ordinary tape: functions may use all features of `autograd.grad`, and points may have a history.

    Arguments:
        create_graph: whether results can be differentiated again; otherwise they are detached.
    """

    __slots__ = ()

    def __init__(self, create_graph: bool) -> None:
        super().__init__()
        self.records = create_graph

    def leaf(self, value: Tensor) -> Tensor:
        """Return a tensor that shares the memory of `value`: a leaf unless the history of `value` is part of
        the graph."""
        return value.view_as(value) if self.records and value.requires_grad else value.detach().requires_grad_()

    def _leads_on(self, outputs: Sequence[Tensor]) -> bool:
        return True
