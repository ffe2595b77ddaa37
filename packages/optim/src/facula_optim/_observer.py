"""Observers of optimizers, such as profilers. Without one, each step tests one variable."""

from __future__ import annotations

from typing import Any, Protocol


class OptimizerObserver(Protocol):
    """Called around the work of optimizers, in the thread that does it."""

    def begin(self, optimizer: Any, method: str) -> None:
        """Begin a step with its hooks ("step"), or a reset of gradients ("zero_grad")."""

    def end(self, optimizer: Any, method: str) -> None:
        """End it, also after an exception."""

    def replayed(self, optimizer: Any) -> None:
        """Note that a captured function has replayed a step, which did not begin and end."""


class _Several:
    """Several observers: the first begins first and ends last."""

    def __init__(self, observers: list[OptimizerObserver]) -> None:
        self._observers = observers

    def begin(self, optimizer: Any, method: str) -> None:
        for observer in self._observers:
            observer.begin(optimizer, method)

    def end(self, optimizer: Any, method: str) -> None:
        for observer in reversed(self._observers):
            observer.end(optimizer, method)

    def replayed(self, optimizer: Any) -> None:
        for observer in reversed(self._observers):
            observer.replayed(optimizer)


current_observer: list[OptimizerObserver | None] = [None]
_observers: list[OptimizerObserver] = []


class observe_optimizers:
    """Context manager that notifies an observer of steps and resets of gradients, in all threads.

    A step that calls the step of its base class counts once. Steps that run when the block begins or ends are not
    affected.

    >>> from facula_optim import SGD
    >>> from facula_tensor import ones
    >>> class Names:
    ...     def begin(self, optimizer, method):
    ...         print("begin", type(optimizer).__name__, method)
    ...
    ...     def end(self, optimizer, method):
    ...         print("end", type(optimizer).__name__, method)
    >>> with observe_optimizers(Names()):
    ...     SGD([ones(2, requires_grad=True)], lr=0.1).step()
    begin SGD step
    end SGD step
    """

    def __init__(self, observer: OptimizerObserver) -> None:
        self._observer = observer

    def __enter__(self) -> observe_optimizers:
        _observers.append(self._observer)
        _update()
        return self

    def __exit__(self, *exc: object) -> None:
        _observers.remove(self._observer)
        _update()


def _update() -> None:
    several = _Several(list(_observers))
    current_observer[0] = None if not _observers else _observers[0] if len(_observers) == 1 else several
