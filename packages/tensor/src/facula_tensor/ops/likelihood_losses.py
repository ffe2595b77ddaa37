"""Negative logarithms of likelihoods: of counts, of numbers with a variance, and of labels of two kinds."""

from __future__ import annotations

from math import log, pi

from facula_autograd import no_grad
from facula_errors import ArgumentError
from facula_errors.extend import boundary

from .._core.promotion import as_real, floating
from .._core.tensor import Tensor, elements
from .._dispatch.arguments import floats
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.planning import broadcast_shapes
from .._dispatch.value_checks import refuse_unless
from .._dispatch.view_call import as_tensor
from .binary_losses import same_shape
from .losses import loss_of, reduced, reduction_of
from .pointwise import real

__all__ = ["gaussian_nll_loss", "multilabel_soft_margin_loss", "poisson_nll_loss", "soft_margin_loss"]


@elementwise
class _poisson_of_logarithms:
    """exp(input) - target input."""

    inputs = ("input", "target")
    compute_dtype = floating
    accepts = real

    def value(F, input, target):
        return F.exp(input) - target * input


@elementwise
class _poisson_of_rates:
    """input - target log(input + eps)."""

    inputs = ("input", "target", "eps")
    compute_dtype = floating
    accepts = real
    no_gradient = ("eps",)

    def value(F, input, target, eps):
        return input - target * F.log(input + eps)


@elementwise
class _gaussian:
    """(log(var) + (input - target)**2 / var) / 2."""

    inputs = ("input", "target", "var")
    compute_dtype = floating
    accepts = real

    def value(F, input, target, var):
        difference = input - target
        return (F.log(var) + difference * difference / var) * 0.5


@elementwise
class _soft_margin:
    """log(1 + exp(-target input))."""

    inputs = ("input", "target")
    compute_dtype = floating
    accepts = real

    def value(F, input, target):
        return -F.log_sigmoid(target * input)


@overridable
@boundary
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target input, for counts `target` and logarithms of their expectations; shapes broadcast.

    log_input False: input - target log(input + eps). `full` adds Stirling's approximation of log(target!) where target
    is above 1.

    Arguments:
        input: expectations, or their logarithms.
        target: counts.
        log_input: whether `input` is logarithms.
        full: whether Stirling's approximation is added.
        size_average: older form of `reduction`: False means "sum".
        eps: what is added to expectations before the logarithm is taken.
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> poisson_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 2.0]), reduction="none")
    tensor([1.0000, 0.7183])
    """
    name, F = "poisson_nll_loss", recorded_ops
    reduction = reduction_of(name, reduction, size_average, reduce)
    x, y, eps = as_tensor(name, input), as_tensor(name, target), as_real(eps, name, "eps")
    broadcast_shapes(name, tuple(x.shape), tuple(y.shape))
    operator, numbers = ("poisson_of_logarithms", ()) if log_input else ("poisson_of_rates", (eps,))
    if not full:
        return loss_of(operator, (x, y), reduction, None, numbers)
    losses = getattr(F, operator)(x, y, *numbers)
    few = F.le(y, 1)
    many = F.where(few, 1, y)
    factorial = F.add(F.sub(F.mul(many, F.log(many)), many), F.mul(F.log(F.mul(many, 2 * pi)), 0.5))
    return reduced(F.add(losses, F.where(few, 0, factorial)), reduction)


@overridable
@boundary
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """(log(var) + (input - target)**2 / var) / 2, var being taken as at least `eps`; gradients pass that bound.

    `var` has input's shape, or that with one length of 1, or without its last dimension, or is one number. `full`
    adds log(2 pi) / 2. ValueError for a negative variance and for other shapes.

    Arguments:
        input: expectations.
        target: samples.
        var: variances, not negative.
        full: whether log(2 pi) / 2 is added.
        eps: the least variance.
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> gaussian_nll_loss(tensor([1.0, 2.0]), tensor([0.0, 2.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([0.5000, 0.0000])
    """
    name, F = "gaussian_nll_loss", recorded_ops
    reduction = reduction_of(name, reduction)
    x, y, least = as_tensor(name, input), as_tensor(name, target), as_real(eps, name, "eps")
    broadcast_shapes(name, tuple(x.shape), tuple(y.shape))
    v = var if isinstance(var, Tensor) else F.mul(F.ones_like(x), as_real(var, name, "var"))
    shape, given = tuple(x.shape), tuple(v.shape)
    if given == shape[:-1] and given:
        v = F.unsqueeze(v, -1)
    elif v.numel() != 1 and given not in (shape, *[(*shape[:i], 1, *shape[i + 1 :]) for i in range(len(shape))]):
        raise ArgumentError(
            f"{name}: expected var of input's shape {shape}, or with one length of 1, or {shape[:-1]}; got {given}"
        )
    refuse_unless(
        no_record_ops.bitwise_not(no_record_ops.lt(v.detach(), 0)),
        lambda: ArgumentError(f"{name}: expected variances of at least 0; got {elements(v).detach().amin().item()}"),
    )
    v = v.clone()
    with no_grad():
        v.clamp_(min=least)
    if not full:
        return loss_of("gaussian", (x, y, v), reduction)
    return reduced(F.add(F.gaussian(x, y, v), log(2 * pi) / 2), reduction)


@overridable
@boundary
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target input)) for targets 1 and -1, without overflow. ValueError where shapes differ.

    Arguments:
        input: the predictions.
        target: 1 or -1 for each prediction.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> soft_margin_loss(tensor([0.0, -100.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([  0.6931, 100.0000])
    """
    name = "soft_margin_loss"
    reduction = reduction_of(name, reduction, size_average, reduce)
    same_shape(name, input, target)
    return loss_of("soft_margin", (floats(name, input), target), reduction)


@overridable
@boundary
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`binary_cross_entropy_with_logits`, the mean over classes: (N, C) to (N). `weight` (C) is a factor of classes.

    Arguments:
        input: logits (N, C).
        target: 0 or 1 for each class (N, C).
        weight: a factor for each class (C); none if None.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> multilabel_soft_margin_loss(tensor([[0.0, 0.0]]), tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    name, F = "multilabel_soft_margin_loss", recorded_ops
    reduction = reduction_of(name, reduction, size_average, reduce)
    x, y = floats(name, input), as_tensor(name, target)
    broadcast_shapes(name, tuple(x.shape), tuple(y.shape))
    losses = F.logistic_loss(x, y)
    if weight is not None:
        losses = F.mul(losses, as_tensor(name, weight))
    if not losses.ndim:
        raise ArgumentError(f"{name}: expected input (N, C) or (C); got a number")
    last = losses.ndim - 1
    return reduced(F.div(F.sum(losses, ((last,), False)), losses.shape[last]), reduction)
