"""Modes for users: context managers and decorators that control recording and related behaviour of operators."""

from __future__ import annotations

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import boundary, trim_traceback

from .context_managers import Lasting, PlainMode, checked_bool, replace_mode
from .decorate import decorate
from .mode_state import GRAD_OFF, active_modes, current_mode, passive_modes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeVar, overload

    from .._types import AnyValue

    F = TypeVar("F", bound=Callable[..., object])


class no_grad(PlainMode):
    """Context manager and decorator that disables recording.

    >>> from facula_autograd import Variable
    >>> x = Variable(2.0, requires_grad=True)
    >>> with no_grad():
    ...     (x * x).requires_grad
    False
    """

    __slots__ = ()
    _fields = GRAD_OFF


class enable_grad(PlainMode):
    """Context manager and decorator that enables recording, even inside `no_grad`."""

    __slots__ = ()
    _fields = {"grad": True}  # noqa: RUF012


class set_grad_enabled(Lasting):
    """Switch recording on or off: permanently when called, for a block with `with`, for a function as decorator.

    Raises TypeError if `mode` is not a bool.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    >>> is_grad_enabled()
    True
    """

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        try:
            super().__init__(grad=checked_bool("set_grad_enabled", mode))
        except FaculaError as error:
            trim_traceback(error)
            raise


class inference_mode(replace_mode):
    """Context manager and decorator like `no_grad`, in which even `enable_grad` does not enable recording.

    Values created inside are like others: their changes are counted, so recorded operators may use them later.

    >>> with inference_mode():
    ...     is_inference_mode_enabled(), is_grad_enabled()
    (True, False)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __new__(cls, mode: bool = True) -> Self: ...
        @overload
        def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]  # as a decorator without parentheses

    def __new__(cls, mode: object = True) -> AnyValue:
        try:
            self = super().__new__(cls)
            if not callable(mode):
                return self
            self.__init__()  # type: ignore[misc]
            return self(mode)
        except FaculaError as error:
            trim_traceback(error)
            raise

    if not TYPE_CHECKING:

        def __init__(self, mode: bool = True) -> None:
            try:
                super().__init__(inference=checked_bool("inference_mode", mode), grad=not mode)
            except FaculaError as error:
                trim_traceback(error)
                raise


class saved_tensors_hooks(replace_mode):
    """Context manager and decorator that passes the values that operators save through two functions.

    `pack` receives a value when it is saved, and `unpack` the result of `pack` when a backward pass needs the value.
    """

    __slots__ = ()

    def __init__(self, pack_hook: Callable[[AnyValue], object], unpack_hook: Callable[[AnyValue], object]) -> None:
        try:
            for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
                if not callable(hook):
                    raise InvalidTypeError(
                        f"saved_tensors_hooks: expected {name} to be callable; got {type(hook).__name__}"
                    )
            super().__init__(saved_hooks=(pack_hook, unpack_hook))
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __enter__(self) -> Self:
        try:
            refused = current_mode().hooks_refused
            if refused is not None:
                raise OperationError(refused)
            return super().__enter__()
        except FaculaError as error:
            trim_traceback(error)
            raise

    @boundary
    def __call__(self, function: F) -> F:
        """Decorate `function`; each call enters this mode."""
        return decorate(function, lambda: self, type(self).__name__)  # type: ignore[return-value]  # wrapped


class set_multithreading_enabled:
    """Accepted without effect: a backward pass always runs in the calling thread, regardless of `mode`.

    It may be called, entered by `with`, and used as a decorator.

    >>> with set_multithreading_enabled(False):
    ...     pass
    """

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        try:
            checked_bool("set_multithreading_enabled", mode)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, function: F) -> F:
        """Return `function` itself."""
        return function


def is_grad_enabled() -> bool:
    """Return whether operators record in this thread and task.

    >>> is_grad_enabled()
    True
    """
    return not active_modes or current_mode().grad


def is_anomaly_enabled() -> bool:
    """Return whether backward passes check gradients, under `detect_anomaly`."""
    return bool(passive_modes or active_modes) and current_mode().anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether `detect_anomaly` checks for NaN; True by default."""
    anomaly = current_mode().anomaly
    return anomaly is None or anomaly[0]


def is_inference_mode_enabled() -> bool:
    """Return whether this thread and task are in `inference_mode`."""
    return bool(active_modes) and current_mode().inference
