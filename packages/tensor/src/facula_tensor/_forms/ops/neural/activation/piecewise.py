"""The public functions of `ops/neural/activation/piecewise.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import float32
from facula_storage.extend.layouts import FLOATING

from ....._core.promotion import as_real
from ....._core.tensor import layout_of_tensor, method
from ....._dispatch.arguments import floats
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of
from .....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.activation.piecewise")


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input: a tensor of real numbers.
    inplace: whether to write the result into `input`.
    """
    try:
        if type(negative_slope) is not float and type(negative_slope) is not int:
            negative_slope = as_real(negative_slope, "leaky_relu", "negative_slope")
        if inplace:
            return changed("leaky_relu", input, ops.leaky_relu, negative_slope)
        return ops.leaky_relu(input, negative_slope)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place: changes `input` and returns it. Arguments: those of `leaky_relu`."""
    try:
        if type(negative_slope) is not float and type(negative_slope) is not int:
            negative_slope = as_real(negative_slope, "leaky_relu_", "negative_slope")
        return changed("leaky_relu_", input, ops.leaky_relu, negative_slope)
    except FaculaError as error:
        trim_traceback(error)
        raise


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input: a tensor of real numbers.
    inplace: whether to write the result into `input`.
    """
    try:
        if type(min_val) is not float and type(min_val) is not int:
            min_val = as_real(min_val, "hardtanh", "min_val")
        if type(max_val) is not float and type(max_val) is not int:
            max_val = as_real(max_val, "hardtanh", "max_val")
        if min_val > max_val:
            raise ArgumentError(f"hardtanh: expected min_val <= max_val; got {min_val} and {max_val}")
        if inplace:
            return changed("hardtanh", input, bodies.hardtanh, min_val, max_val, leading=(ops,))
        if not as_tensor("hardtanh", input).is_floating_point():
            min_val, max_val = int(min_val), int(max_val)
        return ops.hardtanh(input, min_val, max_val)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place: changes `input` and returns it. Arguments: those of `hardtanh`."""
    try:
        if type(min_val) is not float and type(min_val) is not int:
            min_val = as_real(min_val, "hardtanh_", "min_val")
        if type(max_val) is not float and type(max_val) is not int:
            max_val = as_real(max_val, "hardtanh_", "max_val")
        if min_val > max_val:
            raise ArgumentError(f"hardtanh_: expected min_val <= max_val; got {min_val} and {max_val}")
        return changed("hardtanh_", input, bodies.hardtanh, min_val, max_val, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace:
            return changed("relu6", input, bodies.relu6, leading=(ops,))
        low, high = (0.0, 6.0) if as_tensor("relu6", input).is_floating_point() else (0, 6)
        return ops.hardtanh(input, low, high)
    except FaculaError as error:
        trim_traceback(error)
        raise


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("hardsigmoid", input)
        if inplace:
            return changed("hardsigmoid", input, ops.hardsigmoid)
        return ops.hardsigmoid(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("hardswish", input)
        if inplace:
            return changed("hardswish", input, ops.hardswish)
        return ops.hardswish(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input: a tensor with a floating dtype."""
    try:
        input = floats("softshrink", input)
        if type(lambd) is not float:
            lambd = float(as_real(lambd, "softshrink", "lambd"))
        if not lambd >= 0:
            raise ArgumentError(f"softshrink: expected lambd of at least 0; got {lambd}")
        return ops.softshrink(input, lambd)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input: a tensor with a floating dtype."""
    try:
        input = floats("hardshrink", input)
        if type(lambd) is not float:
            lambd = float(as_real(lambd, "hardshrink", "lambd"))
        return ops.hardshrink(input, lambd)
    except FaculaError as error:
        trim_traceback(error)
        raise


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input: a tensor of real numbers.
    inplace: whether to write the result into `input`.
    """
    try:
        if type(threshold) is not float and type(threshold) is not int:
            threshold = as_real(threshold, "threshold", "threshold")
        if type(value) is not float and type(value) is not int:
            value = as_real(value, "threshold", "value")
        if inplace:
            return changed("threshold", input, bodies.threshold, threshold, value, leading=(ops,))
        dtype = layout_of_tensor(as_tensor("threshold", input)).dtype
        if dtype.category != FLOATING:
            threshold, value = int(threshold), int(value)
        # Compare in float32, so that the threshold for 16-bit elements is not rounded.
        compared = ops.to(input, (float32,)) if dtype.category == FLOATING and dtype.itemsize == 2 else input
        return ops.where(ops.le(compared, threshold), value, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place: changes `input` and returns it. Arguments: those of `threshold`."""
    try:
        if type(threshold) is not float and type(threshold) is not int:
            threshold = as_real(threshold, "threshold_", "threshold")
        if type(value) is not float and type(value) is not int:
            value = as_real(value, "threshold_", "value")
        return changed("threshold_", input, bodies.threshold, threshold, value, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input: a tensor of real numbers.
    inplace: whether to write the result into `input`.
    """
    try:
        if type(alpha) is not float:
            alpha = float(as_real(alpha, "elu", "alpha"))
        if inplace:
            return changed("elu", input, ops.elu, alpha)
        return ops.elu(input, alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place: changes `input` and returns it. Arguments: those of `elu`."""
    try:
        if type(alpha) is not float:
            alpha = float(as_real(alpha, "elu_", "alpha"))
        return changed("elu_", input, ops.elu, alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("selu", input)
        if inplace:
            return changed("selu", input, bodies.selu, leading=(ops,))
        return ops.scaled_elu(input, 1.6732632423543772, 1.0507009873554805)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    try:
        input = floats("selu_", input)
        return changed("selu_", input, bodies.selu, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input: a tensor with a floating dtype.
    inplace: whether to write the result into `input`.
    """
    try:
        input = floats("celu", input)
        if type(alpha) is not float:
            alpha = float(as_real(alpha, "celu", "alpha"))
        if alpha == 0:
            raise ArgumentError("celu: expected an alpha other than 0, since it divides by it; got 0")
        if inplace:
            return changed("celu", input, bodies.celu, alpha, leading=(ops,))
        return ops.celu(input, alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place: changes `input` and returns it. Arguments: those of `celu`."""
    try:
        input = floats("celu_", input)
        if type(alpha) is not float:
            alpha = float(as_real(alpha, "celu_", "alpha"))
        if alpha == 0:
            raise ArgumentError("celu_: expected an alpha other than 0, since it divides by it; got 0")
        return changed("celu_", input, bodies.celu, alpha, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
