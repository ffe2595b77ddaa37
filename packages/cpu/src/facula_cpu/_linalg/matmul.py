"""Planners of `matmul` and `linear`: matrix products with batch dimensions, of any strides."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import Strided, no_kernel, plan_for_layouts, planner
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
    return plan_product(operator, (a, b), outputs, parameters)


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
    return plan_product(operator, (g, x), outputs, parameters, a_turned=True)


@planner("linear")
def plan_linear(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = x @ w.T + bias for x (..., k), w (n, k) and bias (n,), which may be None or omitted; o (..., n).

    Floating dtypes. A bias must be contiguous; in half precision it is added before the sum is rounded.
    """
    bias = inputs[2] if len(inputs) > 2 else None
    if not outputs[0].dtype.is_floating_point or (bias is not None and not bias.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    return plan_product(operator, inputs, outputs, parameters, b_turned=True)


def plan_product(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    views: Callable[..., tuple[Layout | Strided | None, ...] | None] | None = None,
    a_turned: bool = False,
    b_turned: bool = False,
) -> Plan:
    """Plan o = a @ b (+ bias) for inputs (a, b) or (a, b, bias).

    Arguments:
        operator, inputs, outputs, parameters: of the plan.
        views: as for `plan_for_layouts`.
        a_turned: the last two dimensions of a are exchanged first.
        b_turned: the same for b.
    """
    code = outputs[0].dtype.code
    kernel, blocking = find_kernel("matmul", code, code, code), find_kernel("matmul_planner", code)
    if kernel is None or blocking is None or any(one is not None and one.dtype.code != code for one in inputs):
        raise no_kernel(operator, inputs, outputs)
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel.address,
        shape="matmul_shape",
        struct="facula_matmul",
        views=views,
        part=ffi.cast("void *", blocking.address),
        cost=kernel.cost,
        a_turned=a_turned,
        b_turned=b_turned,
    )


def product(
    code: int,
    sizes: tuple[int, int, int],
    strides: tuple[int, ...],
    threads: int,
    batch: Sequence[tuple[int, int, int, int]] = (),
    biased: bool = False,
) -> Struct:
    """Return the struct facula_matmul of a product in dtype `code`: sizes (m, n, k), strides of rows and columns of
    a, b and o, and batch dimensions (extent, steps of a, b and o), innermost first.

    Its kernel takes the addresses of a, b, the bias if present, o, and of `workspace` bytes.
    """
    struct: Struct = ffi.new("struct facula_matmul *", {"nest": [number for dim in batch for number in dim] or [0]})
    struct.m, struct.n, struct.k = sizes
    struct.a_row, struct.a_col, struct.b_row, struct.b_col, struct.o_row, struct.o_col = strides
    struct.batches, struct.batch_dims = prod(dim[0] for dim in batch), len(batch)
    struct.arg_a, struct.arg_b, struct.arg_bias, struct.arg_o = 1, 2, 3 if biased else 0, 4 if biased else 3
    kernel = find_kernel("matmul_planner", code)
    assert kernel is not None, f"every matmul has a planner; dtype code {code} has none"
    ffi.cast("facula_matmul_planner", kernel.address)(struct, threads)  # type: ignore[operator]  # a function
    return struct
