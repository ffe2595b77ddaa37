"""Base classes of modes: context managers and decorators that change fields of the mode."""

from __future__ import annotations

from sys import _getframe

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import Exit, boundary, enters_at_once, owner_of, trim_traceback

from .decorate import decorate
from .mode_state import (
    FIELDS,
    Block,
    close_block,
    current_block,
    current_mode,
    innermost_open,
    new_block,
    open_block,
    set_lasting,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeVar, overload

    from .._types import AnyValue

    F = TypeVar("F", bound=Callable[..., object])


def checked_bool(name: str, value: object) -> bool:
    """Return `value` if it is True or False; otherwise raise TypeError in the name of `name`."""
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{name}: expected True or False; got {value!r}")
    return value


def exit_mode(mode: ModeContext, *exc: object) -> None:
    """Implement `__exit__` of modes."""
    block = None
    try:
        block = mode._entered()
        close_block(block)
        mode._blocks.pop(block, None)
    except BaseException:
        if block is not None or mode._blocks:
            block = block or mode._entered()
            close_block(block)
            mode._blocks.pop(block, None)
        raise


class ModeContext:
    """Base class of all modes: `_changes` apply in a `with` block, or while a decorated function runs."""

    __slots__ = ("_blocks", "_changes")

    _blocks: dict[Block, None]  # blocks entered and not yet left, in any thread
    _changes: dict[str, object]
    __exit__ = Exit(exit_mode)

    def __enter__(self) -> Self:
        outer = current_block.get()
        block = new_block(self._changes, outer if outer is None else innermost_open(outer))
        for entered in tuple(self._blocks):
            if entered.key not in entered.marks:  # the block ended without being left
                self._blocks.pop(entered, None)
        try:
            open_block(block, owner_of(self))
            self._blocks[block] = None
            return self
        except BaseException:
            close_block(block)
            self._blocks.pop(block, None)
            raise

    def _entered(self) -> Block:
        """Return the block to leave. One object may be entered again inside itself, and by several threads."""
        blocks, block = self._blocks, current_block.get()
        while block is not None and block not in blocks:
            block = block.outer
        if block is not None:
            return block
        for block in reversed(blocks):
            return block
        name = type(self).__name__
        raise OperationError(f"{name}.__exit__: expected a block that __enter__ began; all have been left. Use with")

    @boundary
    def __call__(self, function: F) -> F:
        """Decorate `function`; each call enters a separate block."""
        changes = self._changes
        name = type(self).__name__
        return decorate(function, lambda: replace_mode(**changes), name)  # type: ignore[return-value]  # wrapped


class replace_mode(ModeContext):
    """Run a block, or a decorated function, with fields of the mode replaced.

    A decorated generator function is in the mode only while it runs, not while it is suspended at a yield. The same
    applies to coroutine functions and async generator functions.

    >>> with replace_mode(grad=False):
    ...     current_mode().grad
    False
    """

    __slots__ = ()

    if TYPE_CHECKING:  # subclasses have their own arguments, which `__new__` may declare

        def __init__(self, *arguments: object, **changes: object) -> None: ...

    else:

        def __init__(self, **changes: object) -> None:
            for name in changes:
                if name not in FIELDS:
                    raise InvalidTypeError(f"replace_mode: expected fields of Mode {FIELDS}; got {name!r}")
            self._changes, self._blocks = changes, {}


class PlainMode(ModeContext):
    """A mode without arguments, usable as a decorator with or without parentheses."""

    __slots__ = ()
    _fields: dict[str, object]

    if TYPE_CHECKING:

        @overload
        def __new__(cls, function: None = None) -> Self: ...
        @overload
        def __new__(cls, function: F) -> F: ...  # type: ignore[misc]  # as a decorator without parentheses

    def __new__(cls, function: Callable[..., object] | None = None) -> AnyValue:
        try:
            self = object.__new__(cls)
            self._changes, self._blocks = cls._fields, {}
            return self if function is None else self(function)
        except FaculaError as error:
            trim_traceback(error)
            raise


class Lasting(replace_mode):
    """A mode that takes effect permanently on construction, or for a block or function if it is used with one."""

    __slots__ = ("_before",)

    _before: dict[str, object] | None  # the fields before the change; None if only a block changes them

    def __init__(self, **changes: object) -> None:
        super().__init__(**changes)
        self._before = None
        if enters_at_once(_getframe(2)):
            return
        mode = current_mode()
        self._before = {name: getattr(mode, name) for name in changes}
        try:
            set_lasting(changes)
        except BaseException:
            set_lasting(self._before)
            raise

    def __enter__(self) -> Self:
        try:
            self._undo()  # the block replaces the permanent change
            return super().__enter__()
        except BaseException:
            self._undo()
            raise

    def __call__(self, function: F) -> F:
        """Decorate `function`, and undo the change made on construction."""
        self._undo()
        return super().__call__(function)

    def _undo(self) -> None:
        if self._before is not None:
            set_lasting(self._before)
