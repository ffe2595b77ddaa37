"""Plans: compiled launches, the tables they are found in, and listeners that watch them run."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from ._bridge import LaunchError, bind  # noqa: F401  of C
from ._devices import growing, meta
from ._dtypes import DTYPES_PER_DEVICE
from ._layouts import DENSE_PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeVar

    from ._layouts import Layout
    from ._programs import Program

    K = TypeVar("K")
    Part = tuple[Callable[..., None], tuple[float | tuple[int, int], ...]]
    Request = tuple[str | Program, tuple[Layout | type[complex] | None, ...], tuple[object, ...]]

# Note [Launch]
# ~~~~~~~~~~~~~
# A kernel is a C function `int64_t kernel(const void *plan, int64_t *args)`. It returns 0, or a
# status with details in args[0..3] and nothing written. args[0] is the number of elements of the
# first output (the size of the work); then come the addresses of inputs and outputs, the address
# of the workspace if the plan has one, and scalars (an int64, or the bits of a double; a complex
# number is two doubles). Operators on any number of tensors have the scalars first: only the first 64
# arguments may be doubles. A kernel reads as many arguments as its plan has, or as its first ones say,
# and a launch that was told how many refuses any other number. `bind` turns a kernel and its plan
# struct into a callable `launch(n, *addresses, *scalars)` that costs about 80 ns, holds the GIL for
# small work and gives it away, once, for large. Arguments that are no integers raise TypeError before
# anything has happened.
STATUS_INDEX, STATUS_RANGE, STATUS_MEMORY, STATUS_UNSUPPORTED, STATUS_TARGET, STATUS_DIVISOR = 1, 2, 3, 4, 5, 6
STATUS_POSITION, STATUS_REQUIRED = 7, 8


class Elementwise(NamedTuple):
    """What an elementwise plan computes of each element, for those who put several plans into one program.

    `operator` is a loop of the backend's, or a program, and `inputs` the dtype codes of its operands, or types of
    numbers, in the order of the call. Operand i of the loop is input `order[i]`. `loops` are the loops that compute it,
    without those that convert operands and results. Where half types are rounded a program says so.
    """

    operator: str | Program
    inputs: tuple[int | type, ...]
    order: tuple[int, ...]
    loops: tuple[int, ...]


class Plan:
    """One operator for one signature: the output layouts and a compiled launch. Immutable, re-entrant.

    `out` is the first output layout.

    Arguments:
        operator: its name.
        parameters: what the operator and its planner agree on, beside layouts.
        outputs: the layouts of the results.
        launch: what computes them: `launch(n, *addresses, *scalars)`, as in Note [Launch].
        workspace: bytes of scratch memory, whose address is passed after those of the outputs.
        any_size: the launch is right for every element count (elementwise work on contiguous operands of one shape),
            so that the plan may be kept under the dtypes alone.
        for_layouts: `for_layouts(output, *inputs)` gives the launch for other layouts of the same dtypes, device and
            parameters, None where inputs do not broadcast to the output. None in plans that have no such function.
        inner: the plan as the backend made it, where `launch` is a function around its launch.
        parts: the compiled launches that `launch` makes if it is a function of Python, with the arguments of each:
            numbers, and (place, delta) for an argument of this launch and bytes to add. None: not known.
        elementwise: what it computes of each element. None where it is no elementwise plan, or refuses some elements.
        request: the operator (a name or a program), inputs and parameters that a backend was asked for; with `outputs`
            the same plan can be made elsewhere. None: not known.

    >>> from facula_storage import contiguous, float32
    >>> layout = contiguous((4,), float32)
    >>> plan = Plan("relu", (), (layout,), lambda n, source, target: None, any_size=True)
    >>> plan.out is layout, plan.workspace
    (True, 0)
    """

    __slots__ = (
        "any_size", "elementwise", "for_layouts", "inner", "launch", "operator", "out", "outputs", "parameters",
        "parts", "request", "workspace",
    )  # fmt: skip

    out: Layout | None

    def __init__(
        self,
        operator: str,
        parameters: tuple[object, ...],
        outputs: tuple[Layout, ...],
        launch: Callable[..., None],
        workspace: int = 0,
        any_size: bool = False,
        for_layouts: Callable[..., Callable[..., None] | None] | None = None,
        inner: Plan | None = None,
        parts: Sequence[Part] | None = None,
        elementwise: Elementwise | None = None,
        request: Request | None = None,
    ):
        self.operator, self.parameters, self.outputs = operator, parameters, outputs
        self.launch, self.workspace, self.any_size, self.for_layouts = launch, workspace, any_size, for_layouts
        self.out, self.inner, self.parts = outputs[0] if outputs else None, inner, parts
        self.elementwise, self.request = elementwise, request

    def __repr__(self) -> str:
        return f"Plan({self.operator!r}, {self.parameters}, {self.outputs})"


class PlanTable:
    """The plans of one operator: `by_key` for signatures, and launches that fit any size.

    `dense[layout.dense]` is a launch or None; `with_float` and `with_int` are the same for an operand
    and a Python number. `by_kind` has a plan for each kind of call (dtypes, device, parameters), as backends made
    them, for calls of shapes nobody has seen to begin with: what is made of them for `by_key` is heard by
    listeners like every plan. All are the same objects for the table's life, so operators may hold on to them;
    the lists get longer with each device (there are hundreds of tables, and mostly one device).
    Bounded like the layout table, and for the same reason.
    """

    LIMIT = 512
    DROPPED = 64  # at once, as layouts are
    DENSE = DENSE_PLACES
    __slots__ = ("__weakref__", "by_key", "by_kind", "dense", "operator", "with_float", "with_int")

    def __init__(self, operator: str):
        self.operator = operator
        self.by_key: dict[Hashable, Plan] = {}
        self.by_kind: dict[Hashable, Plan] = {}
        with _changing:
            self.dense: list[Callable[..., None] | None] = [None] * _places
            self.with_float = list(self.dense)
            self.with_int = list(self.dense)
            _tables.add(self)

    def add(self, key: Hashable, plan: Plan) -> Plan:
        """Publish a plan; the one that is there already wins, and is returned."""
        while True:
            heard_by = _listeners
            self._make_room(self.by_key)
            found = self.by_key.setdefault(key, _heard(plan, heard_by) if heard_by else plan)
            if _listeners is heard_by:
                return found
            self.by_key.pop(key, None)  # the table may have been emptied before this plan got in

    def add_kind(self, kind: Hashable, plan: Plan) -> None:
        """Keep a plan as an example of its kind."""
        self._make_room(self.by_kind)
        self.by_kind[kind] = plan

    def _make_room(self, entries: dict[K, Plan]) -> None:
        if len(entries) >= self.LIMIT:
            try:
                for _ in range(self.DROPPED):
                    entries.popitem()
            except KeyError:
                pass  # another thread emptied it

    def add_dense(self, launches: list[Callable[..., None] | None], code: int, plan: Plan) -> None:
        """Publish a plan that fits any size; no effect for other plans.

        Arguments:
            launches: `dense`, `with_float` or `with_int` of this table.
            code: the `dense` of the layout.
            plan: the plan.
        """
        while plan.any_size and 0 < code < len(launches):
            heard_by = _listeners
            launches[code] = (_heard(plan, heard_by) if heard_by else plan).launch
            if _listeners is heard_by:
                return
            launches[code] = None

    def clear(self) -> None:
        """Forget all plans."""
        self.by_key.clear()
        self.by_kind.clear()
        for launches in (self.dense, self.with_float, self.with_int):
            launches[:] = [None] * len(launches)


# Note [Listeners]
# ~~~~~~~~~~~~~~~~
# A profiler hears of every launch without a test on the hot path: while anybody listens, tables
# are filled with plans whose launch is a wrapper, and emptied when that changes. Who publishes a
# plan looks at the listeners before and after, so that no plan of former times stays in a table.
# What a listener raises has the attribute `launched`: whoever tries again where a launch was refused sees that it was
# not, since what is done twice in place, or with random numbers, is wrong.
_tables: WeakSet[PlanTable] = WeakSet()
_listeners: tuple[Callable[[Plan, tuple[object, ...]], None], ...] = ()
_changing = RLock()
_places = DTYPES_PER_DEVICE * (meta.slot + 1)  # in the lists of each table; meta is the last device to begin with
os.register_at_fork(after_in_child=_changing._at_fork_reinit)  # type: ignore[attr-defined]


def _grow(devices: int) -> None:
    """Give the lists of all tables a place for each dtype of so many devices."""
    global _places
    with _changing:
        _places = max(_places, min(devices * DTYPES_PER_DEVICE, DENSE_PLACES))
        for table in list(_tables):
            for launches in (table.dense, table.with_float, table.with_int):
                launches.extend([None] * (_places - len(launches)))


growing.append(_grow)


def _heard(plan: Plan, heard_by: tuple[Callable[[Plan, tuple[object, ...]], None], ...]) -> Plan:
    launch = plan.launch

    def launch_and_tell(*args: object) -> None:
        launch(*args)
        try:
            for listener in heard_by:
                listener(plan, args)
        except BaseException as error:
            vars(error)["launched"] = True  # see Note [Listeners]
            raise

    return Plan(
        plan.operator, plan.parameters, plan.outputs, launch_and_tell, plan.workspace, plan.any_size, plan.for_layouts,
        plan.inner or plan,
    )  # fmt: skip


def forget_plans() -> None:
    """Empty all tables."""
    with _changing:
        for table in list(_tables):
            table.clear()


class listen:
    """While open, call `listener(plan, arguments)` after each launch, in every thread.

    Listeners are called in the order in which they came; what one raises, the operator raises, its
    launch being done. A launch that fails is not told. Launches are heard through plan tables: one
    that a caller took from a table before stays as it was.

    >>> heard = []
    >>> with listen(lambda plan, arguments: heard.append(plan.operator)):
    ...     pass
    """

    def __init__(self, listener: Callable[[Plan, tuple[object, ...]], None]):
        self._listener = listener

    def __enter__(self) -> listen:
        self._change(add=True)
        return self

    def __exit__(self, *exc: object) -> None:
        self._change(add=False)

    def _change(self, *, add: bool) -> None:
        global _listeners
        with _changing:
            if add:
                _listeners = (*_listeners, self._listener)
            else:
                left = list(_listeners)
                left.remove(self._listener)
                _listeners = tuple(left)
            forget_plans()
