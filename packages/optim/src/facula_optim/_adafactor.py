"""Adafactor: Adam with the second moment of a matrix factored into one number per row and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor.extend.optimizers import AdafactorNumbers, adafactor_step, adafactor_vector_step

from ._fused import FusedOptimizer, sign_of
from ._groups import check_number, check_pair, chosen, number_of

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from ._types import Options, Params


@boundary
class Adafactor(FusedOptimizer):
    """Adafactor: steps in proportion to the parameter's size, with a memory-efficient second moment.

    Step t has the rate max(eps[1], rms(p)) * min(lr, 1 / sqrt(t)). The running mean of gradient² has the factor 1 - t
    ** beta2_decay. For a matrix (the last two dimensions), it is stored per row and per column and approximated by
    their product over the mean of the rows; for a vector, it is stored per element. The gradient divided by its root is
    scaled down if its rms exceeds `d`. First, p is reduced by lr * weight_decay * p. `eps[0]` bounds the moment from
    below; None means the machine epsilon of the dtype. State: "step", and "row_var", "col_var" or "variance".
    Parameters are float32 or float64; ValueError for options out of range. `foreach` is ignored.

    Arguments:
        params: tensors, pairs (name, tensor), or dicts that define groups with their own options.
        lr: the maximum relative rate, at least 0.
        beta2_decay: the exponent of the step in the running mean's factor, at most 0.
        eps: the minimum second moment, or None for the machine epsilon; and the minimum size of a parameter.
        d: the maximum rms of a step before it is multiplied by the rate, at least 1.
        weight_decay: the decay of the parameters per step, relative to lr.
        foreach: accepted for compatibility; ignored.
        maximize: maximize the objective instead of minimizing it.

    Shazeer and Stern 2018, Adafactor: adaptive learning rates with sublinear memory cost.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -1.0], requires_grad=True)
    >>> optimizer = Adafactor([x], lr=0.5)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([ 0.5000, -0.5000], requires_grad=True)
    """

    numbers = ("lr", "weight_decay")
    needs_whole = True
    keeps = ("step",)

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ):
        super().__init__(params, chosen(locals(), "lr beta2_decay eps d weight_decay foreach maximize"))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        check_pair("Adafactor", "eps", options["eps"])
        for number, value in enumerate(options["eps"]):
            if value is not None or number == 1:
                check_number("Adafactor", f"eps[{number}]", value)
        if not number_of("Adafactor", "d", options["d"]) >= 1:
            raise InvalidValueError(f"Adafactor: expected d of 1 or more; got {options['d']}")
        if not number_of("Adafactor", "beta2_decay", options["beta2_decay"]) <= 0:
            raise InvalidValueError(f"Adafactor: expected beta2_decay of 0 or less; got {options['beta2_decay']}")

    def _state_shape(self, parameter: Tensor, key: str) -> tuple[int, ...]:
        shape = tuple(parameter.shape)
        return {"row_var": (*shape[:-1], 1), "col_var": (*shape[:-2], 1, *shape[-1:])}.get(key, shape)

    def _step_group(self, group: Options) -> None:
        rate, (smallest, least) = float(group["lr"]), group["eps"]
        numbers = AdafactorNumbers(
            rate=rate,
            decay=float(group["beta2_decay"]),
            smallest=-1.0 if smallest is None else float(smallest),
            least=float(least),
            most=float(group["d"]),
            shrink=1.0 - rate * float(group["weight_decay"]),
            sign=sign_of(group),
        )
        for matrices in (True, False):
            keys = ("row_var", "col_var") if matrices else ("variance",)
            some: Options = {**group, "params": [p for p in group["params"] if (p.ndim > 1) is matrices]}
            tensors, width = self._rows(some, *keys, "step")
            if tensors:
                (adafactor_step if matrices else adafactor_vector_step)(tensors, width, numbers)
