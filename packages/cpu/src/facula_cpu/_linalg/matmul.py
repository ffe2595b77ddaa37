"""Planners of `matmul` and `linear`: matrix products with batch dimensions, of any strides."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi, lib
from .._runtime.planners import bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters, Struct


@planner("matmul")
def plan_matmul(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a @ b for a (..., m, k) and b (..., k, n) with broadcasting batch dimensions, o (..., m, n).

    Supports any strides. a may be one row (k,), and b one column (k,); o then lacks that dimension. All dtypes; for
    bool it is any(a and b).
    """
    a, b = inputs
    o = outputs[0]
    m, a_row = (a.shape[-2], a.strides[-2]) if len(a.shape) > 1 else (1, 0)
    n, b_col = (b.shape[-1], b.strides[-1]) if len(b.shape) > 1 else (1, 0)
    b_row = b.strides[-2] if len(b.shape) > 1 else b.strides[-1]
    rest = len(o.shape)
    o_row = o_col = 0
    if len(b.shape) > 1:
        rest -= 1
        o_col = o.strides[rest]
    if len(a.shape) > 1:
        rest -= 1
        o_row = o.strides[rest]
    batch = o.shape[:rest]
    steps = zip(batch, batch_strides(a, batch), batch_strides(b, batch), o.strides, strict=False)
    return plan_product(
        operator,
        inputs,
        outputs,
        parameters,
        (m, n, a.shape[-1]),
        (a_row, a.strides[-1], b_row, b_col, o_row, o_col),
        collapse_batch([dim for dim in steps if dim[0] != 1]),
    )


def batch_strides(layout: Layout, batch: tuple[int, ...], ndim: int = 2) -> list[int]:
    """Return strides of a stack of matrices along the result's batch dimensions; 0 where it broadcasts.

    An element of the stack has `ndim` dimensions.
    """
    sizes = layout.shape[: len(layout.shape) - ndim]
    own = [0 if size == 1 else stride for size, stride in zip(sizes, layout.strides, strict=False)]
    return [0] * (len(batch) - len(sizes)) + own


@planner("linear_weight_grad")
def plan_weight_gradient(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = g.T @ x for g (rows, n) and x (rows, k); o (n, k). Supports any strides."""
    g, x = inputs
    sizes = (g.shape[1], x.shape[1], g.shape[0])
    strides = (g.strides[1], g.strides[0], *x.strides, *outputs[0].strides)
    return plan_product(operator, inputs, outputs, parameters, sizes, strides, [])


@planner("linear")
def plan_linear(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = x @ w.T + bias for x (..., k), w (n, k) and bias (n,), which may be None or omitted; o (..., n).

    Floating dtypes. A bias must be contiguous; in half precision it is added before the sum is rounded.
    """
    x, w, *rest = inputs
    o = outputs[0]
    bias = rest[0] if rest else None
    if not o.dtype.is_floating_point or (bias is not None and not bias.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    rows = [dim for dim in zip(x.shape[:-1], x.strides, (0,) * len(x.shape), o.strides, strict=False) if dim[0] != 1]
    dims = collapse_batch(rows)
    m, a_row, o_row = 1, 0, 0
    if dims:
        m, a_row, _, o_row = dims.pop(0)
    return plan_product(
        operator,
        inputs,
        outputs,
        parameters,
        (m, w.shape[0], x.shape[-1]),
        (a_row, x.strides[-1], w.strides[1], w.strides[0], o_row, o.strides[-1]),
        dims,
    )


def collapse_batch(dims: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return batch dimensions (extent, steps of a, b and o), merged where possible, innermost first.

    >>> collapse_batch([(2, 12, 0, 20), (3, 4, 0, 5)])
    [(3, 4, 0, 5), (2, 12, 0, 20)]
    >>> collapse_batch([(2, 12, 0, 15), (3, 4, 0, 5)])
    [(6, 4, 0, 5)]
    """
    merged: list[tuple[int, int, int, int]] = []
    for extent, a, b, o in reversed(dims):
        if merged:
            inner, a_in, b_in, o_in = merged[-1]
            if a == a_in * inner and b == b_in * inner and o == o_in * inner:
                merged[-1] = (extent * inner, a_in, b_in, o_in)
                continue
        merged.append((extent, a, b, o))
    return merged


def plan_product(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    sizes: tuple[int, int, int],
    strides: tuple[int, ...],
    batch: list[tuple[int, int, int, int]],
) -> Plan:
    """Plan o = a @ b (+ bias): sizes (m, n, k), strides of rows and columns of a, b and o, batch dimensions."""
    code = outputs[0].dtype.code
    kernel = find_kernel("matmul", code, code, code)
    if kernel is None or any(layout is not None and layout.dtype.code != code for layout in inputs):
        raise no_kernel(operator, inputs, outputs)
    m, n, k = sizes
    a_row, a_col, b_row, b_col, o_row, o_col = strides
    # One b for all rows of all batches: merge them into one taller product.
    while batch and batch[0][2] == 0 and (m == 1 or (batch[0][1] == m * a_row and batch[0][3] == m * o_row)):
        extent, a_step, _, o_step = batch.pop(0)
        if m == 1:
            a_row, o_row = a_step, o_step
        m *= extent
    # Strides of dimensions of one element are irrelevant: choose values that look contiguous.
    if m == 1:
        a_row, o_row = a_col * k or 1, o_col * n or 1
    if k == 1:
        a_col, b_row = 1, b_col * n or 1
    if n == 1:
        b_col, o_col = 1, 1
    struct = product(
        code,
        (m, n, k),
        (a_row, a_col, b_row, b_col, o_row, o_col),
        lib.facula_threads(),
        batch,
        biased=len(inputs) > 2 and inputs[2] is not None,
    )
    struct.arg_o = len(inputs) + 1  # a bias that is None also has an address
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + 1,
        cost=kernel.cost * k,
        workspace=struct.workspace,
    )


def product(
    code: int,
    sizes: tuple[int, int, int],
    strides: tuple[int, ...],
    threads: int,
    batch: Sequence[tuple[int, int, int, int]] = (),
    biased: bool = False,
) -> Struct:
    """Return the struct facula_matmul of a product in dtype `code`: sizes, strides and batch as for `plan_product`.

    Its kernel takes the addresses of a, b, the bias if present, o, and of `workspace` bytes.
    """
    struct: Struct = ffi.new("struct facula_matmul *", {"nest": [number for dim in batch for number in dim] or [0]})
    struct.m, struct.n, struct.k = sizes
    struct.a_row, struct.a_col, struct.b_row, struct.b_col, struct.o_row, struct.o_col = strides
    struct.batches, struct.batch_dims = prod(dim[0] for dim in batch), len(batch)
    struct.arg_a, struct.arg_b, struct.arg_bias, struct.arg_o = 1, 2, 3 if biased else 0, 4 if biased else 3
    _blocking(code)(struct, threads)
    return struct


def _blocking(code: int) -> Callable[[Struct, int], None]:
    """Return the C function that chooses the blocking of products of that dtype."""
    kernel = find_kernel("matmul_planner", code)
    assert kernel is not None, f"every matmul has a planner; dtype code {code} has none"
    return ffi.cast("facula_matmul_planner", kernel.address)  # type: ignore[return-value]  # a function
