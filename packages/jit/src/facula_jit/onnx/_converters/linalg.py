"""Converters of matrix products, linear layers and determinants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._nodes import widened
from .table import converter

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@converter("matmul")
def _matmul(b: Builder, call: Call) -> str:
    """Convert a product; vectors are converted to matrices, because onnxruntime mishandles a vector and a transposed
    matrix.
    """
    dtype = call.layout().dtype
    taken = widened(dtype)
    x, y = b.cast(call.name(0), taken, dtype), b.cast(call.name(1), taken, dtype)
    is_row, is_column = len(call.shape) == 1, len(call.layout(1).shape) == 1
    x = b.add("Unsqueeze", x, b.integers(0)) if is_row else x
    y = b.add("Unsqueeze", y, b.integers(1)) if is_column else y
    made = b.add("MatMul", x, y)
    made = b.add("Squeeze", made, b.integers(-1)) if is_column else made
    made = b.add("Squeeze", made, b.integers(-1 if is_column else -2)) if is_row else made
    return b.cast(made, dtype, taken)


@converter("linear")
def _linear(b: Builder, call: Call) -> str:
    """Convert x @ weight.T + bias: one node for vectors; a runtime transposes the weight once, when it loads the
    model.
    """
    x, weight, bias = call.name(0), call.name(1), call.optional(2)
    if len(call.shape) == 2:
        return b.add("Gemm", x, weight, bias or "", transB=1)
    made = b.add("MatMul", x, b.add("Transpose", weight, perm=[1, 0]))
    return b.add("Add", made, bias) if bias else made


@converter("det")
def _det(b: Builder, call: Call) -> str:
    return b.add("Det", call.name(0))
