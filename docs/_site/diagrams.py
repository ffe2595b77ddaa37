"""Draws the graphs of Markdown's mermaid blocks as SVG, in the colors of the page and without a script."""

import re
from html import escape

NODE = r"(\w+)(?:\[([^\]]*)\])?"
EDGE = re.compile(rf"{NODE} (-->|-\. ?(?:.*?) ?\.->) {NODE}")
BLOCK = re.compile(r"```mermaid\n(.*?)```", re.DOTALL)
WIDTH, HEIGHT, GAP, ROW = 118, 56, 10, 104  # pixels: a box, the gap to the next one, and the distance of rows


def parse(text):
    """Return the labels of nodes, and the edges with whether they are dashed."""
    labels, edges = {}, []
    for line in text.splitlines():
        edge = EDGE.fullmatch(line.strip())
        node = edge or re.fullmatch(NODE, line.strip())
        if node:
            labels[node[1]] = node[2] or labels.get(node[1]) or node[1]
        if edge:
            labels[edge[4]] = edge[5] or labels.get(edge[4]) or edge[4]
            edges.append((edge[1], edge[4], edge[3] != "-->"))
    return labels, edges


def rows_of(labels, edges):
    """Return rows of nodes: each node is below all that point to it."""
    depth = dict.fromkeys(labels, 0)
    for _ in labels:
        for start, end, dashed in edges:
            if not dashed:
                depth[end] = max(depth[end], depth[start] + 1)
    rows = [[name for name in labels if depth[name] == level] for level in range(max(depth.values()) + 1)]
    places = {name: 0.0 for name in labels}
    for row in rows:  # near the nodes that point to them
        above = {name: [places[start] for start, end, _ in edges if end == name and start in places] for name in row}
        row.sort(key=lambda name: sum(above[name]) / max(len(above[name]), 1))
        for index, name in enumerate(row):
            places[name] = index - (len(row) - 1) / 2
    return rows, places


def box(label, x, y):
    """Return a node: its name, and the text after the colon in lines below it."""
    name, _, text = label.partition(": ")
    lines = [f'<tspan x="{x:.0f}" font-weight="bold">{escape(name)}</tspan>'] if text else []
    for line in re.findall(r".{1,20}(?:\s|$)", text or name)[:3]:
        lines.append(f'<tspan x="{x:.0f}" dy="{12 if lines else 0}">{escape(line.strip())}</tspan>')
    top = y + HEIGHT / 2 + 4 - 6 * (len(lines) - 1)
    rect = f'<rect x="{x - WIDTH / 2:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
    return f'{rect}<text y="{top:.0f}">{"".join(lines)}</text>'


def draw(text):
    """Return the SVG image of a graph."""
    labels, edges = parse(text)
    rows, places = rows_of(labels, edges)
    width = max(map(len, rows)) * (WIDTH + GAP)
    at = {
        name: (width / 2 + places[name] * (WIDTH + GAP), level * ROW + 2)
        for level, row in enumerate(rows)
        for name in row
    }
    lines = []
    for start, end, dashed in edges:
        (x, y), (to_x, to_y) = at[start], at[end]
        kind = ' class="dashed"' if dashed else ""
        if to_y > y:
            lines.append(f'<path{kind} d="M{x:.0f} {y + HEIGHT}L{to_x:.0f} {to_y}"/>')
        else:  # upwards, or beside each other
            lines.append(f'<path{kind} d="M{x:.0f} {y}L{to_x:.0f} {to_y + HEIGHT}"/>')
    boxes = "".join(box(labels[name], *place) for name, place in at.items())
    size = f'viewBox="0 0 {width} {len(rows) * ROW - (ROW - HEIGHT) + 4}" style="min-width: {width * 3 // 4}px"'
    return f'<div class="diagram"><svg {size} role="img">{"".join(lines)}{boxes}</svg></div>'


def replace(text):
    """Return Markdown with images in place of its mermaid blocks."""
    return BLOCK.sub(lambda block: f"```{{raw}} html\n{draw(block[1])}\n```", text)
