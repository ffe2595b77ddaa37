"""The operators, a row each: what the tests of `test_operators.py` are made of."""

from __future__ import annotations

import numpy as np
from harness import (
    ALL,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REALS,
    Row,
    accumulated,
    always,
    boolean,
    floating,
    real_part,
)
from image_rows import IMAGES
from moving_rows import MOVING
from rows_along import ROWS as ALONG
from rows_by_index import BY_INDEX
from rows_of_complex import COMPLEX_ROWS
from rows_of_fourier import FOURIER
from rows_of_matrices import MATRICES
from rows_of_samples import SAMPLES
from special_rows import ROWS as SPECIAL_FUNCTIONS

import facula_tensor as ft

BOTH = ("float64", "complex128")
REAL = ("float64",)


def by_kind(on_bool, otherwise):
    """A reference that differs for bool."""
    return lambda *arrays: (on_bool if arrays[0].dtype == bool else otherwise)(*arrays)


def unary(name, reference, **given):
    """A row of an elementwise operator with one operand."""
    return Row(name, getattr(ft, name), reference, elementwise=True, out=True, **given)


def binary(name, reference, **given):
    """A row of an elementwise operator with two operands."""
    return Row(name, getattr(ft, name), reference, arity=2, elementwise=True, out=True, **given)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def power(x, y):
    """Integers by repeated multiplication; a negative power of one is its whole part."""
    if x.dtype.kind not in "iu":
        return x**y
    x, y = np.broadcast_arrays(x, y)
    whole = [
        int(a) ** int(b) if b >= 0 else {1: 1, -1: 1 - 2 * (int(b) % 2)}.get(int(a), 0)
        for a, b in zip(x.flat, y.flat, strict=True)
    ]
    bits = x.dtype.itemsize * 8
    return np.array([one & ((1 << bits) - 1) for one in whole], np.uint64).astype(x.dtype).reshape(x.shape)


POSITIVE = (0.3, 3.0)

POINTWISE = [
    unary("exp", np.exp, result=floating, inplace="exp_", gradient=BOTH),
    unary("log", np.log, result=floating, inplace="log_", gradient=BOTH, domain=POSITIVE),
    unary("tanh", np.tanh, result=floating, inplace="tanh_", gradient=BOTH, loose=3),
    unary("relu", lambda x: np.maximum(x, 0), dtypes=REALS, inplace="relu_", gradient=REAL),
    unary("sqrt", np.sqrt, result=floating, inplace="sqrt_", gradient=BOTH, domain=POSITIVE),
    unary("sigmoid", sigmoid, result=floating, inplace="sigmoid_", gradient=BOTH, loose=3),
    unary("sin", np.sin, result=floating, inplace="sin_", gradient=BOTH),
    unary("cos", np.cos, result=floating, inplace="cos_", gradient=BOTH),
    unary("log1p", np.log1p, result=floating, inplace="log1p_", gradient=BOTH, domain=POSITIVE),
    unary("expm1", np.expm1, result=floating, inplace="expm1_", gradient=BOTH),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), result=floating, inplace="rsqrt_", gradient=BOTH, domain=POSITIVE),
    unary("reciprocal", lambda x: 1 / x, result=floating, inplace="reciprocal_", gradient=BOTH, domain=POSITIVE),
    unary(
        "square",
        by_kind(lambda x: x.astype(int), lambda x: x * x),
        result=lambda d: "int64" if d == "bool" else d,
        inplace="square_",
        gradient=BOTH,
    ),
    unary("neg", np.negative, dtypes=NUMBERS, inplace="neg_", gradient=BOTH),
    unary("abs", np.abs, dtypes=NUMBERS, result=real_part, gradient=BOTH),
    unary("sign", by_kind(lambda x: x, np.sign), dtypes=("bool", *REALS), inplace="sign_", gradient=REAL, second=False),
    unary("isnan", np.isnan, result=boolean),
    unary("isinf", np.isinf, result=boolean),
    unary("isfinite", np.isfinite, result=boolean),
    unary("logical_not", np.logical_not, result=boolean),
]

FLOATING = FLOATS + COMPLEX


def circular(name, reference, **given):
    """A row of a function of angles, or its inverse."""
    return unary(name, reference, **{"result": floating, "inplace": name + "_", "gradient": BOTH, "loose": 3, **given})


def pair_of_floats(name, reference, **given):
    """A row of a function of two floating tensors."""
    given = {"dtypes": FLOATS, "inplace": name + "_", "gradient": REAL, "numbers": False, "loose": 3, **given}
    return binary(name, reference, **given)


INSIDE, BEYOND = (-0.9, 0.9), (1.2, 3.0)
SPECIAL = [
    circular("tan", np.tan, domain=(-1.2, 1.2)),
    circular("asin", np.arcsin, domain=INSIDE),
    circular("acos", np.arccos, domain=INSIDE, loose=4),
    circular("atan", np.arctan, gradient_domain=INSIDE),
    circular("sinh", np.sinh),
    circular("cosh", np.cosh),
    circular("asinh", np.arcsinh, gradient_domain=INSIDE),
    circular("acosh", np.arccosh, domain=BEYOND),
    circular("atanh", np.arctanh, domain=INSIDE),
    circular("exp2", lambda x: 2**x),
    circular("log2", np.log2, domain=POSITIVE),
    circular("log10", np.log10, domain=POSITIVE),
    circular("deg2rad", np.deg2rad, dtypes=("bool", *REALS), gradient=REAL),
    circular("rad2deg", np.rad2deg, dtypes=("bool", *REALS), gradient=REAL),
    *[
        unary(name, function, dtypes=REALS, inplace=name + "_", gradient=REAL, second=False, gradient_domain=(0.1, 0.4))
        for name, function in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", np.rint))
    ],
    unary("frac", lambda x: x - np.trunc(x), dtypes=FLOATS, inplace="frac_", gradient=REAL, gradient_domain=(0.1, 0.9)),
    unary("signbit", np.signbit, dtypes=("bool", *REALS), result=boolean, rejects=False),
    unary("nan_to_num", lambda x: x, inplace="nan_to_num_", gradient=BOTH),
    binary(
        "atan2",
        np.arctan2,
        numbers=False,
        dtypes=("bool", *REALS),
        result=floating,
        inplace="atan2_",
        gradient=REAL,
        domain=POSITIVE,
    ),
    binary(
        "copysign",
        np.copysign,
        dtypes=("bool", *REALS[1:]),  # a negative number beside uint8 keeps its sign: it is never a uint8
        rejects=False,
        result=floating,
        inplace="copysign_",
        gradient=REAL,
        gradient_domain=POSITIVE,
    ),
    binary(
        "xlogy",
        lambda x, y: np.where(x == 0, 0.0, x * np.log(y)),
        dtypes=("bool", *REALS),
        result=floating,
        inplace="xlogy_",
        gradient=REAL,
        domain=(1.0, 3.0),
        with_bool=False,
    ),
    pair_of_floats("hypot", np.hypot, domain=POSITIVE),
    pair_of_floats("logaddexp", np.logaddexp),
    pair_of_floats("logaddexp2", np.logaddexp2),
    Row(
        "addcmul",
        lambda x, y, z: ft.addcmul(x, y, z, value=2),
        lambda x, y, z: x + 2 * y * z,
        arity=3,
        dtypes=NUMBERS,
        elementwise=True,
        gradient=BOTH,
        domain=(1, 3),
        rejects=False,
        loose=4,
    ),
    Row(
        "addcdiv",
        lambda x, y, z: ft.addcdiv(x, y, z, value=0.5),
        lambda x, y, z: x + 0.5 * y / z,
        arity=3,
        dtypes=FLOATING,
        elementwise=True,
        gradient=BOTH,
        domain=(0.5, 3),
        loose=4,
    ),
    Row(
        "lerp",
        ft.lerp,
        lambda x, y, z: x + z * (y - x),
        arity=3,
        dtypes=FLOATING,
        elementwise=True,
        gradient=BOTH,
        loose=8,
    ),
]

ARITHMETIC = [
    binary("add", np.add, inplace="add_", gradient=BOTH),
    binary("sub", np.subtract, dtypes=NUMBERS, inplace="sub_", gradient=BOTH, with_bool=False),
    binary("mul", np.multiply, inplace="mul_", gradient=BOTH),
    binary("div", np.divide, result=floating, inplace="div_", gradient=BOTH, domain=(0.5, 3.0)),
    binary("pow", power, dtypes=NUMBERS, inplace="pow_", gradient=BOTH, domain=(0.5, 3.0), loose=4),
    binary("maximum", np.maximum, numbers=False, dtypes=("bool", *REALS), inplace="maximum_", gradient=REAL),
    binary("minimum", np.minimum, numbers=False, dtypes=("bool", *REALS), inplace="minimum_", gradient=REAL),
    binary("fmax", np.fmax, numbers=False, dtypes=("bool", *REALS), gradient=REAL),
    binary("fmin", np.fmin, numbers=False, dtypes=("bool", *REALS), gradient=REAL),
    binary("clamp_min", np.maximum, dtypes=("bool", *REALS), inplace="clamp_min_", gradient=REAL),
    binary("clamp_max", np.minimum, dtypes=("bool", *REALS), inplace="clamp_max_", gradient=REAL),
    Row(
        "clamp",
        lambda x: x.clamp(-1, 2),
        lambda x: np.clip(x, -1, 2),
        dtypes=REALS[1:],  # -1 is no uint8
        elementwise=True,
        gradient=REAL,
        rejects=False,
    ),
    Row("clamp by tensors", ft.clamp, np.clip, arity=3, dtypes=REALS, elementwise=True, gradient=REAL, rejects=False),
    binary("logical_and", np.logical_and, numbers=False, result=boolean),
    binary("logical_or", np.logical_or, numbers=False, result=boolean),
    binary("logical_xor", np.logical_xor, numbers=False, result=boolean),
]


def quotient(name, reference, **given):
    """A row of a rounded quotient or its remainder; their steps are too many to take slopes of numbers near them."""
    given = {"gradient": REAL, "gradient_domain": (2.1, 2.9), **given}
    return binary(name, reference, dtypes=REALS, domain=(1.0, 9.0), with_bool=False, inplace=name + "_", **given)


def bits(name, reference, **given):
    """A row of a bitwise operator."""
    return binary(name, reference, **{"dtypes": ("bool", *INTEGERS), "inplace": name + "_", **given})


DIVISION = [
    quotient("floor_divide", np.floor_divide, second=False),
    quotient("remainder", np.remainder),
    quotient("fmod", np.fmod),
    Row(
        "div(rounding_mode='trunc')",
        lambda x, y: ft.div(x, y, rounding_mode="trunc"),
        lambda x, y: np.trunc(x / y),
        arity=2,
        elementwise=True,
        dtypes=REALS,
        domain=(1.0, 9.0),
        with_bool=False,
        gradient=REAL,
        gradient_domain=(2.1, 2.9),
        second=False,
    ),
    bits("bitwise_and", np.bitwise_and),
    bits("bitwise_or", np.bitwise_or),
    bits("bitwise_xor", np.bitwise_xor),
    bits("bitwise_left_shift", np.left_shift, dtypes=INTEGERS, domain=(0, 6)),
    bits("bitwise_right_shift", np.right_shift, dtypes=INTEGERS, domain=(0, 6)),
    unary("bitwise_not", np.invert, dtypes=("bool", *INTEGERS), inplace="bitwise_not_"),
]

COMPARISONS = [
    binary("eq", np.equal, result=boolean),
    binary("ne", np.not_equal, result=boolean),
    binary("lt", np.less, result=boolean, dtypes=("bool", *REALS)),
    binary("le", np.less_equal, result=boolean, dtypes=("bool", *REALS)),
    binary("gt", np.greater, result=boolean, dtypes=("bool", *REALS)),
    binary("ge", np.greater_equal, result=boolean, dtypes=("bool", *REALS)),
]


def along(name, function, reference, **given):
    """A row of something done along dimensions; there is one for each way of naming them."""
    given.setdefault("layouts", ("contiguous", "transposed", "sliced", "expanded", "offset", "zero_dim"))
    return Row(name, function, reference, **given)


def accumulate(x):
    return x.astype(np.int64) if x.dtype.kind in "biu" else x


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


REDUCTIONS = [
    along("sum", ft.sum, lambda x: accumulate(x).sum(), result=accumulated, gradient=BOTH, loose=10, out=True),
    along(
        "sum(0)",
        lambda x, **out: ft.sum(x, 0, **out),
        lambda x: accumulate(x).sum(0) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=10,
        out=True,
    ),
    along(
        "sum(-1, keepdim)",
        lambda x: ft.sum(x, -1, True),
        lambda x: accumulate(x).sum(-1, keepdims=True) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=10,
    ),
    along(
        "sum((0, 2))",
        lambda x: x.sum((0, 2)),
        lambda x: accumulate(x).sum((0, 2)),
        result=accumulated,
        gradient=BOTH,
        loose=10,
        shapes=((2, 3, 4),),
    ),
    along("sum of nothing", lambda x: x.sum(1), lambda x: accumulate(x).sum(1), result=accumulated, shapes=((3, 0),)),
    along("prod", ft.prod, lambda x: accumulate(x).prod(), result=accumulated, gradient=BOTH, loose=20, out=True),
    along(
        "prod(0)",
        lambda x, **out: ft.prod(x, 0, **out),
        lambda x: accumulate(x).prod(0) if x.ndim else accumulate(x),
        result=accumulated,
        gradient=BOTH,
        loose=20,
        out=True,
    ),
    along(
        "prod((0, 2), keepdim)",
        lambda x: x.prod((0, 2), True),
        lambda x: accumulate(x).prod((0, 2), keepdims=True),
        result=accumulated,
        gradient=BOTH,
        loose=20,
        domain=(-1.5, 1.5),
        shapes=((2, 3, 4),),
    ),
    along(
        "prod of nothing", lambda x: x.prod(1), lambda x: accumulate(x).prod(1), result=accumulated, shapes=((3, 0),)
    ),
    along("mean", ft.mean, np.mean, dtypes=FLOATS + COMPLEX, gradient=BOTH, loose=10, out=True),
    along(
        "mean(1, keepdim)",
        lambda x: ft.mean(x, 1, True),
        lambda x: x.mean(1, keepdims=True),
        dtypes=FLOATS + COMPLEX,
        gradient=BOTH,
        loose=10,
        shapes=((3, 4),),
    ),
    along("amax", ft.amax, np.max, dtypes=("bool", *REALS), gradient=REAL, distinct=True, out=True),
    along(
        "amin((0, 2))",
        lambda x: ft.amin(x, (0, 2)),
        lambda x: x.min((0, 2)),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((2, 3, 4),),
    ),
    along("max", ft.max, np.max, dtypes=("bool", *REALS), gradient=REAL, distinct=True),
    along(
        "max(1)",
        lambda x: tuple(x.max(1)),
        lambda x: (x.max(1), x.argmax(1)),
        dtypes=("bool", *REALS),
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "max(1).values",
        lambda x: x.max(1).values,
        lambda x: x.max(1),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "min(0, keepdim)",
        lambda x: tuple(x.min(0, True)),
        lambda x: (x.min(0, keepdims=True), x.argmin(0, keepdims=True)),
        dtypes=("bool", *REALS),
        distinct=True,
        shapes=((3, 4),),
    ),
    along(
        "min(0).values",
        lambda x: x.min(0, True).values,
        lambda x: x.min(0, keepdims=True),
        dtypes=("bool", *REALS),
        gradient=REAL,
        distinct=True,
        shapes=((3, 4),),
    ),
    along("argmax", ft.argmax, np.argmax, dtypes=("bool", *REALS), result=always("int64"), distinct=True),
    along(
        "argmin(1)",
        lambda x: x.argmin(1),
        lambda x: x.argmin(1),
        dtypes=("bool", *REALS),
        result=always("int64"),
        distinct=True,
        shapes=((3, 4),),
    ),
    along("any", ft.any, np.any, result=boolean, out=True),
    along("all(0)", lambda x: ft.all(x, 0), lambda x: x.astype(bool).all(0), result=boolean, shapes=((3, 4),)),
    along(
        "softmax(1)",
        lambda x: ft.softmax(x, 1),
        lambda x: np.exp(log_softmax(x, 1)),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4),),
    ),
    along(
        "softmax(0)",
        lambda x: ft.softmax(x, 0),
        lambda x: np.exp(log_softmax(x, 0)),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4, 2),),
    ),
    along(
        "log_softmax(1)",
        lambda x: ft.log_softmax(x, 1),
        lambda x: log_softmax(x, 1),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4),),
    ),
    along(
        "log_softmax(0)",
        lambda x: ft.log_softmax(x, 0),
        lambda x: log_softmax(x, 0),
        dtypes=FLOATS,
        gradient=REAL,
        shapes=((3, 4, 2),),
    ),
]


def product(*shapes, function=ft.matmul, **given):
    """A row of a matrix product of these shapes."""
    name = f"{function.__name__} {' '.join(str(shape).replace(' ', '') for shape in shapes)}"

    def reference(a, b):
        return (a.astype(int) @ b.astype(int) > 0) if a.dtype == bool else a @ b

    given.setdefault("gradient", BOTH)
    return Row(name, function, reference, arity=2, shapes=shapes, loose=20, **given)


PRODUCTS = [
    product((3, 4), (4, 5), out=True),
    product((4,), (4,)),
    product((3, 4), (4,)),
    product((4,), (4, 2)),
    product((2, 2, 3), (3, 2)),
    product((2, 2, 3), (2, 3, 2)),
    product((2, 1, 2, 3), (2, 3, 1)),
    product((2, 2, 3), (3,)),
    product((3,), (2, 3, 2)),
    product((0, 4), (4, 5), gradient=()),
    product((3, 0), (0, 5), gradient=()),
    product((3, 4), (4, 5), function=ft.mm),
    product((2, 2, 3), (2, 3, 2), function=ft.bmm),
    product((3, 4), (4,), function=ft.mv),
    product((4,), (4,), function=ft.dot),
]


def shaped(name, function, reference=None, **given):
    """A row of something that moves elements: all dtypes, exact."""
    given = {"gradient": BOTH, "shapes": ((3, 4),), **given}
    return Row(name, function, reference or function, **given)


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
    shaped("contiguous", lambda x: x.contiguous(), np.copy),
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

ROWS = [
    *POINTWISE,
    *SPECIAL,
    *SPECIAL_FUNCTIONS,
    *ARITHMETIC,
    *DIVISION,
    *COMPARISONS,
    *REDUCTIONS,
    *PRODUCTS,
    *SHAPES,
    *ALONG,
    *BY_INDEX,
    *MOVING,
    *IMAGES,
    *SAMPLES,
    *COMPLEX_ROWS,
    *MATRICES,
    *FOURIER,
]
assert len({row.name for row in ROWS}) == len(ROWS)
assert set(ALL) >= set(INTEGERS)
