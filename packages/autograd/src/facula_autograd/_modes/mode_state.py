"""What surrounds operators, per thread and per task: records of it, and the blocks in which they hold.

Note [Blocks]
One context variable holds the innermost block that was entered. A block knows the one around it, and it is open while
its key is in `active_modes`: a task or thread that copied the context while a block was open sees it
close when it ends elsewhere, so no mode outlives its block. While `active_modes` is empty every mode is the default one
to operators, and none reads the variable. Blocks that change what backward passes or creation functions look at, and no
operator (anomaly detection, the default device), are in `passive_modes` instead.
Leaving never uses the variable's token: an async generator may be closed in another context than it was
started in, where a token would be refused.

Note [Ctrl-C in a mode]
The interpreter looks for signals after a call, when a loop goes back, and where a function begins: also where
`__exit__` begins, before its first instruction. No context manager written in Python can leave its block then, so
another owner ends it: the interpreter. It keeps what it will call at the end of a `with` statement on the stack of the
frame, for nobody else, and drops it however the statement ends. For modes this is an object of its own for each
statement (`Exit`), and a weak reference to it takes the block out of `active_modes`, by a callback that is no Python
function and cannot be interrupted. Leaving as usual does the same earlier. That one step is all: what else leaving does
(the context variable) may be missing, since a block that is not open counts for nothing.
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
    """An immutable record of what surrounds an operator.

    `grad`: record; `inference`: record nothing, whatever is asked inside; `level`: forward-mode nesting;
    `autocast`, `vmap`, `capture`: their states, or None; `overrides`: subclasses may override operators;
    `saved_hooks`: (pack, unpack) or None; `compute`: what computes results in the place of kernels, or None
    (Note [Kept results]).
    Operators do not look at the others, the passive fields: `anomaly`: (check_nan, check_inf) or None;
    `hooks_refused`: why saved tensors have no hooks here, or None; `scopes`: calls of modules are noted; `device`:
    where creation functions make values, or None for the default.
    `only_grad` follows: of what operators look at, nothing but `grad` differs from the default. So does
    `only_autocast`: nothing but these two.

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
        """This mode with other values. Equal to the default means identical to `DEFAULT`."""
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
        """What `replace` takes to make another mode of this one.

        >>> DEFAULT.changes_to(DEFAULT.replace(grad=False))
        {'grad': False}
        """
        pairs = zip(FIELDS, self.values, other.values, strict=True)
        return {name: new for name, old, new in pairs if new is not old}

    def __repr__(self) -> str:
        return "Mode(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in FIELDS) + ")"


DEFAULT = Mode(_DEFAULTS)
# Modes made of flags alone, which are few: entering one makes nothing.
_STATES, _REFUSED = _DEFAULTS[2:_FOR_OPERATORS], _PLACES["hooks_refused"]
_common: dict[tuple[object, ...], Mode] = {_DEFAULTS: DEFAULT}
_NO_GRAD = DEFAULT.replace(grad=False)
GRAD_OFF: dict[str, object] = {"grad": False}

#: Non-empty while any thread is in a mode of any kind that operators look at. Siblings may have keys of their own.
active_modes: dict[object, None] = {}
#: Non-empty while any thread is in a mode of passive fields alone: operators stay on their fast path.
passive_modes: dict[object, None] = {}


_next_key: Callable[[], int] = count(1).__next__


class Block:
    """One entered mode. `lasting` ones come from calling `set_grad_enabled` as a function.

    `marks`: where its key is while it is open; `owner`: a weak reference to what it ends with, if to anything. The
    reference's callback has the key, not the block: in a cycle the collector could free the reference while the
    interpreter goes through those to one object.
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
    """The mode of this thread and task. Operators call it only when `active_modes` is not empty."""
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
    """Tell what captures this thread's work, if anything does, that `.grad` of `leaf` is about to be set.

    `added`: a backward pass does it, and it was None.
    """
    capture: AnyValue = current_mode().capture
    if capture is not None:
        (capture.grad_added if added else capture.grad_set)(leaf)


def note_grad_read(leaf: object) -> None:
    """Tell what captures this thread's work, if anything does, that `.grad` of `leaf` is asked for."""
    capture: AnyValue = current_mode().capture
    if capture is not None:
        capture.grad_read(leaf)


def note_ends(values: Sequence[object]) -> None:
    """Tell what captures this thread's work, if anything does, that a backward pass is about to end at these values."""
    capture: AnyValue = current_mode().capture
    if capture is not None:
        capture.passes_end(values)


def _mode_of(block: Block | None) -> Mode:
    """The mode inside `block`, leaving out blocks that were closed under it meanwhile."""
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
    """A block inside `outer`, not yet open."""
    block = Block()
    block.key = _next_key()
    block.changes, block.outer, block.lasting, block.owner = changes, outer, lasting, None
    block.marks = passive_modes if changes.keys() <= PASSIVE else active_modes
    if outer is None and changes is GRAD_OFF:
        block.mode = _NO_GRAD  # by far the most frequent
    else:
        block.mode = _mode_of(outer).replace(**changes)
    return block


def open_block(block: Block, owner: object = None) -> None:
    """Begin `block`, which ends with `owner` at the latest."""
    marks = block.marks
    if owner is not None:
        block.owner = ref(owner, partial(marks.pop, block.key))
    marks[block.key] = None
    current_block.set(block)


def close_block(block: Block) -> None:
    """End `block`, and lasting ones that were set inside it. Doing so again is harmless."""
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
    if above is block:  # else it was left in another context, or out of order: others find it closed
        outer = block.outer
        current_block.set(outer if outer is None else innermost_open(outer))


def set_lasting(changes: dict[str, object]) -> None:
    """Change the mode from here on, until the surrounding block ends."""
    before = current_block.get()
    top = innermost_open(before)
    earlier = None
    if top is not None and top.lasting:
        # Takes the earlier one's place: calling the setter in a loop piles nothing up.
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
