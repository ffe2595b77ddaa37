"""Cosine annealing with warm restarts."""

from __future__ import annotations

from math import cos, floor, pi
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ._base import LRScheduler, check_positive

if TYPE_CHECKING:
    from .._optimizer import Optimizer


@boundary
class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate down to `eta_min` in T_0 epochs, then in T_0 * T_mult epochs, and so on.

    `step(epoch)` accepts fractions: `step(epoch + batch / batches)` within an epoch.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        T_0: the number of epochs of the first run, at least 1.
        T_mult: the factor between the lengths of successive runs, at least 1.
        eta_min: the minimum rate.
        last_epoch: the last completed epoch when resuming; -1 to start.

    Loshchilov and Hutter 2017, SGDR: stochastic gradient descent with warm restarts.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    ...     print(schedule.get_last_lr())
    [0.5]
    [1.0]
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        check_positive("CosineAnnealingWarmRestarts", "T_0", T_0)
        check_positive("CosineAnnealingWarmRestarts", "T_mult", T_mult)
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i: int = T_0
        self.T_cur: float = last_epoch  # the position in the present run of T_i epochs
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> None:  # type: ignore[override]
        """Advance by one epoch, or to `epoch`, which may be fractional; ValueError if it is negative."""
        if epoch is None:
            epoch = self.last_epoch + 1 + self.T_cur % 1  # keeps the fraction of the previous epoch
        if not epoch >= 0:
            raise InvalidValueError(f"CosineAnnealingWarmRestarts.step: expected epoch of 0 or more; got {epoch}")
        self.T_i, self.T_cur = self.T_0, epoch
        while self.T_cur >= self.T_i:
            if self.T_mult == 1:
                self.T_cur %= self.T_i
            else:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        super().step(floor(epoch))

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `T_cur` of `T_i`."""
        share, least = (1 + cos(pi * self.T_cur / self.T_i)) / 2, self.eta_min
        return [least + (rate - least) * share for rate in self.base_lrs]
