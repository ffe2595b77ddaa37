"""Rows of functions of complex numbers: their parts, conjugates, angles."""

import numpy as np
from harness import ALL, COMPLEX, Row, floating, real_part

import facula_tensor as ft

BOTH = ("float64", "complex128")
ONLY = {"dtypes": COMPLEX, "gradient": ("complex128",)}
PARTS = {"dtypes": ("float32", "float64"), "gradient": ("float64",), "arity": 2, "shapes": ((3, 1), (4,))}


def complex_of(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def sign(x):
    return np.sign(x) if x.dtype != bool else x


COMPLEX_ROWS = [
    Row("real", ft.real, np.real, result=real_part, gradient=BOTH),
    Row("x.real", lambda x: x.real, np.real, result=real_part, gradient=BOTH),
    Row("imag", ft.imag, np.imag, result=real_part, **ONLY),
    Row("view_as_real", ft.view_as_real, lambda z: np.stack([z.real, z.imag], -1), result=real_part, **ONLY),
    Row(
        "view_as_complex",
        lambda x: ft.view_as_complex(x.clone()),
        lambda x: x[..., 0] + 1j * x[..., 1],
        dtypes=("float32", "float64"),
        result=complex_of,
        shapes=((3, 2),),
        gradient=("float64",),
    ),
    Row("conj", ft.conj, np.conj, gradient=BOTH),
    Row("conj_physical", ft.conj_physical, np.conj, inplace="conj_physical_", out=True, gradient=BOTH),
    Row("adjoint", ft.adjoint, lambda z: np.conj(z.T), shapes=((3, 4),), gradient=BOTH),
    Row("x.mH", lambda x: x.mH, lambda z: np.conj(np.swapaxes(z, -1, -2)), shapes=((2, 3, 4),), gradient=BOTH),
    Row(
        "angle", ft.angle, np.angle, result=lambda dtype: real_part(floating(dtype)), out=True, gradient=("complex128",)
    ),
    Row("sgn", ft.sgn, sign, inplace="sgn_", out=True, gradient=("complex128",)),
    Row("isreal", ft.isreal, np.isreal, dtypes=ALL, result=lambda dtype: "bool"),
    Row("complex", ft.complex, lambda x, y: x + 1j * y, result=complex_of, **PARTS),
    Row("polar", ft.polar, lambda x, y: x * np.exp(1j * y), result=complex_of, loose=10, **PARTS),
]
