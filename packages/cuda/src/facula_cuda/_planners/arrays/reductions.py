"""Sums, products, extremes and their places, any, all, variances and norms: kernels/arrays/reduce.cuh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._dtype_codes import (
    BFLOAT16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)
from ..._generate import FEW
from ..dimensions import merged, packed, room_for, suffix_of
from ..launches import THREADS, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout, Plan

    from ..dimensions import Dimension
    from ..launches import Constant

#: Names of dtype codes in elements/dtypes.h.
CODES = {
    1: "BOOL", 2: "UINT8", 3: "INT8", 4: "INT16", 5: "INT32", 6: "INT64", 7: "FLOAT16", 8: "BFLOAT16", 9: "FLOAT32",
    10: "FLOAT64", 11: "COMPLEX64", 12: "COMPLEX128", 13: "UINT16", 14: "UINT32", 15: "UINT64",
}  # fmt: skip
FLOATS = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
COMPLEX = (COMPLEX64, COMPLEX128)
UNSIGNED = (UINT16, UINT32, UINT64)
STATE_BYTES = 48  # of the largest state
LANE_ELEMENTS = 4  # that one thread folds at least, unless a row is longer than 256 of them
WANTED_THREADS = 1 << 16  # below them, outputs are split into pieces
PIECE_ELEMENTS = 64  # that one thread folds of a piece at least
MAX_PIECES = 1024

#: By operator: the outputs, and the type of states, for dtype names {0} and {1} of the input and the first output.
STATES = {
    "sum": ("VALUES", "sum_of<{0}, {1}>"),
    "prod": ("VALUES", "product_of<{0}, {1}>"),
    "amax": ("VALUES", "extreme_of<{0}, 1>"),
    "amin": ("VALUES", "extreme_of<{0}, -1>"),
    "any": ("VALUES", "truth_of<{0}, 0>"),
    "all": ("VALUES", "truth_of<{0}, 1>"),
    "max_dim": ("VALUES | PLACES", "extreme_of<{0}, 1>"),
    "min_dim": ("VALUES | PLACES", "extreme_of<{0}, -1>"),
    "argmax": ("PLACES", "extreme_of<{0}, 1>"),
    "argmin": ("PLACES", "extreme_of<{0}, -1>"),
    "var": ("VALUES", "moments_of<{1}>"),
    "norm2": ("VALUES", "norm_of<{1}>"),
    "norm_p": ("VALUES", "power_norm_of<{1}>"),
    "log_sum_exp": ("VALUES", "log_sum_of<{1}>"),
}


def has_kernel(operator: str, code: int, output: int) -> bool:
    """Return whether a reduction has a kernel for the dtype codes of its input and of its first output."""
    if operator not in STATES or code not in CODES or output not in CODES:
        return False
    if operator in ("sum", "prod"):
        return output == (code if code in FLOATS or code in COMPLEX else INT64)
    if code in UNSIGNED:
        return False
    if operator in ("any", "all"):
        return output == (UINT8 if code == UINT8 else BOOL)
    if operator in ("var", "norm2"):
        return (code in FLOATS and output == code) or (code in COMPLEX and output == code - 2)
    if code in COMPLEX:
        return False
    if operator in ("argmax", "argmin"):
        return output == INT64
    return output == code and (code in FLOATS or operator not in ("norm_p", "log_sum_exp"))


def source_of(operator: str, code: int, output: int, room: int = FEW) -> tuple[str, str]:
    """Return the text of a reduction's kernels, and the beginning of their names."""
    wanted, state = STATES[operator]
    name = f"{operator}_{CODES[code]}_{CODES[output]}{suffix_of(room)}".lower()
    state = ("complex_" * (operator == "var" and code in COMPLEX)) + state.format(CODES[code], CODES[output])
    arguments = f"{name}, {room}, {CODES[code]}, {CODES[output]}, ({wanted}), {state}"
    return f'#include "facula/reduce.cuh"\nREDUCTION({arguments})\n', name


@planner(*STATES)
def plan_reduction(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a reduction; None if it has no kernel, or more dimensions than the kernel's parameters hold."""
    (a,) = inputs
    if not has_kernel(operator, a.dtype.code, outputs[0].dtype.code):
        return None
    dims, keepdim, number, root = _arguments(operator, parameters, a.ndim)
    values = None if operator in ("argmax", "argmin") else outputs[0]
    places = outputs[-1] if "PLACES" in STATES[operator][0] else None
    kept = merged(_kept(a, dims, keepdim, values, places))
    size = a.dtype.itemsize
    folded = merged([(a.shape[dim], a.strides[dim] * size) for dim in reversed(dims)], ordered=places is None)
    room = room_for(kept, folded)
    if not room:
        return None
    count = outputs[0].numel
    reduced = 1
    for dim in dims:
        reduced *= a.shape[dim]
    group, pieces, piece = _shares(count, reduced, kept, folded)
    source, name = source_of(operator, a.dtype.code, outputs[0].dtype.code, room)
    constants: dict[str, Constant] = {
        "outputs": count,
        "reduced": reduced,
        "group": group,
        "pieces": pieces,
        "piece": piece,
        "root": int(root),
        "number": float(number),
        "kept": packed(kept, 3, room),
        "folded": packed(folded, 1, room),
    }
    together = THREADS // group
    if pieces > 1:
        kernels = [
            Kernel(f"{name}_pieces", "", blocks_for(count * pieces, together)),
            Kernel(f"{name}_joined", "", blocks_for(count)),
        ]
    else:
        kernels = [Kernel(f"{name}_whole", "", blocks_for(count, together))]
    return kernel_plan(
        operator,
        parameters,
        outputs,
        [source],
        kernels,
        pointers="a values places" if len(outputs) > 1 else "a result",
        constants=constants,
        workspace=count * pieces * STATE_BYTES if pieces > 1 else 0,
    )


def _arguments(operator: str, parameters: tuple[Any, ...], ndim: int) -> tuple[tuple[int, ...], bool, float, bool]:
    """Return the reduced dimensions, whether they are kept, a number and whether to take the root."""
    if operator == "var":
        return parameters
    if operator == "norm_p":
        return (*parameters, False)
    dims, keepdim = parameters
    if operator in ("argmax", "argmin") and dims is None:
        dims = tuple(range(ndim))
    return (dims if isinstance(dims, tuple) else (dims,)), keepdim, 0, False


def _kept(
    a: Layout, dims: tuple[int, ...], keepdim: bool, values: Layout | None, places: Layout | None
) -> list[Dimension]:
    """Return the dimensions of outputs, innermost first: length, then steps of the array, of values and of places."""
    found: list[Dimension] = []
    at = 0
    for dim, (length, stride) in enumerate(zip(a.shape, a.strides, strict=True)):
        if dim in dims:
            at += keepdim
            continue
        steps = [layout.strides[at] * layout.dtype.itemsize if layout else 0 for layout in (values, places)]
        found.append((length, stride * a.dtype.itemsize, *steps))
        at += 1
    return found[::-1]


def _shares(count: int, reduced: int, kept: Sequence[Dimension], folded: Sequence[Dimension]) -> tuple[int, int, int]:
    """Return the threads of a task, a power of two, and the number and size of pieces. They depend on shapes alone."""
    by_column = bool(kept and folded and kept[0][1] < folded[0][1])  # neighbouring threads read neighbouring outputs
    lanes = 1 if by_column else -(-reduced // LANE_ELEMENTS)
    group = min(THREADS, 1 << max(0, lanes - 1).bit_length())
    pieces = min(WANTED_THREADS // max(1, count * group), reduced // (group * PIECE_ELEMENTS), MAX_PIECES)
    piece = -(-reduced // max(1, pieces))
    return group, max(1, -(-reduced // max(1, piece))), max(1, piece)
