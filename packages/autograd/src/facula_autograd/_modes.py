"""Modes: whether operators record, and what else surrounds them, right per thread and per task.

Note [Blocks]
One context variable holds the innermost open block. A block knows the one around it, and
whether it is still open: a task or thread that copied the context while a block was open sees it
close when it ends elsewhere, so no mode outlives its block. `special` has an entry per open block
of any thread; while it is empty every mode is the default one, and nobody reads the variable.
Leaving never uses a token: an async generator may be closed in another context than it was
started in, where a token would be refused.
"""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FIELDS = ("grad", "inference", "level", "autocast", "vmap", "capture", "anomaly", "overrides", "saved_hooks")


_DEFAULTS = (True, False, 0, None, None, None, None, True, None)


class Mode:
    """An immutable record of what surrounds an operator.

    `grad`: record; `inference`: results can never be recorded; `level`: forward-mode nesting;
    `autocast`, `vmap`, `capture`: their states, or None; `anomaly`: (check_nan, check_inf) or
    None; `overrides`: subclasses may override operators; `saved_hooks`: (pack, unpack) or None.
    `only_grad` follows: nothing but `grad` differs from the default.

    >>> DEFAULT.grad, DEFAULT.replace(grad=False).grad
    (True, False)
    """

    __slots__ = (*_FIELDS, "only_grad")

    grad: bool
    inference: bool
    level: int
    autocast: Any
    vmap: Any
    capture: Any
    anomaly: tuple[bool, bool] | None
    overrides: bool
    saved_hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]] | None

    def __init__(self, values: tuple) -> None:
        for name, value in zip(_FIELDS, values, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "only_grad", values[1:] == _DEFAULTS[1:])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Mode: records are immutable; use replace({name}=...)")

    def replace(self, **changes: Any) -> Mode:
        """This mode with other values. Equal to the default means identical to `DEFAULT`."""
        values = tuple(changes[name] if name in changes else getattr(self, name) for name in _FIELDS)
        return DEFAULT if values == _DEFAULTS else Mode(values)

    def __repr__(self) -> str:
        return "Mode(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in _FIELDS) + ")"


DEFAULT = Mode(_DEFAULTS)
_NO_GRAD = DEFAULT.replace(grad=False)
_GRAD_OFF = {"grad": False}

#: Non-empty while any thread is in a mode of any kind. Siblings may push and pop markers.
special: list[None] = []


class _Block:
    """One entered mode. `lasting` ones come from calling `set_grad_enabled` as a function."""

    __slots__ = ("changes", "lasting", "mode", "open", "outer")

    changes: dict[str, Any]
    lasting: bool
    mode: Mode
    open: bool
    outer: _Block | None


_current: ContextVar[_Block | None] = ContextVar("facula_autograd.mode", default=None)


def current_mode() -> Mode:
    """The mode of this thread and task. Operators call it only when `special` is not empty."""
    block = _current.get()
    if block is None:
        return DEFAULT
    if block.open and block.outer is None:
        return block.mode
    return _mode_of(block)


def _live(block: _Block | None) -> _Block | None:
    while block is not None and not block.open:
        block = block.outer
    return block


def _mode_of(block: _Block | None) -> Mode:
    """The mode inside `block`, leaving out blocks that were closed under it meanwhile."""
    block = _live(block)
    if block is None:
        return DEFAULT
    outer = block.outer
    while outer is not None:
        if not outer.open:
            return _mode_of(outer).replace(**block.changes)
        outer = outer.outer
    return block.mode


def _open(changes: dict[str, Any], lasting: bool = False) -> _Block:
    special.append(None)  # before the mode is visible: never too empty
    outer = _current.get()
    if outer is not None:
        outer = _live(outer)
    block = _Block()
    block.changes, block.outer, block.lasting, block.open = changes, outer, lasting, True
    if outer is None and changes is _GRAD_OFF:
        block.mode = _NO_GRAD  # by far the most frequent
    else:
        block.mode = _mode_of(outer).replace(**changes)
    _current.set(block)
    return block


def _close(block: _Block) -> None:
    """End `block`, and lasting ones that were set inside it."""
    above = _current.get()
    closing = [block]
    while above is not None and above is not block and (above.lasting or not above.open):
        closing.append(above)
        above = above.outer
    if above is block:
        _current.set(_live(block.outer))
    else:
        closing = [block]  # left in another context, or out of order: others find it closed
    for each in closing:
        if each.open:
            each.open = False
            special.pop()


def _set_lasting(changes: dict[str, Any]) -> None:
    """Change the mode from here on, until the surrounding block ends."""
    top = _live(_current.get())
    if top is not None and top.lasting:
        # Takes the earlier one's place: calling the setter in a loop piles nothing up.
        changes = {**top.changes, **changes}
        _close(top)
        top = _live(_current.get())
    around = _mode_of(top)
    if any(getattr(around, name) != value for name, value in changes.items()):
        _open(changes, lasting=True)


class _Enterable:
    """What all modes do: `_changes` hold in a with block, or while a decorated function runs."""

    __slots__ = ("_blocks", "_changes")

    _blocks: list[_Block]
    _changes: dict[str, Any]

    def __enter__(self) -> Any:
        self._blocks.append(_open(self._changes))
        return self

    def __exit__(self, *exc: object) -> None:
        # One object may be entered again inside itself, and by several threads.
        blocks, top = self._blocks, _current.get()
        block = top if top is not None and top in blocks else blocks[-1]
        blocks.remove(block)
        _close(block)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate `function`; each call enters a block of its own."""
        from ._decorate import decorate

        changes = self._changes
        return decorate(function, lambda: replace_mode(**changes))


class replace_mode(_Enterable):
    """Run a block, or a decorated function, with fields of the mode replaced.

    A decorated generator function is in the mode only while it runs, not between its yields;
    coroutine functions and async generator functions likewise.

    >>> with replace_mode(grad=False):
    ...     current_mode().grad
    False
    """

    __slots__ = ()

    def __init__(self, **changes: Any) -> None:
        for name in changes:
            if name not in _FIELDS:
                raise TypeError(f"replace_mode: expected fields of Mode {_FIELDS}; got {name!r}")
        self._changes, self._blocks = changes, []


class _Plain(_Enterable):
    """A mode without arguments, which decorates with or without parentheses."""

    __slots__ = ()
    _fields: dict[str, Any]

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = object.__new__(cls)
        self._changes, self._blocks = cls._fields, []
        return self if function is None else self(function)


class no_grad(_Plain):
    """Context manager and decorator: operators record nothing.

    >>> from facula_autograd import Variable
    >>> x = Variable(2.0, requires_grad=True)
    >>> with no_grad():
    ...     (x * x).requires_grad
    False
    """

    __slots__ = ()
    _fields = _GRAD_OFF


class enable_grad(_Plain):
    """Context manager and decorator: operators record, even inside `no_grad`."""

    __slots__ = ()
    _fields = {"grad": True}  # noqa: RUF012


class set_grad_enabled(replace_mode):
    """Switch recording on or off: at once and lastingly when called, for a block with `with`, for a
    function as decorator.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    >>> is_grad_enabled()
    True
    """

    __slots__ = ("_before",)

    def __init__(self, mode: bool) -> None:
        super().__init__(grad=bool(mode))
        self._before = is_grad_enabled()
        _set_lasting(self._changes)

    def __enter__(self) -> Any:
        _set_lasting({"grad": self._before})  # the block replaces the lasting change
        return super().__enter__()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate `function`, undoing the change made on construction."""
        _set_lasting({"grad": self._before})
        return super().__call__(function)


class inference_mode(replace_mode):
    """Context manager and decorator: as `no_grad`, and what is made inside can never be recorded.

    >>> with inference_mode():
    ...     is_inference_mode_enabled(), is_grad_enabled()
    (True, False)
    """

    __slots__ = ()

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        self = super().__new__(cls)
        if not callable(mode):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(inference=bool(mode), grad=not mode)


class detect_anomaly(replace_mode):
    """Context manager and decorator: backward passes check every gradient, and name the operator and
    forward line of the first that is NaN (`check_nan`) or infinite (`check_inf`). Slow."""

    __slots__ = ()

    def __init__(self, check_nan: bool = True, check_inf: bool = False) -> None:
        super().__init__(anomaly=(bool(check_nan), bool(check_inf)))


class saved_tensors_hooks(replace_mode):
    """Context manager and decorator: values that operators save pass through `pack`, and back through
    `unpack` when a backward pass needs them."""

    __slots__ = ()

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        super().__init__(saved_hooks=(pack_hook, unpack_hook))


def is_grad_enabled() -> bool:
    """Whether operators record in this thread and task.

    >>> is_grad_enabled()
    True
    """
    return not special or current_mode().grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread and task are in `inference_mode`."""
    return bool(special) and current_mode().inference
