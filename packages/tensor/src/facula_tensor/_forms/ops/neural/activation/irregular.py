"""The public functions of `ops/neural/activation/irregular.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import contiguous

from ....._core.promotion import as_real
from ....._core.tensor import Tensor, check_dim, layout_of_tensor, method
from ....._creation.random import rand
from ....._dispatch.arguments import floats
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of
from .....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ....._core.types import DTypeLike

bodies = bodies_of("ops.neural.activation.irregular")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        return as_tensor("relu", input).relu_() if inplace else ops.relu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def relu_(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("relu_", input)
        return input.relu_()
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input: a tensor with a floating dtype."""
    try:
        input = floats("prelu", input)
        if not isinstance(weight, Tensor):
            weight = as_tensor("prelu", weight)
        return bodies.prelu(ops, input, weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """input: a tensor with a floating dtype.
    inplace: whether to write the result into `input`.
    """
    try:
        input = floats("rrelu", input)
        if type(lower) is not float:
            lower = float(as_real(lower, "rrelu", "lower"))
        if type(upper) is not float:
            upper = float(as_real(upper, "rrelu", "upper"))
        if not lower <= upper:
            raise ArgumentError(f"rrelu: expected lower <= upper; got {lower} and {upper}")
        if inplace:
            return changed("rrelu", input, bodies.rrelu, lower, upper, training, leading=(ops,))
        slope: object = (lower + upper) / 2
        if training:
            layout = layout_of_tensor(input)
            made = contiguous(layout.shape, layout.dtype, layout.device)
            slope = rand(made.shape, dtype=made.dtype, device=made.device) * (upper - lower) + lower
        return ops.leaky_relu(input, slope)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    """`rrelu` in place: changes `input` and returns it. Arguments: those of `rrelu`."""
    try:
        input = floats("rrelu_", input)
        if type(lower) is not float:
            lower = float(as_real(lower, "rrelu_", "lower"))
        if type(upper) is not float:
            upper = float(as_real(upper, "rrelu_", "upper"))
        if not lower <= upper:
            raise ArgumentError(f"rrelu_: expected lower <= upper; got {lower} and {upper}")
        return changed("rrelu_", input, bodies.rrelu, lower, upper, training, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("softmax", input)
        return bodies.softmax(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("log_softmax", input)
        return bodies.log_softmax(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("softmin", input)
        return bodies.softmin(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def glu(input: Tensor, dim: int = -1) -> Tensor:
    try:
        input = floats("glu", input)
        shape = layout_of_tensor(input).shape
        if not shape:
            raise ArgumentError("glu: expected an input with a dimension to halve; got a number")
        dim = check_dim("glu", dim, len(shape))
        half, odd = divmod(shape[dim], 2)
        if odd:
            raise ArgumentError(f"glu: expected an even length along dim {dim}; got shape {shape}")
        return ops.gated(*ops.chunk(input, 2, dim)) if half else ops.narrow(input, dim, 0, 0)
    except FaculaError as error:
        trim_traceback(error)
        raise
