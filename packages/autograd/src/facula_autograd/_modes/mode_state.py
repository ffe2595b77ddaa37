"""The mode: the state of a thread and task that affects operators, and the blocks that change it.

Note [Blocks]
One context variable holds the innermost entered block. A block refers to the one around it, and is open while its key
is in `active_modes`. A task or thread that copied the context while a block was open sees the block close when it ends
elsewhere, so no mode outlives its block. While `active_modes` is empty, operators treat every mode as the default one
and do not read the variable. Blocks that only change fields for backward passes or creation functions (anomaly
detection, the default device) have their keys in `passive_modes` instead. Leaving a block never uses the variable's
token: an async generator may be closed in another context than it was started in, where the token would be rejected.

Note [Ctrl-C in a mode]
The interpreter checks for signals after a call, at a backward jump, and at the start of a function. The start of
`__exit__` is such a place, before its first instruction. A context manager written in Python therefore cannot always
leave its block, so the interpreter must end it. The interpreter keeps the callable for the end of a `with` statement on
the frame's stack, as its only reference, and drops it however the statement ends. For modes, this callable is a
separate object for each statement (`Exit`). A weak reference to it removes the block from `active_modes`, by a callback
that is not a Python function and cannot be interrupted. Leaving normally does the same earlier. This single step
suffices: the rest of leaving (the context variable) may be skipped, since a block that is not open has no effect.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from itertools import count
from weakref import ref

from facula_errors import MissingAttributeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._types import AnyValue, Slot

FIELDS = (
    "grad", "inference", "level", "autocast", "vmap", "capture", "overrides", "saved_hooks", "compute",
    "anomaly", "hooks_refused", "scopes", "device",
)  # fmt: skip
_DEFAULTS = (True, False, 0, None, None, None, True, None, None, None, None, False, None)
_PLACES = {name: place for place, name in enumerate(FIELDS)}
_FOR_OPERATORS = 9
PASSIVE = frozenset(FIELDS[_FOR_OPERATORS:])


class Mode:
    """An immutable record of the state that affects operators.

    Fields that operators read:

    * `grad`: record operators.
    * `inference`: never record, even inside `enable_grad`.
    * `level`: nesting of forward mode.
    * `autocast`, `vmap`, `capture`: their states, or None.
    * `overrides`: subclasses may override operators.
    * `saved_hooks`: (pack, unpack) or None.
    * `compute`: computes results in place of kernels, or None (Note [Kept results]).

    Passive fields, which operators do not read:

    * `anomaly`: (check_nan, check_inf) or None.
    * `hooks_refused`: the reason why saved tensors cannot have hooks here, or None.
    * `scopes`: calls of modules are recorded.
    * `device`: the device on which creation functions create values, or None for the default.

    Derived fields: `only_grad` is true if `grad` is the only field for operators that differs from the default;
    `only_autocast` is true if no field except `grad` and `autocast` differs.

    >>> DEFAULT.grad, DEFAULT.replace(grad=False).grad
    (True, False)
    """

    __slots__ = (*FIELDS, "only_autocast", "only_grad", "values")

    grad: bool
    inference: bool
    level: int
    autocast: Slot
    vmap: object
    capture: object
    overrides: bool
    saved_hooks: tuple[Callable[[AnyValue], AnyValue], Callable[[AnyValue], AnyValue]] | None
    compute: Callable[..., AnyValue] | None
    anomaly: tuple[bool, bool] | None
    hooks_refused: str | None
    scopes: bool
    device: object
    only_autocast: bool
    only_grad: bool
    values: tuple[object, ...]

    def __init__(self, values: tuple[object, ...]) -> None:
        object.__setattr__(self, "values", values)
        for name, value in zip(FIELDS, values, strict=True):
            object.__setattr__(self, name, value)
        seen, default = values[:_FOR_OPERATORS], _DEFAULTS[:_FOR_OPERATORS]
        object.__setattr__(self, "only_grad", seen[1:] == default[1:])
        object.__setattr__(self, "only_autocast", seen[1:3] + seen[4:] == default[1:3] + default[4:])

    def __setattr__(self, name: str, value: object) -> None:
        raise MissingAttributeError(f"Mode: records are immutable; use replace({name}=...)")

    def replace(self, **changes: object) -> Mode:
        """Return this mode with other values. A result equal to the default is `DEFAULT` itself."""
        changed = list(self.values)
        for name, value in changes.items():
            changed[_PLACES[name]] = value
        if changed[1]:
            changed[0] = False
        values = tuple(changed)
        if values[2:_FOR_OPERATORS] == _STATES and values[_REFUSED] is None:
            return _common.get(values) or _common.setdefault(values, Mode(values))
        return Mode(values)

    def changes_to(self, other: Mode) -> dict[str, object]:
        """Return the arguments of `replace` that turn this mode into `other`.

        >>> DEFAULT.changes_to(DEFAULT.replace(grad=False))
        {'grad': False}
        """
        pairs = zip(FIELDS, self.values, other.values, strict=True)
        return {name: new for name, old, new in pairs if new is not old}

    def __repr__(self) -> str:
        return "Mode(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in FIELDS) + ")"


DEFAULT = Mode(_DEFAULTS)
# Modes made of flags only. There are few, so entering one creates no object.
_STATES, _REFUSED = _DEFAULTS[2:_FOR_OPERATORS], _PLACES["hooks_refused"]
_common: dict[tuple[object, ...], Mode] = {_DEFAULTS: DEFAULT}
_NO_GRAD = DEFAULT.replace(grad=False)
GRAD_OFF: dict[str, object] = {"grad": False}

#: Not empty while any thread is in a mode that operators read. Other packages may add their own keys.
active_modes: dict[object, None] = {}
#: Not empty while any thread is in a mode of passive fields only: operators stay on their fast path.
passive_modes: dict[object, None] = {}


_next_key: Callable[[], int] = count(1).__next__


class Block:
    """One entered mode. `lasting` blocks come from calling `set_grad_enabled` as a function.

    `marks` is the collection that contains its key while it is open. `owner` is a weak reference to the object with
    which the block ends, if any. The reference's callback has the key, not the block: in a cycle, the collector could
    free the reference while the interpreter iterates over the references to one object.
    """

    __slots__ = ("changes", "key", "lasting", "marks", "mode", "outer", "owner")

    changes: dict[str, object]
    key: int
    lasting: bool
    marks: dict[object, None]
    mode: Mode
    outer: Block | None
    owner: ref[object] | None


current_block: ContextVar[Block | None] = ContextVar("facula_autograd.mode", default=None)


def current_mode() -> Mode:
    """Return the mode of this thread and task. Operators call it only when `active_modes` is not empty."""
    block = current_block.get()
    if block is None:
        return DEFAULT
    if block.outer is None and block.key in block.marks:
        return block.mode
    return _mode_of(block)


def innermost_open(block: Block | None) -> Block | None:
    while block is not None and block.key not in block.marks:
        block = block.outer
    return block


def note_grad(leaf: object, added: bool = False) -> None:
    """Notify the capture of this thread's work, if any, that `.grad` of `leaf` is about to be set.

    `added`: a backward pass sets it, and it was None.
    """
    capture: AnyValue = current_mode().capture
    if capture is not None:
        (capture.grad_added if added else capture.grad_set)(leaf)


def note_grad_read(leaf: object) -> None:
    """Notify the capture of this thread's work, if any, that `.grad` of `leaf` is read."""
    capture: AnyValue = current_mode().capture
    if capture is not None:
        capture.grad_read(leaf)


def note_ends(values: Sequence[object]) -> None:
    """Notify the capture of this thread's work, if any, that a backward pass is about to end at these values."""
    capture: AnyValue = current_mode().capture
    if capture is not None:
        capture.passes_end(values)


def _mode_of(block: Block | None) -> Mode:
    """Return the mode inside `block`, skipping blocks below it that have been closed."""
    block = innermost_open(block)
    if block is None:
        return DEFAULT
    outer = block.outer
    while outer is not None:
        if outer.key not in outer.marks:
            return _mode_of(outer).replace(**block.changes)
        outer = outer.outer
    return block.mode


def new_block(changes: dict[str, object], outer: Block | None, lasting: bool = False) -> Block:
    """Return a block inside `outer`, not yet open."""
    block = Block()
    block.key = _next_key()
    block.changes, block.outer, block.lasting, block.owner = changes, outer, lasting, None
    block.marks = passive_modes if changes.keys() <= PASSIVE else active_modes
    if outer is None and changes is GRAD_OFF:
        block.mode = _NO_GRAD  # the most frequent case
    else:
        block.mode = _mode_of(outer).replace(**changes)
    return block


def open_block(block: Block, owner: object = None) -> None:
    """Open `block`, which ends with `owner` at the latest."""
    marks = block.marks
    if owner is not None:
        block.owner = ref(owner, partial(marks.pop, block.key))
    marks[block.key] = None
    current_block.set(block)


def close_block(block: Block) -> None:
    """Close `block`, and permanent changes made inside it. Closing it again has no effect."""
    above = current_block.get()
    if above is not block:
        inside = []
        while above is not None and above is not block and (above.lasting or above.key not in above.marks):
            inside.append(above)
            above = above.outer
        if above is block:
            for each in inside:
                each.marks.pop(each.key, None)
    block.marks.pop(block.key, None)
    if above is block:  # otherwise it was left in another context, or out of order: other blocks find it closed
        outer = block.outer
        current_block.set(outer if outer is None else innermost_open(outer))


def set_lasting(changes: dict[str, object]) -> None:
    """Change the mode from here on, until the surrounding block ends."""
    before = current_block.get()
    top = innermost_open(before)
    earlier = None
    if top is not None and top.lasting:
        # Replaces the earlier block: calling the setter in a loop does not accumulate blocks.
        earlier, changes = top, {**top.changes, **changes}
        top = innermost_open(top.outer)
    around = _mode_of(top)
    block = new_block(changes, top, lasting=True)
    try:
        if not [name for name, value in changes.items() if getattr(around, name) != value]:
            current_block.set(top)
        else:
            open_block(block, None if top is None or top.owner is None else top.owner())
    except BaseException:
        block.marks.pop(block.key, None)
        current_block.set(before)
        raise
    if earlier is not None:
        earlier.marks.pop(earlier.key, None)
