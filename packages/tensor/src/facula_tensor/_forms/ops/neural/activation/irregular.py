"""The public functions of `ops/neural/activation/irregular.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._core.tensor import Tensor, check_dim, layout_of_tensor, method
from ....._dispatch.arguments import floats, source
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of
from .....ops.memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ....._core.types import DTypeLike

bodies = bodies_of("ops.neural.activation.irregular")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Replace negative elements by 0; `inplace` modifies and returns `input`.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    try:
        return as_tensor("relu", input).relu_() if inplace else ops.relu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def relu_(input: Tensor) -> Tensor:
    """Replace negative elements by 0 in place.

    >>> from facula_tensor import tensor
    >>> relu_(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("relu_", input)
        return bodies.relu_(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by `weight`: one number, or one for each channel (dimension 1).

    Raises ValueError if weight has another number of elements, TypeError for another dtype. K. He and others, 2015.

    Arguments:
        input: a tensor with a floating dtype.
        weight: the slopes for negative elements, with the dtype of `input`.

    >>> from facula_tensor import tensor
    >>> prelu(tensor([-1.0, 2.0]), tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    try:
        input = floats("prelu", input)
        if type(weight) is not Tensor:
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
    """Multiply negative elements by a slope, which is random in training. B. Xu and others, 2015.

    Arguments:
        input: a tensor with a floating dtype.
        lower: the lower bound of slopes.
        upper: the upper bound of slopes.
        training: whether to draw a uniform random slope for each element; otherwise the slope is the bounds' mean.
        inplace: whether to write the result into `input`.

    Raises:
        ValueError: if `lower` is greater than `upper`.

    >>> from facula_tensor import tensor
    >>> rrelu(tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
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
            before = source("rrelu", input)
            return assign_inplace("rrelu", input, bodies.rrelu(ops, before, lower, upper, training))
        return bodies.rrelu(ops, input, lower, upper, training)
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
        before = source("rrelu_", input)
        return assign_inplace("rrelu_", input, bodies.rrelu(ops, before, lower, upper, training))
    except FaculaError as error:
        trim_traceback(error)
        raise


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension; if None, 0 for tensors of 0, 1 and 3 dimensions, else 1.
        _stacklevel: ignored.
        dtype: the dtype to convert to first, or None.

    >>> from facula_tensor import tensor
    >>> softmax(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("softmax", input)
        return bodies.softmax(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """The logarithm of softmax along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension; if None, 0 for tensors of 0, 1 and 3 dimensions, else 1.
        _stacklevel: ignored.
        dtype: the dtype to convert to first, or None.

    >>> from facula_tensor import tensor
    >>> log_softmax(tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("log_softmax", input)
        return bodies.log_softmax(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """softmax(-x) along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension; if None, 0 for tensors of 0, 1 and 3 dimensions, else 1.
        _stacklevel: ignored.
        dtype: the dtype to convert to first, or None.

    >>> from facula_tensor import tensor
    >>> softmin(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("softmin", input)
        return bodies.softmin(input, dim, _stacklevel, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Multiply the first half of `input` along `dim` by the sigmoid of the second; ValueError if the length is odd.

    Y. Dauphin and others: Language modeling with gated convolutional networks, 2016.

    >>> from facula_tensor import tensor
    >>> glu(tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    try:
        input = floats("glu", input)
        shape = layout_of_tensor(input).shape
        if not shape:
            raise ArgumentError("glu: expected an input with a dimension to halve; got a number")
        dim = check_dim("glu", dim, len(shape))
        half, odd = divmod(shape[dim], 2)
        if odd:
            raise ArgumentError(f"glu: expected an even length along dim {dim}; got shape {shape}")
        first, second = (input.narrow(dim, start, half) for start in (0, half))
        return ops.mul(first, ops.sigmoid(second))
    except FaculaError as error:
        trim_traceback(error)
        raise
