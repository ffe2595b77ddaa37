"""Products of matrices, with and without a bias, and the gradient of a linear layer's weight: kernels/products.cuh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._generate import FEW
from .arrays.reductions import CODES, UNSIGNED
from .dimensions import dimensions_of, merged, packed, room_for, suffix_of
from .launches import Kernel, blocks_for, kernel_plan
from .registry import planner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout, Plan

    from .dimensions import Dimension
    from .launches import Constant

    #: Its sizes and steps, and its batch dimensions, outermost first: the length, and the steps of a, b and o.
    Product = tuple["Sizes", list[Dimension]]

DTYPES = tuple([code for code in CODES if code not in UNSIGNED])
TILE = 64  # rows and columns of the result that a block computes


class Sizes(NamedTuple):
    """A product o (m, n) = a (m, k) @ b (k, n): its sizes, and steps in elements."""

    m: int
    n: int
    k: int
    a_row: int
    a_col: int
    b_row: int
    b_col: int
    o_row: int
    o_col: int


def source_of(code: int, biased: bool, room: int = FEW) -> tuple[str, str]:
    """Return the text of the kernel for a dtype code, and its name."""
    name = f"product{'_and_bias' * biased}_{CODES[code].lower()}{suffix_of(room)}"
    return f'#include "facula/products.cuh"\nPRODUCT{"_AND_BIAS" * biased}({name}, {room}, {CODES[code]})\n', name


def matmul_product(inputs: tuple[Any, ...], outputs: tuple[Layout, ...]) -> Product:
    """Return o = a @ b for a (..., m, k) or (k,), and b (..., k, n) or (k,), with batch dimensions that broadcast."""
    a, b = inputs
    (o,) = outputs
    m, a_row = (a.shape[-2], a.strides[-2]) if len(a.shape) > 1 else (1, 0)
    n, b_col = (b.shape[-1], b.strides[-1]) if len(b.shape) > 1 else (1, 0)
    steps = list(o.strides)
    o_col = steps.pop() if len(b.shape) > 1 else 0
    o_row = steps.pop() if len(a.shape) > 1 else 0
    batch = o.shape[: len(steps)]
    b_row = b.strides[-2] if len(b.shape) > 1 else b.strides[-1]
    sizes = Sizes(m, n, a.shape[-1], a_row, a.strides[-1], b_row, b_col, o_row, o_col)
    return sizes, list(zip(batch, _batch_steps(a, batch), _batch_steps(b, batch), steps, strict=True))


def _batch_steps(layout: Layout, batch: tuple[int, ...]) -> list[int]:
    """Return the steps of a stack of matrices along the batch dimensions of the result; 0 where it broadcasts."""
    sizes = layout.shape[:-2]
    own = [0 if size == 1 else step for size, step in zip(sizes, layout.strides, strict=False)]
    return [0] * (len(batch) - len(sizes)) + own


def linear_product(inputs: tuple[Any, ...], outputs: tuple[Layout, ...]) -> Product | None:
    """Return o = x @ w.T + bias for x (..., k), w (n, k) and bias (n,), which may be None or omitted."""
    x, w, *_ = inputs
    (o,) = outputs
    if not o.dtype.is_floating_point or o.dtype.itemsize < 4:  # others are a product and a sum
        return None
    # The rows of x, of which the innermost are the product's and the others its batches.
    rows = dimensions_of(x.shape[:-1], x.strides[:-1], [0] * (len(x.shape) - 1), o.strides[:-1])
    m, a_row, _, o_row = rows.pop(0) if rows else (1, 0, 0, 0)
    sizes = Sizes(m, w.shape[0], x.shape[-1], a_row, x.strides[-1], w.strides[1], w.strides[0], o_row, o.strides[-1])
    return sizes, rows[::-1]


def weight_gradient_product(inputs: tuple[Any, ...], outputs: tuple[Layout, ...]) -> Product:
    """Return o = g.T @ x for g (rows, n), x (rows, k) and o (n, k)."""
    g, x = inputs
    (o,) = outputs
    return Sizes(g.shape[1], x.shape[1], g.shape[0], g.strides[1], g.strides[0], *x.strides, *o.strides), []


#: By operator: the function of inputs and outputs that returns the product, or None if it is computed in another way.
PRODUCTS: dict[str, Callable[[tuple[Any, ...], tuple[Layout, ...]], Product | None]] = {
    "matmul": matmul_product,
    "linear": linear_product,
    "linear_weight_grad": weight_gradient_product,
}


@planner(*PRODUCTS)
def plan_product(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan a product by our own kernel."""
    product = PRODUCTS[operator](inputs, outputs)
    return product and _plan(operator, inputs, outputs, parameters, *product)


def _plan(
    operator: str,
    inputs: Sequence[Layout | None],
    outputs: tuple[Layout, ...],
    parameters: tuple[Any, ...],
    sizes: Sizes,
    batch: Sequence[Dimension],
) -> Plan | None:
    """Plan a product; None for dtypes without a kernel, or more batch dimensions than its parameters hold."""
    o = outputs[0]
    code, size = o.dtype.code, o.dtype.itemsize
    if code not in DTYPES or any([layout is not None and layout.dtype is not o.dtype for layout in inputs]):
        return None
    dims = merged([(dim[0], *[step * size for step in dim[1:]]) for dim in batch[::-1]])
    room = room_for(dims)
    if not room:
        return None
    tiles_m, tiles_n = -(-sizes.m // TILE), -(-sizes.n // TILE)
    tiles = tiles_m * tiles_n if o.numel else 0
    for dim in dims:
        tiles *= dim[0]
    bias = inputs[2] if len(inputs) > 2 else None
    # A bias that is None has an address, too, which is 0.
    source, name = source_of(code, len(inputs) > 2, room)
    constants: dict[str, Constant] = {
        "sizes": sizes[:3],
        "tiles": (max(tiles_m, 1), max(tiles_n, 1), tiles),
        "steps": [step * size for step in sizes[3:]],
        "bias_step": bias.strides[0] * size if bias is not None else 0,
        "by_row": (int(sizes.a_col <= sizes.a_row), int(sizes.b_col <= sizes.b_row)),
        "batches": packed(dims, 3, room),
    }
    return kernel_plan(
        operator,
        parameters,
        outputs,
        [source],
        [Kernel(name, "", blocks_for(tiles, 1))],
        pointers="a b bias o" if len(inputs) > 2 else "a b o",
        constants=constants,
    )
