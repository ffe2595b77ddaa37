"""The base class of schedulers: an epoch count, and a rate for each parameter group."""

from __future__ import annotations

import math
from functools import partial, wraps
from numbers import Integral, Real
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, MissingKeyError, UnsupportedError
from facula_errors.extend import boundary, warn
from facula_tensor import Tensor
from facula_tensor.extend.recording import collecting, current_recorder

from .._optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from .._types import Group, StateDict

    T = TypeVar("T")


@boundary
class LRScheduler:
    """Base class of learning rate schedulers.

    The constructor sets the rates of epoch 0. Each `step()` advances by one epoch (or batch, depending on the program)
    and follows the optimizer's step. A subclass defines `get_lr()`, which returns the rate of each group at
    `self.last_epoch`. It computes them from `self.base_lrs` (the initial rates, "initial_lr" in the groups) or from the
    present rates.

    A `last_epoch` above -1 resumes: the groups must have "initial_lr", as in a loaded optimizer (else KeyError), and
    get the rates of epoch last_epoch + 1.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> class Halving(LRScheduler):
    ...     def get_lr(self):
    ...         return [rate / 2**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = Halving(optimizer)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    optimizer: Optimizer
    base_lrs: list[float]
    _last_lr: list[float]
    _step_count: int
    _is_initial: bool

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        attach(self, optimizer)
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise MissingKeyError(
                    f"{type(self).__name__}: expected 'initial_lr' in param_groups[{number}] to resume after "
                    f"last_epoch={last_epoch}; load the optimizer's state first, or leave last_epoch out"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._set_initial_rates()

    def _set_initial_rates(self) -> None:
        """Set the rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `self.last_epoch`."""
        raise UnsupportedError(f"{type(self).__name__}.get_lr: the class has no formula; define get_lr in it")

    def get_rates_at(self, epoch: int) -> list[float]:
        """Return the rates at an arbitrary epoch; by default those of `get_lr`."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Return the rates that this scheduler set last, one per group."""
        return self._last_lr

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = _recordable_step(vars(cls)["step"])  # type: ignore[method-assign]

    def step(self, epoch: int | None = None) -> None:
        """Advance by one epoch, or to `epoch`, and set the rates. Warns if the optimizer has not stepped yet."""
        self._count_step()
        for group in self.optimizer.param_groups[len(self.base_lrs) :]:  # groups added later
            self.base_lrs.append(group.setdefault("initial_lr", float(group["lr"])))
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = epoch
            rates = self.get_rates_at(epoch)
        self._last_lr = put(self.optimizer, rates)

    def _count_step(self) -> None:
        """Count a step; UserWarning if the first step precedes the optimizer's."""
        if self._step_count == 1 and not self.optimizer._step_count:
            warn(
                f"{type(self).__name__}.step: called before optimizer.step(), so the first rate of the schedule is "
                "skipped; call optimizer.step() first"
            )
        self._step_count += 1

    def state_dict(self) -> StateDict:
        """Return all attributes but the optimizer. Save the optimizer's state, too, which has the present rates."""
        recorder = current_recorder() if collecting else None
        if recorder is not None:
            recorder.reads_whole(self)
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the result of `state_dict`. The rates themselves are in the optimizer's state.

        Unknown entries are ignored; KeyError for missing ones.
        """
        own = self.state_dict()
        missing = sorted(key for key in own if key not in state_dict and key != "_is_initial")
        if missing:
            raise MissingKeyError(
                f"{type(self).__name__}.load_state_dict: {', '.join(missing)} not in the state, which has "
                f"{', '.join(map(str, state_dict))}; was it saved by another schedule?"
            )
        vars(self).update({key: state_dict[key] for key in own if key in state_dict})


def attach(scheduler: LRScheduler, optimizer: Optimizer) -> None:
    """Set a scheduler's optimizer; TypeError if it is not an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise InvalidTypeError(
            f"{type(scheduler).__name__}: expected optimizer to be an Optimizer; got {type(optimizer).__name__}"
        )
    scheduler.optimizer = optimizer


def put(optimizer: Optimizer, rates: Iterable[float]) -> list[float]:
    """Set the groups' rates and return them as floats. A rate that is a tensor is modified in place."""
    done = []
    for group, rate in zip(optimizer.param_groups, rates):
        done.append(float(rate))
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate
    return done


def for_each_group(name: str, option: str, value: T | list[T] | tuple[T, ...], optimizer: Optimizer) -> list[T]:
    """Return an option as a list with one value per parameter group.

    Arguments:
        name: the scheduler's class name, with which errors begin.
        option: the option's name, for errors.
        value: one value for all groups, or a list or tuple with one per group.
        optimizer: the optimizer whose groups are counted.

    Raises:
        ValueError: the length of the list is not the number of groups.
    """
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise InvalidValueError(f"{name}: expected {option} for each of {count} parameter groups; got {len(value)}")
    return list(value)


def has_betas(name: str, optimizer: Optimizer, cycle_momentum: bool) -> bool:
    """Return whether the optimizer's momentum is its first beta; ValueError if it has none and it is to be cycled."""
    if cycle_momentum and not {"betas", "momentum"} & optimizer.defaults.keys():
        raise InvalidValueError(
            f"{name}: {type(optimizer).__name__} has neither momentum nor betas; pass cycle_momentum=False"
        )
    return "betas" in optimizer.defaults


def put_momentum(group: Group, momentum: float, use_beta1: bool) -> None:
    """Set a group's momentum, or its first beta."""
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def check_positive(name: str, option: str, value: object) -> None:
    """Check that a value is an int of at least 1, of Python or NumPy.

    Arguments:
        name: the scheduler's class name, with which errors begin.
        option: the option's name, for errors.
        value: the value to check.

    Raises:
        ValueError: any other value.
    """
    if not isinstance(value, Integral) or value < 1:
        raise InvalidValueError(f"{name}: expected {option} to be an int of 1 or more; got {value!r}")


def check_period(name: str, option: str, value: object, *, whole: bool = False) -> None:
    """Check that a value is a finite number above 0.

    Arguments:
        name: the scheduler's class name, with which errors begin.
        option: the option's name, for errors.
        value: the value to check.
        whole: whether to also reject fractions; 2.0 is accepted.

    Raises:
        ValueError: any other value.
    """
    if not isinstance(value, Real) or not 0 < float(value) < math.inf or (whole and float(value) % 1):
        wanted = "a whole number of 1 or more" if whole else "a finite number above 0"
        raise InvalidValueError(f"{name}: expected {option} to be {wanted}; got {value!r}")


def _recordable_step(step: Callable[..., None]) -> Callable[..., None]:
    """Wrap a scheduler's step so that a captured function repeats it on each replay."""

    @wraps(step)
    def replayed(self: LRScheduler, *args: object, **kwargs: object) -> None:
        recorder = current_recorder() if collecting else None
        if recorder is None:
            step(self, *args, **kwargs)
        else:
            recorder.act(self.optimizer, partial(step, self, *args, **kwargs))

    return replayed


LRScheduler.step = _recordable_step(LRScheduler.step)  # type: ignore[method-assign]
