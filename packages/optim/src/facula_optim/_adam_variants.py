"""Adamax, NAdam and RAdam: Adam with a maximum norm, with Nesterov momentum, and with a rectified variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor.extend.optimizers import (
    AdamaxNumbers,
    NadamNumbers,
    RadamNumbers,
    adamax_step,
    nadam_step,
    radam_step,
)

from ._fused import FusedOptimizer, decays_of, sign_of
from ._groups import check_betas, chosen

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from ._types import Options, Params


class _AdamVariant(FusedOptimizer):
    """Base class of optimizers with two betas."""

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        check_betas(type(self).__name__, options["betas"])


@boundary
class Adamax(_AdamVariant):
    """Adamax: Adam with a decaying maximum of the gradients in place of the mean of squares.

    With d = gradient + weight_decay * p and most = max(betas[1] * most, |d| + eps), a parameter p is reduced by
    lr * mean(d) / most, where the bias-corrected mean has the factor betas[0]. State: "step", "exp_avg", "exp_inf".
    Parameters are float32 or float64; ValueError for options out of range. `foreach` is ignored; `capturable` and
    `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        betas: the decay factors of the running mean of the gradient and of its maximum, in [0, 1).
        eps: the constant added to the denominator.
        weight_decay: the factor of the parameter in the term added to its gradient.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.
        capturable: must be False.

    Kingma and Ba 2015, Adam: a method for stochastic optimization, algorithm 2.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Adamax([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    numbers = ("lr", "eps", "weight_decay")
    keeps = ("step", "exp_avg", "exp_inf")
    launch = staticmethod(adamax_step)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ):
        names = "lr betas eps weight_decay foreach maximize differentiable capturable"
        super().__init__(params, chosen(locals(), names))

    def _step_numbers(self, group: Options) -> AdamaxNumbers:
        first, second = group["betas"]
        return AdamaxNumbers(
            rate=float(group["lr"]),
            first=float(first),
            second=float(second),
            epsilon=float(group["eps"]),
            decay=float(group["weight_decay"]),
            sign=sign_of(group),
        )


@boundary
class NAdam(_AdamVariant):
    """NAdam: Adam with Nesterov momentum, whose factor grows with the number of steps.

    With d = gradient + weight_decay * p and f(t) = betas[0] * (1 - 0.96 ** (t * momentum_decay) / 2), step t is lr
    times the sum of (1 - f(t)) * d and f(t + 1) * mean(d), each bias-corrected, over sqrt(mean(d²)) + eps. With
    `decoupled_weight_decay`, the decay is AdamW's. State: "step", "mu_product", "exp_avg", "exp_avg_sq". Parameters are
    float32 or float64; ValueError for options out of range. `foreach` is ignored; `capturable` and `differentiable`
    must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        betas: the decay factors of the running means of the gradient and its square, in [0, 1).
        eps: the constant added to the denominator.
        weight_decay: the factor of the parameter in the term added to its gradient.
        momentum_decay: the growth rate of the momentum's factor.
        decoupled_weight_decay: decay the parameter directly instead of through its gradient.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        capturable: must be False.
        differentiable: must be False.

    Dozat 2016, Incorporating Nesterov momentum into Adam.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = NAdam([x], lr=0.5, betas=(0.5, 0.9), momentum_decay=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.4333, -1.4333], requires_grad=True)
    """

    numbers = ("lr", "eps", "weight_decay", "momentum_decay")
    keeps = ("step", "mu_product", "exp_avg", "exp_avg_sq")
    launch = staticmethod(nadam_step)
    operands = ("exp_avg", "exp_avg_sq", "mu_product", "step")
    scalars = ("step", "mu_product")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        names = (
            "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable differentiable"
        )
        super().__init__(params, chosen(locals(), names))

    def _first_values(self, group: Options) -> dict[str, float]:
        return {"mu_product": 1.0}

    def _step_numbers(self, group: Options) -> NadamNumbers:
        first, second = group["betas"]
        decay, shrink = decays_of(group)
        return NadamNumbers(
            rate=float(group["lr"]),
            first=float(first),
            second=float(second),
            epsilon=float(group["eps"]),
            decay=decay,
            shrink=shrink,
            sign=sign_of(group),
            warming=float(group["momentum_decay"]),
        )


@boundary
class RAdam(_AdamVariant):
    """RAdam: Adam that steps by the mean alone until the variance can be estimated from enough steps.

    The criterion is r(t) = r - 2 t b^t / (1 - b^t), with r = 2 / (1 - b) - 1 and b = betas[1]. Above 5, the step is
    Adam's times sqrt((r(t) - 4)(r(t) - 2) r / ((r - 4)(r - 2) r(t))); otherwise, it is lr * mean(d). With
    `decoupled_weight_decay`, the decay is AdamW's. State: "step", "exp_avg", "exp_avg_sq". Parameters are float32 or
    float64; ValueError for options out of range. `foreach` is ignored; `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        betas: the decay factors of the running means of the gradient and its square, in [0, 1).
        eps: the constant added to the denominator.
        weight_decay: the factor of the parameter in the term added to its gradient.
        decoupled_weight_decay: decay the parameter directly instead of through its gradient.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        capturable: must be False.
        differentiable: must be False.

    Liu et al. 2020, On the variance of the adaptive learning rate and beyond.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = RAdam([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.0000], requires_grad=True)
    """

    numbers = ("lr", "eps", "weight_decay")
    keeps = ("step", "exp_avg", "exp_avg_sq")
    launch = staticmethod(radam_step)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ):
        names = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
        super().__init__(params, chosen(locals(), names))

    def _step_numbers(self, group: Options) -> RadamNumbers:
        first, second = group["betas"]
        decay, shrink = decays_of(group)
        return RadamNumbers(
            rate=float(group["lr"]),
            first=float(first),
            second=float(second),
            epsilon=float(group["eps"]),
            decay=decay,
            shrink=shrink,
            sign=sign_of(group),
        )
