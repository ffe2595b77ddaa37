"""Cases of views, joins and indexing."""

from __future__ import annotations

import numpy as np
from case import (
    Case,
)

import facula_tensor as ft

BOTH = ("float64", "complex128")
REAL = ("float64",)


def shaped(name, function, reference=None, **given):
    """Make an exact case of an operator that moves elements, in all dtypes."""
    given = {"gradient": BOTH, "shapes": ((3, 4),), **given}
    return Case(name, function, reference or function, **given)


MASK = np.array([[True, False, True, False], [False, False, True, True], [True, True, False, False]])
INDEX = np.array([2, 0, 2, -1])

SHAPES = [
    shaped("view", lambda x: x.reshape(2, 6)),
    shaped("reshape", lambda x: ft.reshape(x, (2, -1)), lambda x: x.reshape(2, -1)),
    shaped("flatten", ft.flatten, np.ravel),
    shaped("transpose", lambda x: ft.transpose(x, 0, -1), lambda x: x.swapaxes(0, -1)),
    shaped("t", ft.t, np.transpose),
    shaped("permute", lambda x: ft.permute(x, (2, 0, -2)), lambda x: x.transpose(2, 0, 1), shapes=((2, 3, 4),)),
    shaped("expand", lambda x: x.expand(2, -1, 5), lambda x: np.broadcast_to(x, (2, 3, 5)), shapes=((3, 1),)),
    shaped("squeeze", lambda x: ft.squeeze(x, 1), lambda x: x.squeeze(1), shapes=((3, 1, 2),)),
    shaped("unsqueeze", lambda x: ft.unsqueeze(x, -1), lambda x: x[..., None]),
    shaped("movedim", lambda x: ft.movedim(x, 0, -1), lambda x: np.moveaxis(x, 0, -1), shapes=((2, 3, 4),)),
    shaped("select", lambda x: ft.select(x, 1, -2), lambda x: x[:, -2]),
    shaped("narrow", lambda x: ft.narrow(x, 1, 1, 2), lambda x: x[:, 1:3]),
    shaped("split", lambda x: ft.split(x, 3, 1)[1], lambda x: x[:, 3:]),
    shaped("chunk", lambda x: ft.chunk(x, 2, 1)[0], lambda x: x[:, :2]),
    shaped("unbind", lambda x: ft.unbind(x, 1)[2], lambda x: x[:, 2]),
    shaped("clone", ft.clone, np.copy),
    shaped("contiguous", lambda x: x.contiguous(), np.copy, may_return_operand=True),
    shaped("mT", lambda x: x.mT, lambda x: x.swapaxes(-1, -2), shapes=((2, 3, 4),)),
    shaped("T", lambda x: x.T, np.transpose),
    shaped(
        "cat", lambda a, b: ft.cat([a, b], 1), lambda a, b: np.concatenate([a, b], 1), arity=2, shapes=((3, 2), (3, 4))
    ),
    shaped(
        "cat(0)",
        lambda a, b: ft.cat([a, b, a]),
        lambda a, b: np.concatenate([a, b, a]),
        arity=2,
        shapes=((3, 2), (1, 2)),
    ),
    shaped(
        "cat with nothing",
        lambda a, b: ft.cat([a, b]),
        lambda a, b: np.concatenate([a, b]),
        arity=2,
        shapes=((3, 2), (0, 2)),
        gradient=(),
    ),
    shaped(
        "stack", lambda a, b: ft.stack([a, b], -1), lambda a, b: np.stack([a, b], -1), arity=2, shapes=((3, 2), (3, 2))
    ),
    shaped(
        "where",
        lambda a, b: ft.where(ft.tensor(MASK).to(a.device), a, b),
        lambda a, b: np.where(MASK, a, b),
        arity=2,
        shapes=((3, 4), (4,)),
    ),
    shaped("x[1]", lambda x: x[1]),
    shaped("x[:, 1:3]", lambda x: x[:, 1:3]),
    shaped("x[::2, None, -1]", lambda x: x[::2, None, -1]),
    shaped("x[..., ::3]", lambda x: x[..., ::3]),
    shaped("x[tensor]", lambda x: x[ft.tensor([2, 0, 2]).to(x.device)], lambda x: x[[2, 0, 2]]),
    shaped("x[:, tensor]", lambda x: x[:, INDEX], lambda x: x[:, INDEX]),
    shaped("x[1, tensor2d]", lambda x: x[1, INDEX.reshape(2, 2)], lambda x: x[1, INDEX.reshape(2, 2)]),
    shaped("x[mask]", lambda x: x[MASK], meta=False),
    shaped("x[:, mask]", lambda x: x[:, MASK[0]], meta=False),
]
