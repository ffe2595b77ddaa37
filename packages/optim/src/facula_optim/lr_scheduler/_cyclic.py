"""Cyclic schedules: the rate alternates between two bounds, with inverse momentum."""

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
    """From `base_lr` up to `max_lr` in `step_size_up` steps and down in `step_size_down`, repeatedly; counts batches.

    `mode` "triangular" keeps the amplitude constant, "triangular2" halves it after each cycle, "exp_range" multiplies
    it by gamma**step. Alternatively, `scale_fn` returns the factor of the amplitude, given the number of the cycle,
    from 1, or with `scale_mode` "iterations" the number of the step, from 0. Unless `cycle_momentum` is false, the
    momentum (for Adam, the first beta) goes from `max_momentum` to `base_momentum` and back. Rates and momenta may be
    lists with one value per group. ValueError for options that do not define a cycle.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        base_lr: the minimum rate, or a list with one per group.
        max_lr: the maximum rate, or a list with one per group.
        step_size_up: the number of increasing steps.
        step_size_down: the number of decreasing steps; `step_size_up` if None.
        mode: "triangular", "triangular2" or "exp_range".
        gamma: the factor of "exp_range".
        scale_fn: a function that returns the factor of the amplitude and replaces `mode`.
        scale_mode: the argument of `scale_fn`: "cycle" or "iterations".
        cycle_momentum: also cycle the momentum, inversely.
        base_momentum: the minimum momentum, or a list with one per group.
        max_momentum: the maximum momentum, or a list with one per group.
        last_epoch: the last completed epoch when resuming; -1 to start.

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
        super().__init__(optimizer, last_epoch)  # sets "initial_lr" unless another scheduler has set it
        self.base_lrs = [float(rate) for rate in lowest]

    def get_lr(self) -> list[float]:
        """Set the momentum, and return the rate of each group at `self.last_epoch`."""
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
        """Return the factor of the amplitude at this step of this cycle."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "triangular":
            return 1.0
        return 0.5 ** (cycle - 1) if self.mode == "triangular2" else self.gamma**self.last_epoch

    def state_dict(self) -> StateDict:
        """Return the state, with the attributes of a callable object `scale_fn`, but without a function."""
        own = self._scale_fn_custom
        plain = own is None or isinstance(own, (FunctionType, type))
        return {**super().state_dict(), "_scale_fn_custom": None if plain else dict(getattr(own, "__dict__", {}))}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the state, except functions."""
        own = self._scale_fn_custom
        super().load_state_dict(state_dict)
        self._scale_fn_custom = own
        if own is not None and state_dict["_scale_fn_custom"] is not None:
            vars(own).update(state_dict["_scale_fn_custom"])
