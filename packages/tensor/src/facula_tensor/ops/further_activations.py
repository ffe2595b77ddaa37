"""Further activations: functions of one element, and the gated half of `glu`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary
from facula_storage import contiguous
from facula_storage.extend import FLOATING

from .._core.promotion import as_real, floating
from .._core.tensor import Tensor, check_dim, layout_of_tensor, method
from .._creation.random import rand
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .activation import assign_inplace, softmax, source, wide
from .pointwise import real

if TYPE_CHECKING:
    from .._core.types import DTypeLike

__all__ = [
    "celu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "mish",
    "prelu",
    "rrelu",
    "selu",
    "softmin",
    "softshrink",
    "softsign",
    "tanhshrink",
    "threshold",
]


# ----------------------------------------------------------------------------------------------- operators
@elementwise
class _hardsigmoid:
    """relu6(x + 3) / 6."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return F.clamp(input + 3, 0, 6) / 6

    def vjp_input(F, g, input):
        return F.where(F.lt(F.abs(input), 3), F.mul(g, 1 / 6), 0)


@elementwise
class _hardswish:
    """x * relu6(x + 3) / 6."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return input * F.clamp(input + 3, 0, 6) / 6

    def vjp_input(F, g, input):
        slope = F.where(F.lt(input, 3), F.add(F.mul(input, 1 / 3), 0.5), 1)
        return F.where(F.le(input, -3), 0, F.mul(g, slope))


@elementwise
class _softsign:
    """x / (1 + abs(x))."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return input / (abs(input) + 1)

    def vjp_input(F, g, input):
        return F.mul(g, F.square(F.reciprocal(F.add(F.abs(input), 1))))


@elementwise
class _tanhshrink:
    """x - tanh(x)."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return input - F.tanh(input)

    def vjp_input(F, g, input):
        return F.mul(g, F.square(F.tanh(input)))


@elementwise
class _mish:
    """x * tanh(softplus(x))."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return input * F.tanh(F.softplus(input))

    def vjp_input(F, g, input):
        t = F.tanh(F.softplus(input))
        return F.mul(g, F.add(t, F.mul(F.mul(input, F.sigmoid(input)), F.sub(1, F.square(t)))))


# ----------------------------------------------------------------------------------------- PyTorch's functions
def floats(operation: str, input: Tensor) -> Tensor:
    """`input`; TypeError, with the function's name, unless its dtype is a floating one."""
    dtype = layout_of_tensor(as_tensor(operation, input)).dtype
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: defined for floating dtypes; got {dtype.name}; convert with .float()")
    return input


@boundary
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(x + 3) / 6 of each element: a sigmoid of straight lines.

    >>> from facula_tensor import tensor
    >>> hardsigmoid(tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    return assign_inplace(
        input, recorded_ops.hardsigmoid(source("hardsigmoid", floats("hardsigmoid", input), inplace)), inplace
    )


@boundary
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * relu6(x + 3) / 6 of each element. A. Howard and others: Searching for MobileNetV3, 2019.

    >>> from facula_tensor import tensor
    >>> hardswish(tensor([0.0, 1.0, 4.0]))
    tensor([0.0000, 0.6667, 4.0000])
    """
    return assign_inplace(
        input, recorded_ops.hardswish(source("hardswish", floats("hardswish", input), inplace)), inplace
    )


@boundary
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x)) of each element. D. Misra: Mish, 2019.

    >>> from facula_tensor import tensor
    >>> mish(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    return assign_inplace(input, recorded_ops.mish(source("mish", floats("mish", input), inplace)), inplace)


@boundary
def softsign(input: Tensor) -> Tensor:
    """x / (1 + abs(x)) of each element.

    >>> from facula_tensor import tensor
    >>> softsign(tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return recorded_ops.softsign(as_tensor("softsign", input))


@boundary
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x) of each element.

    >>> from facula_tensor import tensor
    >>> tanhshrink(tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """
    return recorded_ops.tanhshrink(as_tensor("tanhshrink", input))


@boundary
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element moved towards 0 by `lambd`; 0 where it is no further than that from 0.

    ValueError where `lambd` is negative.

    >>> from facula_tensor import tensor
    >>> softshrink(tensor([-2.0, 0.25]))
    tensor([-1.5000,  0.0000])
    """
    bound = float(as_real(lambd, "softshrink", "lambd"))
    if not bound >= 0:
        raise ArgumentError(f"softshrink: expected lambd of at least 0; got {lambd}")
    F, x = recorded_ops, floats("softshrink", input)
    return F.where(F.gt(x, bound), F.sub(x, bound), F.where(F.ge(x, -bound), F.mul(x, 0), F.add(x, bound)))


@overridable
@method()
@boundary
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element, or 0 where it is at most `lambd` from 0.

    >>> from facula_tensor import tensor
    >>> hardshrink(tensor([-2.0, 0.25]))
    tensor([-2.,  0.])
    """
    bound = float(as_real(lambd, "hardshrink", "lambd"))
    F, x = recorded_ops, floats("hardshrink", input)
    return F.where(F.gt(x, bound), x, F.where(F.ge(x, -bound), 0, x))


@boundary
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Each element, or `value` where it is not greater than `threshold`.

    Arguments:
        input: a tensor of real numbers.
        threshold: the bound; rounded toward zero for integers.
        value: the number in place of elements up to the bound, rounded likewise.
        inplace: whether `input` itself takes the result.

    >>> from facula_tensor import tensor
    >>> threshold(tensor([1.0, 3.0]), 2.0, -1.0)
    tensor([-1.,  3.])
    """
    bound, value = as_real(threshold, "threshold", "threshold"), as_real(value, "threshold", "value")
    x = source("threshold", input, inplace)
    if layout_of_tensor(x).dtype.category != FLOATING:
        bound, value = int(bound), int(value)
    return assign_inplace(input, recorded_ops.where(recorded_ops.le(wide(x), bound), value, x), inplace)


@boundary
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with the scales that let mean 0 and variance 1 pass through layers. G. Klambauer and others, 2017.

    >>> from facula_tensor import tensor
    >>> selu(tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """
    x = source("selu", floats("selu", input), inplace)
    return assign_inplace(input, recorded_ops.mul(recorded_ops.elu(x, 1.6732632423543772), 1.0507009873554805), inplace)


@boundary
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha * (exp(x / alpha) - 1). J. T. Barron, 2017.

    Arguments:
        input: a tensor of a floating dtype.
        alpha: minus the value that very negative elements tend to.
        inplace: whether `input` itself takes the result.

    Raises:
        ValueError: for an alpha of 0.

    >>> from facula_tensor import tensor
    >>> celu(tensor([-1.0, 1.0]), 2.0)
    tensor([-0.7869,  1.0000])
    """
    alpha = float(as_real(alpha, "celu", "alpha"))
    if alpha == 0:
        raise ArgumentError("celu: expected an alpha other than 0, since it divides by it; got 0")
    F, x = recorded_ops, source("celu", floats("celu", input), inplace)
    below = F.mul(F.expm1(F.div(F.below_zero(x), alpha)), alpha)
    return assign_inplace(
        input, F.where(F.lt(x, 0), below, x), inplace
    )  # at 0 the slope is 1, and that of below_zero is 0


@overridable
@method()
@boundary
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, else x times `weight`: one number, or one for each channel (dimension 1).

    ValueError where weight has another number of elements, TypeError for another dtype. K. He and others, 2015.

    >>> from facula_tensor import tensor
    >>> prelu(tensor([-1.0, 2.0]), tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    x, w = layout_of_tensor(as_tensor("prelu", floats("prelu", input))), layout_of_tensor(as_tensor("prelu", weight))
    if w.dtype is not x.dtype:
        raise DTypeError(f"prelu: expected all in one dtype; got input {x.dtype.name}, weight {w.dtype.name}")
    channels = 1 if len(x.shape) < 2 else x.shape[1]
    if len(w.shape) > 1 or w.numel not in (1, channels):
        raise ArgumentError(
            f"prelu: expected weight of one number, or of {channels}, as input {x.shape} has channels; got {w.shape}"
        )
    slopes = weight
    if w.numel != 1:
        slopes = recorded_ops.reshape(weight, (w.numel, *(1,) * (len(x.shape) - 2)))
    elif w.shape:
        slopes = recorded_ops.reshape(weight, ())
    return recorded_ops.leaky_relu(input, slopes)


@boundary
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where it is positive, else x times a slope, which is random in training. B. Xu and others, 2015.

    Arguments:
        input: a tensor of a floating dtype.
        lower: the least slope.
        upper: the greatest slope.
        training: whether slopes are drawn evenly, one for each element; else all are the mean of the two.
        inplace: whether `input` itself takes the result.

    Raises:
        ValueError: where `lower` is greater than `upper`.

    >>> from facula_tensor import tensor
    >>> rrelu(tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    least, most = float(as_real(lower, "rrelu", "lower")), float(as_real(upper, "rrelu", "upper"))
    if not least <= most:
        raise ArgumentError(f"rrelu: expected lower <= upper; got {lower} and {upper}")
    x = source("rrelu", floats("rrelu", input), inplace)
    slope: object = (least + most) / 2
    if training:
        layout = layout_of_tensor(x)
        made = contiguous(layout.shape, layout.dtype, layout.device)
        slope = rand(made.shape, dtype=made.dtype, device=made.device) * (most - least) + least
    return assign_inplace(input, recorded_ops.leaky_relu(x, slope), inplace)


@boundary
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """softmax(-x) along a dimension.

    Arguments:
        input: a tensor of numbers.
        dim: the dimension, as `softmax` takes it.
        _stacklevel: has no effect.
        dtype: converted to it first, unless None.

    >>> from facula_tensor import tensor
    >>> softmin(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return softmax(recorded_ops.neg(as_tensor("softmin", input)), dim, dtype=dtype)


@boundary
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of `input` along `dim`, times the sigmoid of the second. ValueError where the length is odd.

    Y. Dauphin and others: Language modeling with gated convolutional networks, 2016.

    >>> from facula_tensor import tensor
    >>> glu(tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    shape = layout_of_tensor(floats("glu", input)).shape
    if not shape:
        raise ArgumentError("glu: expected an input with a dimension to halve; got a number")
    dim = check_dim("glu", dim, len(shape))
    half, odd = divmod(shape[dim], 2)
    if odd:
        raise ArgumentError(f"glu: expected an even length along dim {dim}; got shape {shape}")
    first, second = (input.narrow(dim, start, half) for start in (0, half))
    return recorded_ops.mul(first, recorded_ops.sigmoid(second))
