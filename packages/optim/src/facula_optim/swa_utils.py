"""Stochastic weight averaging: functions that average parameters, and a learning rate scheduler.

The averaged model itself consists of modules, which this package does not import; see `facula.optim.swa_utils`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary, published
from facula_tensor import Tensor, no_grad

from .lr_scheduler._base import LRScheduler, attach, for_each_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._optimizer import Optimizer

    AverageOne = Callable[[Tensor, Tensor, Tensor | int], Tensor]
    AverageAll = Callable[[list[Tensor], list[Tensor], Tensor | int], None]

__all__ = ["SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn"]

__dir__ = published(__name__)

STRATEGIES: dict[str, Callable[[float], float]] = {
    "cos": lambda share: (1 - math.cos(math.pi * share)) / 2,
    "linear": lambda share: share,
}


@boundary
class SWALR(LRScheduler):
    """Anneal the rate to `swa_lr` in `anneal_epochs` steps, along half a cosine or a line, and then keep it constant.

    `swa_lr` is a number or a list with one number per group. If another scheduler sets rates in the meantime, annealing
    continues from these. ValueError for an unknown strategy, and unless `anneal_epochs` is an int of at least 0.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        swa_lr: the final rate, or a list with one per group.
        anneal_epochs: the number of annealing steps, at least 0.
        anneal_strategy: "cos" or "linear".
        last_epoch: the last completed epoch when resuming; -1 to start.

    Izmailov et al. 2018, Averaging weights leads to wider optima and better generalization.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    ...     print(schedule.get_last_lr())
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ):
        attach(self, optimizer)
        if anneal_strategy not in STRATEGIES:
            raise InvalidValueError(f"SWALR: expected anneal_strategy to be 'cos' or 'linear'; got {anneal_strategy!r}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise InvalidValueError(f"SWALR: expected anneal_epochs to be an int of 0 or more; got {anneal_epochs!r}")
        for group, rate in zip(optimizer.param_groups, for_each_group("SWALR", "swa_lr", swa_lr, optimizer)):
            group["swa_lr"] = rate
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _annealed_fraction(self, step: int) -> float:
        """Return the completed fraction of the annealing after a step."""
        return STRATEGIES[self._anneal_strategy](min(1.0, max(0, step) / max(1, self.anneal_epochs)))

    def get_lr(self) -> list[float]:
        """Return the rate of each group, continuing the annealing curve that passes through its present rate."""
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._annealed_fraction(step - 1), self._annealed_fraction(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal, rate = float(group["swa_lr"]), float(group["lr"])
            begun = goal if before == 1 else (rate - before * goal) / (1 - before)
            rates.append(now * goal + (1 - now) * begun)
        return rates


def check_decay(name: str, decay: float) -> None:
    """Raise ValueError unless the decay is from 0 to 1."""
    if not 0 <= decay <= 1:
        raise InvalidValueError(f"{name}: expected decay from 0 to 1; got {decay}")


@boundary
def get_ema_avg_fn(decay: float = 0.999) -> AverageOne:
    """Return a function that computes the exponential moving average of a parameter with this decay.

    >>> from facula_tensor import tensor
    >>> get_ema_avg_fn(0.75)(tensor(4.0), tensor(8.0), 1)
    tensor(5.)
    """
    check_decay("get_ema_avg_fn", decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


@boundary
def get_swa_avg_fn() -> AverageOne:
    """Return a function that computes the mean of all values of a parameter so far.

    >>> from facula_tensor import tensor
    >>> get_swa_avg_fn()(tensor(4.0), tensor(8.0), 3)
    tensor(5.)
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


@boundary
def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageAll:
    """Return `get_ema_avg_fn` for lists of parameters, in place; values that are not floating are copied."""
    check_decay("get_ema_multi_avg_fn", decay)
    return _inplace(lambda old, num_averaged: 1 - decay)


@boundary
def get_swa_multi_avg_fn() -> AverageAll:
    """Return `get_swa_avg_fn` for lists of parameters, in place; values that are not floating are copied."""

    def weight(old: Tensor, num_averaged: Tensor | int) -> Tensor | float:
        return 1 / ((num_averaged.to(old.dtype) if isinstance(num_averaged, Tensor) else num_averaged) + 1)

    return _inplace(weight)


def _inplace(weight_of: Callable[[Tensor, Tensor | int], Tensor | float]) -> AverageAll:
    """Return an update that moves averages toward new values by a weight, which is computed once for each dtype."""

    @no_grad()
    def update(averaged: list[Tensor], current: list[Tensor], num_averaged: Tensor | int) -> None:
        weights: dict[object, Tensor | float] = {}
        for old, new in zip(averaged, current, strict=True):
            if not (old.is_floating_point() or old.is_complex()):
                old.copy_(new)
                continue
            dtype = old.dtype
            if dtype not in weights:
                weights[dtype] = weight_of(old, num_averaged)
            old.lerp_(new if new.dtype is dtype else new.to(dtype), weights[dtype])

    return update
