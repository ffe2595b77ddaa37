"""Sorting, the elements of some ranks, searches in sorted lines, and permutations: kernels/arrays/sort.cuh."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._dtype_codes import COMPLEX64, COMPLEX128, INT32, INT64, UINT64
from ..dimensions import dimensions_of, lines_of, nest_of
from ..launches import THREADS, WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner
from .reductions import CODES

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

BLOCK_PAIRS, DIGITS, TILE = 1024, 256, 2048  # as in sort.cuh
MAX_LENGTH = (1 << 32) - 2  # places are uint32_t
KEYS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
RANKS = {"median_dim": 0, "nanmedian_dim": -1, "mode": -2}  # as in sort.cuh; "mode" has kernels of its own


class Sorting(NamedTuple):
    """The part of a plan that sorts lines."""

    kernels: list[Kernel]
    constants: dict[str, Constant]
    workspace: int  # bytes


def pair_of(key_bytes: int) -> str:
    """Return the type of pairs for keys of that size."""
    return "narrow_pair" if key_bytes <= 4 else "wide_pair"


def sorting(name: str, loader: str, writer: str, lines: int, length: int, key_bytes: int, digits: int) -> Sorting:
    """Return the kernels that sort pairs, and what they need.

    Arguments:
        name: the beginning of the kernels' names.
        loader, writer: the types that read keys and write results; see sort.cuh.
        lines: the number of lines.
        length: the number of elements of a line.
        key_bytes: the size of a key.
        digits: the number of bytes of a key that differ, the least significant ones.
    """
    size, elements = 1 << max(0, length - 1).bit_length(), lines * length
    pair = pair_of(key_bytes)
    short = size <= BLOCK_PAIRS
    tiles = -(-length // TILE)
    nbytes = elements * (8 if key_bytes <= 4 else 16)
    pairs = 64 + 8 * lines  # after the number of the pass and the longest runs
    counts = pairs + (nbytes if short else 2 * nbytes)
    totals = counts + (0 if short else 4 * lines * DIGITS * tiles)
    constants: dict[str, Constant] = {
        "lines": lines,
        "length": length,
        "room": size,
        "passes": 0 if short else digits,
        "tiles": tiles,
        "longest": 64,
        "pairs": -(-pairs // 16) * 16,
        "counts": -(-counts // 16) * 16 + 16,
        "totals": -(-totals // 16) * 16 + 32,
    }
    if short:
        blocks = blocks_for(lines, BLOCK_PAIRS // size)
        kernels = [Kernel(f"{name}_short", f"sort_short<{loader}, {writer}>(p);", blocks, waits=True)]
        return Sorting(kernels, constants, counts + 64 if writer == "write_pair" else 0)
    one_pass = [
        Kernel(f"{name}_count", f"sort_count<{pair}>(p);", blocks_for(lines * tiles, 1), waits=True),
        Kernel(f"{name}_scan", "sort_scan(p);", blocks_for(lines * DIGITS, THREADS // WARP), waits=True),
        Kernel(f"{name}_move", f"sort_move<{pair}>(p);", blocks_for(lines * tiles, 1), waits=True),
    ]
    kernels = [Kernel(f"{name}_load", f"sort_load<{loader}>(p);", blocks_for(elements)), *one_pass * digits]
    if writer != "write_pair":
        kernels.append(Kernel(f"{name}_write", f"sort_write<{pair}, {writer}>(p);", blocks_for(elements)))
    return Sorting(kernels, constants, totals + 4 * lines * DIGITS + 128)


@planner("sort", "topk", "kthvalue", *RANKS)
def plan_sort(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a sort, the first elements or the element of one rank, as the CPU's planners of these operators."""
    (a,), code, size = inputs, inputs[0].dtype.code, inputs[0].dtype.itemsize
    dim = parameters[1] if operator == "topk" else parameters[0]
    lengths, along, dims = lines_of((a, *outputs), dim)
    if code > UINT64 or code in (COMPLEX64, COMPLEX128) or lengths[0] > MAX_LENGTH:
        return None
    key, pair = KEYS[size], pair_of(size)
    name, flip, option = f"{operator}_{a.dtype.name}", 0, 0
    if operator == "sort":
        flip, writer = int(parameters[1]), f"write_sorted<{key}>"
    elif operator == "topk":
        flip, writer = int(parameters[2]), f"write_sorted<{key}>"
    elif operator == "mode":
        writer = "write_pair"
    else:
        option, writer = RANKS.get(operator, parameters[-1]), f"write_rank<{code}, {key}>"
    lines = prod([one[0] for one in dims])
    kernels, constants, workspace = sorting(
        name, f"element_keys<{code}, {key}, {pair}>", writer, lines, lengths[0], size, size
    )
    if operator == "mode":
        of_pairs = blocks_for(lines * lengths[0])
        kernels = [
            Kernel(f"{name}_clear", "clear_longest(p);", blocks_for(lines)),
            *kernels,
            Kernel(f"{name}_runs", f"sort_write<{pair}, count_run>(p);", of_pairs),
            Kernel(name, f"write_modes<{pair}, {key}>(p);", blocks_for(lines)),
        ]
    constants |= {
        "flip": flip,
        "option": option,
        "kept": lengths[1],
        "along": along,
        "dims": len(dims),
        "nest": nest_of(dims),
    }
    return kernel_plan(
        operator, parameters, outputs, ["sort"], kernels, pointers="a values places", constants=constants,
        workspace=workspace, absent="" if workspace else "workspace",
    )  # fmt: skip


@planner("search_sorted")
def plan_search(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan positions of values in sorted lines: operands and parameters as for the CPU's planner."""
    code = inputs[0].dtype.code
    if code not in CODES or inputs[1].dtype is not inputs[0].dtype:
        return None
    lengths, along, dims = lines_of((*inputs, *outputs), -1)
    count = outputs[0].numel
    constants: dict[str, Constant] = {
        "lines": count // lengths[1] if count else 0,
        "length": lengths[0],
        "count": lengths[1],
        "right": int(parameters[0]),
        "along": along,
        "dims": len(dims),
        "nest": nest_of(dims),
    }
    kernel = Kernel(f"{operator}_{inputs[0].dtype.name}", f"search_lines<{code}>(p);", blocks_for(count))
    return kernel_plan(
        operator, parameters, outputs, ["sort"], [kernel], pointers="a values o", constants=constants,
        absent="workspace",
    )  # fmt: skip


@planner("permutation_of")
def plan_permutation(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the matrices that undo row exchanges: pivots (..., k) of integers, and the number of rows."""
    (pivots,), (rows,), o = inputs, parameters, outputs[0]
    if pivots.dtype.code not in (INT32, INT64) or not o.is_contiguous:
        return None
    steps = [stride * pivots.dtype.itemsize for stride in pivots.strides]
    dims = dimensions_of(pivots.shape[:-1], steps[:-1])
    lines = prod(pivots.shape[:-1])
    constants: dict[str, Constant] = {
        "lines": lines,
        "length": pivots.shape[-1],
        "rows": rows,
        "along": steps[-1:],
        "dims": len(dims),
        "nest": nest_of([(*one, 0, 0) for one in dims]),
    }
    kernels = [
        Kernel(f"{operator}_order", f"order_rows<int{8 * pivots.dtype.itemsize}_t>(p);", blocks_for(o.numel)),
        Kernel(operator, "place_rows(p);", blocks_for(lines * rows)),
    ]
    return kernel_plan(
        operator, parameters, outputs, ["sort"], kernels, pointers="pivots o", constants=constants,
        workspace=64 + 4 * lines * rows, checks=inputs,
    )  # fmt: skip
