"""What lies in the layout slot of a tensor that operators must ask about: a subclass's, or what a transform wraps.

Note [Levels]
~~~~~~~~~~~~~
A transform (forward mode, `facula.func`) gives the function that it transforms *wrapped* tensors: a Tensor whose layout
slot holds a `LevelLayout`, which shows the logical shape and carries the contents: a primal and a tangent, or a value
of which a gradient is wanted. Contents may be wrapped themselves, at other levels. Such a tensor has no memory of its
own (`NO_STORAGE`), and its layout is in no plan table: fast paths fail and end where the level is asked, and what
forgets to ask fails by name rather than see the primal.

The innermost level among the operands answers first (`innermost`): it takes itself off all operands, and calls the
operator with the contents, where the next level answers. A level's number is larger than that of any level it was
entered in, so threads and tasks need not know of each other. A level that has ended is closed: what is left of it is
its contents.

Changes in place have one form: the operator gives a new tensor, which the level copies into the one to change
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
    """What lies in the layout slot of a subclass with ``__torch_function__``: the real layout, wrapped.

    It is in no plan table and never dense, so operators leave their fast path for such a tensor
    without ever having asked.
    """

    __slots__ = ("real",)
    dense: int = 0

    def __init__(self, real: Layout):
        self.real = real


class NoAddressError(UnsupportedError, AttributeError):
    """Memory was asked of a tensor that a transform wraps. (An AttributeError too: fast paths then ask the level.)"""


def no_address(name: str) -> NoReturn:
    """Say that a wrapped tensor has no memory."""
    raise NoAddressError(
        f"{name}: expected a tensor with memory of its own; got one inside a transform (forward mode or facula.func), "
        "which has none. Use operators on it, or do this outside the transform"
    )


def check_taped(operation: str, tensor: Any) -> None:
    """RuntimeError where a transform wraps a tensor, which a backward pass does not see."""
    layout = tensor._layout
    if isinstance(layout, LevelLayout) and not layout.level.taped:
        raise OperationError(
            f"{operation}: expected a tensor outside of transforms; got one inside vmap, or a function of facula.func, "
            "where it would have no effect. Take derivatives by grad or vjp of facula.func, or call this outside"
        )


def undefined(one: object, method: str) -> NoReturn:
    """Say that a transform does not define one of the methods that operators ask for."""
    raise UnsupportedError(f"{type(one).__name__}.{method}: not supported inside this transform")


class NoStorage:
    """The storage slot of a wrapped tensor: it has no memory, and the version of what it wraps.

    Tensors whose contents share memory share it, as views and their base do: `no_storage` makes them.

    Arguments:
        content: the storage of the innermost contents; None of tensors that nothing changes.
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
        """How often the contents were changed in place."""
        version: int = 0 if self.content is None else self.content.version
        return version

    def __getattr__(self, name: str) -> NoReturn:
        no_address(name)


NO_STORAGE: Any = NoStorage()
_by_content: dict[int, ref[NoStorage]] = {}  # not a WeakValueDictionary, whose callbacks swallow a Ctrl-C


def no_storage(content: Any) -> Any:
    """What stands in the storage slot of tensors whose contents lie in this storage: one object for all levels.

    Else a change of memory that another level wraps later would look like a change of the memory itself.
    """
    if type(content) is NoStorage:
        return content
    key = id(content)
    known = _by_content.get(key)
    found = None if known is None else known()
    if found is None:  # it holds the storage: no other has its id meanwhile
        found = NoStorage(content)
        _by_content[key] = ref(found, partial(_by_content.pop, key))
    return found


class LevelLayout(WrappedLayout):
    """What lies in the layout slot of a tensor that a transform wraps; subclasses carry the contents."""

    __slots__ = ("level",)
    level: Any  # its Level

    def constant(self) -> Any:
        """A tensor of the same elements, of which no level wants a derivative; a plain one once the level has ended."""
        undefined(self, "constant")

    def readable(self, operation: str) -> Any:
        """The tensor whose elements Python reads in place of this one's, which may be wrapped again."""
        undefined(self, "readable")

    def no_address(self, operation: str) -> NoReturn:
        """Say that there is no memory for an operation that asks for it."""
        no_address(operation)

    def elements(self) -> Any:
        """The tensor that has all elements there are, those of a whole batch."""
        return self.readable("")

    def example(self) -> Any:
        """A tensor that lies as this one does."""
        return self.readable("")

    def __getattr__(self, name: str) -> NoReturn:
        no_address(name)


_levels: dict[int, ref[Level]] = {}  # by number; not a WeakSet, whose callbacks swallow a Ctrl-C


def in_transform() -> bool:
    """Whether a transform that wraps tensors is under way: `grad` of plain tensors needs none of these."""
    levels = [one() for one in list(_levels.values())]
    return any([one is not None and one.open and not one.traces for one in levels])


class Level:
    """One call of a transform: what operators ask whose operands it wraps."""

    __slots__ = ("__weakref__", "number", "open")
    number: int
    open: bool
    differentiates = True  # whether it takes derivatives
    traces = False  # whether it takes calls down, and computes nothing
    taped = False  # whether what it wraps may be a leaf of a backward pass

    def __init__(self) -> None:
        self.number, self.open = _next_number(), True
        _levels[self.number] = ref(self, partial(_levels.pop, self.number))

    def value(self, operand: Any) -> Any:
        """An operand with this level taken off."""
        undefined(self, "value")

    def tangent(self, operand: Any) -> Any:
        """The tangent of an operand, in forward mode; None where there is none."""
        return None

    def constant_of(self, value: Any) -> Any:
        """A result that was computed of what an operand wraps, and has no derivative."""
        return value

    def call(self, op: Any, operands: Any, parameters: Any, record: bool) -> Any:
        """Call an operator whose operands have been coerced and promoted, and of which this is the innermost level."""
        undefined(self, "call")

    def view(self, call: Callable[..., Any], rules: Any, input: Any, parameters: tuple[object, ...]) -> Any:
        """Take a view, or a tuple of views; None where `call` gives None.

        Arguments:
            call: takes them of the contents.
            rules: the rule of a node and the parameters that it keeps, a pair for each view; None where nothing is
                recorded.
            input: the tensor.
            parameters: what `call` takes after it.
        """
        undefined(self, "view")

    def like(self, tensor: Any) -> Any:
        """A new tensor of the same elements, for changes in place by those of this level."""
        return tensor

    def copy(self, operation: str, target: Any, source: Any) -> Any:
        """Copy `source` into `target`, in place, as `operation`; one of them is at this level. Returns the target."""
        undefined(self, "copy")

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a `Function` of the user's, of whose arguments this is the innermost level."""
        undefined(self, "apply_function")


# The levels, and tapes that are none, that surround what runs in this thread and task, the innermost last. Those that
# have ended do not count: an interrupt may leave them here.
_around: ContextVar[tuple[Any, ...]] = ContextVar("facula_tensor.levels", default=())


def levels_around() -> tuple[Any, ...]:
    """The open levels, and tapes that are none, that surround what runs in this thread and task."""
    return tuple([one for one in _around.get() if one.open])


def surround(level: Any) -> None:
    """Let a level surround what runs in this thread and task, until it has ended."""
    _around.set((*levels_around(), level))


def call_inside(level: Any, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function inside a level, or a tape that is none, which ends with the call."""
    former = _around.get()
    try:
        _around.set((*former, level))
        return func(*args, **kwargs)
    finally:
        level.open = False  # nowhere before does the interpreter look for a Ctrl-C
        _around.set(former)


_next_number: Callable[[], int] = count(1).__next__


def is_variable(tensor: Any) -> bool:
    """Whether a derivative may be wanted of this tensor: by a backward pass, or by a transform that wraps it."""
    return tensor.node is not None or isinstance(tensor._layout, LevelLayout)


def innermost(values: Iterable[object]) -> Level | None:
    """The innermost level that wraps one of these, or None."""
    found: Level | None = None
    for value in values:
        layout = getattr(value, "_layout", None)
        if isinstance(layout, LevelLayout) and (found is None or layout.level.number > found.number):
            found = layout.level
    return found


def is_traced(tensor: Any) -> bool:
    """Whether what is called with this tensor is taken down, not computed."""
    level = innermost((tensor,))
    return level is not None and level.traces


def batched_as(tensor: Any, like: Any) -> Any:
    """A tensor of the same elements, batched where `like` is, so that what is batched can be put into it.

    It is a new one, unless `tensor` is batched there, too.
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
    """The levels at which a tensor is batched."""
    found = set()
    while isinstance(tensor._layout, LevelLayout):
        level = tensor._layout.level
        if not level.differentiates:
            found.add(level)
        tensor = level.value(tensor)
    return found


def is_differentiated(values: Iterable[object]) -> bool:
    """Whether the innermost level that wraps one of these takes derivatives."""
    level = innermost(values)
    return level is not None and level.differentiates
