"""Forms of generated kernels: operators of all families with the dtypes that they take, and operands for them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .._elements import headers
from .._generate import generate
from .._generate.values import (
    BFLOAT16,
    BOOL,
    COMPLEX,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    NAMES,
    SIZES,
)

Array = np.ndarray[Any, Any]
Form = tuple[str, tuple[Any, ...], tuple[int, ...]]

OPERANDS = {
    **dict.fromkeys(("FUNCTION", "UNARY", "TEST", "GUARDED", "DENSE"), 1),
    "FUNCTION_3": 3, "TERNARY": 3, "QUATERNARY": 4,
    **dict.fromkeys(("FUNCTION_2", "BINARY", "COMPARE", "GUARDED_2", "DENSE_2"), 2),
}  # fmt: skip
DEFINITION = re.compile(rf"^({'|'.join(OPERANDS)})\((\w+),", re.MULTILINE)
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
WITH_SCALARS = [
    ("add", (FLOAT16, float)), ("add", (BFLOAT16, float)), ("mul", (FLOAT16, float)), ("div", (float, FLOAT16)),
    ("sub", (int, FLOAT32)), ("pow", (FLOAT32, float)), ("pow", (FLOAT64, int)), ("pow", (FLOAT16, int)),
    ("pow", (float, FLOAT32)), ("remainder", (5, int)), ("floor_divide", (int, 4)), ("add", (3, int)),
    ("nan_to_num", (FLOAT32, float, float, float)), ("addcmul", (FLOAT16, FLOAT16, FLOAT16, float)),
    ("where", (BOOL, FLOAT16, float)), ("where", (BOOL, int, 6)), ("clamp", (BFLOAT16, float, float)),
]  # fmt: skip
COMPARED = [("lt", (int, 2)), ("ge", (3, int)), ("eq", (FLOAT16, float)), ("gt", (float, BFLOAT16)), ("ne", (5, int))]


def storage(code: int) -> Any:
    """Return NumPy's dtype for the elements of a dtype: bits, or complex numbers."""
    return {COMPLEX64: np.complex64, COMPLEX128: np.complex128}.get(code) or BITS[SIZES[code]]


def operators() -> dict[str, int]:
    """Return the number of operands of each operator that a template for real numbers or integers defines."""
    found: dict[str, int] = {}
    for name, text in headers().items():
        if name.endswith(".inc") and not name.endswith(("complex.inc", "definitions.inc")):
            found.update({operator: OPERANDS[kind] for kind, operator in DEFINITION.findall(text)})
    return found


def forms() -> dict[Form, Any]:
    """Return the generated kernels of each form: (operator, kinds, outputs).

    One family has float16 forms: all others would add conversions around the same float32 functions.
    """
    basic = headers()["elements/floating.inc"]
    wanted: list[Form] = [
        (operator, (code,) * count, (output,))
        for operator, count in operators().items()
        for code in NAMES
        if code not in COMPLEX and (code != FLOAT16 or f"({operator}," in basic)
        for output in {code, BOOL}
    ]
    wanted += [("copy", (given,), (code,)) for given in NAMES for code in NAMES]
    wanted += [("where", (BOOL, code, code), (code,)) for code in NAMES]
    wanted += [("fill", (kind,), (code,)) for kind in (int, float) for code in NAMES]
    wanted += [(operator, kinds, (next(kind for kind in kinds[::-1] if isinstance(kind, int) and kind != BOOL),))
               for operator, kinds in WITH_SCALARS]  # fmt: skip
    wanted += [(operator, kinds, (BOOL,)) for operator, kinds in COMPARED]
    made = {form: generate(*form) for form in wanted}
    return {form: kernels for form, kernels in made.items() if kernels is not None}


def complex_forms() -> dict[Form, Any]:
    """Return the generated kernels of operators of complex numbers, by form; their templates are in complex.inc."""
    kinds = {**OPERANDS, "PART": 1}
    found = re.findall(rf"^({'|'.join(kinds)})\((\w+),", headers()["elements/complex.inc"], re.MULTILINE)
    wanted: list[Form] = [(operator, (code,) * kinds[kind], (output,)) for kind, operator in found for code in COMPLEX
              for output in (code, code - 2, BOOL)]  # fmt: skip
    wanted += [("mul", (code, complex), (code,)) for code in COMPLEX] + [("add", (int, 11), (11,))]
    wanted += [("pow", (code, code), (code,)) for code in COMPLEX]
    made = {form: generate(*form) for form in wanted}
    return {form: kernels for form, kernels in made.items() if kernels is not None}


def operand(code: int, place: int, count: int) -> Array:
    """Return elements of a dtype as their bits: random bits, numbers of usual size, whole ones, and special ones."""
    if code in COMPLEX:
        parts = operand(code - 2, place, 2 * count).view(f"f{SIZES[code - 2]}").astype(f"f{SIZES[code - 2]}")
        numbers = parts.view(storage(code)).copy()
        special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 30, -100]
        numbers[100 : 100 + len(special) ** 2] = [complex(a, b) for a in special for b in special]
        return numbers
    random = np.random.default_rng(100 * code + place)
    bits = random.integers(0, 1 << 8 * SIZES[code], count, dtype=np.uint64).astype(BITS[SIZES[code]])
    if code == BOOL:
        return bits & 1
    if code in (FLOAT32, FLOAT64, FLOAT16, BFLOAT16):
        real = np.float64 if code == FLOAT64 else np.float32
        numbers = (random.standard_normal(count) * np.exp(2 * random.standard_normal(count))).astype(real)
        numbers[1::11] = random.integers(-5, 6, len(numbers[1::11]))
        numbers[2::13] = random.random(len(numbers[2::13]))
        numbers[:8] = [0, -0.0, np.inf, -np.inf, np.nan, 1, 1e30, -1e30]
        if code == FLOAT16:
            with np.errstate(over="ignore"):
                numbers = numbers.astype(np.float16)
        found = numbers.view(BITS[numbers.itemsize])
        found = (found >> 16).astype(np.uint16) if code == BFLOAT16 else found.copy()
        found[9::7] = bits[9::7]
        return found
    if code in (2, 3, 4, 5, 6):
        bits[1::3] = random.integers(-4, 5, len(bits[1::3])).astype(bits.dtype)
    return bits


def is_nan(code: int, bits: Array) -> Array:
    """Return which elements are NaN, whose sign and payload may differ."""
    if code in COMPLEX:
        return np.isnan(bits)
    if code in (FLOAT32, FLOAT64):
        return np.isnan(bits.view(f"f{SIZES[code]}"))
    masks = {
        FLOAT16: (0x7FFF, 0x7C00),
        BFLOAT16: (0x7FFF, 0x7F80),
        16: (0x7F, 0x7E),
        17: (0x7F, 0x7C),
        18: (0xFF, 0xFE),
    }
    if code in masks:
        mask, most = masks[code]
        return bits & mask > most
    return bits == 0x80 if code in (19, 20) else np.zeros(len(bits), bool)
