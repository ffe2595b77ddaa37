"""Adam and AdamW: steps scaled by running moments of the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend.optimizers import AdamNumbers, adam_step

from ._fused import FusedOptimizer, decays_of, sign_of
from ._groups import check_betas, chosen

if TYPE_CHECKING:
    from ._types import Options, Params, TensorState


@boundary
class Adam(FusedOptimizer):
    """Adam: each element's step is the running mean of its gradient over the root of the mean of its square.

    With d = gradient + weight_decay * p and bias-corrected means, p is reduced by lr * mean(d) / (sqrt(mean(d²)) +
    eps). `betas` are the decay factors of the means. `amsgrad` uses the maximum of mean(d²) so far. With
    `decoupled_weight_decay`, the decay is AdamW's. State: "step" (a float32 number), "exp_avg", "exp_avg_sq", and
    "max_exp_avg_sq" for amsgrad. Parameters are float32 or float64; ValueError for options out of range. `foreach` and
    `fused` are ignored; `capturable` and `differentiable` must be False.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        betas: the decay factors of the running means of the gradient and its square, in [0, 1).
        eps: the constant added to the denominator.
        weight_decay: the factor of the parameter in the term added to its gradient.
        amsgrad: divide by the maximum of the running mean of the square so far.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.
        capturable: must be False.
        differentiable: must be False.
        fused: accepted for compatibility; ignored.
        decoupled_weight_decay: decay the parameter directly instead of through its gradient, as AdamW does.

    Raises:
        ValueError: an option out of range.

    Kingma and Ba 2015, Adam: a method for stochastic optimization; Reddi et al. 2018 for amsgrad.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Adam([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    numbers = ("lr", "eps", "weight_decay")
    keeps = ("step", "exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ):
        names = (
            "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay"
        )
        super().__init__(params, chosen(locals(), names))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        name, betas = type(self).__name__, options["betas"]
        check_betas(name, betas)
        if isinstance(betas[0], Tensor) != isinstance(betas[1], Tensor):
            raise InvalidValueError(f"{name}: expected betas to be two floats or two tensors; got {betas!r}")
        if options["foreach"] and not options["capturable"]:  # the rule of PyTorch
            for option, value in (("lr", options["lr"]), ("betas", betas[0])):
                if isinstance(value, Tensor):
                    raise InvalidValueError(
                        f"{name}: expected {option} to be given as floats with foreach=True; got a tensor; call "
                        ".item(), or leave foreach out"
                    )

    def _step_group(self, group: Options) -> None:
        if group["amsgrad"]:
            tensors, width = self._rows(group, "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")
        else:
            state: TensorState = self.state
            tensors, width = [], 5
            for p in group["params"]:  # a faster, inlined `_rows`, since Adam is the most common optimizer
                g = p.grad
                if g is not None:
                    kept = state[p]
                    if not kept:
                        self._initialize_state(kept, p, group, ("exp_avg", "exp_avg_sq", "step"))
                    tensors += (p, g, kept["exp_avg"], kept["exp_avg_sq"], kept["step"])
        if not tensors:
            return
        first, second = group["betas"]
        decay, shrink = decays_of(group)
        adam_step(
            tensors,
            width,
            AdamNumbers(
                rate=float(group["lr"]),
                first=float(first),
                second=float(second),
                epsilon=float(group["eps"]),
                decay=decay,
                shrink=shrink,
                sign=sign_of(group),
            ),
        )


@boundary
class AdamW(Adam):
    """Adam with decoupled weight decay: p is multiplied by 1 - lr * weight_decay before the step.

    Options, state and errors are Adam's; only the default of `weight_decay` differs.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        betas: the decay factors of the running means of the gradient and its square, in [0, 1).
        eps: the constant added to the denominator.
        weight_decay: the decay of the parameters per step, relative to lr.
        amsgrad: divide by the maximum of the running mean of the square so far.
        maximize: maximize the objective instead of minimizing it.
        foreach: accepted for compatibility; ignored.
        capturable: must be False.
        differentiable: must be False.
        fused: accepted for compatibility; ignored.

    Loshchilov and Hutter 2019, Decoupled weight decay regularization.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = AdamW([x], lr=0.5, weight_decay=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.4500, -1.4000], requires_grad=True)
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)  # fmt: skip
