"""Cases of operators that select elements by a mask."""

from __future__ import annotations

import numpy as np
from case import Case

import facula_tensor as ft

BOTH = ("float64", "complex128")
MASK = np.array([[True, False, True, False], [False, False, True, True], [True, True, False, False]])


def chosen(name, function, reference, **given):
    """Make a case of an operator that moves elements."""
    given = {"gradient": BOTH, "shapes": ((3, 4),), **given}
    return Case(name, function, reference, **given)


def tensor_on(x, array):
    """Convert an array to a tensor on the device of `x`."""
    return ft.tensor(array).to(x.device)


def selected(x, *others):
    """Replace the elements at which MASK is true by the same number of others."""
    result = x.copy()
    result[MASK] = others[0].ravel()[: MASK.sum()]
    return result


MASKS = [
    chosen(
        "masked_fill",
        lambda x, **out: ft.masked_fill(x, tensor_on(x, MASK), 2, **out),
        lambda x: np.where(MASK, np.array(2, x.dtype), x),
        out=True,
    ),
    chosen(
        "masked_fill of a row",
        lambda x: x.masked_fill(tensor_on(x, MASK), 1),
        lambda x: np.where(MASK, np.array(1, x.dtype), x),
        shapes=((4,),),
    ),
    chosen(
        "masked_fill by a tensor",
        lambda x, y: x.masked_fill(tensor_on(x, MASK[:, :1]), y),
        lambda x, y: np.where(MASK[:, :1], y, x),
        arity=2,
        shapes=((3, 4), ()),
        layouts=("contiguous", "offset"),
    ),
    chosen(
        "masked_fill_",
        lambda x: x.clone().masked_fill_(tensor_on(x, MASK[0]), 1),
        lambda x: np.where(MASK[0], np.array(1, x.dtype), x),
    ),
    chosen(
        "masked_select",
        lambda x, **out: ft.masked_select(x, tensor_on(x, MASK), **out),
        lambda x: x[MASK],
        out=True,
        meta=False,
    ),
    chosen(
        "masked_select of a row",
        lambda x: x.masked_select(tensor_on(x, MASK)),
        lambda x: np.broadcast_to(x, (3, 4))[MASK],
        shapes=((4,),),
        meta=False,
    ),
    chosen(
        "masked_scatter",
        lambda x, y: ft.masked_scatter(x, tensor_on(x, MASK), y),
        selected,
        arity=2,
        shapes=((3, 4), (2, 4)),
        meta=False,
    ),
    chosen(
        "masked_scatter_",
        lambda x, y: x.clone().masked_scatter_(tensor_on(x, MASK), y),
        selected,
        arity=2,
        shapes=((3, 4), (2, 4)),
        meta=False,
        changes_first=True,
    ),
]
