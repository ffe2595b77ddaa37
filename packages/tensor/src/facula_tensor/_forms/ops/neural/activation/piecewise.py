"""The public functions of `ops/neural/activation/piecewise.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._core.tensor import method
from ....._dispatch.arguments import floats, source
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of
from .....ops.memory.assignment import assign_inplace

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
            before = source("leaky_relu", input)
            return assign_inplace("leaky_relu", input, ops.leaky_relu(before, negative_slope))
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
        before = source("leaky_relu_", input)
        return assign_inplace("leaky_relu_", input, ops.leaky_relu(before, negative_slope))
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
            before = source("hardtanh", input)
            return assign_inplace("hardtanh", input, bodies.hardtanh(ops, before, min_val, max_val))
        return bodies.hardtanh(ops, input, min_val, max_val)
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
        before = source("hardtanh_", input)
        return assign_inplace("hardtanh_", input, bodies.hardtanh(ops, before, min_val, max_val))
    except FaculaError as error:
        trim_traceback(error)
        raise


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace:
            before = source("relu6", input)
            return assign_inplace("relu6", input, bodies.relu6(ops, before))
        return bodies.relu6(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("hardsigmoid", input)
        if inplace:
            before = source("hardsigmoid", input)
            return assign_inplace("hardsigmoid", input, ops.hardsigmoid(before))
        return ops.hardsigmoid(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("hardswish", input)
        if inplace:
            before = source("hardswish", input)
            return assign_inplace("hardswish", input, ops.hardswish(before))
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
        return bodies.softshrink(ops, input, lambd)
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
        return bodies.hardshrink(ops, input, lambd)
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
            before = source("threshold", input)
            return assign_inplace("threshold", input, bodies.threshold(ops, before, threshold, value))
        return bodies.threshold(ops, input, threshold, value)
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
        before = source("threshold_", input)
        return assign_inplace("threshold_", input, bodies.threshold(ops, before, threshold, value))
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
            before = source("elu", input)
            return assign_inplace("elu", input, ops.elu(before, alpha))
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
        before = source("elu_", input)
        return assign_inplace("elu_", input, ops.elu(before, alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("selu", input)
        if inplace:
            before = source("selu", input)
            return assign_inplace("selu", input, bodies.selu(ops, before))
        return bodies.selu(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    try:
        input = floats("selu_", input)
        before = source("selu_", input)
        return assign_inplace("selu_", input, bodies.selu(ops, before))
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
            before = source("celu", input)
            return assign_inplace("celu", input, bodies.celu(ops, before, alpha))
        return bodies.celu(ops, input, alpha)
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
        before = source("celu_", input)
        return assign_inplace("celu_", input, bodies.celu(ops, before, alpha))
    except FaculaError as error:
        trim_traceback(error)
        raise
