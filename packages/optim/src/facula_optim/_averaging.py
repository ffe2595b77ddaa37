"""ASGD (averaged parameters) and Rprop (steps by the signs of gradients)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor.extend.optimizers import AsgdNumbers, RpropNumbers, asgd_step, rprop_step

from ._fused import FusedOptimizer, sign_of
from ._groups import check_pair, chosen, number_of

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from ._types import Options, Params


@boundary
class ASGD(FusedOptimizer):
    """Averaged stochastic gradient descent: descent with a decreasing rate, and the average of the parameters.

    With d = gradient + weight_decay * p, a parameter p becomes p * (1 - lambd * eta) - eta * d, and the average ax + mu
    * (p - ax); then eta becomes lr / (1 + lambd * lr * step) ** alpha and mu 1 / max(1, step - t0). State: "step",
    "eta", "mu", "ax". Parameters are float32 or float64; ValueError for options out of range. `foreach` is ignored;
    `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the initial learning rate, at least 0.
        lambd: the decay of the parameters, relative to the present rate.
        alpha: the exponent of the decrease of the rate.
        t0: the step at which averaging starts.
        weight_decay: the factor of the parameter in the term added to its gradient.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.
        capturable: must be False.

    Polyak and Juditsky 1992, Acceleration of stochastic approximation by averaging.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ASGD([x], lr=0.25, lambd=0.0)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.0000], requires_grad=True)
    """

    numbers = ("lr", "weight_decay")
    keeps = ("step", "eta", "mu", "ax")
    launch = staticmethod(asgd_step)
    operands = ("ax", "eta", "mu", "step")
    scalars = ("step", "eta", "mu")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ):
        names = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
        super().__init__(params, chosen(locals(), names))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        for option, value in (("lambd", options["lambd"]), ("alpha", options["alpha"]), ("t0", options["t0"])):
            number_of("ASGD", option, value)

    def _first_values(self, group: Options) -> dict[str, float]:
        return {"eta": float(group["lr"]), "mu": 1.0}

    def _step_numbers(self, group: Options) -> AsgdNumbers:
        return AsgdNumbers(
            rate=float(group["lr"]),
            lambda_=float(group["lambd"]),
            power=float(group["alpha"]),
            start=float(group["t0"]),
            decay=float(group["weight_decay"]),
            sign=sign_of(group),
        )


@boundary
class Rprop(FusedOptimizer):
    """Resilient backpropagation: each element moves by its own step size against the sign of its gradient.

    The step size, initially `lr`, is multiplied by etas[1] if the sign of the gradient is unchanged and by etas[0] if
    it changed, and clamped to `step_sizes`. Elements with a changed sign do not move. Intended for full-batch
    gradients.
    State: "step", "prev" (the gradient), "step_size". Parameters are float32 or float64; ValueError for options out of
    range. `foreach` is ignored; `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the initial step size.
        etas: the factor after a change of sign, below 1, and the factor without one, above 1.
        step_sizes: the minimum and the maximum step size.
        capturable: must be False.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        differentiable: must be False.

    Riedmiller and Braun 1993, A direct adaptive method for faster backpropagation learning.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Rprop([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    numbers = ("lr",)
    keeps = ("step", "prev", "step_size")
    launch = staticmethod(rprop_step)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, chosen(locals(), "lr etas step_sizes foreach maximize differentiable capturable"))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        for option, pair in (("etas", options["etas"]), ("step_sizes", options["step_sizes"])):
            check_pair("Rprop", option, pair)
            for number, value in enumerate(pair):
                number_of("Rprop", f"{option}[{number}]", value)
        cut, grow = options["etas"]
        if not 0 < cut < 1 < grow:
            raise InvalidValueError(f"Rprop: expected etas from 0 to 1 and above 1; got {cut} and {grow}")

    def _first_values(self, group: Options) -> dict[str, float]:
        return {"step_size": float(group["lr"])}

    def _step_numbers(self, group: Options) -> RpropNumbers:
        (cut, grow), (least, most) = group["etas"], group["step_sizes"]
        return RpropNumbers(cut=float(cut), grow=float(grow), least=float(least), most=float(most), sign=sign_of(group))
