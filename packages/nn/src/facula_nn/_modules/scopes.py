"""Module calls as scopes of the graph, so that `detect_anomaly` and `graph.report` can name the origin of a node.

The overhead begins when a program first requests scopes or observes module calls: Note [Scopes] in `facula_autograd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_tensor.extend.modules import enter_scope, leave_scope, provide_scopes

from .module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def scoped(plain: Any) -> Any:
    """Return `Module.__call__` that makes each call a scope, and then does the same as `plain`."""

    def __call__(self: Module, *args: Any, **kwargs: Any) -> Any:
        entered = enter_scope(self, args)
        try:
            return plain(self, *args, **kwargs)
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise
        finally:
            if entered is not None:
                leave_scope(entered)

    __call__.__qualname__, __call__.__doc__ = plain.__qualname__, plain.__doc__
    return __call__


_calls: list[tuple[Any, Any]] = []  # the latest plain and scoped ones; captured functions compare their identity


def install() -> Callable[[], None]:
    """Make every module call a scope while the mode requires scopes; return a function that undoes this."""
    plain: Any = Module.__call__
    if not _calls or _calls[0][0] is not plain:
        _calls[:] = [(plain, scoped(plain))]
    made = _calls[0][1]

    def undo() -> None:
        if Module.__call__ is made:  # otherwise the program has replaced it
            Module.__call__ = plain  # type: ignore[method-assign]

    Module.__call__ = made  # type: ignore[method-assign]
    return undo


def parts_of(owner: Any) -> Iterator[tuple[str, Module]]:
    """Return all modules in one, each with its path as in error messages: ``Net.body.0``."""
    name = type(owner).__name__
    for path, module in owner.named_modules():
        yield f"{name}.{path}" if path else name, module


provide_scopes(Module, install, parts_of)
