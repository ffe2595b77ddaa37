"""Negative log likelihoods: of counts, of normal variables, and of binary labels."""

from __future__ import annotations

from math import log, pi
from typing import TYPE_CHECKING

from facula_errors import ArgumentError

from ...._core.promotion import as_real, floating
from ...._core.tensor import Tensor, elements
from ...._dispatch.declaration import elementwise
from ...._dispatch.slow_path.planning import broadcast_shapes
from ...._dispatch.value_checks import with_words
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...elementwise.pointwise import is_real
from .binary import same_shape
from .regression import loss_of, reduced_losses

if TYPE_CHECKING:
    from ...._dispatch.kinds import Averages, Checked, Flag, Floating, Real, RealOrTensor, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace


@elementwise
class _poisson_of_logarithms:
    """Compute exp(input) - target input."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target):
        return F.exp(input) - target * input


@elementwise
class _poisson_of_rates:
    """Compute input - target log(input + eps)."""

    inputs = ("input", "target", "eps")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real
    no_gradient = ("eps",)

    def value(F, input, target, eps):
        return input - target * F.log(input + eps)


@elementwise
class _gaussian:
    """Compute (log(var) + (input - target)**2 / var) / 2."""

    inputs = ("input", "target", "var")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target, var):
        difference = input - target
        return (F.log(var) + difference * difference / var) * 0.5


@elementwise
class _gaussian_nll:
    """Compute `gaussian` with a bounded variance; gradients ignore the bound."""

    inputs = ("input", "target", "var", "eps")
    compute_dtype = floating
    accepts = is_real
    no_gradient = ("eps",)

    def value(F, input, target, var, eps):
        F.require((var >= 0) | (var != var))
        return F.gaussian(input, target, F.clamp_min(var, eps))

    def partial_input(F, input, target, var, eps):
        return (input - target) / F.clamp_min(var, eps)

    def partial_target(F, input, target, var, eps):
        return (target - input) / F.clamp_min(var, eps)

    def partial_var(F, input, target, var, eps):
        bounded, difference = F.clamp_min(var, eps), input - target
        return (bounded - difference * difference) / (bounded * bounded) * 0.5


@elementwise
class _soft_margin:
    """Compute log(1 + exp(-target input))."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target):
        return -F.log_sigmoid(target * input)


@function(overridable=True)
def poisson_nll_loss(
    F: Namespace,
    input: Checked,
    target: Checked,
    log_input: Flag = True,
    full: Flag = False,
    size_average: Averages = None,
    eps: Real = 1e-8,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute exp(input) - target input, for counts `target` and logarithms of their expectations; shapes broadcast.

    log_input False: input - target log(input + eps). `full` adds Stirling's approximation of log(target!) where target
    is above 1.

    Arguments:
        input: expectations, or their logarithms.
        target: counts.
        log_input: whether `input` contains logarithms.
        full: whether to add Stirling's approximation.
        eps: a number added to expectations before their logarithm.

    >>> from facula_tensor import tensor
    >>> poisson_nll_loss(tensor([0.0, 1.0]), tensor([1.0, 2.0]), reduction="none")
    tensor([1.0000, 0.7183])
    """
    broadcast_shapes("poisson_nll_loss", tuple(input.shape), tuple(target.shape))
    operator, numbers = ("poisson_of_logarithms", ()) if log_input else ("poisson_of_rates", (eps,))
    if not full:
        return loss_of(operator, (input, target), reduction, None, numbers)
    losses = getattr(F, operator)(input, target, *numbers)
    few = F.le(target, 1)
    many = F.where(few, 1, target)
    factorial = F.add(F.sub(F.mul(many, F.log(many)), many), F.mul(F.log(F.mul(many, 2 * pi)), 0.5))
    return reduced_losses(F.add(losses, F.where(few, 0, factorial)), reduction)


@function(overridable=True)
def gaussian_nll_loss(
    F: Namespace,
    input: Checked,
    target: Checked,
    var: Tensor | float,
    full: Flag = False,
    eps: RealOrTensor = 1e-6,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute (log(var) + (input - target)**2 / var) / 2 with var at least `eps`; gradients ignore that bound.

    `var` has input's shape, or that with one length of 1 or without the last dimension, or is one number. `full`
    adds log(2 pi) / 2. Raises ValueError for a negative variance and for other shapes.

    Arguments:
        input: expectations.
        target: samples.
        var: variances, not negative.
        full: whether to add log(2 pi) / 2.
        eps: the lower bound of variances.

    >>> from facula_tensor import tensor
    >>> gaussian_nll_loss(tensor([1.0, 2.0]), tensor([0.0, 2.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([0.5000, 0.0000])
    """
    name, shape = "gaussian_nll_loss", tuple(input.shape)
    broadcast_shapes(name, shape, tuple(target.shape))
    v = var if isinstance(var, Tensor) else F.mul(F.ones_like(input), as_real(var, name, "var"))
    given = tuple(v.shape)
    if given == shape[:-1] and given:
        v = F.unsqueeze(v, -1)
    elif v.numel() != 1 and given not in (shape, *[(*shape[:i], 1, *shape[i + 1 :]) for i in range(len(shape))]):
        raise ArgumentError(
            f"{name}: expected var of input's shape {shape}, or with one length of 1, or {shape[:-1]}; got {given}"
        )
    expected = f"{name}: expected variances of at least 0"

    def compute() -> Tensor:
        if full or isinstance(eps, Tensor):
            return reduced_losses(F.gaussian_nll(input, target, v, eps) + (log(2 * pi) / 2 if full else 0), reduction)
        return loss_of("gaussian_nll", (input, target, v), reduction, None, (eps,))

    return with_words(
        v,
        compute,
        lambda: ArgumentError(f"{expected}; got {elements(v).detach().amin().item()}"),
        lambda: ArgumentError(f"{expected}; got another"),
    )


@function(overridable=True)
def soft_margin_loss(
    input: Floating,
    target: Checked,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute log(1 + exp(-target input)) for targets 1 and -1, without overflow; ValueError if shapes differ.

    Arguments:
        input: the predictions.
        target: 1 or -1 for each prediction.

    >>> from facula_tensor import tensor
    >>> soft_margin_loss(tensor([0.0, -100.0]), tensor([1.0, 1.0]), reduction="none")
    tensor([  0.6931, 100.0000])
    """
    same_shape("soft_margin_loss", input, target)
    return loss_of("soft_margin", (input, target), reduction)


@function(overridable=True)
def multilabel_soft_margin_loss(
    F: Namespace,
    input: Floating,
    target: Checked,
    weight: Tensor | None = None,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the mean over classes of `binary_cross_entropy_with_logits`: (N, C) to (N).

    `weight` (C) has a factor for each class.

    Arguments:
        input: logits (N, C).
        target: 0 or 1 for each class (N, C).
        weight: a factor for each class (C); none if None.

    >>> from facula_tensor import tensor
    >>> multilabel_soft_margin_loss(tensor([[0.0, 0.0]]), tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    name = "multilabel_soft_margin_loss"
    broadcast_shapes(name, tuple(input.shape), tuple(target.shape))
    losses = F.logistic_loss(input, target)
    if weight is not None:
        losses = F.mul(losses, as_tensor(name, weight))
    if not losses.ndim:
        raise ArgumentError(f"{name}: expected input (N, C) or (C); got a number")
    last = losses.ndim - 1
    return reduced_losses(F.div(F.sum(losses, ((last,), False)), losses.shape[last]), reduction)
