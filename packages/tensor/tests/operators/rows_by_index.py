"""Rows of the operators that choose elements by an index or a mask."""

from __future__ import annotations

import numpy as np
from harness import ALL, NUMBERS, REALS, Row

import facula_tensor as ft
import facula_tensor.functional as F

BOTH = ("float64", "complex128")
MASK = np.array([[True, False, True, False], [False, False, True, True], [True, True, False, False]])


def chosen(name, function, reference, **given):
    """A row of something that moves elements."""
    given = {"gradient": BOTH, "shapes": ((3, 4),), **given}
    return Row(name, function, reference, **given)


def beside(x, array):
    """An array as a tensor on the device of `x`."""
    return ft.tensor(array).to(x.device)


def selected(x, *others):
    """The elements of an array where MASK is true replaced by as many others."""
    result = x.copy()
    result[MASK] = others[0].ravel()[: MASK.sum()]
    return result


MASKS = [
    chosen(
        "masked_fill",
        lambda x, **out: ft.masked_fill(x, beside(x, MASK), 2, **out),
        lambda x: np.where(MASK, np.array(2, x.dtype), x),
        out=True,
    ),
    chosen(
        "masked_fill of a row",
        lambda x: x.masked_fill(beside(x, MASK), 1),
        lambda x: np.where(MASK, np.array(1, x.dtype), x),
        shapes=((4,),),
    ),
    chosen(
        "masked_fill by a tensor",
        lambda x, y: x.masked_fill(beside(x, MASK[:, :1]), y),
        lambda x, y: np.where(MASK[:, :1], y, x),
        arity=2,
        shapes=((3, 4), ()),
        layouts=("contiguous", "offset"),
    ),
    chosen(
        "masked_fill_",
        lambda x: x.clone().masked_fill_(beside(x, MASK[0]), 1),
        lambda x: np.where(MASK[0], np.array(1, x.dtype), x),
    ),
    chosen(
        "masked_select",
        lambda x, **out: ft.masked_select(x, beside(x, MASK), **out),
        lambda x: x[MASK],
        out=True,
        meta=False,
    ),
    chosen(
        "masked_select of a row",
        lambda x: x.masked_select(beside(x, MASK)),
        lambda x: np.broadcast_to(x, (3, 4))[MASK],
        shapes=((4,),),
        meta=False,
    ),
    chosen(
        "masked_scatter",
        lambda x, y: ft.masked_scatter(x, beside(x, MASK), y),
        selected,
        arity=2,
        shapes=((3, 4), (2, 4)),
        meta=False,
    ),
    chosen(
        "masked_scatter_",
        lambda x, y: x.clone().masked_scatter_(beside(x, MASK), y),
        selected,
        arity=2,
        shapes=((3, 4), (2, 4)),
        meta=False,
    ),
]

AT = np.array([[2, 0, 1, 1], [0, 0, 2, 1]])  # along the first dimension of (3, 4)
ALONG = np.array([[3, 0], [1, 1], [2, 3]])  # along the second
SHARED = np.array([0, 2, 0, 0, 2])


def put_along(function, index, dim):
    """A reference that puts values at an index along a dimension with a ufunc, one after the other; None sets them."""

    def reference(x, y):
        result = x.copy()
        places = list(np.indices(index.shape))
        places[dim] = index
        values = y[tuple(slice(0, size) for size in index.shape)]
        if function is None:
            result[tuple(places)] = values
        else:
            function.at(result, tuple(places), values)
        return result

    return reference


def along(name, function, reference, index=AT, dim=0, **given):
    """A row of the scatter family: values at AT in (3, 4)."""
    given = {"arity": 2, "shapes": ((3, 4), index.shape), **given}
    return chosen(name, function, reference, **given)


def reduced(reduce, include_self=True):
    """scatter_reduce of five values into places 0 and 2 of three."""
    function = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]

    def reference(x, y):
        result = x.copy()
        for place in (0, 2):
            met = y[SHARED == place]
            met = np.concatenate([x[place : place + 1], met]) if include_self else met
            value = function(met.astype(object) if met.dtype == bool else met)
            result[place] = np.floor(value) if reduce == "mean" and x.dtype.kind in "iu" else value
        return result

    dtypes = NUMBERS if reduce == "mean" else ("bool", *REALS) if reduce in ("amax", "amin") else ALL
    return chosen(
        f"scatter_reduce {reduce} {include_self}",
        lambda x, y, **out: ft.scatter_reduce(x, 0, beside(x, SHARED), y, reduce, include_self=include_self, **out),
        reference,
        arity=2,
        shapes=((3,), (5,)),
        dtypes=dtypes,
        gradient=("float64",) if reduce in ("amax", "amin") else BOTH,
        gradient_domain=(0.5, 3.0),
        distinct=reduce in ("amax", "amin"),
        rejects=False,
        out=True,
        loose=20,
        second=reduce not in ("amax", "amin"),
    )


GATHERING = [
    chosen(
        "gather(0)",
        lambda x, **out: ft.gather(x, 0, beside(x, AT), **out),
        lambda x: np.take_along_axis(x, AT, 0),
        out=True,
    ),
    chosen("gather(-1)", lambda x: x.gather(-1, beside(x, ALONG)), lambda x: np.take_along_axis(x, ALONG, 1)),
    chosen(
        "gather by int32",
        lambda x: ft.gather(x, dim=1, index=beside(x, ALONG).int()),
        lambda x: np.take_along_axis(x, ALONG, 1),
    ),
    chosen(
        "gather of three dimensions",
        lambda x: x.gather(1, beside(x, AT.reshape(2, 2, 2))),
        lambda x: np.take_along_axis(x[:2, :, :2], AT.reshape(2, 2, 2), 1),
        shapes=((2, 3, 2),),
    ),
    along(
        "scatter",
        lambda x, y, **out: ft.scatter(x, 0, beside(x, np.array([[2, 0, 1, 1]])), y, **out),
        put_along(None, np.array([[2, 0, 1, 1]]), 0),
        np.array([[2, 0, 1, 1]]),
        out=True,
    ),
    along(
        "scatter of a number",
        lambda x: x.scatter(0, beside(x, AT), 1),
        lambda x: put_along(None, AT, 0)(x, np.ones(AT.shape, x.dtype)),
        arity=1,
        shapes=((3, 4),),
    ),
    along(
        "scatter_",
        lambda x, y: x.clone().scatter_(1, beside(x, ALONG[:, :1]), y),
        put_along(None, ALONG[:, :1], 1),
        ALONG[:, :1],
        1,
    ),
    along(
        "scatter_add",
        lambda x, y, **out: ft.scatter_add(x, 0, beside(x, AT), y, **out),
        put_along(np.add, AT, 0),
        out=True,
    ),
    along(
        "scatter_add of a part",
        lambda x, y: x.scatter_add(0, beside(x, AT[:, :3]), y),
        put_along(np.add, AT[:, :3], 0),
        shapes=((3, 4), (3, 5)),
    ),
    along("scatter_add_", lambda x, y: x.clone().scatter_add_(0, beside(x, AT), y), put_along(np.add, AT, 0)),
    along(
        "scatter(reduce='multiply')",
        lambda x, y: x.scatter(0, beside(x, AT), y, reduce="multiply"),
        put_along(np.multiply, AT, 0),
        gradient_domain=(0.5, 2.0),
        loose=4,
    ),
    *[reduced(name, own) for name in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)],
]

POSITIONS = np.array([2, 0, 2])

LISTED = [
    chosen(
        "index_select(0)",
        lambda x, **out: ft.index_select(x, 0, beside(x, POSITIONS), **out),
        lambda x: x[POSITIONS],
        out=True,
    ),
    chosen(
        "index_select(-1) by int32",
        lambda x: x.index_select(-1, beside(x, POSITIONS).int()),
        lambda x: x[:, POSITIONS],
    ),
    chosen(
        "embedding",
        lambda x: F.embedding(beside(x, AT), x),
        lambda x: x[AT],
    ),
    chosen(
        "embedding(scale_grad_by_freq=True)",
        lambda x: F.embedding(beside(x, np.array([[2, 0]])), x, scale_grad_by_freq=True),
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
    """A row of slices that go to POSITIONS."""
    return chosen(name, function, reference, arity=2, shapes=((3, 4), shape), **given)


def placed(accumulate):
    """A reference of index_put, and of put."""

    def reference(x, y):
        result = x.copy()
        if accumulate:
            np.add.at(result, (POSITIONS, [1, 3, 1]), y)
        else:
            result[POSITIONS[:2], [1, 3]] = y
        return result

    return reference


def where_put(x, count):
    return tuple(beside(x, np.array(one[:count])) for one in ([2, 0, 2], [1, 3, 1]))


LISTED += [
    listed("index_add", lambda x, y, **out: ft.index_add(x, 0, beside(x, POSITIONS), y, **out), added, out=True),
    listed("index_add_", lambda x, y: x.clone().index_add_(0, beside(x, POSITIONS).int(), y), added),
    listed(
        "index_add(alpha=2)",
        lambda x, y: x.index_add(0, beside(x, POSITIONS), y, alpha=2),
        lambda x, y: added(x, y * np.array(2, y.dtype)),
        dtypes=NUMBERS,
        rejects=False,
    ),
    listed("index_copy", lambda x, y: ft.index_copy(x, 1, beside(x, POSITIONS[:2]), y), copied, (3, 2)),
    listed("index_copy_", lambda x, y: x.clone().index_copy_(1, beside(x, POSITIONS[:2]), y), copied, (3, 2)),
    chosen("index_fill", lambda x: ft.index_fill(x, 0, beside(x, np.array([-1, 0, 2])), 1), filled),
    chosen("index_fill_", lambda x: x.clone().index_fill_(0, beside(x, POSITIONS), 1), filled),
    listed(
        "index_fill by a tensor",
        lambda x, y: x.index_fill(0, beside(x, POSITIONS), y),
        filled,
        (),
        layouts=("contiguous", "offset"),
    ),
    listed(
        "index_reduce",
        lambda x, y: ft.index_reduce(x, 0, beside(x, POSITIONS), y, "prod"),
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
    ),
    chosen(
        "take",
        lambda x, **out: ft.take(x, beside(x, np.array([[0, -1], [5, 5]])), **out),
        lambda x: x.ravel()[[[0, -1], [5, 5]]],
        out=True,
    ),
    listed(
        "put(accumulate=True)",
        lambda x, y: ft.put(x, beside(x, np.array([9, 3, -3])), y, True),
        placed(True),
        (3,),
    ),
    listed("put_", lambda x, y: x.clone().put_(beside(x, np.array([9, 3])), y), placed(False), (2,)),
    chosen(
        "take_along_dim",
        lambda x, **out: ft.take_along_dim(x, beside(x, np.array([[1, -4, 1]])), 1, **out),
        lambda x: x[:, [1, 0, 1]],
        out=True,
    ),
    chosen("take_along_dim of all", lambda x: x.take_along_dim(beside(x, AT)), lambda x: x.ravel()[AT.ravel()]),
]

BY_INDEX = [*MASKS, *GATHERING, *LISTED]
