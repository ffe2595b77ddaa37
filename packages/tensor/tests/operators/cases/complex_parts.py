"""Cases of functions of complex numbers: their parts, conjugates, angles."""

import numpy as np
from case import ALL, COMPLEX, Case, floating, real_part

import facula_tensor as ft

BOTH = ("float64", "complex128")
ONLY = {"dtypes": COMPLEX, "gradient": ("complex128",)}
PARTS = {"dtypes": ("float32", "float64"), "gradient": ("float64",), "arity": 2, "shapes": ((3, 1), (4,))}


def complex_of(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def sign(x):
    return np.sign(x) if x.dtype != bool else x


COMPLEX_PARTS = [
    Case("real", ft.real, np.real, result=real_part, gradient=BOTH, may_return_operand=True),
    Case("x.real", lambda x: x.real, np.real, result=real_part, gradient=BOTH, may_return_operand=True),
    Case("imag", ft.imag, np.imag, result=real_part, **ONLY),
    Case("view_as_real", ft.view_as_real, lambda z: np.stack([z.real, z.imag], -1), result=real_part, **ONLY),
    Case(
        "view_as_complex",
        lambda x: ft.view_as_complex(x.clone()),
        lambda x: x[..., 0] + 1j * x[..., 1],
        dtypes=("float32", "float64"),
        result=complex_of,
        shapes=((3, 2),),
        gradient=("float64",),
    ),
    Case("conj", ft.conj, np.conj, gradient=BOTH, may_return_operand=True),
    Case(
        "conj_physical",
        ft.conj_physical,
        np.conj,
        inplace="conj_physical_",
        out=True,
        gradient=BOTH,
        may_return_operand=True,
    ),
    Case("adjoint", ft.adjoint, lambda z: np.conj(z.T), shapes=((3, 4),), gradient=BOTH),
    Case("x.mH", lambda x: x.mH, lambda z: np.conj(np.swapaxes(z, -1, -2)), shapes=((2, 3, 4),), gradient=BOTH),
    Case(
        "angle", ft.angle, np.angle, result=lambda dtype: real_part(floating(dtype)), out=True, gradient=("complex128",)
    ),
    Case("sgn", ft.sgn, sign, inplace="sgn_", out=True, gradient=("complex128",)),
    Case("isreal", ft.isreal, np.isreal, dtypes=ALL, result=lambda dtype: "bool"),
    Case("complex", ft.complex, lambda x, y: x + 1j * y, result=complex_of, **PARTS),
    Case("polar", ft.polar, lambda x, y: x * np.exp(1j * y), result=complex_of, loose=10, **PARTS),
]
