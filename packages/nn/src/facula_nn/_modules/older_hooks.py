"""Hooks around forward as pickles of earlier releases have them: objects that say how they want to be called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._types import Hook


class ForwardHook:
    """One of these hooks; unpickling sets its attributes."""

    hook: Hook
    with_kwargs: bool
    always: bool

    __slots__ = ("always", "hook", "with_kwargs")


def convert(hooks: Any) -> None:
    """Make a `ForwardHooks` of such objects one of functions."""
    for key, one in hooks.items():
        hooks[key] = one.hook
        for flag, names in ((one.with_kwargs, hooks.with_kwargs), (one.always, hooks.always_called)):
            if flag:
                names[key] = True
