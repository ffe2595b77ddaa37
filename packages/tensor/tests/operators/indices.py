"""All kinds of indices for `x[...]` and `x[...] = v`."""

import numpy as np
from cases import CASES
from elements import draw

import facula_tensor as ft

SHAPE = (3, 4, 5)
ANY = CASES[0]  # for the domain of its inputs

MASK1 = np.array([True, False, True])
MASK2 = np.arange(12).reshape(3, 4) % 3 == 0
MASK_LAST = np.array([False, True, True, False, True])

BASIC = [
    0,
    -1,
    slice(1, 3),
    slice(None, None, 2),
    slice(-2, None),
    slice(3, 1),
    ...,
    None,
    (),
    (1, 2, 3),
    (1, ..., 2),
    (slice(None), 1),
    (..., 0),
    (None, 1, None),
    (slice(None), None, slice(1, None, 2), -1),
    (..., slice(0, 0)),
    np.int64(1),
    (np.int8(-1), slice(None)),
    (slice(0, 2), slice(1, 4), slice(2, 5)),
]
NAMED = [
    np.array([0, 2, 1]),
    [2, 0],
    [-1, 0, -1, 2],
    np.array([[0, 1], [2, -3]]),
    np.array(1),
    (slice(None), [3, 3, 0]),
    (1, [0, -1]),
    ([0, 2], 1),
    (slice(None), slice(None), np.array([4, 0])),
    (..., [1, 2]),
    (None, [1, 0]),
    (slice(0, 2), [1, 2], slice(None, None, 2)),
    ([0, 1], None),
    np.array([], np.int64),
    np.array([1, 0], np.int8),
    MASK1,
    MASK2,
    np.arange(60).reshape(SHAPE) % 7 == 0,
    (slice(None), slice(None), MASK_LAST),
    (..., MASK_LAST),
    (MASK1, 2),
    (MASK1, slice(1, 3)),
    np.zeros(3, bool),
    [True, False, False],
    (0, MASK2[0], slice(1, None)),
    ([0, 2], [1, 3]),
    ([0, 2], [1, 3], [4, -5]),
    (slice(None), [0, 1, 1], [2, 4, 0]),
    ([0, 2], slice(1, 3), [1, 3]),
    ([0, 2], None, [1, 3]),
    (..., [0, 3], [1]),
    (np.array([[0], [2]]), np.array([1, 3, 0])),
    (np.array([[0], [2]]), slice(None, None, 2), np.array([1, 3, 0], np.int8)),
    (MASK1, [0, 3]),
    (MASK1, slice(None), [0, 4]),
    (MASK2, [0, 1, 2, 4]),
    (MASK1, np.array([[0], [1]]), 2),
    (np.array([], np.int64), np.array([], np.int64)),
    True,
    False,
]


def show(index):
    return repr(index).replace("\n", "").replace(" ", "")


def as_tensors(index):
    """Convert the arrays in an index to tensors."""
    if isinstance(index, np.ndarray):
        return ft.tensor(index)
    if isinstance(index, tuple):
        return tuple(as_tensors(part) for part in index)
    return index


def array(dtype="float64", shape=SHAPE, seed=0):
    return draw(np.random.default_rng(seed), shape, dtype, ANY)
