"""Base of schedules: a count of epochs, and a rate for each parameter group."""

from __future__ import annotations

import math
from functools import partial, wraps
from numbers import Integral, Real
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, MissingKeyError, UnsupportedError
from facula_errors.extend import boundary, warn
from facula_tensor import Tensor
from facula_tensor.extend import collecting, current_recorder

from .._optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from .._types import Group, StateDict

    T = TypeVar("T")


@boundary
class LRScheduler:
    """Base class of schedules of the learning rate.

    Made, it sets the rates of epoch 0; each `step()` goes on by one epoch (or batch: what is counted is up to the
    program) and follows the optimizer's own step. A subclass defines `get_lr()`: the rate of each group at
    `self.last_epoch`, from `self.base_lrs` (the rates that groups had at first, "initial_lr" in the group) or the
    groups' present ones.

    `last_epoch` above -1 goes on: groups have their "initial_lr", as a loaded optimizer's do (KeyError else), and the
    rates of epoch last_epoch + 1.

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
                    f"{type(self).__name__}: expected 'initial_lr' in param_groups[{number}] to go on after "
                    f"last_epoch={last_epoch}; load the optimizer's state first, or leave last_epoch out"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _begin(self) -> None:
        """Set the rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The rate of each group at `self.last_epoch`."""
        raise UnsupportedError(f"{type(self).__name__}.get_lr: a subclass of LRScheduler defines its rates")

    def get_rates_at(self, epoch: int) -> list[float]:
        """The rates at an epoch that is not the next: those of `get_lr`, unless a schedule knows better."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """The rates that this schedule set last, one for each group."""
        return self._last_lr

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = _replayed(vars(cls)["step"])  # type: ignore[method-assign]

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch, or to `epoch`, and set the groups' rates. Warns if the optimizer was never stepped."""
        self._in_order()
        for group in self.optimizer.param_groups[len(self.base_lrs) :]:  # added since
            self.base_lrs.append(group.setdefault("initial_lr", float(group["lr"])))
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = epoch
            rates = self.get_rates_at(epoch)
        self._last_lr = put(self.optimizer, rates)

    def _in_order(self) -> None:
        """Count a step; UserWarning where the first comes before the optimizer's."""
        if self._step_count == 1 and not self.optimizer._step_count:
            warn(
                f"{type(self).__name__}.step: called before optimizer.step(), so the first rate of the schedule is "
                "skipped; call optimizer.step() first"
            )
        self._step_count += 1

    def state_dict(self) -> StateDict:
        """All but the optimizer: save it beside the optimizer's own, which has the present rates."""
        recorder = current_recorder() if collecting else None
        if recorder is not None:
            recorder.reads_whole(self)
        return {key: value for key, value in vars(self).items() if key != "optimizer"}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over what `state_dict` gave. The rates themselves are in the optimizer's state.

        Entries that this schedule does not have are left out; KeyError where one that it has is missing.
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
    """Give a schedule its optimizer; TypeError where it is none."""
    if not isinstance(optimizer, Optimizer):
        raise InvalidTypeError(
            f"{type(scheduler).__name__}: expected optimizer to be an Optimizer; got {type(optimizer).__name__}"
        )
    scheduler.optimizer = optimizer


def put(optimizer: Optimizer, rates: Iterable[float]) -> list[float]:
    """Set the groups' rates; what was set, as floats. A rate that is a tensor is changed in place."""
    done = []
    for group, rate in zip(optimizer.param_groups, rates):
        done.append(float(rate))
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate
    return done


def for_each_group(name: str, option: str, value: T | list[T] | tuple[T, ...], optimizer: Optimizer) -> list[T]:
    """An option as a list with one value for each parameter group.

    Arguments:
        name: how errors begin: the schedule's class.
        option: the option's name, for errors.
        value: one value for all groups, or a list or tuple with one for each.
        optimizer: whose groups are counted.

    Raises:
        ValueError: a list of another length than there are groups.
    """
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise InvalidValueError(f"{name}: expected {option} for each of {count} parameter groups; got {len(value)}")
    return list(value)


def has_betas(name: str, optimizer: Optimizer, cycle_momentum: bool) -> bool:
    """Whether momentum is the first of the optimizer's betas; ValueError where it has none, and is to be cycled."""
    if cycle_momentum and not {"betas", "momentum"} & optimizer.defaults.keys():
        raise InvalidValueError(
            f"{name}: {type(optimizer).__name__} has neither momentum nor betas; give cycle_momentum=False"
        )
    return "betas" in optimizer.defaults


def put_momentum(group: Group, momentum: float, use_beta1: bool) -> None:
    """Set a group's momentum, or the first of its betas."""
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def check_positive(name: str, option: str, value: object) -> None:
    """Refuse what is no int of 1 or more, Python's or NumPy's.

    Arguments:
        name: how errors begin: the schedule's class.
        option: the option's name, for errors.
        value: what is checked.

    Raises:
        ValueError: any other value.
    """
    if not isinstance(value, Integral) or value < 1:
        raise InvalidValueError(f"{name}: expected {option} to be an int of 1 or more; got {value!r}")


def check_period(name: str, option: str, value: object, *, whole: bool = False) -> None:
    """Refuse what is no finite number above 0.

    Arguments:
        name: how errors begin: the schedule's class.
        option: the option's name, for errors.
        value: what is checked.
        whole: whether a fraction is refused, too; 2.0 is whole.

    Raises:
        ValueError: any other value.
    """
    if not isinstance(value, Real) or not 0 < float(value) < math.inf or (whole and float(value) % 1):
        wanted = "a whole number of 1 or more" if whole else "a finite number above 0"
        raise InvalidValueError(f"{name}: expected {option} to be {wanted}; got {value!r}")


def _replayed(step: Callable[..., None]) -> Callable[..., None]:
    """A schedule's step, which a replay of what is being captured does again."""

    @wraps(step)
    def replayed(self: LRScheduler, *args: object, **kwargs: object) -> None:
        recorder = current_recorder() if collecting else None
        if recorder is None:
            step(self, *args, **kwargs)
        else:
            recorder.act(self.optimizer, partial(step, self, *args, **kwargs))

    return replayed


LRScheduler.step = _replayed(LRScheduler.step)  # type: ignore[method-assign]
