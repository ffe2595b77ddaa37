"""`to_dot` and `to_svg`: a graph of autograd as a picture."""

from __future__ import annotations

import os

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._adapters import adapter_of
from .._engine.engine import walk
from .._graph.node import Node, edge_to, edges_of
from .._graph.scopes import Scopes
from .._value import Value
from .drawing import Box, as_dot, as_svg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._types import AnyValue, Leaf


def _boxes(operation: str, outputs: object, params: Mapping[str, AnyValue] | None) -> list[Box]:
    """Return the boxes of the picture, producers first."""
    roots: Sequence[AnyValue] = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    for root in roots:
        if not isinstance(root, Value) or root.node is None:
            got = adapter_of(root).describe(root)
            raise InvalidTypeError(f"{operation}: expected values that require grad; got {got}")
    if params is not None and not hasattr(params, "items"):
        raise InvalidTypeError(
            f"{operation}: expected params to be a dict of leaves, as dict(model.named_parameters()); got "
            f"{type(params).__name__}"
        )
    names = {id(leaf): name for name, leaf in (params or {}).items()}
    scopes = Scopes()
    starts = [edge_to(root) for root in roots]
    nodes = sorted(walk(starts).values(), key=lambda node: node.seq)
    boxes: dict[int, Box] = {}

    def box_of_leaf(leaf: Leaf) -> Box:
        lines = [names[id(leaf)]] if id(leaf) in names else []
        return Box(f"leaf{len(boxes)}", [*lines, adapter_of(leaf).describe(leaf)], True)

    for start in starts:
        if start is not None and type(start) is not Node:
            boxes[id(start)] = box_of_leaf(start)
    for node in nodes:
        module = scopes.path(node.seq)
        box = Box(f"node{len(boxes)}", [node.name(), *([module] if module else [])], False)
        for edge in edges_of(node):
            if edge is None:
                continue
            if id(edge) not in boxes and type(edge) is not Node:
                boxes[id(edge)] = box_of_leaf(edge)
            if id(edge) in boxes:
                box.edges.append(boxes[id(edge)])
        boxes[id(node)] = box
    return list(boxes.values())


@boundary
def to_dot(outputs: AnyValue | Sequence[AnyValue], params: Mapping[str, AnyValue] | None = None) -> str:
    """Return the graph of `outputs` in the DOT language. Graphviz draws it: `dot -Tpdf graph.dot -o graph.pdf`.

    Arguments:
        outputs: a value that requires grad, or several.
        params: leaves by name, such as `dict(model.named_parameters())`.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> print(to_dot(x * x, {"x": x}))
    digraph {
      rankdir=TB; node [shape=box, style=filled, fontname=monospace];
      leaf0 [label="x\\nthe number 3.0", fillcolor="#cfe3f7"];
      node0 [label="mul", fillcolor="#eeeeee"];
      leaf0 -> node0;
      leaf0 -> node0;
    }
    """
    return as_dot(_boxes("to_dot", outputs, params))


@boundary
def to_svg(
    outputs: AnyValue | Sequence[AnyValue],
    path: str | os.PathLike[str] | None = None,
    params: Mapping[str, AnyValue] | None = None,
) -> str:
    """Return the graph of `outputs` as an SVG picture, from leaves at the top down to the outputs.

    Arguments:
        outputs: a value that requires grad, or several.
        path: also write the picture to this file; raises OSError if that fails.
        params: leaves by name, such as `dict(model.named_parameters())`.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> to_svg(x * x)[:4]
    '<svg'
    """
    return as_svg("to_svg", _boxes("to_svg", outputs, params), path)
