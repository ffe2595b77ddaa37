"""Drawings of boxes in rows with lines between them, for pictures of graphs.

Note [Layers of a picture]
A node is below all destinations of its gradients, in the row given by the longest path from there. Within a row, nodes
are ordered by the average position of their neighbours, in one pass downwards and one upwards, which removes most
crossings in graphs of networks. `to_dot` leaves all further layout to graphviz.
"""

from __future__ import annotations

import os

from facula_errors import FileError, InvalidTypeError

LEAF_COLOUR, NODE_COLOUR = "#cfe3f7", "#eeeeee"
ROW, GAP, HEIGHT, LETTER = 62, 18, 34, 6.6  # pixels


class Box:
    """A node or a leaf in the picture, with the destinations of its gradients, or the sources of its operands.

    Arguments:
        name: a unique word.
        lines: its text, one line or two.
        leaf: whether it is a leaf, which is drawn right above its first user.
    """

    __slots__ = ("edges", "leaf", "lines", "name", "place", "row")

    def __init__(self, name: str, lines: list[str], leaf: bool) -> None:
        self.name, self.lines, self.leaf = name, lines, leaf
        self.edges: list[Box] = []
        self.row, self.place = 0, 0.0

    @property
    def width(self) -> float:
        """Return the width in pixels."""
        return 16 + LETTER * max(map(len, self.lines))


def as_dot(boxes: list[Box]) -> str:
    """Return the picture in the DOT language of graphviz; producers come first."""
    lines = ["digraph {", "  rankdir=TB; node [shape=box, style=filled, fontname=monospace];"]
    for box in boxes:
        text = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in box.lines)
        lines.append(f'  {box.name} [label="{text}", fillcolor="{LEAF_COLOUR if box.leaf else NODE_COLOUR}"];')
    lines += [f"  {edge.name} -> {box.name};" for box in boxes for edge in box.edges]
    return "\n".join([*lines, "}"])


def as_svg(operation: str, boxes: list[Box], path: str | os.PathLike[str] | None) -> str:
    """Return the picture as SVG, and write it to a file if a path is given.

    Arguments:
        operation: the prefix of error messages.
        boxes: the boxes, producers first.
        path: the path of the file.

    Raises:
        TypeError: the path has another type.
        OSError: the file cannot be written.
    """
    from html import escape  # imported on first use

    if path is not None and not isinstance(path, (str, os.PathLike)):  # open() would also accept file descriptors
        raise InvalidTypeError(f"{operation}: expected path to be a string, a path or None; got {type(path).__name__}")
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
            raise FileError(
                error.errno, f"{operation}: cannot write the picture ({error.strerror}); check the path", path
            ) from None
    return text


def _rows(boxes: list[Box]) -> list[list[Box]]:
    """Return the boxes in rows, ordered to reduce crossings: Note [Layers of a picture]."""
    users: dict[str, list[Box]] = {box.name: [] for box in boxes}
    for box in boxes:  # producers first
        box.row = max((edge.row + 1 for edge in box.edges), default=0)
        for edge in box.edges:
            users[edge.name].append(box)
    for box in reversed(boxes):  # a leaf is drawn right above its first user
        if box.leaf and users[box.name]:
            box.row = min(user.row for user in users[box.name]) - 1
    rows: list[list[Box]] = [[] for _ in range(max((box.row for box in boxes), default=-1) + 1)]
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
