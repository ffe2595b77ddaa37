"""Adafactor: Adam's second moment of a matrix kept as one number for each row and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor.extend import AdafactorNumbers, adafactor_step, adafactor_vector_step

from ._fused import FusedOptimizer, sign_of
from ._groups import check_number, check_pair, chosen, number_of

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from ._types import Options, Params


@boundary
class Adafactor(FusedOptimizer):
    """Adafactor: steps in proportion to the parameter's size, by a second moment that takes little memory.

    Step t has the rate max(eps[1], rms(p)) * min(lr, 1 / sqrt(t)). The running mean of gradient², with factor
    1 - t ** beta2_decay, is kept for rows and columns of a matrix (of its last two dimensions) and taken as their
    product over the rows' mean; of a vector it is kept as it is. The gradient over its root is made smaller where its
    rms is above `d`. First p loses lr * weight_decay * p. `eps[0]` bounds the moment from below; None is the dtype's
    rounding. State: "step", and "row_var", "col_var" or "variance". Parameters are float32 or float64; ValueError for
    options out of range. `foreach` means nothing.

    Arguments:
        params: tensors, pairs of name and tensor, or groups with options of their own.
        lr: the greatest relative rate, of 0 or more.
        beta2_decay: the power of the step in the running mean's factor, of 0 or less.
        eps: the least second moment, or None for the dtype's rounding; and the least size of a parameter.
        d: the greatest rms of a step before the rate, of 1 or more.
        weight_decay: the share, times lr, by which parameters shrink.
        foreach: taken, and means nothing.
        maximize: climb instead of descending.

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
