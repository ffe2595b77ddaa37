"""Tensors in notebooks: a description line, and tables of the elements, or of the corners of large tensors."""

from __future__ import annotations

import numpy as np

from facula_autograd.extend.nodes import LEAF
from facula_errors.extend import boundary, html_of

from .._core.tensor import Tensor, method, snapshot
from .export import MAX_DIMS
from .formatting import Excerpt
from .print_options import chosen

MAX_TABLES = 8  # for tensors of three or more dimensions


@method("_repr_html_")
@boundary
def html(self: Tensor) -> str:
    """Return HTML for notebooks: shape, dtype, device and gradient, and the elements, abbreviated by
    `set_printoptions`.

    >>> from facula_tensor import tensor
    >>> "<td" in tensor([1, 2])._repr_html_()
    True
    """
    now = snapshot(self)
    layout = now._layout
    parts = [type(self).__name__, f"shape {tuple(layout.shape)}", layout.dtype.name, str(layout.device)]
    if self.node is LEAF:
        parts.append("requires_grad")
    elif self.grad_fn is not None:
        parts.append(f"grad_fn {self.grad_fn.name()}")
    text = html_of([", ".join(parts)])
    if layout.device.type == "meta" or not layout.numel or len(layout.shape) > MAX_DIMS:
        return text
    return text + _tables(Excerpt(now, chosen()), layout.shape)


def _tables(excerpt: Excerpt, shape: tuple[int, ...]) -> str:
    """Return a table for each matrix, under its indices if there are several."""
    texts = excerpt.texts()
    if texts.ndim < 2:
        return _table(texts.reshape(1, -1), (False, *excerpt.cut))
    leading = texts.shape[:-2]
    tables: list[str] = []
    for place in np.ndindex(leading):
        if len(tables) == MAX_TABLES:
            break
        table = _table(texts[place], excerpt.cut[-2:])
        tables.append(html_of([f"[{_indices(excerpt, place, shape)}:, :]"]) + table if place else table)
    if len(tables) < int(np.prod(shape[:-2])):
        tables.append(html_of(["⋯"]))
    return "".join(tables)


def _indices(excerpt: Excerpt, place: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Return the index in the whole tensor of the matrix at `place` in the excerpt."""
    edge = excerpt.options.edgeitems
    found = [at + shape[dim] - 2 * edge if excerpt.cut[dim] and at >= edge else at for dim, at in enumerate(place)]
    return "".join([f"{at}, " for at in found])


def _table(texts: np.ndarray, cut: tuple[bool, ...]) -> str:
    rows = [[text.strip() for text in row] for row in texts]
    if len(cut) > 1 and cut[1]:
        for row in rows:
            row[len(row) // 2 : len(row) // 2] = ["⋯"]
    if cut[0]:
        middle = len(rows) // 2
        rows[middle:middle] = [["⋮"] * len(rows[0])]
    return html_of(rows=rows)
