"""Operators on shapes that never repeat, which reuse the plan of an earlier call, against NumPy."""

import numpy as np
import pytest

import facula_tensor as ft

SHAPES = [
    (5,),
    (3, 4),
    (1, 1),
    (2, 3, 4),
    (7, 5),
    (6, 1),
    (2, 1, 3, 2),
    (40, 33),
    (0, 3),
    (4, 0),
    (3, 70),
    (2, 2, 2, 2, 2),
]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


FUNCTIONS = {
    "sum": (lambda x: x.sum(), np.sum),
    "sum(0)": (lambda x: x.sum(0), lambda x: x.sum(0)),
    "sum(0, keepdim)": (lambda x: x.sum(0, keepdim=True), lambda x: x.sum(0, keepdims=True)),
    "prod(-1)": (lambda x: x.prod(-1), lambda x: x.prod(-1)),
    "var(0)": (lambda x: x.var(0, correction=0), lambda x: x.var(0)),
    "argmax": (lambda x: x.argmax(), np.argmax),
    "amax(0)": (lambda x: x.amax(0), lambda x: x.max(0)),
    "max(-1)": (lambda x: x.max(-1)[1], lambda x: x.argmax(-1)),
    "softmax(-1)": (lambda x: x.softmax(-1), softmax),
    "flip(0)": (lambda x: x.flip(0), lambda x: np.flip(x, 0)),
    "flip of all": (lambda x: x.flip(tuple(range(x.ndim))), np.flip),
    "roll(1, 0)": (lambda x: x.roll(1, 0), lambda x: np.roll(x, 1, 0)),
    "product": (lambda x: x @ x.mT if x.ndim > 1 else x @ x, lambda x: x @ x.swapaxes(-1, -2) if x.ndim > 1 else x @ x),
    "x[x > 0]": (lambda x: x[x > 0], lambda x: x[x > 0]),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_new_shapes(name, turned):
    function, reference = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    for shape in SHAPES * 2:  # also with the plans of the first time
        x = rng.standard_normal(shape).astype("f4")
        if not x.size and name in ("var(0)", "argmax", "amax(0)", "max(-1)", "softmax(-1)"):
            continue
        given = ft.tensor(x)
        if turned:
            x, given = x.T, given.permute(tuple(range(x.ndim)[::-1]))
        np.testing.assert_allclose(function(given).numpy(), reference(x), 1e-5, 1e-5)
