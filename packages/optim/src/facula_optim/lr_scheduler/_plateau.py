"""Reduction of the rate when a metric stops improving."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, SupportsFloat

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary

from ._base import LRScheduler, attach, for_each_group, put

if TYPE_CHECKING:
    from .._optimizer import Optimizer


@boundary
class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by `factor` after more than `patience` epochs without an improvement of a metric.

    An improvement is lower (mode "min") or higher ("max") than the best value so far by `threshold`, a fraction of the
    best value ("rel") or a difference ("abs"); NaN is never an improvement. In the `cooldown` epochs after a reduction,
    no epochs are counted. Rates are at least `min_lr` (a number, or one per group), and changes of less than `eps` are
    skipped. ValueError for factor >= 1 and unknown modes.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        mode: "min" if lower is better, else "max".
        factor: the factor of the rate, below 1.
        patience: the number of epochs without improvement that are tolerated.
        threshold: the minimum improvement.
        threshold_mode: "rel" for a fraction of the best value, "abs" for a difference.
        cooldown: the number of epochs after a reduction that are not counted.
        min_lr: the minimum rate, or a list with one per group.
        eps: the minimum change of a rate.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in [3.0, 2.0, 2.0, 2.0]:
    ...     optimizer.step()
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    default_min_lr: float | None
    min_lrs: list[float]
    mode_worse: float
    best: float
    cooldown_counter: int
    num_bad_epochs: int

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ):
        attach(self, optimizer)
        if not factor < 1:
            raise InvalidValueError(f"ReduceLROnPlateau: expected factor below 1; got {factor}")
        if mode not in ("min", "max"):
            raise InvalidValueError(f"ReduceLROnPlateau: expected mode to be 'min' or 'max'; got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise InvalidValueError(
                f"ReduceLROnPlateau: expected threshold_mode to be 'rel' or 'abs'; got {threshold_mode!r}"
            )
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = for_each_group("ReduceLROnPlateau", "min_lr", min_lr, optimizer)
        self.mode, self.factor, self.patience, self.cooldown, self.eps = mode, factor, patience, cooldown, eps
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.mode_worse = inf if mode == "min" else -inf
        self.last_epoch = 0
        self._last_lr = [float(group["lr"]) for group in optimizer.param_groups]
        self._reset()

    def _reset(self) -> None:
        """Reset the record of the metric."""
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Advance by one epoch with the metric `metrics`: a number, or a tensor with one element."""
        metric = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(metric, self.best):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):  # groups were added
            if self.default_min_lr is None:
                raise OperationError(
                    f"ReduceLROnPlateau.step: expected min_lrs for {len(groups)} parameter groups; got "
                    f"{len(self.min_lrs)}. Append to `min_lrs` when you add a group"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        rates = []
        for group, least in zip(groups, self.min_lrs, strict=True):
            rate = float(group["lr"])
            reduced = max(rate * self.factor, least)
            rates.append(reduced if rate - reduced > self.eps else rate)
        put(self.optimizer, rates)

    @property
    def in_cooldown(self) -> bool:
        """Whether the scheduler is in its cooldown."""
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Return whether metric `a` improves on `best` by the threshold."""
        sign = 1 if self.mode == "max" else -1
        margin = self.threshold * best if self.threshold_mode == "rel" else self.threshold
        least = best + sign * margin if best != self.mode_worse else best
        return a > least if self.mode == "max" else a < least
