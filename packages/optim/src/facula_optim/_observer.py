"""The observer of optimizers, such as a profiler. Without one, each step tests one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ._optimizer import Optimizer


class OptimizerObserver(Protocol):
    """Called around the work of optimizers, in the thread that does it."""

    def begin(self, optimizer: Optimizer, method: str) -> None:
        """Begin a step with its hooks ("step"), or a reset of gradients ("zero_grad")."""

    def end(self) -> None:
        """End the latest of this thread, also after an exception."""


current_observer: list[OptimizerObserver | None] = [None]


def observe_optimizers(observer: OptimizerObserver | None) -> OptimizerObserver | None:
    """Notify `observer` of steps and resets of gradients in all threads from here on; return the former observer.

    None ends the observation. A step that calls the step of its base class counts once.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> class Names:
    ...     def begin(self, optimizer, method):
    ...         print(type(optimizer).__name__, method)
    ...
    ...     def end(self):
    ...         print("end")
    >>> former = observe_optimizers(Names())
    >>> SGD([ones(2, requires_grad=True)], lr=0.1).step()
    SGD step
    end
    >>> observe_optimizers(former) is not former
    True
    """
    former, current_observer[0] = current_observer[0], observer
    return former
