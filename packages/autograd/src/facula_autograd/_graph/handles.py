"""Handles that remove hooks, and the tables of hooks that they refer to."""

from __future__ import annotations

import itertools
from weakref import ref

from facula_errors import InvalidTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import Slot

    _Table = dict[int, Slot]
else:
    _Table = dict

_next_key = itertools.count().__next__


class Hooks(_Table):
    """Hooks in the order of registration. A class, because handles refer to it weakly."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Callable[..., object]) -> Handle:
        """Append `hook`."""
        if not callable(hook):
            raise InvalidTypeError(f"register_hook: expected a callable; got {type(hook).__name__}")
        key = _next_key()
        self[key] = hook
        return Handle(self, key)


class LeafHooks:
    """The `hooks` of a leaf: those on its gradient, and those that run after `.grad` is updated.

    `home` is a value whose memory holds the gradient that a pass computes while `.grad` is None; None for new memory.
    `arrived` are functions of packages, called after the hooks of programs, in the mode of the pass.
    """

    __slots__ = ("after", "arrived", "home", "value_hooks")

    value_hooks: Hooks
    after: Hooks
    arrived: tuple[Callable[[Slot], object], ...]
    home: Slot

    def __init__(self) -> None:
        self.value_hooks, self.after, self.arrived, self.home = Hooks(), Hooks(), (), None


class Handle:
    """Removes the hook that it was returned for; also a context manager that removes it on exit.

    It refers to neither the hook nor the value, so keeping handles creates no reference cycle.

    Attributes:
        hooks_dict_ref: a weak reference to the table of hooks.
        id: the hook's key in it.
    """

    __slots__ = ("hooks_dict_ref", "id")

    def __init__(self, hooks: Hooks, key: int) -> None:
        self.hooks_dict_ref, self.id = ref(hooks), key

    def remove(self) -> None:
        """Remove the hook. Removing it twice, or after its value is gone, has no effect."""
        hooks = self.hooks_dict_ref()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
