"""Layout-slot objects of tensors that operators must dispatch on: subclasses, and tensors wrapped by a transform.

Note [Levels]
~~~~~~~~~~~~~
A transform (forward mode, `facula.func`) passes *wrapped* tensors to the function that it transforms. The
layout slot of a wrapped tensor contains a `LevelLayout`, which shows the logical shape and carries the
contents: a primal and a tangent, or a value to differentiate by. Contents may be wrapped themselves, at other
levels. Such a tensor has no memory (`NO_STORAGE`), and plan tables never contain its layout. Fast paths
therefore miss and fall back to code that dispatches to the level. Code that forgets to dispatch raises an error
rather than read the primal.

The innermost level among the operands comes first (`innermost`): it unwraps all operands and calls the operator
with the contents, which dispatches to the next level. A level's number is larger than those of all enclosing
levels, so threads and tasks need no coordination. A level that has ended is closed: its tensors act as their
contents.

In-place changes have one form: the operator returns a new tensor, which the level copies into the target
(`Level.copy`). Views share memory because their contents do.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

from facula_errors import OperationError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from facula_storage import Layout


class WrappedLayout:
    """The layout slot of a subclass with ``__torch_function__``: the real layout, wrapped.

    Plan tables never contain it and it is never dense, so such a tensor misses operators' fast paths without an
    extra check.
    """

    __slots__ = ("real",)
    dense: int = 0

    def __init__(self, real: Layout):
        self.real = real


class NoAddressError(UnsupportedError, AttributeError):
    """Raised if code accesses the memory of a tensor that a transform wraps. (Also an AttributeError, on which
    fast paths fall back to the level.)"""


def no_address(name: str) -> NoReturn:
    """Raise the error that a wrapped tensor has no memory."""
    raise NoAddressError(
        f"{name}: expected a tensor with memory of its own; got one inside a transform (forward mode or facula.func), "
        "which has none. Use operators on it, or do this outside the transform"
    )


def check_taped(operation: str, tensor: Any) -> None:
    """Raise RuntimeError if a transform wraps a tensor, because a backward pass does not see it."""
    layout = tensor._layout
    if isinstance(layout, LevelLayout) and not layout.level.taped:
        raise OperationError(
            f"{operation}: expected a tensor outside of transforms; got one inside vmap, or a function of facula.func, "
            "where it would have no effect. Take derivatives by grad or vjp of facula.func, or call this outside"
        )


def undefined(instance: object, method: str) -> NoReturn:
    """Raise the error that a transform does not define a method that operators call."""
    raise UnsupportedError(f"{type(instance).__name__}.{method}: not supported inside this transform; call it outside")


class NoStorage:
    """The storage slot of a wrapped tensor: no memory, and the version of its contents.

    Tensors whose contents share memory (views and their base) share one instance; use `no_storage` to get it.

    Arguments:
        content: the storage of the innermost contents; None for tensors that never change.
    """

    __slots__ = ("__weakref__", "content")

    def __init__(self, content: Any = None):
        self.content = content

    @property
    def ptr(self) -> int:
        """No address."""
        no_address("memory")

    @property
    def version(self) -> int:
        """The number of in-place changes of the contents."""
        version: int = 0 if self.content is None else self.content.version
        return version

    def __getattr__(self, name: str) -> NoReturn:
        no_address(name)


NO_STORAGE: Any = NoStorage()
_by_content: dict[int, ref[NoStorage]] = {}  # not a WeakValueDictionary, whose callbacks swallow a Ctrl-C


def no_storage(content: Any) -> Any:
    """Return the storage slot of tensors with contents in this storage: one object for all levels. Otherwise,
    wrapping memory at another level would look like replacing the memory.
    """
    if type(content) is NoStorage:
        return content
    key = id(content)
    known = _by_content.get(key)
    found = None if known is None else known()
    if found is None:  # it keeps the storage alive, so the id stays unique
        found = NoStorage(content)
        _by_content[key] = ref(found, partial(_by_content.pop, key))
    return found


class LevelLayout(WrappedLayout):
    """The layout slot of a tensor that a transform wraps; subclasses carry the contents."""

    __slots__ = ("level",)
    level: Any  # its Level

    def constant(self) -> Any:
        """Return a tensor of the same elements that no level differentiates; a plain tensor once the level has
        ended."""
        undefined(self, "constant")

    def readable(self, operation: str) -> Any:
        """Return the tensor whose elements Python reads instead of this one's; it may itself be wrapped."""
        undefined(self, "readable")

    def no_address(self, operation: str) -> NoReturn:
        """Raise the error that an operation needs memory, which a wrapped tensor does not have."""
        no_address(operation)

    def elements(self) -> Any:
        """Return the tensor with the elements of the whole batch."""
        return self.readable("")

    def example(self) -> Any:
        """Return a tensor with the same memory layout."""
        return self.readable("")

    def __getattr__(self, name: str) -> NoReturn:
        no_address(name)


_levels: dict[int, ref[Level]] = {}  # by number; not a WeakSet, whose callbacks swallow a Ctrl-C


def in_transform() -> bool:
    """Return whether a transform that wraps tensors is active; `grad` of plain tensors is not one."""
    levels = [link() for link in list(_levels.values())]
    return any([level is not None and level.open and not level.traces for level in levels])


class Level:
    """One call of a transform: operators dispatch to it if it wraps one of their operands."""

    __slots__ = ("__weakref__", "number", "open")
    number: int
    open: bool
    differentiates = True  # whether it takes derivatives
    traces = False  # whether it records calls instead of computing
    taped = False  # whether what it wraps may be a leaf of a backward pass

    def __init__(self) -> None:
        self.number, self.open = _next_number(), True
        _levels[self.number] = ref(self, partial(_levels.pop, self.number))

    def value(self, operand: Any) -> Any:
        """Return an operand without this level's wrapper."""
        undefined(self, "value")

    def tangent(self, operand: Any) -> Any:
        """Return the tangent of an operand in forward mode; None if there is none."""
        return None

    def constant_of(self, value: Any) -> Any:
        """Wrap a result that was computed from an operand's contents and has no derivative."""
        return value

    def call(self, op: Any, operands: Any, parameters: Any, record: bool) -> Any:
        """Call an operator on coerced and promoted operands, of which this is the innermost level."""
        undefined(self, "call")

    def view(self, call: Callable[..., Any], rules: Any, input: Any, parameters: tuple[object, ...]) -> Any:
        """Take a view or a tuple of views; None if `call` returns None.

        Arguments:
            call: takes the views of the contents.
            rules: for each view, the pair of a node's rule and the parameters that it saves; None without recording.
            input: the tensor.
            parameters: the further arguments of `call`.
        """
        undefined(self, "view")

    def like(self, tensor: Any) -> Any:
        """Return a new tensor of the same elements that tensors of this level can change in place."""
        return tensor

    def copy(self, operation: str, target: Any, source: Any) -> Any:
        """Copy `source` into `target`, in place, as `operation`; one of them is at this level. Returns the target."""
        undefined(self, "copy")

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a user's `Function`; this is the innermost level of its arguments."""
        undefined(self, "apply_function")


# The levels and plain tapes that enclose the code running in this thread and task, innermost last. Ignore those
# that have ended: an interrupt may leave them here.
_around: ContextVar[tuple[Any, ...]] = ContextVar("facula_tensor.levels", default=())


def levels_around() -> tuple[Any, ...]:
    """Return the open levels and plain tapes that enclose the code running in this thread and task."""
    return tuple([level for level in _around.get() if level.open])


def surround(level: Any) -> None:
    """Enter a level in this thread and task until it ends."""
    _around.set((*levels_around(), level))


def call_inside(level: Any, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function inside a level or plain tape, which ends with the call."""
    former = _around.get()
    try:
        _around.set((*former, level))
        return func(*args, **kwargs)
    finally:
        level.open = False  # the interpreter does not check for Ctrl-C before this point
        _around.set(former)


_next_number: Callable[[], int] = count(1).__next__


def is_variable(tensor: Any) -> bool:
    """Return whether a backward pass or a transform that wraps this tensor may differentiate it."""
    return tensor.node is not None or isinstance(tensor._layout, LevelLayout)


def innermost(values: Iterable[object]) -> Level | None:
    """Return the innermost level that wraps one of these, or None."""
    found: Level | None = None
    for value in values:
        layout = getattr(value, "_layout", None)
        if isinstance(layout, LevelLayout) and (found is None or layout.level.number > found.number):
            found = layout.level
    return found


def is_traced(tensor: Any) -> bool:
    """Return whether calls with this tensor are recorded instead of computed."""
    level = innermost((tensor,))
    return level is not None and level.traces


def batched_as(tensor: Any, like: Any) -> Any:
    """Return a tensor of the same elements, batched at the levels of `like`, so that batched values can be
    copied into it. It is a new tensor unless `tensor` is already batched there.
    """
    around = innermost((tensor,))
    levels: list[Level] = []
    while isinstance(like._layout, LevelLayout) and (around is None or like._layout.level.number > around.number):
        levels.append(like._layout.level)
        like = levels[-1].value(like)
    for level in reversed(levels):
        tensor = level.like(tensor)
    return tensor


def batches_of(tensor: Any) -> set[Level]:
    """Return the levels at which a tensor is batched."""
    found = set()
    while isinstance(tensor._layout, LevelLayout):
        level = tensor._layout.level
        if not level.differentiates:
            found.add(level)
        tensor = level.value(tensor)
    return found


def is_differentiated(values: Iterable[object]) -> bool:
    """Return whether the innermost level that wraps one of these computes derivatives."""
    level = innermost(values)
    return level is not None and level.differentiates
