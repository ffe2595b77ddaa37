"""Modes for users: context managers and decorators that say what operators record, and what else they do."""

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
    """Context manager and decorator: operators record nothing.

    >>> from facula_autograd import Variable
    >>> x = Variable(2.0, requires_grad=True)
    >>> with no_grad():
    ...     (x * x).requires_grad
    False
    """

    __slots__ = ()
    _fields = GRAD_OFF


class enable_grad(PlainMode):
    """Context manager and decorator: operators record, even inside `no_grad`."""

    __slots__ = ()
    _fields = {"grad": True}  # noqa: RUF012


class set_grad_enabled(Lasting):
    """Switch recording on or off: at once and lastingly when called, for a block with `with`, for a
    function as decorator. TypeError if `mode` is not a bool.

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
    """Context manager and decorator: as `no_grad`, and not even `enable_grad` inside records anything.

    Values made inside are like others: their changes are counted, so recorded operators may use them later.

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
    """Context manager and decorator: values that operators save pass through `pack`, and back through
    `unpack` when a backward pass needs them."""

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
        return decorate(function, lambda: self)  # type: ignore[return-value]  # wrapped


class set_multithreading_enabled:
    """Accepted, and changes nothing: a backward pass runs in the thread that asked for it, whatever `mode` says.

    It may be called, be entered by `with`, and decorate.

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
        """`function` itself."""
        return function


def is_grad_enabled() -> bool:
    """Whether operators record in this thread and task.

    >>> is_grad_enabled()
    True
    """
    return not active_modes or current_mode().grad


def is_anomaly_enabled() -> bool:
    """Whether backward passes check gradients, as `detect_anomaly` wants."""
    return bool(passive_modes or active_modes) and current_mode().anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether NaN is among what `detect_anomaly` looks for: True where nothing else was said."""
    anomaly = current_mode().anomaly
    return anomaly is None or anomaly[0]


def is_inference_mode_enabled() -> bool:
    """Whether this thread and task are in `inference_mode`."""
    return bool(active_modes) and current_mode().inference
