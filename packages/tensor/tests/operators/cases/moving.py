"""Cases of operators that move elements: permuted, repeated or partial copies, and copies into zeros."""

from __future__ import annotations

import numpy as np
from case import Case

import facula_tensor as ft


def moved(name, function, reference=None, **given):
    """Make an exact case of an operator that moves elements, in all dtypes."""
    given = {"gradient": ("float64", "complex128"), "shapes": ((3, 4),), **given}
    return Case(name, function, reference or function, **given)


def embedded(x):
    """Put the last dimension of matrices on the diagonal above the main one."""
    n = x.shape[-1] + 1
    result = np.zeros((*x.shape[:-1], n, n), x.dtype)
    result[..., np.arange(n - 1), np.arange(1, n)] = x
    return result


def replaced(index):
    """Make a reference that copies the first array and assigns the second at an index."""

    def reference(x, y):
        x = x.copy()
        x[index] = y
        return x

    return reference


MOVING = [
    moved("flip", lambda x: ft.flip(x, (0, -1)), lambda x: np.flip(x, (0, -1)), shapes=((2, 3, 4),)),
    moved("flip()", lambda x: x.flip(dims=()), np.copy),
    moved("fliplr", ft.fliplr, np.fliplr),
    moved("flipud", ft.flipud, np.flipud),
    moved("rot90", ft.rot90, np.rot90),
    moved("rot90(-1)", lambda x: ft.rot90(x, -1, (1, 0)), lambda x: np.rot90(x, -1, (1, 0))),
    moved("rot90(2)", lambda x: x.rot90(2, dims=[0, 1]), lambda x: np.rot90(x, 2)),
    moved("roll", lambda x: ft.roll(x, 5), lambda x: np.roll(x, 5)),
    moved("roll(dims)", lambda x: x.roll((1, -9), (0, 1)), lambda x: np.roll(x, (1, -9), (0, 1))),
    moved("roll twice", lambda x: x.roll((1, 2), (1, 1)), lambda x: np.roll(x, 3, 1)),
    moved("repeat", lambda x: x.repeat(2, 1, 3), lambda x: np.tile(x, (2, 1, 3))),
    moved("tile", lambda x: ft.tile(x, (3,)), lambda x: np.tile(x, 3)),
    moved("repeat_interleave", lambda x: x.repeat_interleave(2), lambda x: np.repeat(x, 2)),
    moved("repeat_interleave(1)", lambda x: x.repeat_interleave(3, 1), lambda x: np.repeat(x, 3, 1)),
    moved(
        "repeat_interleave by counts",
        lambda x: ft.repeat_interleave(x, ft.tensor([2, 0, 1]), 0),
        lambda x: np.repeat(x, [2, 0, 1], 0),
        meta=False,
    ),
    moved("tril", lambda x, **out: ft.tril(x, **out), np.tril, out=True),
    moved("tril(-1)", lambda x: x.tril(-1), lambda x: np.tril(x, -1), shapes=((2, 4, 3),)),
    moved("triu", lambda x, **out: ft.triu(x, **out), np.triu, out=True),
    moved("triu(2)", lambda x: x.triu(diagonal=2), lambda x: np.triu(x, 2), shapes=((2, 3, 4),)),
    moved("diagonal", ft.diagonal, np.diagonal),
    moved(
        "diagonal(-1, 2, 0)",
        lambda x: x.diagonal(-1, 2, 0),
        lambda x: np.diagonal(x, -1, 2, 0),
        shapes=((2, 3, 4),),
    ),
    moved("diag", lambda x, **out: ft.diag(x, **out), np.diag, out=True),
    moved("diag of a vector", lambda x: x.diag(-1), lambda x: np.diag(x, -1), shapes=((3,),)),
    moved("diag_embed", lambda x: ft.diag_embed(x, 1), embedded),
    moved("diagflat", lambda x: ft.diagflat(x, 1), lambda x: np.diagflat(x, 1)),
    moved(
        "trace",
        ft.trace,
        lambda x: (x.astype(np.int64) if x.dtype.kind in "biu" else x).trace(),
        result=lambda dtype: "int64" if "int" in dtype or dtype == "bool" else dtype,
        loose=4,
    ),
    moved(
        "select_scatter",
        lambda x, y: ft.select_scatter(x, y, 1, -1),
        replaced((slice(None), -1)),
        arity=2,
        shapes=((3, 4), (3,)),
    ),
    moved(
        "slice_scatter",
        lambda x, y: ft.slice_scatter(x, y, 1, 1, None, 2),
        replaced((slice(None), slice(1, None, 2))),
        arity=2,
        shapes=((3, 4), (3, 2)),
    ),
    moved(
        "diagonal_scatter",
        lambda x, y: x.diagonal_scatter(y, 1),
        replaced((np.arange(3), np.arange(1, 4))),
        arity=2,
        shapes=((3, 4), (3,)),
    ),
    moved("ravel", ft.ravel, np.ravel),
    moved("unflatten", lambda x: ft.unflatten(x, 1, (2, -1)), lambda x: x.reshape(3, 2, 2)),
    moved("atleast_2d", lambda x: ft.atleast_2d(x[0]), lambda x: x[:1]),
    moved("atleast_3d", ft.atleast_3d, lambda x: x[..., None]),
    moved("hstack", lambda x: ft.hstack((x, x)), lambda x: np.hstack((x, x))),
    moved("vstack", lambda x, **out: ft.vstack([x, x[0]], **out), lambda x: np.vstack((x, x[0])), out=True),
    moved("dstack", lambda x: ft.dstack((x, x)), lambda x: np.dstack((x, x))),
    moved("column_stack", lambda x: ft.column_stack((x[:, 0], x)), lambda x: np.column_stack((x[:, 0], x))),
    moved(
        "block_diag",
        lambda x: ft.block_diag(x[:, 0], x[:2, 1:3]),
        lambda x: np.concatenate([np.pad(x[None, :, 0], ((0, 0), (0, 2))), np.pad(x[:2, 1:3], ((0, 0), (3, 0)))]),
    ),
    moved("tensor_split", lambda x: x.tensor_split(3, 1)[0], lambda x: x[:, :2]),
    moved("tensor_split by named indices", lambda x: x.tensor_split(dim=-1, indices=(1, 3))[1], lambda x: x[:, 1:3]),
    moved("tensor_split by named sections", lambda x: ft.tensor_split(x, sections=3, dim=1)[0], lambda x: x[:, :2]),
    moved("vsplit by named indices", lambda x: ft.vsplit(x, indices=(1,))[1], lambda x: x[1:]),
    moved("tensor_split by indices", lambda x: ft.tensor_split(x, (1, 3), -1)[1], lambda x: x[:, 1:3]),
    moved("hsplit", lambda x: ft.hsplit(x, 2)[1], lambda x: x[:, 2:]),
    moved("vsplit", lambda x: x.vsplit((1,))[1], lambda x: x[1:]),
    moved(
        "meshgrid",
        lambda x: ft.meshgrid(x[0], x[:, 0])[1],
        lambda x: np.broadcast_to(x[:, 0], (4, 3)),
        shapes=((3, 4),),
    ),
    moved(
        "meshgrid(xy)",
        lambda x: ft.meshgrid([x[0], x[:, 0]], indexing="xy")[0],
        lambda x: np.broadcast_to(x[0], (3, 4)),
    ),
    moved("broadcast_tensors", lambda x: ft.broadcast_tensors(x, x[:1])[1], lambda x: x[[0, 0, 0]]),
    moved(
        "cartesian_prod",
        lambda x: ft.cartesian_prod(x[0, :2], x[1, :2]),
        lambda x: np.array([[x[0, i], x[1, j]] for i in (0, 1) for j in (0, 1)]),
    ),
    moved("combinations", lambda x: ft.combinations(x[0, :3]), lambda x: x[0][[[0, 1], [0, 2], [1, 2]]]),
]
