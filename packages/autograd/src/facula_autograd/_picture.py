"""`to_dot` and `to_svg`: a graph as a picture.

Note [Layers of a picture]
A node lies below all that its gradients go to, in the row given by the longest way there. Within a row the order is
that of the average place of what each is connected to, once downwards and once upwards, which takes most crossings out
of graphs of networks. That is all: `to_dot` gives graphviz the rest to do.
"""

from __future__ import annotations

import os

from facula_errors import FileError, InvalidTypeError
from facula_errors.extend import boundary

from ._adapters import adapter_of
from ._engine import walk
from ._graph import Node, edge_to, edges_of
from ._scopes import Scopes
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ._types import AnyValue, Leaf

LEAF_COLOUR, NODE_COLOUR = "#cfe3f7", "#eeeeee"
ROW, GAP, HEIGHT, LETTER = 62, 18, 34, 6.6  # of the picture: pixels


class _Box:
    """A node or a leaf in the picture, its text of one line or two, and what its gradients go to."""

    __slots__ = ("edges", "leaf", "lines", "name", "place", "row")

    def __init__(self, name: str, lines: list[str], leaf: bool) -> None:
        self.name, self.lines, self.leaf = name, lines, leaf
        self.edges: list[_Box] = []
        self.row, self.place = 0, 0.0

    @property
    def width(self) -> float:
        return 16 + LETTER * max(map(len, self.lines))


def _boxes(operation: str, outputs: object, params: Mapping[str, AnyValue] | None) -> list[_Box]:
    """What the picture shows, producers first."""
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
    boxes: dict[int, _Box] = {}

    def box_of_leaf(leaf: Leaf) -> _Box:
        lines = [names[id(leaf)]] if id(leaf) in names else []
        return _Box(f"leaf{len(boxes)}", [*lines, adapter_of(leaf).describe(leaf)], True)

    for start in starts:
        if start is not None and type(start) is not Node:
            boxes[id(start)] = box_of_leaf(start)
    for node in nodes:
        module = scopes.path(node.seq)
        box = _Box(f"node{len(boxes)}", [node.name(), *([module] if module else [])], False)
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
    """The graph of `outputs` in the language of graphviz, whose `dot` draws it: `dot -Tpdf graph.dot -o graph.pdf`.

    Arguments:
        outputs: a value that requires grad, or several.
        params: leaves by name, as `dict(model.named_parameters())`.

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
    boxes = _boxes("to_dot", outputs, params)
    lines = ["digraph {", "  rankdir=TB; node [shape=box, style=filled, fontname=monospace];"]
    for box in boxes:
        text = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in box.lines)
        lines.append(f'  {box.name} [label="{text}", fillcolor="{LEAF_COLOUR if box.leaf else NODE_COLOUR}"];')
    lines += [f"  {edge.name} -> {box.name};" for box in boxes for edge in box.edges]
    return "\n".join([*lines, "}"])


@boundary
def to_svg(
    outputs: AnyValue | Sequence[AnyValue],
    path: str | os.PathLike[str] | None = None,
    params: Mapping[str, AnyValue] | None = None,
) -> str:
    """The graph of `outputs` as a picture in SVG, from leaves at the top down to the outputs.

    Arguments:
        outputs: a value that requires grad, or several.
        path: a file to write it to, too; OSError where that cannot be.
        params: leaves by name, as `dict(model.named_parameters())`.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> to_svg(x * x)[:4]
    '<svg'
    """
    from html import escape

    if path is not None and not isinstance(path, (str, os.PathLike)):  # open() takes numbers, of files that are open
        raise InvalidTypeError(f"to_svg: expected path to be a string, a path or None; got {type(path).__name__}")
    boxes = _boxes("to_svg", outputs, params)
    rows = _rows(boxes)
    widths = [sum(box.width + GAP for box in row) for row in rows]
    across, down = max(widths, default=0.0) + GAP, ROW * len(rows) + GAP
    for row, width in zip(rows, widths, strict=True):
        x = (across - width + GAP) / 2
        for box in row:
            box.place = x + box.width / 2
            x += box.width + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across:.0f}" height="{down}" font-family="monospace" '
        'font-size="11" text-anchor="middle">',
        f'<rect width="{across:.0f}" height="{down}" fill="white"/>',
    ]
    for box in boxes:
        top = GAP + box.row * ROW
        for edge in box.edges:
            start = GAP + edge.row * ROW + HEIGHT
            parts.append(
                f'<path d="M{edge.place:.1f} {start} C{edge.place:.1f} {start + 20} {box.place:.1f} {top - 20} '
                f'{box.place:.1f} {top}" fill="none" stroke="#888"/>'
            )
    for box in boxes:
        top, colour = GAP + box.row * ROW, LEAF_COLOUR if box.leaf else NODE_COLOUR
        parts.append(
            f'<rect x="{box.place - box.width / 2:.1f}" y="{top}" width="{box.width:.1f}" height="{HEIGHT}" rx="5" '
            f'fill="{colour}" stroke="#555"/>'
        )
        first = top + HEIGHT / 2 + 4 - 6.5 * (len(box.lines) - 1)
        for k, line in enumerate(box.lines):
            parts.append(f'<text x="{box.place:.1f}" y="{first + 13 * k:.1f}">{escape(line)}</text>')
    text = "\n".join([*parts, "</svg>"])
    if path is not None:
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise FileError(error.errno, f"to_svg: cannot write the picture ({error.strerror})", path) from None
    return text


def _rows(boxes: list[_Box]) -> list[list[_Box]]:
    """The boxes in rows, in the order of a picture with few crossings: Note [Layers of a picture]."""
    users: dict[str, list[_Box]] = {box.name: [] for box in boxes}
    for box in boxes:  # producers first
        box.row = max((edge.row + 1 for edge in box.edges), default=0)
        for edge in box.edges:
            users[edge.name].append(box)
    for box in reversed(boxes):  # a leaf stands right above what uses it first
        if box.leaf and users[box.name]:
            box.row = min(user.row for user in users[box.name]) - 1
    rows: list[list[_Box]] = [[] for _ in range(max((box.row for box in boxes), default=-1) + 1)]
    for box in boxes:
        rows[box.row].append(box)
    for sweep, near in ((rows, lambda box: box.edges), (rows[::-1], lambda box: users[box.name])):
        for row in sweep:
            for k, box in enumerate(row):
                others = near(box)
                box.place = sum(other.place for other in others) / len(others) if others else float(k)
            row.sort(key=lambda box: box.place)
            for k, box in enumerate(row):
                box.place = k - (len(row) - 1) / 2
    return rows
