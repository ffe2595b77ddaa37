"""The public functions of `ops/random/dropout.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import FLOATING

from ...._core.promotion import as_real
from ...._core.tensor import Tensor, layout_of_tensor
from ...._creation.batches import for_each_draw, open_batches
from ...._creation.generator import default_generators
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.view_call import as_tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("dropout", input)
        if type(p) is not float:
            p = float(as_real(p, "dropout", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout: expected a probability p from 0 to 1; got {p}")
        layout = layout_of_tensor(input)
        if not training or p == 0 or not layout.numel:
            return input
        if layout.dtype.category != FLOATING:
            raise DTypeError(f"dropout: defined for floating dtypes; got {layout.dtype.name}; convert with .float()")
        if open_batches:
            input = for_each_draw(input)
        result = ops.dropout(input, (p, *default_generators[layout.device].advance(layout.numel)))
        return input.copy_(result) if inplace else result
    except FaculaError as error:
        trim_traceback(error)
        raise
