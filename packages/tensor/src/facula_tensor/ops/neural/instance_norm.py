"""Normalization of instances, and by neighboring channels: `instance_norm`, `local_response_norm`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import float32, float64

from ..._core.memory import check_writable
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..reduction.moments import var_mean
from .batch_norm import batch_norm
from .layer_norm import group_norm
from .vision.padding import pad

if TYPE_CHECKING:
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


@elementwise
class _divide_by_response:
    """input / (sums * scale + shift) ** 0.75, by two roots, which are faster than a power."""

    inputs = ("input", "sums", "scale", "shift")
    no_gradient = ("scale", "shift")
    inplace = False

    def value(F, input, sums, scale, shift):
        root = F.sqrt(sums * scale + shift)
        return input / (root * F.sqrt(root))


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
    shape = layout_of_tensor(input).shape
    if len(shape) < 3 or size < 1:
        raise ArgumentError(
            "local_response_norm: expected input (n, channels, ...) of at least 3 dimensions, and size of at least 1; "
            f"got {shape} and {size}"
        )
    area = prod(shape[2:])
    if not prod(shape):
        return F.clone(input)
    lines = (shape[0], shape[1], area)
    squares, before = F.reshape(F.mul(input, input), lines), size // 2
    if not size % 2:  # the border is one channel wider before than after
        squares, before = pad(squares, (0, 0, before, before - 1)), 0
    wide = layout_of_tensor(input).dtype in (float32, float64)
    whole = wide and not isinstance(alpha, Tensor)
    sums = F.avg_pool2d(squares, (((size, 1), (1, 1), (before, 0), True, 1 if whole else None), lines[1:]))
    sums = F.reshape(sums, shape)
    if whole and not isinstance(k, Tensor) and not isinstance(beta, Tensor) and beta == 0.75:
        return F.divide_by_response(input, sums, alpha / size, k)
    divisor = F.add(F.mul(sums, alpha / size if whole else alpha), k)
    return F.div(input, F.pow(divisor, beta))
