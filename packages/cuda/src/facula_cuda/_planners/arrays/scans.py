"""Running sums, products, log-sums and extremes, and linear recurrences: kernels/arrays/scan.cuh."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..._dtype_codes import BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT64
from ..dimensions import lines_of, nest_of
from ..launches import THREADS, WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner
from .reductions import CODES as REAL_CODES

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

CODES = {**REAL_CODES, COMPLEX64: "COMPLEX64", COMPLEX128: "COMPLEX128"}
ADJACENT = 4  # adjacent elements for a thread, as in scan.cuh
STATE_BYTES = 16  # the maximum
WANTED_THREADS = 1 << 17  # below them, lines are split into pieces
MAX_PIECES = 1024

#: What the CPU computes with, by dtype code.
NUMBERS = {INT64: "uint64_t", FLOAT16: "float", BFLOAT16: "float", FLOAT32: "double", FLOAT64: "double",
           COMPLEX64: "complex128_t", COMPLEX128: "complex128_t"}  # fmt: skip
#: By operator: the state for a dtype's name {0} and its number {1}, and the codes of dtypes.
STATES = {
    "cumsum": ("running_sum<{0}, {1}>", NUMBERS),
    "cumprod": ("running_product<{0}, {1}>", NUMBERS),
    "logcumsumexp": ("running_log_sum<{0}, double>", range(FLOAT16, FLOAT64 + 1)),
    "cummax": ("running_extreme<{0}, 1>", range(BOOL, FLOAT64 + 1)),
    "cummin": ("running_extreme<{0}, -1>", range(BOOL, FLOAT64 + 1)),
    "recurrence": ("", NUMBERS),
}


@planner(*STATES)
def plan_scan(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a scan: operands and parameters (dim, backwards) as for the CPU's planner."""
    dim, backwards = parameters
    state, codes = STATES[operator]
    o, operands = outputs[0], (*inputs, *outputs)
    if o.dtype.code not in codes or any([layout.dtype is not o.dtype for layout in inputs]):
        return None
    lengths, along, dims = lines_of(operands, dim)
    if len(operands) == 2:
        along, dims = [*along, 0], [(*one, 0) for one in dims]
    length, lines = lengths[0], prod([one[0] for one in dims]) if o.numel else 0
    code, name = CODES[o.dtype.code], f"{operator}_{o.dtype.name}"
    group, pieces, piece = _shares(lines, length, bool(dims) and abs(dims[0][1]) < abs(along[0]))
    constants: dict[str, Constant] = {
        "lines": lines,
        "length": length,
        "along": [-step if backwards else step for step in along],
        "start": [(length - 1) * step if backwards else 0 for step in along],
        "dims": len(dims),
        "nest": nest_of(dims),
    }
    workspace = 0
    if operator == "recurrence":
        constants["late"] = along[0] * -1 if backwards else 0
        body = f"recur_lines<{code}, {NUMBERS[o.dtype.code]}>(p);"
        kernels = [Kernel(name, body, blocks_for(lines))]
    else:
        constants |= {"group": group, "pieces": pieces, "piece": piece}
        state = state.format(code, NUMBERS.get(o.dtype.code))
        blocks = blocks_for(lines * pieces, THREADS // group)
        if pieces == 1:
            kernels = [Kernel(name, f"scan_lines<{state}, SCAN_WHOLE>(p);", blocks, waits=True)]
        else:
            workspace = lines * pieces * STATE_BYTES
            kernels = [
                Kernel(f"{name}_pieces", f"scan_lines<{state}, SCAN_PIECES>(p);", blocks, waits=True),
                Kernel(f"{name}_states", f"scan_states<{state}>(p);", blocks_for(lines, THREADS // WARP), waits=True),
                Kernel(f"{name}_again", f"scan_lines<{state}, SCAN_AGAIN>(p);", blocks, waits=True),
            ]
    pointers = "a b o" if operator == "recurrence" else "a o places" if len(outputs) == 2 else "a o"
    return kernel_plan(
        operator, parameters, outputs, ["scan"], kernels, pointers=pointers, constants=constants, workspace=workspace,
        absent="" if workspace else "workspace",
    )  # fmt: skip


def _shares(lines: int, length: int, by_column: bool) -> tuple[int, int, int]:
    """Return the threads for a line, a power of two, and the number and length of its pieces.

    With `by_column`, neighbouring threads read neighbouring lines.
    """
    wanted = 1 if by_column and lines >= WARP else -(-length // ADJACENT)
    group = min(THREADS, 1 << max(0, wanted - 1).bit_length())
    pieces = min(WANTED_THREADS // max(1, lines * group), length // (group * ADJACENT * 8), MAX_PIECES)
    piece = max(1, -(-length // max(1, pieces)))
    return group, max(1, -(-length // piece)), piece
