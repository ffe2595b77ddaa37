"""Cases of operators that gather and scatter along a dimension."""

from __future__ import annotations

import numpy as np
from case import ALL, NUMBERS, REALS

import facula_tensor as ft

from .masks import chosen, tensor_on

BOTH = ("float64", "complex128")
AT = np.array([[2, 0, 1, 1], [0, 0, 2, 1]])  # along the first dimension of (3, 4)
ALONG = np.array([[3, 0], [1, 1], [2, 3]])  # along the second
SHARED = np.array([0, 2, 0, 0, 2])


def put_along(function, index, dim):
    """Make a reference that combines values at an index along a dimension with a ufunc in order; None assigns them."""

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
    """Make a case of the scatter family: values at AT in (3, 4)."""
    given = {"arity": 2, "shapes": ((3, 4), index.shape), **given}
    return chosen(name, function, reference, **given)


def reduced(reduce, include_self=True):
    """Make a case of scatter_reduce that writes five values to positions 0 and 2 of three."""
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
        lambda x, y, **out: ft.scatter_reduce(x, 0, tensor_on(x, SHARED), y, reduce, include_self=include_self, **out),
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
        lambda x, **out: ft.gather(x, 0, tensor_on(x, AT), **out),
        lambda x: np.take_along_axis(x, AT, 0),
        out=True,
    ),
    chosen("gather(-1)", lambda x: x.gather(-1, tensor_on(x, ALONG)), lambda x: np.take_along_axis(x, ALONG, 1)),
    chosen(
        "gather by int32",
        lambda x: ft.gather(x, dim=1, index=tensor_on(x, ALONG).int()),
        lambda x: np.take_along_axis(x, ALONG, 1),
    ),
    chosen(
        "gather of three dimensions",
        lambda x: x.gather(1, tensor_on(x, AT.reshape(2, 2, 2))),
        lambda x: np.take_along_axis(x[:2, :, :2], AT.reshape(2, 2, 2), 1),
        shapes=((2, 3, 2),),
    ),
    along(
        "scatter",
        lambda x, y, **out: ft.scatter(x, 0, tensor_on(x, np.array([[2, 0, 1, 1]])), y, **out),
        put_along(None, np.array([[2, 0, 1, 1]]), 0),
        np.array([[2, 0, 1, 1]]),
        out=True,
    ),
    along(
        "scatter of a number",
        lambda x: x.scatter(0, tensor_on(x, AT), 1),
        lambda x: put_along(None, AT, 0)(x, np.ones(AT.shape, x.dtype)),
        arity=1,
        shapes=((3, 4),),
    ),
    along(
        "scatter_",
        lambda x, y: x.clone().scatter_(1, tensor_on(x, ALONG[:, :1]), y),
        put_along(None, ALONG[:, :1], 1),
        ALONG[:, :1],
        1,
        changes_first=True,
    ),
    along(
        "scatter_add",
        lambda x, y, **out: ft.scatter_add(x, 0, tensor_on(x, AT), y, **out),
        put_along(np.add, AT, 0),
        out=True,
    ),
    along(
        "scatter_add of a part",
        lambda x, y: x.scatter_add(0, tensor_on(x, AT[:, :3]), y),
        put_along(np.add, AT[:, :3], 0),
        shapes=((3, 4), (3, 5)),
    ),
    along(
        "scatter_add_",
        lambda x, y: x.clone().scatter_add_(0, tensor_on(x, AT), y),
        put_along(np.add, AT, 0),
        changes_first=True,
    ),
    along(
        "scatter(reduce='multiply')",
        lambda x, y: x.scatter(0, tensor_on(x, AT), y, reduce="multiply"),
        put_along(np.multiply, AT, 0),
        gradient_domain=(0.5, 2.0),
        loose=4,
    ),
    *[reduced(name, own) for name in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)],
]
