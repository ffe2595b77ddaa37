"""The text of an element's computation: conversions between dtypes, constants, scalars, and calls of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import MissingKeyError

from .._dtype_codes import (
    BFLOAT16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)  # fmt: skip
from .._elements import header_of

if TYPE_CHECKING:
    from facula_cpu.extend import Step, TypedProgram

# The names of dtypes and their types in C, by code. Half types and float8 are bits.
NAMES = {
    BOOL: "bool", UINT8: "uint8", INT8: "int8", INT16: "int16", INT32: "int32", INT64: "int64", FLOAT16: "float16",
    BFLOAT16: "bfloat16", FLOAT32: "float32", FLOAT64: "float64", UINT16: "uint16", UINT32: "uint32", UINT64: "uint64",
    COMPLEX64: "complex64", COMPLEX128: "complex128",
    16: "float8_e4m3fn", 17: "float8_e5m2", 18: "float8_e8m0fnu", 19: "float8_e4m3fnuz", 20: "float8_e5m2fnuz",
}  # fmt: skip
INTEGERS = (UINT8, INT8, INT16, INT32, INT64)
UNSIGNED = (UINT16, UINT32, UINT64)
FLOAT8 = tuple(range(16, 21))
REALS = (FLOAT32, FLOAT64)
COMPLEX = (COMPLEX64, COMPLEX128)
BY_BITS = (FLOAT16, BFLOAT16, *FLOAT8)  # dtypes that are converted by float32
TYPES = {
    **{code: f"{NAMES[code]}_t" for code in (*INTEGERS, *UNSIGNED, *COMPLEX)}, FLOAT32: "float", FLOAT64: "double",
    BOOL: "uint8_t", FLOAT16: "uint16_t", BFLOAT16: "uint16_t", **dict.fromkeys(FLOAT8, "uint8_t"),
}  # fmt: skip
SIZES = {code: 4 if text == "float" else 8 if text == "double" else int(text.strip("complexuint_")) // 8
         for code, text in TYPES.items()}  # fmt: skip
EXPENSIVE = ("zeta", "gamma_share", "standard_gamma_grad", "beta_grad")  # of thousands of instructions: compiled once
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def converted(text: str, given: int, code: int) -> str:
    """Return an element of dtype `given` as one of dtype `code`, by the rules of cast.inc.

    >>> converted("x", INT32, FLOAT16)
    'float16_of_float((float)(x))'
    """
    if given == code:
        return text
    if (given, code) == (FLOAT16, BFLOAT16):
        return f"bfloat16_of_float16({text})"
    if given in BY_BITS:
        return converted(f"float_of_{NAMES[given]}({text})", FLOAT32, code)
    if code in BY_BITS:
        return f"{NAMES[code]}_of_float({converted(text, given, FLOAT32)})"
    if given in COMPLEX:
        if code in COMPLEX:
            return f"{'narrowed' if code == COMPLEX64 else 'widened'}({text})"
        real = f"real_part({text})"
        return f"is_not_zero({text})" if code == BOOL else converted(real, given - 2, code)
    if code in COMPLEX:
        return f"{TYPES[code]}{{{converted(text, given, code - 2)}, 0}}"
    if code == BOOL:
        return f"(uint8_t)(({text}) != 0)"
    if given == BOOL:
        return f"({TYPES[code]})(({text}) != 0)"
    if given in REALS and code == UINT64:
        return f"truncated_unsigned({text})"
    if given in REALS and code == INT64:
        return f"truncated({text})"
    if given in REALS and code not in REALS:
        return f"({TYPES[code]})truncated_short({text})"
    return f"({TYPES[code]})({text})"


def constant(value: float, code: int) -> str:
    """Return a constant of a program in the dtype in which it computes.

    >>> constant(0.5, FLOAT32), constant(-3, INT64), constant(float("inf"), FLOAT32)
    ('0x1.0000000000000p-1f', '(int64_t)-3ll', 'float_of_bits(0x7f800000u)')
    """
    if code == BOOL:
        return str(int(bool(value)))
    if code in COMPLEX:
        return f"{TYPES[code]}{{{constant(value, code - 2)}, 0}}"
    if code not in REALS:
        number = int(value)
        return "INT64_MIN" if number == -(2**63) else f"({TYPES[code]}){number}ll"
    rounded = np.dtype(f"f{SIZES[code]}").type(value)
    if np.isfinite(rounded):
        return float(rounded).hex() + ("f" if code == FLOAT32 else "")
    bits = int.from_bytes(rounded.tobytes(), "little")
    return f"float_of_bits({bits:#x}u)" if code == FLOAT32 else f"double_of_bits({bits:#x}ull)"


def scalar(words: list[str], is_real: bool, code: int, rounding: int) -> str:
    """Return a scalar of the launch in the dtype of its operand.

    Arguments:
        words: the launch's arguments: an int64, a double, or two doubles, the parts of a complex number.
        is_real: whether they are doubles.
        code: the dtype.
        rounding: the code of the half dtype to which the scalar is rounded first, or 0.
    """
    word = words[0]
    if len(words) == 2 and code in COMPLEX:
        return f"{TYPES[code]}{{{', '.join([converted(part, FLOAT64, code - 2) for part in words])}}}"
    if rounding:
        return converted(f"float_of_{NAMES[rounding]}({NAMES[rounding]}_of_float((float){word}))", FLOAT32, code)
    if is_real and code in UNSIGNED:
        return f"({TYPES[code]})truncated_unsigned({word})"
    return converted(word, FLOAT64 if is_real else INT64, code)


class Values:
    """The lines that compute an element of a typed program, and what they need."""

    def __init__(self, typed: TypedProgram, scalars: frozenset[int]):
        """Write a program's lines. `scalars`: the operands that are the same for all elements.

        Raises:
            MissingKeyError: an operator has no function of elements here, such as one that a program registered.
        """
        self.lines: list[str] = []
        self.headers: set[str] = set()
        self.is_expensive = False
        self.status = 0  # what is reported where `ok` becomes 0
        self._texts = [f"x{place}" for place in range(len(typed.operands))]
        self._texts += [constant(value, typed.compute) for value in typed.constants]
        if any([code in COMPLEX for code in typed.codes]):
            self.headers.add("facula/complex.h")
        self._uniform = {*scalars, *range(len(typed.operands), len(self._texts))}
        for step in typed.steps:
            self._add(step)
        for place, value in enumerate(typed.results):
            self.lines.append(f"y{place} = {self._texts[value]};")

    def _add(self, step: Step) -> None:
        given = [self._texts[value] for value in step.values]
        if step.operation == "require":
            self.lines.append(f"ok &= ({given[0]}) != 0;")
            self._texts.append("")
            self.status = 8  # STATUS_REQUIRED
            return
        text = self._call(step, given)
        self._texts.append(f"v{step.result}")
        self.lines.append(f"const {TYPES[step.dtypes[-1]]} v{step.result} = {text};")

    def _call(self, step: Step, given: list[str]) -> str:
        operation, dtypes = step.operation, step.dtypes
        if operation == "copy":
            return converted(given[0], *dtypes)
        if operation == "where":
            return f"({given[0]}) ? {given[1]} : {given[2]}"
        if len(dtypes) == 3 and dtypes[0] != dtypes[1] == INT64 and operation in COMPARISONS:
            return f"(int64_t){given[0]} {COMPARISONS[operation]} {given[1]}"
        if dtypes[0] in INTEGERS and operation in ("floor_divide", "trunc_divide", "remainder", "fmod"):
            self.lines.append(f"ok &= {given[1]} != 0;")
            self.status = 6  # STATUS_DIVISOR
        if (
            operation in ("pow", "pow_number") and dtypes[0] in REALS
        ):  # the CPU tests exponents that are the same for all
            is_uniform = step.values[1] in self._uniform
            operation = "pow" if not is_uniform else "pow_uniform" if operation == "pow" else operation
        suffix = NAMES[dtypes[-2]]
        header = header_of(operation, suffix)
        if header is None:
            raise MissingKeyError(
                f"{operation}: expected a function of elements for {suffix}; got none. Use the CPU's loop"
            )
        self.headers.add(header)
        self.is_expensive |= operation in EXPENSIVE
        return f"{operation}_of_{suffix}({', '.join(given)})"
