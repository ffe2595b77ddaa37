"""Schedulers composed of schedulers, in sequence or simultaneously."""

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
class _CompositeScheduler(LRScheduler):
    """Base class that stores schedulers of one optimizer, and includes their states in its own."""

    _schedulers: list[LRScheduler]

    def _set_schedulers(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        self._schedulers = list(schedulers)
        if not self._schedulers:
            raise InvalidValueError(f"{name}: expected at least one schedule; got none")
        if optimizer is None:
            optimizer = getattr(self._schedulers[0], "optimizer", None)  # type: ignore[assignment]
        for number, scheduler in enumerate(self._schedulers):
            if not isinstance(scheduler, LRScheduler):
                raise InvalidTypeError(
                    f"{name}: expected schedule {number} to be an LRScheduler; got {type(scheduler).__name__}"
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise InvalidTypeError(f"{name}: ReduceLROnPlateau needs a metric at each step; step it separately")
            if scheduler.optimizer is not optimizer:
                raise InvalidValueError(
                    f"{name}: expected all schedules to be of one optimizer; schedule {number} is of another"
                )
        attach(self, optimizer)  # type: ignore[arg-type]

    def state_dict(self) -> StateDict:
        """Return the state, with a list of the states of the component schedulers."""
        return {**super().state_dict(), "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the state; ValueError if the number of schedulers differs."""
        own, states = self._schedulers, state_dict.get("_schedulers", ())
        if len(states) != len(own):
            raise InvalidValueError(
                f"{type(self).__name__}.load_state_dict: expected the states of {len(own)} schedules; got {len(states)}"
            )
        super().load_state_dict(state_dict)
        self._schedulers = own
        for scheduler, state in zip(own, states, strict=True):
            scheduler.load_state_dict(state)


@boundary
class SequentialLR(_CompositeScheduler):
    """Schedulers in sequence: scheduler i starts, at its epoch 0, at epoch `milestones[i - 1]`.

    ValueError unless milestones are ascending, one fewer than the schedulers, and all schedulers belong to this
    optimizer.

    Arguments:
        optimizer: the optimizer of all schedulers.
        schedulers: the schedulers, in order.
        milestones: the epochs at which the next scheduler starts.
        last_epoch: the last completed epoch when resuming; -1 to start.

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
        self._set_schedulers(schedulers, optimizer)
        if len(milestones) != len(self._schedulers) - 1 or list(milestones) != sorted(milestones):
            raise InvalidValueError(
                f"SequentialLR: expected {len(self._schedulers) - 1} milestone(s) in ascending order for "
                f"{len(self._schedulers)} schedules; got {milestones}"
            )
        self._milestones, self.last_epoch = list(milestones), last_epoch + 1
        # The constructor of each scheduler set the rates of its first epoch; only those of the first one apply.
        put(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0]._set_initial_rates()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Advance by one epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[place]
        if place and self._milestones[place - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


@boundary
class ChainedScheduler(_CompositeScheduler):
    """Several schedulers of one optimizer, stepped together: the factors of multiplicative ones are multiplied."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None):
        self._set_schedulers(schedulers, optimizer)
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]
        """Step each scheduler, in order."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]
