"""The public functions of `ops/neural/layer_norm.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer, as_real
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.view_call import as_tensor
from ....ops.neural.layer_norm import EPSILON, count_normalized_dims

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex


def layer_norm(
    input: Tensor,
    normalized_shape: SupportsIndex | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("layer_norm", input)
        if type(eps) is not float:
            eps = float(as_real(eps, "layer_norm", "eps"))
        count = count_normalized_dims("layer_norm", layout_of_tensor(input), normalized_shape)
        if weight is None and bias is not None:
            weight = ops.ones_like(bias)
        return ops.layer_norm(input, weight, bias, (count, eps))[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("group_norm", input)
        if type(num_groups) is not int:
            num_groups = as_integer(num_groups, "group_norm", "num_groups")
        if type(eps) is not float:
            eps = float(as_real(eps, "group_norm", "eps"))
        layout = layout_of_tensor(input)
        shape = layout.shape
        if len(shape) < 2:
            raise ArgumentError(f"group_norm: expected input (n, channels, ...); got shape {shape}")
        if num_groups <= 0 or shape[1] % num_groups:
            raise ArgumentError(
                f"group_norm: expected num_groups to divide the {shape[1]} channels of an input of shape {shape}; "
                f"got {num_groups}"
            )
        if layout.numel and layout.numel == num_groups:
            raise ArgumentError(f"group_norm: expected more than 1 value per group; got input size {shape}")
        if weight is None and bias is not None:
            weight = ops.ones_like(bias)
        return ops.group_norm(input, weight, bias, (num_groups, eps))[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


def rms_norm(
    input: Tensor,
    normalized_shape: SupportsIndex | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("rms_norm", input)
        layout = layout_of_tensor(input)
        count = count_normalized_dims("rms_norm", layout, normalized_shape)
        if eps is None:
            eps = EPSILON.get(layout.dtype, 0.0)
        elif type(eps) is not float:
            eps = float(as_real(eps, "rms_norm", "eps"))
        return ops.rms_norm(input, weight, (count, eps))[0]
    except FaculaError as error:
        trim_traceback(error)
        raise
