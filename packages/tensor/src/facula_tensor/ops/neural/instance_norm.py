"""Normalization of instances, and by neighboring channels: `instance_norm`, `local_response_norm`."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_storage import Layout, contiguous
from facula_storage.extend.layouts import FLOATING

from ..._core.memory import check_writable
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._dispatch.conversions import at_least_float32
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..reduction.moments import var_mean
from .batch_norm import batch_norm
from .layer_norm import group_norm
from .vision.padding import pad

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._dispatch.kinds import Flag, Float, Integer, Real, RealOrTensor, Steady
    from ..._dispatch.namespaces import Namespace


@function(overridable=True)
def instance_norm(
    F: Namespace,
    input: Steady,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: Flag = True,
    momentum: Real = 0.1,
    eps: Float = 1e-5,
) -> Tensor:
    """Normalize each channel of each example to mean 0 and variance 1; multiply by `weight`, add `bias`.

    D. Ulyanov, A. Vedaldi, V. Lempitsky: Instance normalization, 2016.

    Arguments:
        input: (n, channels, ...), with a floating dtype.
        running_mean: (channels,), updated in place towards the mean over the examples; or None.
        running_var: (channels,), updated towards the variance, likewise.
        weight: (channels,), or None for 1.
        bias: (channels,), or None for 0.
        use_input_stats: whether to use the examples' statistics instead of the running ones.
        momentum: the weight of the new value in running statistics.
        eps: a number added to variances.

    Raises:
        ValueError: if shapes do not fit, or an instance has a single value.

    >>> from facula_tensor import tensor
    >>> instance_norm(tensor([[[1.0, 3.0], [2.0, 8.0]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    name = "instance_norm"
    shape = layout_of_tensor(input).shape
    if len(shape) < 2:
        raise ArgumentError(f"{name}: expected input (n, channels, ...); got shape {shape}")
    for what, operand in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if operand is not None and layout_of_tensor(as_tensor(name, operand)).shape != shape[1:2]:
            raise ArgumentError(
                f"{name}: expected {what} of shape {shape[1:2]}, one number a channel; got {tuple(operand.shape)}"
            )
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ArgumentError(f"{name}: expected running_mean and running_var, or use_input_stats=True; got None")
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if prod(shape[2:]) == 1:
        raise ArgumentError(f"{name}: expected more than 1 spatial element when training; got input size {shape}")
    if not prod(shape):
        return F.clone(input)
    made = group_norm(input, shape[1], weight, bias, eps)
    if running_mean is not None or running_var is not None:
        _follow(input, running_mean, running_var, float(momentum))
    return made


def _follow(input: Tensor, mean: Tensor | None, variance: Tensor | None, share: float) -> None:
    """Update running statistics by the means of the examples' statistics with weight `share`, without recording.

    `mean` and `variance` are the running statistics; either may be None.
    """
    shape = layout_of_tensor(input).shape
    known = [None if statistic is None else snapshot(statistic) for statistic in (variance, mean)]
    for statistic in known:
        if statistic is not None:
            check_writable("instance_norm", statistic)
    dtype = next(statistic for statistic in known if statistic is not None).dtype
    lines = no_record_ops.to(no_record_ops.reshape(snapshot(input), (*shape[:2], prod(shape[2:]))), (dtype,))
    for running, found in zip(known, var_mean(lines, 2), strict=True):
        if running is not None:
            moved = no_record_ops.add(
                no_record_ops.mul(running, 1 - share),
                no_record_ops.mul(no_record_ops.sum(found, ((0,), False)), share / shape[0]),
            )
            no_record_ops.copy_into(running, moved)


MAX_CHANNELS = 1024  # of a window, for the kernel


def channel_sums(F: Namespace, terms: Tensor, before: int, after: int) -> Tensor:
    """Return the sums of (n, channels, elements) over `before` channels, the channel itself, and `after` channels."""
    layout = layout_of_tensor(terms)
    padding = before
    if before != after:  # the border is one channel wider on one side
        terms, padding = pad(terms, (0, 0, before, after)), 0
    return F.avg_pool2d(terms, (((before + after + 1, 1), (1, 1), (padding, 0), True, 1), layout.shape[-2:]))


def response_powers(
    F: Namespace, input: Tensor, size: int, alpha: float | Tensor, beta: float | Tensor, k: float | Tensor
) -> tuple[Tensor, Tensor]:
    """Return k + alpha * m of (n, channels, elements), and its power."""
    base = F.add(F.mul(channel_sums(F, F.mul(input, input), size // 2, (size - 1) // 2), alpha / size), k)
    return base, F.pow(base, beta)


def in_float32(F: Namespace, function: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """Call the function with half precision converted to float32, and convert its result back."""
    dtype = layout_of_tensor(operands[0]).dtype
    wide = at_least_float32(dtype)
    if wide is dtype:
        return function(*operands)
    return F.to(function(*[F.to(operand, (wide,)) for operand in operands]), (dtype,))


def has_kernel(layout: Layout, size: int) -> bool:
    """Return whether a kernel computes windows of `size` channels."""
    return size <= MAX_CHANNELS and layout.device.type != "cuda"


@operator
class _local_response_norm:
    """Divide (n, channels, elements) by powers of means of squares."""

    parameters = ("size", "alpha", "beta", "k")
    launch_scalars = ("alpha", "beta", "k")
    batching = "leading"
    row_major = True

    def decompose(F, operands, parameters):
        (input,) = operands
        if has_kernel(layout_of_tensor(input), parameters[0]):
            return None
        return in_float32(F, lambda wide: F.div(wide, response_powers(F, wide, *parameters)[1]), input)

    def outputs(layout, *rest):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, input, size, alpha, beta, k):
        return F.local_response_norm_gradient(g, input, size, alpha, beta, k)


@operator
class _local_response_norm_grad:
    """Compute the gradient of the input."""

    inputs = ("grad", "input")
    parameters = ("size", "alpha", "beta", "k")
    launch_scalars = ("alpha", "beta", "k")
    batching = "leading"
    row_major = True

    def outputs(g, layout, *rest):
        return contiguous(layout.shape, layout.dtype, layout.device)


def response_gradient(F: Namespace, g: Tensor, input: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """Return the gradient of `local_response_norm`, by differentiable operators."""

    def gradient(g: Tensor, input: Tensor) -> Tensor:
        base, power = response_powers(F, input, size, alpha, beta, k)
        factor = F.div(g, power)
        sums = channel_sums(F, F.div(F.mul(factor, input), base), (size - 1) // 2, size // 2)
        return F.sub(factor, F.mul(input, F.mul(sums, 2 * alpha * beta / size)))

    return in_float32(F, gradient, g, input)


def _unrecorded_gradient(g: Tensor, input: Tensor, *numbers: Any) -> Tensor:
    if has_kernel(layout_of_tensor(input), numbers[0]):
        return no_record_ops.local_response_norm_grad(g, input, numbers)
    return response_gradient(no_record_ops, g, input, *numbers)


no_record_ops.local_response_norm_gradient = _unrecorded_gradient
recorded_ops.local_response_norm_gradient = partial(response_gradient, recorded_ops)


@function(overridable=True)
def local_response_norm(
    F: Namespace,
    input: Steady,
    size: Integer,
    alpha: RealOrTensor = 1e-4,
    beta: RealOrTensor = 0.75,
    k: RealOrTensor = 1.0,
) -> Tensor:
    """Divide each element of (n, channels, ...) by (k + alpha * m) ** beta.

    m is the mean of squares over `size` channels around the element's own; channels out of range count as 0. A.
    Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional neural networks, 2012.

    Arguments:
        input: (n, channels, ...), with at least 3 dimensions.
        size: the number of channels, at least 1.
        alpha: the factor of m.
        beta: the exponent.
        k: the constant term.

    >>> from facula_tensor import tensor
    >>> local_response_norm(tensor([[[3.0], [4.0]]]), 2, alpha=1.0, beta=1.0, k=0.0)
    tensor([[[0.6667],
             [0.3200]]])
    """
    layout = layout_of_tensor(input)
    shape = layout.shape
    if len(shape) < 3 or size < 1:
        raise ArgumentError(
            "local_response_norm: expected input (n, channels, ...) of at least 3 dimensions, and size of at least 1; "
            f"got {shape} and {size}"
        )
    if not prod(shape):
        return F.clone(input)
    lines = F.reshape(input, (*shape[:2], prod(shape[2:])))
    if layout.dtype.category != FLOATING or any([isinstance(number, Tensor) for number in (alpha, beta, k)]):
        made = F.div(lines, response_powers(F, lines, size, alpha, beta, k)[1])
    else:
        made = F.local_response_norm(lines, (size, alpha, beta, k))
    return F.reshape(made, shape)
