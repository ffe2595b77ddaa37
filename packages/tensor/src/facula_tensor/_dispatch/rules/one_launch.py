"""The backward of elementwise operators with three or more operands: one launch computes all required gradients."""

from __future__ import annotations

from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import Node
from facula_autograd.extend.saved_values import raise_mutated
from facula_errors import UnsupportedError
from facula_storage import Layout

from ..expressions.gradients import SeveralGradientsError, gradient_operator, own_result
from ..namespaces import no_record_ops
from .saved import saved_out

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import Edges, Function, Layouts
    from ..namespaces import Namespace
    from ..operator import Operator

Pairs = tuple[tuple[Any, Any], ...]
MAX_KNOWN = 1024  # combinations of layouts for which the gradient operator is cached


def one_launch(op: Operator, one_by_one: Function) -> Function:
    """Return the backward of an elementwise operator. Gradients of operands that broadcast are summed.

    Arguments:
        op: the operator.
        one_by_one: the backward that runs each operand's rule, used if the rules are not a program.
    """
    same = {name for name, rule in op.vjps.items() if getattr(rule, "identity", False)}  # they get the gradient itself
    known: dict[tuple[object, ...], Any] = {}  # by layouts and by the operands that need no gradient

    def prepare(key: tuple[object, ...], edges: Edges, layouts: Layouts) -> Any:
        given = [place for place, edge in enumerate(edges) if edge is not None and op.inputs[place] in same]
        wanted = tuple([place for place, edge in enumerate(edges) if edge is not None and place not in given])
        numbers = frozenset([name for name, kind in zip(op.inputs, layouts, strict=True) if kind in (float, int)])
        made = gradient_operator(op, tuple([op.inputs[place] for place in wanted]), numbers) if wanted else None
        if len(known) >= MAX_KNOWN:
            known.clear()
        if made is None:
            known[key] = None
        else:
            own = own_result(op)
            places = [op.arity if name == own else op.inputs.index(name) for name in made.inputs[1:]]
            tensors = [place for place in places if place < op.arity and isinstance(layouts[place], Layout)]
            known[key] = made, tensors, places, wanted, given
        return known[key]

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        kept = node.rest
        edges, values, versions, layouts = kept.edges, kept.values, kept.versions, kept.layouts
        key = (layouts, *map(is_, edges, repeat(None)))  # a comprehension is a call
        try:
            found = known[key]
        except KeyError:
            found = prepare(key, edges, layouts)
        if found is None:
            return one_by_one(F, node, g)
        made, tensors, places, wanted, given = found
        for place in tensors:
            value = values[place]
            if versions[place] is not None and value._storage.version != versions[place]:
                raise_mutated(node, value, f"its operand '{op.inputs[place]}'")
        if op.saves_out:
            values = (*values, saved_out(node))
        try:
            if F is no_record_ops:
                answer = made.no_record(g, *map(values.__getitem__, places))
            elif len(wanted) == 1:
                answer = made.library_call(g, *map(values.__getitem__, places))
            else:
                return one_by_one(F, node, g)
        except SeveralGradientsError:
            return one_by_one(F, node, g)
        except UnsupportedError:
            known[key] = None
            return one_by_one(F, node, g)
        if len(wanted) == 1:
            answer = (answer,)
        for at in given:
            wanted, answer = (*wanted, at), (*answer, g)
        return tuple(
            [
                (edges[at], h if h._layout is layouts[at] else F.sum_to(h, layouts[at]))
                for at, h in zip(wanted, answer, strict=True)
            ]
        )

    return backward
