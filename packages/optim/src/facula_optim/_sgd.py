"""Stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor.extend.optimizers import SgdNumbers, sgd_step

from ._fused import FusedOptimizer
from ._groups import chosen, number_of

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from ._types import Options, Params, TensorState


@boundary
class SGD(FusedOptimizer):
    """Stochastic gradient descent, with momentum, weight decay and Nesterov momentum.

    With d = gradient + weight_decay * p, a parameter p is reduced by lr * d. With momentum, it is reduced by lr * b,
    where b is d in the first step and momentum * b + (1 - dampening) * d afterwards; with nesterov, by lr * (d +
    momentum * b). `maximize` reverses the direction. State: "momentum_buffer". Parameters are float32 or float64;
    ValueError for options below 0 or NaN, and for nesterov without momentum or with dampening. `foreach` and `fused`
    are ignored.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        momentum: the factor of the momentum buffer; 0 for no momentum.
        dampening: the reduction of the gradient's factor in the buffer.
        weight_decay: the factor of the parameter in the term added to its gradient.
        nesterov: use Nesterov momentum.
        maximize: maximize the objective instead of minimizing it.
        foreach: accepted for compatibility; ignored.
        differentiable: must be False.
        fused: accepted for compatibility; ignored.

    Raises:
        ValueError: an option below 0 or NaN; nesterov without momentum, or with dampening.

    Sutskever et al. 2013, On the importance of initialization and momentum in deep learning.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = SGD([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.5000, 1.0000], requires_grad=True)
    """

    numbers = ("lr", "momentum", "weight_decay")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        names = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
        super().__init__(params, chosen(locals(), names))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        number_of("SGD", "dampening", options["dampening"])
        if options["nesterov"] and (options["momentum"] == 0 or options["dampening"] != 0):
            raise InvalidValueError(
                f"SGD: nesterov needs momentum and no dampening; got momentum={options['momentum']}, "
                f"dampening={options['dampening']}"
            )

    def _step_group(self, group: Options) -> None:
        rate, momentum = float(group["lr"]), group["momentum"]
        decay, sign = float(group["weight_decay"]), -1.0 if group["maximize"] else 1.0
        if not momentum:
            tensors = [t for p in group["params"] if (g := p.grad) is not None for t in (p, g)]
            if tensors:
                sgd_step(tensors, 2, SgdNumbers(rate=rate, decay=decay, sign=sign))
            return
        state: TensorState = self.state
        begun: list[Tensor] = []
        fresh: list[Tensor] = []
        for p in group["params"]:
            g = p.grad
            if g is not None:
                buffer = state[p].get("momentum_buffer")
                if buffer is None:
                    fresh += (p, g, self._zeros_for(p, "momentum_buffer"))
                else:
                    begun += (p, g, buffer)
        ahead = float(momentum) if group["nesterov"] else 0.0
        if begun:
            numbers = SgdNumbers(
                rate=rate,
                decay=decay,
                sign=sign,
                keep=float(momentum),
                take=1.0 - float(group["dampening"]),
                ahead=ahead,
            )
            sgd_step(begun, 3, numbers)
        if fresh:  # the first buffer is the gradient, independent of the dampening
            sgd_step(fresh, 3, SgdNumbers(rate=rate, decay=decay, sign=sign, ahead=ahead))
            for p, buffer in zip(fresh[::3], fresh[2::3], strict=True):
                state[p]["momentum_buffer"] = buffer
