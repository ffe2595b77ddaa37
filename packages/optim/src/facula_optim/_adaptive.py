"""RMSprop, Adadelta and Adagrad: steps divided by the past size of each element's gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor.extend.optimizers import (
    AdadeltaNumbers,
    AdagradNumbers,
    RmspropNumbers,
    adadelta_step,
    adagrad_step,
    rmsprop_centered_step,
    rmsprop_step,
)

from ._fused import FusedOptimizer, sign_of
from ._groups import chosen, number_of

if TYPE_CHECKING:
    from typing import Any

    from facula_tensor import Tensor

    from ._types import Group, Options, Params


@boundary
class RMSprop(FusedOptimizer):
    """RMSprop: each element's step is its gradient over the root of the running mean of its square.

    With d = gradient + weight_decay * p, a parameter p is reduced by lr * q, where q = d / (sqrt(mean(d²)) + eps) and
    the mean's factor is `alpha`. With `centered`, the root is that of the gradient's variance mean(d²) - mean(d)². With
    `momentum`, p is reduced by lr * b, where b = momentum * b + q. State: "step", "square_avg", and depending on the
    options "momentum_buffer", "grad_avg". Parameters are float32 or float64; ValueError for options below 0 or NaN.
    `foreach` is ignored; `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        alpha: the decay factor of the running mean of the squared gradient.
        eps: the constant added to the denominator.
        weight_decay: the factor of the parameter in the term added to its gradient.
        momentum: the factor of the momentum buffer; 0 for no momentum.
        centered: divide by the standard deviation instead of the root mean square.
        capturable: must be False.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.

    Tieleman and Hinton 2012, lecture 6.5; Graves 2013, Generating sequences with recurrent neural networks, centred.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = RMSprop([x], lr=0.1, alpha=0.75)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.8000, -1.8000], requires_grad=True)
    """

    numbers = ("lr", "eps", "momentum", "weight_decay", "alpha")
    keeps = ("step", "square_avg")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        names = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        super().__init__(params, chosen(locals(), names))

    def _step_group(self, group: Options) -> None:
        momentum = float(group["momentum"])
        buffer = ("momentum_buffer",) if momentum > 0 else ()
        mean = ("grad_avg",) if group["centered"] else ()
        tensors, width = self._rows(group, "square_avg", *mean, *buffer, "step")
        if tensors:
            numbers = RmspropNumbers(
                rate=float(group["lr"]),
                share=float(group["alpha"]),
                epsilon=float(group["eps"]),
                decay=float(group["weight_decay"]),
                sign=sign_of(group),
                keep=momentum,
            )
            (rmsprop_centered_step if mean else rmsprop_step)(tensors, width, numbers)


@boundary
class Adadelta(FusedOptimizer):
    """Adadelta: steps scaled by the sizes of earlier steps, relative to the sizes of the gradients.

    With d = gradient + weight_decay * p, a parameter p is reduced by lr * s, where s = sqrt(mean(s²) + eps) /
    sqrt(mean(d²) + eps) * d; the running means' factor is `rho`. State: "step", "square_avg", "acc_delta". Parameters
    are float32 or float64; ValueError for options below 0 or NaN, and for rho above 1. `foreach` is ignored;
    `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        rho: the decay factor of both running means, from 0 to 1.
        eps: the constant added to both means before taking roots.
        weight_decay: the factor of the parameter in the term added to its gradient.
        foreach: accepted for compatibility; ignored.
        capturable: must be False.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.

    Zeiler 2012, ADADELTA: an adaptive learning rate method.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Adadelta([x], lr=5.0, rho=0.5, eps=0.01)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.2947, -1.2933], requires_grad=True)
    """

    numbers = ("lr", "rho", "eps", "weight_decay")
    keeps = ("step", "square_avg", "acc_delta")
    launch = staticmethod(adadelta_step)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, chosen(locals(), "lr rho eps weight_decay maximize capturable foreach differentiable"))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        if number_of("Adadelta", "rho", options["rho"]) > 1:
            raise InvalidValueError(f"Adadelta: expected rho from 0 to 1; got {options['rho']}")

    def _step_numbers(self, group: Options) -> AdadeltaNumbers:
        return AdadeltaNumbers(
            rate=float(group["lr"]),
            share=float(group["rho"]),
            epsilon=float(group["eps"]),
            decay=float(group["weight_decay"]),
            sign=sign_of(group),
        )


@boundary
class Adagrad(FusedOptimizer):
    """Adagrad: each element's step is its gradient over the root of the sum of all its squares so far.

    With d = gradient + weight_decay * p and sum = sum + d², starting at `initial_accumulator_value`, a parameter p is
    reduced by lr / (1 + (step - 1) * lr_decay) * d / (sqrt(sum) + eps). State, created by the constructor: "step",
    "sum". Parameters are float32 or float64; ValueError for options below 0 or NaN. `foreach` and `fused` are ignored;
    `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        lr_decay: the decay of the rate with the number of steps.
        weight_decay: the factor of the parameter in the term added to its gradient.
        initial_accumulator_value: the initial value of the sum of squares.
        eps: the constant added to the denominator.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.
        fused: accepted for compatibility; ignored.

    Duchi et al. 2011, Adaptive subgradient methods for online learning and stochastic optimization.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Adagrad([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    numbers = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")
    keeps = ("step", "sum")
    launch = staticmethod(adagrad_step)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        names = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
        super().__init__(params, chosen(locals(), names))

    def add_param_group(self, param_group: Group) -> None:
        """Add a group, as `Optimizer.add_param_group` does, and create the state of its parameters."""
        super().add_param_group(param_group)
        group: Any = self.param_groups[-1]
        for p in group["params"]:
            self._initialize_state(self.state[p], p, group, ("sum", "step"))

    def _first_values(self, group: Options) -> dict[str, float]:
        return {"sum": float(group["initial_accumulator_value"])}

    def _step_numbers(self, group: Options) -> AdagradNumbers:
        return AdagradNumbers(
            rate=float(group["lr"]),
            slower=float(group["lr_decay"]),
            epsilon=float(group["eps"]),
            decay=float(group["weight_decay"]),
            sign=sign_of(group),
        )
