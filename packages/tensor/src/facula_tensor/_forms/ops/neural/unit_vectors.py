"""The public functions of `ops/neural/unit_vectors.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real, real_or_tensor
from ...._core.tensor import steady
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ....ops.neural.unit_vectors import ROWS, normalized_by_any

if TYPE_CHECKING:
    from ...._core.tensor import Tensor


@overridable
def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: float | Tensor = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "normalize", "p")
        if type(eps) is not float and type(eps) is not int:
            eps = real_or_tensor(eps, "normalize", "eps")
        if p == 2 and type(dim) is int and out is None:
            try:
                layout = input._layout
                parameters = ROWS[layout.dtype, len(layout.shape), dim, eps]
            except (AttributeError, KeyError):  # not a plain tensor, or a new key
                pass
            else:
                return ops.unit_rows(steady(input), parameters)[0]
        return normalized_by_any(ops, input, p, dim, eps, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
