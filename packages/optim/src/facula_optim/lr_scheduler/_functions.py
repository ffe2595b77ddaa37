"""Schedules defined by user functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ._base import LRScheduler, for_each_group

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._optimizer import Optimizer
    from .._types import StateDict


@boundary
class _FunctionScheduler(LRScheduler):
    """Base class that stores one function per group. A state dict contains the attributes of callable objects, or None.

    Arguments:
        optimizer: the optimizer whose learning rates are set.
        lr_lambda: a function of the epoch, or a list with one per group.
        last_epoch: the last completed epoch when resuming; -1 to start.
    """

    lr_lambdas: list[Callable[[int], float]]

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ):
        name = type(self).__name__
        groups = getattr(optimizer, "param_groups", [])
        for function in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(function):
                raise InvalidTypeError(f"{name}: expected lr_lambda to be callable; got {type(function).__name__}")
        given: Any = lr_lambda  # a list or a tuple, if not a function
        self.lr_lambdas = for_each_group(name, "lr_lambda", given, optimizer) if groups else []
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> StateDict:
        """Return the state, with the attributes of callable objects, but None for functions."""
        state = super().state_dict()
        kept = [
            None if isinstance(f, (FunctionType, type)) else dict(getattr(f, "__dict__", {})) for f in self.lr_lambdas
        ]
        return {**state, "lr_lambdas": kept}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the state, except functions."""
        own = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = own
        for function, kept in zip(own, state_dict["lr_lambdas"]):
            if kept is not None:
                vars(function).update(kept)


@boundary
class LambdaLR(_FunctionScheduler):
    """The initial rate times `lr_lambda(epoch)`: one function, or a list with one per parameter group.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> optimizer = SGD([ones(2)], lr=1.0)
    >>> schedule = LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1))
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `self.last_epoch`."""
        return [rate * function(self.last_epoch) for rate, function in zip(self.base_lrs, self.lr_lambdas)]


@boundary
class MultiplicativeLR(_FunctionScheduler):
    """Multiply the present rate by `lr_lambda(epoch)` each epoch; one function, or a list with one per group."""

    def get_lr(self) -> list[float]:
        """Return the rate of each group at `self.last_epoch`, computed from the rates of the previous epoch."""
        present = [float(group["lr"]) for group in self.optimizer.param_groups]
        if self._is_initial:
            return present
        return [rate * function(self.last_epoch) for rate, function in zip(present, self.lr_lambdas)]
