"""The public functions of `ops/neural/embedding.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import int64

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.neural.embedding import prepared

bodies = bodies_of("ops.neural.embedding")


@overridable
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    try:
        if padding_idx is None and max_norm is None and not (scale_grad_by_freq or sparse):
            try:  # the common case
                if input._layout.dtype is int64 and weight._layout.ndim == 2:
                    return ops.index_select(weight, input, (0, None, False))
            except AttributeError:
                pass
        index, parameters = prepared("embedding", input, weight, padding_idx, max_norm, norm_type, sparse)
        return ops.index_select(weight, index, (*parameters, bool(scale_grad_by_freq)))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("one_hot", input)
        if type(num_classes) is not int:
            num_classes = as_integer(num_classes, "one_hot", "num_classes")
        return bodies.one_hot(input, num_classes)
    except FaculaError as error:
        trim_traceback(error)
        raise
