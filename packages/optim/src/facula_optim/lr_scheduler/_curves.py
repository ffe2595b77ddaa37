"""Schedules that are curves: fractions of the initial rate that depend only on the epoch."""

from __future__ import annotations

from collections import Counter
from math import cos, pi
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary

from ._base import LRScheduler, check_period

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._optimizer import Optimizer


@boundary
class CurveLR(LRScheduler):
    """The rate is `eta_min` plus `share(epoch)` times the difference of the initial rate and `eta_min`.

    A step multiplies the rate by the ratio of two shares, so that several schedulers of one optimizer can be combined.
    After a share of 0, the rate is computed from the initial rate.
    """

    eta_min: float = 0.0

    def share(self, epoch: int) -> float:
        """Return the fraction at an epoch."""
        raise UnsupportedError

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `self.last_epoch`, computed from the rates of the previous epoch."""
        present = [float(group["lr"]) for group in self.optimizer.param_groups]
        if self._is_initial:
            if self.last_epoch:
                return present  # resumed: the groups already have this rate
            before = 1.0
        else:
            before = self.share(self.last_epoch - 1)
        if not before:
            return self.get_rates_at(self.last_epoch)
        ratio, least = self.share(self.last_epoch) / before, self.eta_min
        return [rate if ratio == 1 else least + (rate - least) * ratio for rate in present]

    def get_rates_at(self, epoch: int) -> list[float]:
        """Return the rates at any epoch, computed from the initial rates."""
        share, least = self.share(epoch), self.eta_min
        return [least + (rate - least) * share for rate in self.base_lrs]


@boundary
class StepLR(CurveLR):
    """Multiply the rate by `gamma` every `step_size` epochs.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        step_size: the number of epochs between two changes, a whole number of at least 1.
        gamma: the factor.
        last_epoch: the last completed epoch when resuming; -1 to start.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    ...     print(schedule.get_last_lr())
    [1.0]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: float, gamma: float = 0.1, last_epoch: int = -1):
        check_period("StepLR", "step_size", step_size, whole=True)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return gamma to the power of the number of changes so far."""
        return self.gamma ** (epoch // self.step_size)


@boundary
class MultiStepLR(CurveLR):
    """Multiply the rate by `gamma` at each of the epochs `milestones`; repeated milestones count repeatedly.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        milestones: the epochs of the changes.
        gamma: the factor.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    milestones: dict[int, int]

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = dict(Counter(milestones)), gamma  # a plain dict, which files can contain
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return gamma to the power of the number of milestones so far."""
        return self.gamma ** sum(times for at, times in self.milestones.items() if at <= epoch)


@boundary
class ConstantLR(CurveLR):
    """The rate times `factor` for `total_iters` epochs, then the initial rate. ValueError unless 0 <= factor <= 1.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        factor: the initial factor, from 0 to 1.
        total_iters: the epoch that restores the initial rate.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= factor <= 1:
            raise InvalidValueError(f"ConstantLR: expected factor from 0 to 1; got {factor}")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return `factor`, then 1."""
        return self.factor if epoch < self.total_iters else 1.0


@boundary
class LinearLR(CurveLR):
    """Change the factor of the rate linearly from `start_factor` to `end_factor` in `total_iters` epochs, as a warm-up.

    ValueError unless 0 < start_factor <= 1 and 0 <= end_factor <= 1.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        start_factor: the initial factor, above 0 and at most 1.
        end_factor: the final factor, from 0 to 1.
        total_iters: the number of epochs between the two.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 < start_factor <= 1:
            raise InvalidValueError(f"LinearLR: expected start_factor above 0 and up to 1; got {start_factor}")
        if not 0 <= end_factor <= 1:
            raise InvalidValueError(f"LinearLR: expected end_factor from 0 to 1; got {end_factor}")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return a factor between the two."""
        if epoch >= self.total_iters:
            return self.end_factor
        return self.start_factor + (self.end_factor - self.start_factor) * epoch / self.total_iters


@boundary
class ExponentialLR(CurveLR):
    """Multiply the rate by `gamma` every epoch.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        gamma: the factor.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return gamma to the power of the epoch."""
        return self.gamma**epoch


@boundary
class PolynomialLR(CurveLR):
    """Decrease the rate to 0 in `total_iters` epochs, as (1 - epoch / total_iters) to the `power`.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        total_iters: the number of epochs until the rate is 0, a whole number of at least 1.
        power: the exponent of the polynomial.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    def __init__(self, optimizer: Optimizer, total_iters: float = 5, power: float = 1.0, last_epoch: int = -1):
        check_period("PolynomialLR", "total_iters", total_iters, whole=True)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return the polynomial, 0 at its end."""
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


@boundary
class CosineAnnealingLR(CurveLR):
    """Half a cosine from the initial rate down to `eta_min` in `T_max` epochs; the rate then increases again.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        T_max: the number of epochs from the initial rate to the minimum.
        eta_min: the minimum rate.
        last_epoch: the last completed epoch when resuming; -1 to start.

    Loshchilov and Hutter 2017, SGDR: stochastic gradient descent with warm restarts (here without the restarts).

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = CosineAnnealingLR(optimizer, T_max=2)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    ...     print(schedule.get_last_lr())
    [0.5]
    [0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: float, eta_min: float = 0.0, last_epoch: int = -1):
        check_period("CosineAnnealingLR", "T_max", T_max)
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def share(self, epoch: int) -> float:
        """Return the cosine's value, from 1 to 0 and back."""
        return (1 + cos(pi * epoch / self.T_max)) / 2
