"""Cases of operators that select elements by positions: index_*, take, put."""

from __future__ import annotations

import numpy as np
from case import NUMBERS

import facula_tensor as ft
import facula_tensor.functional as F

from .gathering import AT
from .masks import chosen, tensor_on

BOTH = ("float64", "complex128")
POSITIONS = np.array([2, 0, 2])

LISTED = [
    chosen(
        "index_select(0)",
        lambda x, **out: ft.index_select(x, 0, tensor_on(x, POSITIONS), **out),
        lambda x: x[POSITIONS],
        out=True,
    ),
    chosen(
        "index_select(-1) by int32",
        lambda x: x.index_select(-1, tensor_on(x, POSITIONS).int()),
        lambda x: x[:, POSITIONS],
    ),
    chosen(
        "embedding",
        lambda x: F.embedding(tensor_on(x, AT), x),
        lambda x: x[AT],
    ),
    chosen(
        "embedding(scale_grad_by_freq=True)",
        lambda x: F.embedding(tensor_on(x, np.array([[2, 0]])), x, scale_grad_by_freq=True),
        lambda x: x[[[2, 0]]],
    ),
]


def added(x, y):
    result = x.copy()
    np.add.at(result, POSITIONS, y)
    return result


def copied(x, y):
    result = x.copy()
    result[:, [2, 0]] = y
    return result


def filled(x, *value):
    result = x.copy()
    result[POSITIONS] = value[0] if value else 1
    return result


def listed(name, function, reference, shape=(3, 4), **given):
    """Make a case that writes slices to POSITIONS."""
    return chosen(name, function, reference, arity=2, shapes=((3, 4), shape), **given)


def placed(accumulate):
    """Make a reference for index_put and put."""

    def reference(x, y):
        result = x.copy()
        if accumulate:
            np.add.at(result, (POSITIONS, [1, 3, 1]), y)
        else:
            result[POSITIONS[:2], [1, 3]] = y
        return result

    return reference


def where_put(x, count):
    return tuple(tensor_on(x, np.array(positions[:count])) for positions in ([2, 0, 2], [1, 3, 1]))


LISTED += [
    listed("index_add", lambda x, y, **out: ft.index_add(x, 0, tensor_on(x, POSITIONS), y, **out), added, out=True),
    listed(
        "index_add_", lambda x, y: x.clone().index_add_(0, tensor_on(x, POSITIONS).int(), y), added, changes_first=True
    ),
    listed(
        "index_add(alpha=2)",
        lambda x, y: x.index_add(0, tensor_on(x, POSITIONS), y, alpha=2),
        lambda x, y: added(x, y * np.array(2, y.dtype)),
        dtypes=NUMBERS,
        rejects=False,
    ),
    listed("index_copy", lambda x, y: ft.index_copy(x, 1, tensor_on(x, POSITIONS[:2]), y), copied, (3, 2)),
    listed(
        "index_copy_",
        lambda x, y: x.clone().index_copy_(1, tensor_on(x, POSITIONS[:2]), y),
        copied,
        (3, 2),
        changes_first=True,
    ),
    chosen("index_fill", lambda x: ft.index_fill(x, 0, tensor_on(x, np.array([-1, 0, 2])), 1), filled),
    chosen("index_fill_", lambda x: x.clone().index_fill_(0, tensor_on(x, POSITIONS), 1), filled),
    listed(
        "index_fill by a tensor",
        lambda x, y: x.index_fill(0, tensor_on(x, POSITIONS), y),
        filled,
        (),
        layouts=("contiguous", "offset"),
    ),
    listed(
        "index_reduce",
        lambda x, y: ft.index_reduce(x, 0, tensor_on(x, POSITIONS), y, "prod"),
        lambda x, y: np.stack([x[0] * y[1], x[1], x[2] * y[0] * y[2]]),
        dtypes=NUMBERS,
        rejects=False,
        gradient_domain=(0.5, 2.0),
        loose=4,
    ),
    listed(
        "index_put",
        lambda x, y: ft.index_put(x, where_put(x, 2), y),
        placed(False),
        (2,),
    ),
    listed(
        "index_put(accumulate=True)",
        lambda x, y: x.index_put(where_put(x, 3), y, accumulate=True),
        placed(True),
        (3,),
    ),
    listed(
        "index_put_(accumulate=True)",
        lambda x, y: x.clone().index_put_(where_put(x, 3), y, True),
        placed(True),
        (3,),
        changes_first=True,
    ),
    chosen(
        "take",
        lambda x, **out: ft.take(x, tensor_on(x, np.array([[0, -1], [5, 5]])), **out),
        lambda x: x.ravel()[[[0, -1], [5, 5]]],
        out=True,
    ),
    listed(
        "put(accumulate=True)",
        lambda x, y: ft.put(x, tensor_on(x, np.array([9, 3, -3])), y, True),
        placed(True),
        (3,),
    ),
    listed(
        "put_", lambda x, y: x.clone().put_(tensor_on(x, np.array([9, 3])), y), placed(False), (2,), changes_first=True
    ),
    chosen(
        "take_along_dim",
        lambda x, **out: ft.take_along_dim(x, tensor_on(x, np.array([[1, -4, 1]])), 1, **out),
        lambda x: x[:, [1, 0, 1]],
        out=True,
    ),
    chosen("take_along_dim of all", lambda x: x.take_along_dim(tensor_on(x, AT)), lambda x: x.ravel()[AT.ravel()]),
]
