"""Cycles without end: the rate climbs and falls between two bounds, and momentum goes the other way."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._base import LRScheduler, attach, check_period, for_each_group, has_betas, put, put_momentum

if TYPE_CHECKING:
    from .._optimizer import Optimizer
    from .._types import StateDict

MODES = ("triangular", "triangular2", "exp_range")


@boundary
class CyclicLR(LRScheduler):
    """From `base_lr` up to `max_lr` in `step_size_up` steps, down again in `step_size_down` (as many); counts batches.

    `mode` "triangular" has all peaks alike, "triangular2" halves each next one, "exp_range" multiplies the height by
    gamma**step. In their place `scale_fn` gives the factor of the height: of the cycle's number, from 1, or with
    `scale_mode` "iterations" of the step's, from 0. Unless `cycle_momentum` is false, momentum (Adam: first of betas)
    goes from `max_momentum` to `base_momentum` and back. The rates and momenta may be lists with one for each group.
    ValueError for options that make no cycle.

    Arguments:
        optimizer: whose groups' rates are set.
        base_lr: the lowest rate, or a list with one for each group.
        max_lr: the highest rate, or a list with one for each group.
        step_size_up: the steps up.
        step_size_down: the steps down; as many as up if None.
        mode: "triangular", "triangular2" or "exp_range".
        gamma: the factor of "exp_range".
        scale_fn: the factor of the height, in place of `mode`.
        scale_mode: "cycle" or "iterations": what `scale_fn` gets.
        cycle_momentum: let momentum fall and climb, too.
        base_momentum: the lowest momentum, or a list with one for each group.
        max_momentum: the highest momentum, or a list with one for each group.
        last_epoch: the epoch to go on after; -1 to begin.

    Smith 2017, Cyclical learning rates for training neural networks.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0, momentum=0.9)
    >>> schedule = CyclicLR(optimizer, base_lr=0.25, max_lr=0.75, step_size_up=2)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr(), round(optimizer.param_groups[0]["momentum"], 2)
    ([0.5], 0.85)
    """

    total_size: float
    step_ratio: float
    scale_mode: str
    max_lrs: list[float]
    use_beta1: bool
    base_momentums: list[float]
    max_momentums: list[float]

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ):
        attach(self, optimizer)
        check_period("CyclicLR", "step_size_up", step_size_up)
        down = step_size_up if step_size_down is None else step_size_down
        check_period("CyclicLR", "step_size_down", down)
        if scale_fn is None and mode not in MODES:
            raise InvalidValueError(f"CyclicLR: expected mode to be one of {', '.join(MODES)}; got {mode!r}")
        if scale_fn is not None and not callable(scale_fn):
            raise InvalidTypeError(f"CyclicLR: expected scale_fn to be callable; got {type(scale_fn).__name__}")
        if scale_mode not in ("cycle", "iterations"):
            raise InvalidValueError(f"CyclicLR: expected scale_mode to be 'cycle' or 'iterations'; got {scale_mode!r}")
        use_beta1 = has_betas("CyclicLR", optimizer, cycle_momentum)
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self.cycle_momentum = mode, gamma, cycle_momentum
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode, self._scale_fn_custom = scale_mode, scale_fn
        lowest = for_each_group("CyclicLR", "base_lr", base_lr, optimizer)
        self.max_lrs = for_each_group("CyclicLR", "max_lr", max_lr, optimizer)
        if cycle_momentum:
            self.use_beta1 = use_beta1
            self.base_momentums = for_each_group("CyclicLR", "base_momentum", base_momentum, optimizer)
            self.max_momentums = for_each_group("CyclicLR", "max_momentum", max_momentum, optimizer)
        if last_epoch == -1:
            put(optimizer, lowest)
            if cycle_momentum:
                for group, low, high in zip(optimizer.param_groups, self.base_momentums, self.max_momentums):
                    group.update(max_momentum=high, base_momentum=low)
        super().__init__(optimizer, last_epoch)  # the first rate is "initial_lr", where another schedule left one
        self.base_lrs = [float(rate) for rate in lowest]

    def get_lr(self) -> list[float]:
        """The rate of each group at `self.last_epoch`; momentum is set on the way."""
        done, position = divmod(self.last_epoch, self.total_size)
        share = position / self.total_size
        height = share / self.step_ratio if share <= self.step_ratio else (1 - share) / (1 - self.step_ratio)
        height *= self._scale(int(done) + 1)
        if self.cycle_momentum:
            bounds = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums)
            for group, low, high in bounds:
                momentum = high - (high - low) * height
                put_momentum(group, momentum, self.use_beta1)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs)]

    def _scale(self, cycle: int) -> float:
        """The factor of the height at this step of this cycle."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "triangular":
            return 1.0
        return 0.5 ** (cycle - 1) if self.mode == "triangular2" else self.gamma**self.last_epoch

    def state_dict(self) -> StateDict:
        """As for all schedules; of a callable object its attributes, and nothing of a function."""
        own = self._scale_fn_custom
        plain = own is None or isinstance(own, (FunctionType, type))
        return {**super().state_dict(), "_scale_fn_custom": None if plain else dict(getattr(own, "__dict__", {}))}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """As for all schedules; a function stays as it is."""
        own = self._scale_fn_custom
        super().load_state_dict(state_dict)
        self._scale_fn_custom = own
        if own is not None and state_dict["_scale_fn_custom"] is not None:
            vars(own).update(state_dict["_scale_fn_custom"])
