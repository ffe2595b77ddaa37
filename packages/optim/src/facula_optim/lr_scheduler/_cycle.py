"""The one-cycle policy: the rate increases, decreases, and decreases further, with inverse momentum."""

from __future__ import annotations

from math import cos, pi
from typing import TYPE_CHECKING, TypedDict

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ._base import LRScheduler, attach, check_positive, for_each_group, has_betas, put_momentum

if TYPE_CHECKING:
    from .._optimizer import Optimizer


class Phase(TypedDict):
    """A phase of the cycle: its last step, and the entries of the group between which it interpolates."""

    end_step: float
    start_lr: str
    end_lr: str
    start_momentum: str
    end_momentum: str


@boundary
class OneCycleLR(LRScheduler):
    """From max_lr / div_factor up to `max_lr`, then down to the initial rate over `final_div_factor`; counts batches.

    The length is `total_steps`, or `epochs` times `steps_per_epoch`; the rate increases in its first fraction
    `pct_start`. With `three_phase`, it decreases symmetrically before it decreases further. `anneal_strategy` is "cos"
    or "linear". Unless `cycle_momentum` is false, the momentum (for Adam, the first beta) goes from `max_momentum` to
    `base_momentum` and back. `max_lr` and the two momenta may be lists with one value per group. ValueError for options
    that do not define a cycle, and for a step after the last.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        max_lr: the maximum rate, or a list with one per group.
        total_steps: the length of the cycle.
        epochs: alternatively, with `steps_per_epoch`, the number of epochs.
        steps_per_epoch: the number of steps per epoch.
        pct_start: the fraction of the cycle in which the rate increases, from 0 to 1.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: also cycle the momentum, inversely.
        base_momentum: the minimum momentum, or a list with one per group.
        max_momentum: the maximum momentum, or a list with one per group.
        div_factor: the ratio of max_lr and the initial rate.
        final_div_factor: the ratio of the initial rate and the final rate.
        three_phase: decrease to the initial rate first, and then further.
        last_epoch: the last completed epoch when resuming; -1 to start.

    Smith and Topin 2018, Super-convergence: very fast training of neural networks using large learning rates.

    >>> from facula_optim import AdamW
    >>> from facula_tensor import ones
    >>> optimizer = AdamW([ones(2)])
    >>> schedule = OneCycleLR(optimizer, max_lr=1.0, total_steps=11, anneal_strategy="linear", pct_start=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     schedule.step()
    >>> round(schedule.get_last_lr()[0], 2), round(optimizer.param_groups[0]["betas"][0], 2)
    (0.89, 0.86)
    """

    total_steps: int
    use_beta1: bool
    _schedule_phases: list[Phase]

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        attach(self, optimizer)
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise InvalidValueError("OneCycleLR: expected total_steps, or epochs and steps_per_epoch; got neither")
            check_positive("OneCycleLR", "epochs", epochs)
            check_positive("OneCycleLR", "steps_per_epoch", steps_per_epoch)
            total_steps = epochs * steps_per_epoch
        check_positive("OneCycleLR", "total_steps", total_steps)
        if not (isinstance(pct_start, (int, float)) and 0 <= pct_start <= 1):
            raise InvalidValueError(f"OneCycleLR: expected pct_start from 0 to 1; got {pct_start!r}")
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidValueError(
                f"OneCycleLR: expected anneal_strategy to be 'cos' or 'linear'; got {anneal_strategy!r}"
            )
        self.total_steps, self._anneal_func_type = total_steps, anneal_strategy
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = has_betas("OneCycleLR", optimizer, cycle_momentum)
        self._schedule_phases = phases(total_steps, pct_start, three_phase)
        settings = {"max_lr": max_lr, "base_momentum": base_momentum, "max_momentum": max_momentum}
        for_groups = {key: for_each_group("OneCycleLR", key, value, optimizer) for key, value in settings.items()}
        if last_epoch == -1:
            for number, group in enumerate(optimizer.param_groups):
                start = for_groups["max_lr"][number] / div_factor
                group.update(initial_lr=start, max_lr=for_groups["max_lr"][number], min_lr=start / final_div_factor)
                if cycle_momentum:
                    group.update({key: for_groups[key][number] for key in ("max_momentum", "base_momentum")})
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Set the momentum, and return the rate of each group at `self.last_epoch`."""
        at = self.last_epoch
        if at > self.total_steps:
            raise InvalidValueError(f"OneCycleLR.step: expected at most total_steps={self.total_steps}; got step {at}")
        start = 0.0
        *before, phase = self._schedule_phases
        for other in before:
            if at <= other["end_step"]:
                phase = other
                break
            start = other["end_step"]
        length = phase["end_step"] - start
        share = min((at - start) / length, 1.0) if length else 1.0
        rates = []
        for group in self.optimizer.param_groups[: len(self.base_lrs)]:
            rates.append(self._interpolate(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                momentum = self._interpolate(group[phase["start_momentum"]], group[phase["end_momentum"]], share)
                put_momentum(group, momentum, self.use_beta1)
        return rates

    def _interpolate(self, start: float, end: float, share: float) -> float:
        """Interpolate between two values.

        Arguments:
            start: the value at 0.
            end: the value at 1.
            share: the position, from 0 to 1.
        """
        if self._anneal_func_type == "linear":
            return start + (end - start) * share
        return end + (start - end) / 2 * (1 + cos(pi * share))


def phases(total_steps: int, pct_start: float, three_phase: bool) -> list[Phase]:
    """Return the phases of a cycle.

    Arguments:
        total_steps: the length of the cycle.
        pct_start: the fraction of it in which the rate increases.
        three_phase: whether the rate decreases to its initial value before it decreases further.
    """
    up = float(pct_start * total_steps) - 1
    parts = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
    if three_phase:
        parts.append((float(2 * pct_start * total_steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
        parts.append((total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
    else:
        parts.append((total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
    return [
        {"end_step": end, "start_lr": lr, "end_lr": end_lr, "start_momentum": momentum, "end_momentum": end_momentum}
        for end, lr, end_lr, momentum, end_momentum in parts
    ]
