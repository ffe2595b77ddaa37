"""The public functions of `ops/neural/unit_vectors.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_autograd.extend.nodes import LEAF
from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.objects import new_instance

from ...._core.promotion import as_real, real_or_tensor
from ...._core.tensor import Tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ....ops.neural.unit_vectors import ROWS, normalized_by_any


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
            try:  # `steady` inlined, as in softmax
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = ROWS[layout.dtype, len(layout.shape), dim, eps]
            except (AttributeError, KeyError):  # not a plain tensor, or a new key
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return ops.unit_rows(input, parameters)[0]
        return normalized_by_any(ops, input, p, dim, eps, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
