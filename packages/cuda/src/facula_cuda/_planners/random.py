"""Planners of random operators, which draw the CPU's numbers: element i depends on the seed, the offset and i."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._dtype_codes import FLOAT64
from .launches import MAX_BLOCKS, THREADS, Kernel, kernel_plan
from .registry import planner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from facula_storage import Layout, Plan

PRECISIONS = {7: 11, 8: 8, 9: 24}  # of the significand, by the dtype's code
INTEGERS = {1: "uint8_t", 2: "uint8_t", 3: "uint8_t", 4: "int16_t", 5: "int32_t", 6: "int64_t"}
WORDS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
ONES = {7: 0x3C00, 8: 0x3F80, 9: 0x3F800000, 10: 0x3FF0000000000000}  # the bits of 1; others: 1
SCALARS: dict[str, dict[str, type]] = {
    "uniform": {"low": float, "high": float},
    "normal": {"mean": float, "deviation": float},
    "randint": {"low": int, "high": int},
    "bernoulli": {"probability": float},
    "philox": {"first": int},
}


#: Draws with parameters for each element, and the functions of facula_cpu's elements/rejection.h.
SAMPLES = {"standard_gamma": "gamma", "log_standard_gamma": "log_gamma", "poisson": "poisson", "binomial": "binomial"}


def body_of(operator: str, code: int, itemsize: int) -> tuple[str, int] | None:
    """Return the statement that draws elements of a dtype, and the number of elements of a thread."""
    floating = code in PRECISIONS or code == FLOAT64
    if operator == "philox":
        return ("draw_philox(p);", 4) if code == 5 else None
    if operator == "bernoulli":
        if not floating and code not in INTEGERS:
            return None
        return f"draw_bernoulli<{WORDS[itemsize]}>(p, {ONES.get(code, 1):#x}ull);", 4
    if operator == "randint":
        return (f"draw_integers<{INTEGERS[code]}>(p);", 2) if code in INTEGERS else None
    if code == FLOAT64:
        return f"draw_{operator}_float64(p);", 2
    if code not in PRECISIONS:
        return None
    of = f"{code}, {PRECISIONS[code]}" if operator == "uniform" else f"{code}"
    return f"draw_{operator}<{of}>(p);", 4


@planner(*SCALARS)
def plan_random(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a draw of any size into a contiguous output: launch(n, output, seed, offset, *numbers)."""
    o = outputs[0]
    drawn = body_of(operator, o.dtype.code, o.dtype.itemsize)
    if drawn is None or not o.is_contiguous:
        return None
    body, each = drawn
    scalars = {"seed": int, "offset": int} | SCALARS[operator]
    return _draw_plan(operator, outputs, parameters, body, each, "o", scalars)


@planner("dropout")
def plan_dropout(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan dropout of contiguous floats of any number: launch(n, x, o, share, seed, offset)."""
    x, o = inputs[0], outputs[0]
    types = {9: "float", 10: "double"}
    if o.dtype.code not in types or x.dtype is not o.dtype or not (x.is_contiguous and o.is_contiguous):
        return None
    scalars = {"share": float, "seed": int, "offset": int}
    return _draw_plan(operator, outputs, parameters, f"drop<{types[o.dtype.code]}>(p);", 4, "x o", scalars)


@planner(*SAMPLES)
def plan_samples(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan draws with parameters of the output's shape: launch(n, *inputs, o, seed, offset). Contiguous floats."""
    o = outputs[0]
    types = {9: "float, FLT_MIN", 10: "double, DBL_MIN"}
    if o.dtype.code not in types or any([one.dtype is not o.dtype or not one.is_contiguous for one in (*inputs, o)]):
        return None
    given = ("a", "b")[: len(inputs)]
    body = f"DRAW_SAMPLES({SAMPLES[operator]}, {types[o.dtype.code]}, {given[0]}, {given[-1]})"
    scalars = {"seed": int, "offset": int}
    return _draw_plan(operator, outputs, parameters, body, 1, " ".join((*given, "o")), scalars, "samples")


def _draw_plan(
    operator: str,
    outputs: tuple[Layout, ...],
    parameters: tuple[Any, ...],
    body: str,
    each: int,
    pointers: str,
    scalars: Mapping[str, type],
    template: str = "random",
) -> Plan | None:
    """Return a plan of any size whose threads compute `each` elements by the statement `body`."""
    kernel = Kernel(f"{operator}_{outputs[0].dtype.name}", body, MAX_BLOCKS, per=each * THREADS)
    return kernel_plan(
        operator, parameters, outputs, [template], [kernel], pointers=pointers, scalars=scalars, any_size=True
    )
