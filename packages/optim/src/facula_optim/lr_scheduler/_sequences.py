"""Schedules made of schedules: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._base import LRScheduler, attach, put
from ._plateau import ReduceLROnPlateau

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._optimizer import Optimizer
    from .._types import StateDict


@boundary
class _Several(LRScheduler):
    """Keeps schedules of one optimizer, and their states in its own."""

    _schedulers: list[LRScheduler]

    def _take(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        self._schedulers = list(schedulers)
        if not self._schedulers:
            raise InvalidValueError(f"{name}: expected at least one schedule; got none")
        if optimizer is None:
            optimizer = getattr(self._schedulers[0], "optimizer", None)  # type: ignore[assignment]
        for number, one in enumerate(self._schedulers):
            if not isinstance(one, LRScheduler):
                raise InvalidTypeError(
                    f"{name}: expected schedule {number} to be an LRScheduler; got {type(one).__name__}"
                )
            if isinstance(one, ReduceLROnPlateau):
                raise InvalidTypeError(f"{name}: ReduceLROnPlateau needs a metric at each step; step it by itself")
            if one.optimizer is not optimizer:
                raise InvalidValueError(
                    f"{name}: expected all schedules to be of one optimizer; schedule {number} is of another"
                )
        attach(self, optimizer)  # type: ignore[arg-type]

    def state_dict(self) -> StateDict:
        """As for all schedules, with a list of the states of those that it is made of."""
        return {**super().state_dict(), "_schedulers": [one.state_dict() for one in self._schedulers]}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """As for all schedules; ValueError where their number differs."""
        own, states = self._schedulers, state_dict.get("_schedulers", ())
        if len(states) != len(own):
            raise InvalidValueError(
                f"{type(self).__name__}.load_state_dict: expected the states of {len(own)} schedules; got {len(states)}"
            )
        super().load_state_dict(state_dict)
        self._schedulers = own
        for one, state in zip(own, states, strict=True):
            one.load_state_dict(state)


@boundary
class SequentialLR(_Several):
    """One schedule after the other: number i begins, at its own epoch 0, at epoch `milestones[i - 1]`.

    ValueError unless there is one schedule more than milestones, in ascending order, and all are of this optimizer.

    Arguments:
        optimizer: whose rates are set; all schedules are its own.
        schedulers: the schedules, in order.
        milestones: the epochs at which the next one begins.
        last_epoch: the epoch to go on after; -1 to begin.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> from facula_optim.lr_scheduler import CosineAnnealingLR, LinearLR
    >>> parts = [LinearLR(optimizer, 0.5, total_iters=2), CosineAnnealingLR(optimizer, T_max=4)]
    >>> schedule = SequentialLR(optimizer, parts, milestones=[2])
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    >>> round(schedule.get_last_lr()[0], 6)
    0.5
    """

    _milestones: list[int]

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: list[int], last_epoch: int = -1
    ):
        self._take(schedulers, optimizer)
        if len(milestones) != len(self._schedulers) - 1 or list(milestones) != sorted(milestones):
            raise InvalidValueError(
                f"SequentialLR: expected {len(self._schedulers) - 1} milestone(s) in ascending order for "
                f"{len(self._schedulers)} schedules; got {milestones}"
            )
        self._milestones, self.last_epoch = list(milestones), last_epoch + 1
        # Each schedule set the rates of its first epoch when it was made; only the first one's count.
        put(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        for one in self._schedulers:
            one.last_epoch -= 1
        self._schedulers[0]._begin()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on by one epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        one = self._schedulers[place]
        if place and self._milestones[place - 1] == self.last_epoch:
            one.step(0)
        else:
            one.step()
        self._last_lr = one.get_last_lr()


@boundary
class ChainedScheduler(_Several):
    """Several schedules of one optimizer, stepped together: those that multiply the present rate multiply."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None):
        self._take(schedulers, optimizer)
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]
        """Step each schedule, in order."""
        for one in self._schedulers:
            one.step()
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]
