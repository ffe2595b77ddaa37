"""The public functions of `ops/neural/activation/softmax.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF
from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.objects import new_instance

from ....._core.tensor import Tensor, method
from ....._dispatch.arguments import axis_for
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from .....ops.neural.activation.softmax import KNOWN, by_any

if TYPE_CHECKING:
    from ....._core.types import DTypeLike


@overridable
@method()
def softmax(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "softmax")
        if type(dim) is int and dtype is out is None:
            try:  # `steady` inlined: a call would cost as much as the rest
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = KNOWN[len(layout.shape), dim]
            except (AttributeError, KeyError):  # not a plain tensor, or a new key
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return ops.softmax(input, parameters)
        return by_any(ops.softmax.__name__, ops.softmax, input, dim, dtype, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def log_softmax(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "log_softmax")
        if type(dim) is int and dtype is out is None:
            try:  # `steady` inlined: a call would cost as much as the rest
                layout = input._layout
                storage = input._storage
                offset = input._offset
                node = input.node
                parameters = KNOWN[len(layout.shape), dim]
            except (AttributeError, KeyError):  # not a plain tensor, or a new key
                pass
            else:
                if node is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = layout
                    input._storage = storage
                    input._offset = offset
                    input.node = node
                return ops.log_softmax(input, parameters)
        return by_any(ops.log_softmax.__name__, ops.log_softmax, input, dim, dtype, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
