"""Small functions on values and passes that programs for PyTorch call."""

from __future__ import annotations

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from ._adapters import adapter_of
from ._modes.context_managers import flag
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    F = TypeVar("F", bound=Callable[..., object])


@boundary
def increment_version(tensor: Value | Iterable[Value]) -> None:
    """Count a change of a value's memory, or of several, that something else than an operator has made.

    So a backward pass that needs the former elements says so, rather than computing with the new ones.

    Raises:
        TypeError: something else than values was given.
    """
    try:
        values = [tensor] if isinstance(tensor, Value) else list(tensor)
    except TypeError:
        raise InvalidTypeError(f"increment_version: expected values; got {type(tensor).__name__}") from None
    for value in values:
        if not isinstance(value, Value):
            raise InvalidTypeError(f"increment_version: expected values; got {type(value).__name__} among them")
    for value in values:
        adapter_of(value).increment_version(value)


class set_multithreading_enabled:
    """Accepted, and changes nothing: a backward pass runs in the thread that asked for it, whatever `mode` says.

    It may be called, be entered by `with`, and decorate.

    >>> with set_multithreading_enabled(False):
    ...     pass
    """

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        try:
            flag("set_multithreading_enabled", mode)
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
