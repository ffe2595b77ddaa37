"""Results of operations that may still be in progress."""

from __future__ import annotations

from threading import Event
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ClassVar

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@boundary
class Future:
    """A value that is set later: by `set_result`, or by an operation of a process group.

    Callbacks run in the thread that sets the value. Those of an operation run in the thread that waits for it, so that
    they run in the same order in all processes.

    >>> future = Future()
    >>> doubled = future.then(lambda done: 2 * done.value())
    >>> future.set_result(3)
    >>> doubled.wait()
    6
    """

    __class_getitem__: ClassVar[Any] = classmethod(GenericAlias)  # programs annotate `Future[Tensor]`

    def __init__(self, *, devices: object = None) -> None:
        self._ended = Event()
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future], object]] = []
        self._compute: Callable[[], Any] | None = None
        self._is_ready: Callable[[], bool] = self._ended.is_set

    @classmethod
    def of(cls, compute: Callable[[], Any], is_ready: Callable[[], bool]) -> Future:
        """Return a future whose value a function computes on demand.

        Arguments:
            compute: the function, which may wait.
            is_ready: returns whether it would not wait.
        """
        future = cls()
        future._compute, future._is_ready = compute, is_ready
        return future

    def done(self) -> bool:
        """Return whether the value, or an exception, is set."""
        if self._compute is not None and self._is_ready():
            self._resolve()
        return self._ended.is_set()

    def wait(self) -> Any:
        """Wait for the value and return it, or raise the exception that was set instead."""
        self._resolve()
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self) -> Any:
        """Return the value. RuntimeError if it is not set yet."""
        if not self.done():
            raise OperationError("Future.value: expected a future that is done; call wait()")
        return self.wait()

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """Return a future of `callback(self)`, which runs when this future is done."""
        if not callable(callback):
            raise InvalidTypeError(f"Future.then: expected a callable; got {type(callback).__name__}")
        if self._compute is not None:

            def compute() -> Any:
                self._resolve()
                return callback(self)

            return Future.of(compute, self.done)
        child = Future()
        self.add_done_callback(lambda done: child._set_by(lambda: callback(done)))
        return child

    def add_done_callback(self, callback: Callable[[Future], object]) -> None:
        """Call `callback(self)` when this future is done; at once if it is."""
        self._callbacks.append(callback)
        if self._ended.is_set():
            self._run_callbacks()

    def set_result(self, result: Any) -> None:
        """Set the value. RuntimeError if it is set."""
        self._set(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an exception, which `wait` raises. RuntimeError if the value is set."""
        self._set(None, result)

    def _resolve(self) -> None:
        compute, self._compute = self._compute, None
        if compute is not None:
            self._set_by(compute)

    def _set_by(self, compute: Callable[[], Any]) -> None:
        try:
            result = compute()
        except Exception as error:
            self._set(None, error)
        else:
            self._set(result, None)

    def _set(self, value: Any, error: BaseException | None) -> None:
        if self._ended.is_set():
            raise OperationError("Future.set_result: expected a future that is not done; create another one")
        self._value, self._error = value, error
        self._ended.set()
        self._run_callbacks()

    def _run_callbacks(self) -> None:
        while self._callbacks:
            try:
                callback = self._callbacks.pop(0)
            except IndexError:  # another thread runs the last one
                return
            callback(self)


def collect_all(futures: Iterable[Future]) -> Future:
    """Return a future of the list of these futures, when all are done."""
    several = list(futures)

    def compute() -> list[Future]:
        for future in several:
            future._resolve()
            future._ended.wait()
        return several

    return Future.of(compute, lambda: all([future.done() for future in several]))


def wait_all(futures: Iterable[Future]) -> list[Any]:
    """Wait for all futures, and return their values."""
    return [future.wait() for future in futures]
