"""Conversions of operands for kernels: to a dtype that the kernel computes in (`compute_dtype`), and to
row-major order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import no_grad
from facula_errors import DTypeError, FaculaError
from facula_storage import DType, Layout, bfloat16, float16, float32
from facula_storage.extend.layouts import FLOATING, INTEGER

from .._core.errors import named
from .._core.tensor import layout_of_tensor
from .namespaces import operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.tensor import Tensor
    from .._core.types import Function, Operands, Parameters
    from .namespaces import Namespace
    from .operator import Operator


def at_least_float32(dtype: DType, *others: DType | None) -> DType:
    """The `compute_dtype` of kernels that do not support half precision."""
    return float32 if dtype.category == FLOATING and dtype.itemsize < 4 else dtype


def exact(of_integers: DType | None) -> Callable[..., DType]:
    """Return the `compute_dtype` of kernels that support float32 and float64, and compute integers in another
    dtype if given."""

    def compute_dtype(dtype: DType, *others: DType | None) -> DType:
        if dtype.category == FLOATING:
            return float32 if dtype.itemsize < 4 else dtype
        if dtype.category == INTEGER:
            return of_integers or dtype
        raise named(DTypeError(f"operator: not defined for {dtype.name}; convert with .float()"))

    return compute_dtype


def halves_on_cpu(layout: Layout, *others: object) -> bool:
    """Return whether a kernel that only the CPU has computes in half precision, as `unconverted_if` of its operator."""
    return layout.device.type == "cpu" and layout.dtype in (float16, bfloat16)


def converted(op: Operator, F: Namespace, operands: Operands, parameters: Parameters) -> Any:
    """Convert the first operand, and all others of its dtype, to the dtype that `op` computes in, and call it;
    None if no conversion is needed.

    The first result has the original dtype. Operands that `op` changes in place are updated from their
    converted copies.
    """
    dtypes: list[Any] = []
    for a in operands:  # a loop, because a comprehension is a call
        layout = None if a is None else a._layout
        dtypes.append(layout and (layout if type(layout) is Layout else layout.real).dtype)
    if op.unconverted_if is not None:
        layouts = [None if a is None else layout_of_tensor(a) for a in operands]
        if all([layout is None or type(layout) is Layout for layout in layouts]) and op.unconverted_if(
            *layouts, *parameters
        ):
            return None
    own: DType = dtypes[0]
    compute = op.compute_dtype(*dtypes)
    if compute is own:
        if {*dtypes} <= {own, None}:
            op.unconverted.add(own)
        return None
    ready = list(operands)
    for place, dtype in enumerate(dtypes):
        if dtype is own:
            ready[place] = F.to(operands[place], (compute,))
    try:
        answer = getattr(F, op.name)(*ready, parameters)
    except FaculaError:
        if op.validate_layouts is not None:  # of the original operands
            op.validate_layouts(*[None if a is None else layout_of_tensor(a) for a in operands], *parameters)
        raise
    for place in op.mutates:
        if ready[place] is not operands[place]:
            with no_grad():
                operands[place].copy_(ready[place])
    return (F.to(answer[0], (own,)), *answer[1:]) if isinstance(answer, (tuple, list)) else F.to(answer, (own,))


def is_row_major(layout: Layout) -> bool:
    """Return whether the elements are adjacent, in row-major order."""
    return layout.is_contiguous


def are_row_major(*layouts: Layout | None) -> bool:
    """Return whether the same holds for all operands that are not omitted."""
    return all([layout is None or layout.is_contiguous for layout in layouts])


def row_major(
    name: str, decompose: Function | None = None, accepts: Callable[[Layout], bool] = is_row_major
) -> Function:
    """Return the `decompose` of an operator whose kernel requires operands with layouts that `accepts` returns True
    for: try the operator's own, then call it on row-major copies of the others."""

    def on_copies(F: Namespace, operands: Operands, parameters: Parameters) -> Any:
        answer = None if decompose is None else decompose(F, operands, parameters)
        suits = [operand is None or accepts(layout_of_tensor(operand)) for operand in operands]
        if answer is not None or all(suits):
            return answer
        ready = [operand if suited else F.contiguous(operand) for operand, suited in zip(operands, suits, strict=True)]
        return getattr(F, name)(*ready, parameters)

    return on_copies


def in_dtype_of(F: Namespace, name: str, input: Tensor) -> Tensor:
    """Convert `input` to the dtype that the operator of this name computes in, to avoid rounding between
    several calls."""
    dtype = layout_of_tensor(input).dtype
    compute = operators[name].compute_dtype(dtype)
    return input if compute is dtype else F.to(input, (compute,))
