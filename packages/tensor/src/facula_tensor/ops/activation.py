"""Activations: functions of one element, and softmax, that PyTorch has in `nn.functional` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import bfloat16, float16, float32

from .._core.promotion import as_real
from .._core.tensor import Tensor
from .._dispatch.namespaces import recorded_ops
from .._dispatch.view_call import as_tensor
from . import activation_operators as _operators  # noqa: F401  declares them
from .softmax import log_softmax as log_softmax_along
from .softmax import softmax as softmax_along

if TYPE_CHECKING:
    from .._core.types import DTypeLike

__all__ = [
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "relu",
    "relu6",
    "silu",
    "softmax",
]


def assign_inplace(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """`result`; or `input`, with the elements of `result` copied into it, where `inplace`."""
    return input.copy_(result) if inplace else result


def source(operation: str, input: Tensor, inplace: bool) -> Tensor:
    """The tensor to compute from: a copy of `input` if `inplace` and it has a graph.

    That graph's nodes, and the new one, need the elements as they were. `operation` names the caller in the TypeError.
    """
    input = as_tensor(operation, input)
    return input.clone() if inplace and input.node is not None else input


def wide(input: Tensor) -> Tensor:
    """`input` in float32 where its elements have 16 bits, so that bounds compared with it are not rounded."""
    return recorded_ops.to(input, (float32,)) if input.dtype in (float16, bfloat16) else input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, or 0 where it is negative; `inplace` changes `input` and returns it.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    try:
        return as_tensor("relu", input).relu_() if inplace else recorded_ops.relu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element, times `negative_slope` where it is negative.

    Arguments:
        input: a tensor of real numbers.
        negative_slope: the factor of negative elements.
        inplace: whether `input` itself takes the result.

    >>> from facula_tensor import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    try:
        return assign_inplace(
            input,
            recorded_ops.leaky_relu(
                source("leaky_relu", input, inplace), as_real(negative_slope, "leaky_relu", "negative_slope")
            ),
            inplace,
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, or alpha * (exp(x) - 1) where it is negative.

    D.-A. Clevert and others: Fast and accurate deep network learning by exponential linear units, 2015.

    Arguments:
        input: a tensor of real numbers.
        alpha: minus the value that very negative elements tend to.
        inplace: whether `input` itself takes the result.

    >>> from facula_tensor import tensor
    >>> elu(tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    try:
        return assign_inplace(
            input, recorded_ops.elu(source("elu", input, inplace), float(as_real(alpha, "elu", "alpha"))), inplace
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x) of each element.

    >>> from facula_tensor import tensor
    >>> silu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    try:
        return assign_inplace(input, recorded_ops.silu(source("silu", input, inplace)), inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution's probability of less than x; `approximate`: "none", or "tanh".

    D. Hendrycks, K. Gimpel: Gaussian error linear units, 2016.

    >>> from facula_tensor import tensor
    >>> gelu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.9545])
    """
    try:
        if approximate not in ("none", "tanh"):
            raise ArgumentError(f"gelu: expected approximate to be 'none' or 'tanh'; got {approximate!r}")
        return recorded_ops.gelu(input) if approximate == "none" else recorded_ops.gelu_tanh(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)) of each element, without overflow.

    >>> from facula_tensor import tensor
    >>> logsigmoid(tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """
    return recorded_ops.log_sigmoid(input)


@boundary
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, or the bound that it is beyond; no gradient flows at a bound.

    Arguments:
        input: a tensor of real numbers.
        min_val: the lower bound; rounded toward zero for integers.
        max_val: the upper bound, likewise.
        inplace: whether `input` itself takes the result.

    Raises:
        ValueError: where min_val > max_val.

    >>> from facula_tensor import tensor
    >>> hardtanh(tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    input = as_tensor("hardtanh", input)
    min_val, max_val = as_real(min_val, "hardtanh", "min_val"), as_real(max_val, "hardtanh", "max_val")
    if min_val > max_val:
        raise ArgumentError(f"hardtanh: expected min_val <= max_val; got {min_val} and {max_val}")
    input = as_tensor("hardtanh", input)
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
    return assign_inplace(input, recorded_ops.hardtanh(source("hardtanh", input, inplace), min_val, max_val), inplace)


@boundary
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, but at least 0 and at most 6.

    >>> from facula_tensor import tensor
    >>> relu6(tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension; if None, 0 for 0, 1 and 3 dimensions, else 1.
        _stacklevel: has no effect.
        dtype: converted to it first, unless None.

    >>> from facula_tensor import tensor
    >>> softmax(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    try:
        input = as_tensor("softmax", input)
        return softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """The logarithm of softmax along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension, as `softmax` takes it.
        _stacklevel: has no effect.
        dtype: converted to it first, unless None.

    >>> from facula_tensor import tensor
    >>> log_softmax(tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    try:
        input = as_tensor("log_softmax", input)
        return log_softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _dim(input: Tensor) -> int:
    return 0 if input.ndim in (0, 1, 3) else 1
