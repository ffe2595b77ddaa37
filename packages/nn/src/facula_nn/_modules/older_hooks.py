"""Hooks around forward as earlier releases pickled them: objects that store their calling options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._types import Hook


class ForwardHook:
    """A hook of this format; unpickling sets its attributes."""

    hook: Hook
    with_kwargs: bool
    always: bool

    __slots__ = ("always", "hook", "with_kwargs")


def convert(hooks: Any) -> None:
    """Convert a table of such objects to `ForwardHooks`."""
    for key, hook in hooks.items():
        hooks[key] = hook.hook
        for flag, names in ((hook.with_kwargs, hooks.with_kwargs), (hook.always, hooks.always_called)):
            if flag:
                names[key] = True
