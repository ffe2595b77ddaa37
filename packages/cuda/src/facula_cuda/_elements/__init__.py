"""The CPU's element functions as device code, so that both compute the same bits.

`headers()` returns all headers of generated kernels: those of facula_cpu as they are, those of this folder, and one for
each family of operators and type, such as "facula/floating_float32.h". `header_of` finds the one of an operator.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from facula_cpu.extend import element_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWN = Path(__file__).parent
_REALS = {"float32": "float", "float64": "double"}
_INTEGERS = {
    "uint8": ("uint8_t", "uint32_t"), "int8": ("int8_t", "uint32_t"), "int16": ("int16_t", "uint32_t"),
    "int32": ("int32_t", "uint32_t"), "int64": ("int64_t", "uint64_t"),
}  # fmt: skip
_COMPLEX = {"complex64": "float", "complex128": "double"}
#: Each family of operators for real numbers: the headers that its template expects in addition to functions.h.
_FAMILIES = {
    "floating": (), "rounding": (), "exponents": ("exponents",), "trigonometric": ("hyperbolic", "inverse"),
    "special": ("erfc", "error_inverse", "turns"), "gamma": ("gamma", "zeta"), "bessel": ("bessel",),
    "distributions": ("distributions",), "neural": (),
}  # fmt: skip
_FAMILIES_OF: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_REALS, tuple(_FAMILIES)), **dict.fromkeys(_INTEGERS, ("integer",)), "bool": ("bool",),
    **dict.fromkeys(_COMPLEX, ("complex",)),
}  # fmt: skip
_DEFINITION = re.compile(
    r"^(?:PART|FUNCTION|FUNCTION_2|FUNCTION_3|UNARY|BINARY|TEST|COMPARE|TERNARY|QUATERNARY|GUARDED|GUARDED_2|DENSE|DENSE_2|POWER)\((\w+),",
    re.MULTILINE,
)


def _template(family: str) -> str:
    """Return the path of a family's template, as `#include` gives it."""
    return f"facula/{family}.inc" if family in ("distributions", "powers") else f"elements/{family}.inc"


def _real_header(family: str, suffix: str) -> str:
    lines = [f'#include "elements/math/{name}.h"' for name in ("functions", *_FAMILIES[family])]
    lines += [f"#define T {_REALS[suffix]}", f"#define SUFFIX {suffix}", '#include "facula/definitions.inc"']
    lines.append(f'#include "{_template(family)}"')
    if family == "floating":
        lines.append(f'#include "{_template("powers")}"')
    return _header(lines)


def _integer_header(suffix: str) -> str:
    type_, wide = _INTEGERS[suffix]
    return _header(
        [f"#define T {type_}", f"#define W {wide}", f"#define SUFFIX {suffix}", '#include "facula/definitions.inc"',
         f'#include "{_template("integer")}"', "#undef W"]
    )  # fmt: skip


def _complex_header(suffix: str, real: str) -> str:
    return _header(
        ['#include "facula/complex.h"', f"#define T {suffix}_t", f"#define REAL {real}", f"#define SUFFIX {suffix}",
         "#define MAKE(a, b) (T{(REAL)(a), (REAL)(b)})", "#define F(name) complex_functions::name",
         '#include "facula/definitions.inc"', f'#include "{_template("complex")}"', "#undef REAL", "#undef MAKE",
         "#undef F"]
    )  # fmt: skip


def _header(lines: list[str]) -> str:
    return "\n".join(["#pragma once", '#include "facula/words.h"', *lines, '#include "facula/definitions_end.inc"', ""])


@cache
def headers() -> Mapping[str, str]:
    """Return the text of each header by the name that `#include` gives."""
    root = element_sources()
    found = {}
    for folder in (root / "elements", root / "elements" / "math"):
        for path in sorted(folder.iterdir()):
            if path.suffix in (".h", ".inc"):
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    for path in sorted(_OWN.iterdir()):
        if path.suffix in (".h", ".inc"):
            found[f"facula/{path.name}"] = path.read_text(encoding="utf-8")
    for suffix in _REALS:
        for family in _FAMILIES:
            found[f"facula/{family}_{suffix}.h"] = _real_header(family, suffix)
    for suffix in _INTEGERS:
        found[f"facula/integer_{suffix}.h"] = _integer_header(suffix)
    for suffix, real in _COMPLEX.items():
        found[f"facula/complex_{suffix}.h"] = _complex_header(suffix, real)
    bools = ["#define T uint8_t", "#define SUFFIX bool", '#include "facula/definitions.inc"']
    found["facula/bool_bool.h"] = _header([*bools, f'#include "{_template("bool")}"'])
    return found


@cache
def _operators(family: str) -> frozenset[str]:
    """Return the operators that a family's template defines."""
    found = set(_DEFINITION.findall(headers()[_template(family)]))
    if family == "floating":
        found.update(_DEFINITION.findall(headers()[_template("powers")]))
    if family in ("integer", "complex"):
        found.add("pow")  # a function with loops in another file
    return frozenset(found)


@cache
def header_of(operator: str, suffix: str) -> str | None:
    """Return the header that defines `operator_of_suffix`, such as `exp_of_float32`; None if there is none.

    >>> header_of("exp", "float32"), header_of("add", "int16"), header_of("exp", "int16")
    ('facula/floating_float32.h', 'facula/integer_int16.h', None)
    """
    families = _FAMILIES_OF.get(suffix, ())
    found = next((family for family in families if operator in _operators(family)), None)
    return None if found is None else f"facula/{found}_{suffix}.h"
