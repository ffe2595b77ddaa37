"""Plans: compiled launches, the tables that store them, and listeners that observe them."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from ._bridge import LaunchError, bind, new_instance, workspace_of  # noqa: F401  of C
from ._devices import growth_listeners, meta
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
# A kernel is a C function `int64_t kernel(const void *plan, int64_t *args)`. It returns 0, or a status with details in
# args[0..3] without having written any results. args[0] is the number of elements of the first output (the amount of
# work). The other arguments are the addresses of inputs and outputs, the address of the workspace if the plan has one,
# and scalars (an int64, or the bits of a double; a complex number is two doubles). Operators on any number of tensors
# have the scalars first: only the first 64 arguments may be doubles. A kernel reads as many arguments as its plan or
# its first arguments specify. A launch that was bound with a number of arguments rejects any other number. `bind` turns
# a kernel and its plan struct into a callable `launch(n, *addresses, *scalars)`, which costs about 80 ns. It holds the
# GIL for small work and releases it, once, for large work. Arguments that are not integers raise TypeError before any
# effect.
STATUS_INDEX = 1  # an index is out of range
STATUS_RANGE = 2  # a number is outside of the range of its dtype
STATUS_MEMORY = 3  # there is no memory for the workspace
STATUS_UNSUPPORTED = 4  # the kernel cannot compute this
STATUS_TARGET = 5  # a target is no class
STATUS_DIVISOR = 6  # an integer is divided by 0
STATUS_POSITION = 7  # a position is outside of its dimension
STATUS_REQUIRED = 8  # a required condition is false


class Elementwise(NamedTuple):
    """The elementwise computation of a plan, for combining several plans into one program.

    `operator` is a loop of the backend, or a program. `inputs` contains the dtype codes of its operands, or types of
    numbers, in the order of the call. Operand i of the loop is input `order[i]`. `loops` are the loops that compute it,
    without those that convert operands and results. A program states where half-precision types are rounded.
    """

    operator: str | Program
    inputs: tuple[int | type, ...]
    order: tuple[int, ...]
    loops: tuple[int, ...]


class Plan:
    """One operator for one signature: the output layouts and a compiled launch. Immutable and reentrant.

    Arguments:
        operator: the name of the operator.
        parameters: the arguments of the operator's planner other than layouts.
        outputs: the layouts of the results; `out` is the first.
        launch: the function that computes them: `launch(n, *addresses, *scalars)`, as in Note [Launch]. If it reports
            wrong elements later, its attribute `for_replays` is a function that returns a compiled launch for replays,
            whose reports name the operator and the line that are running when it is called.
        workspace: bytes of scratch memory, whose address is passed after those of the outputs.
        any_size: whether the launch is valid for every element count (elementwise work on contiguous operands of one
            shape), so that the plan may be stored by dtypes alone.
        for_layouts: `for_layouts(*outputs, *inputs)` returns the launch for other layouts with the same dtypes, device
            and parameters, or None, for example if inputs do not broadcast to the output. Elementwise plans take one
            output, whose layout all results have. Parameters that depend on shapes follow the layouts: integers, or
            tuples of them. None in plans without such a function.
        inner: the backend's original plan, if `launch` is a wrapper around its launch.
        parts: the compiled launches that `launch` makes if it is a Python function, with the arguments of each:
            numbers, and (place, delta) for an argument of this launch plus a number of bytes. None: unknown.
        elementwise: the computation for each element. None if the plan is not elementwise, or rejects some elements.
        has_effects: whether `launch` has effects besides its writes, such as messages to other processes.
        request: the operator (a name or a program), inputs and parameters of the backend's `plan`; with `outputs` the
            same plan can be created elsewhere. None: unknown.

    `plain` is the plan that a table would contain without observers, if this one is a copy with their launch.

    >>> from facula_storage import contiguous, float32
    >>> layout = contiguous((4,), float32)
    >>> plan = Plan("relu", (), (layout,), lambda n, source, target: None, any_size=True)
    >>> plan.out is layout, plan.workspace
    (True, 0)
    """

    __slots__ = (
        "any_size", "elementwise", "for_layouts", "has_effects", "inner", "launch", "operator", "out", "outputs",
        "parameters", "parts", "plain", "request", "workspace",
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
        has_effects: bool = False,
    ):
        self.operator, self.parameters, self.outputs = operator, parameters, outputs
        self.launch, self.workspace, self.any_size, self.for_layouts = launch, workspace, any_size, for_layouts
        self.out, self.inner, self.parts = outputs[0] if outputs else None, inner, parts
        self.elementwise, self.request, self.has_effects = elementwise, request, has_effects
        self.plain: Plan | None = None

    def with_layouts(
        self,
        inputs: tuple[Layout | type[complex] | None, ...],
        outputs: tuple[Layout, ...],
        launch: Callable[..., None],
        parameters: tuple[object, ...] | None = None,
    ) -> Plan:
        """Return the plan of other layouts.

        Arguments:
            inputs: the layouts of the operands, or the kinds of numbers, for reports.
            outputs: the layouts of the results.
            launch: a result of `for_layouts`, which computes them.
            parameters: those of the new plan, if they differ.
        """
        made = new_instance(Plan)  # faster than the constructor
        made.parameters = self.parameters if parameters is None else parameters
        made.operator, made.elementwise, request = self.operator, self.elementwise, self.request
        made.outputs, made.out, made.launch, made.workspace = outputs, outputs[0], launch, workspace_of(launch)
        made.any_size = made.has_effects = False
        made.for_layouts = made.inner = made.parts = made.plain = None
        if request:  # numbers that only launches receive follow the operands
            inputs = (*inputs, *request[1][len(inputs) :])
        made.request = request and (request[0], inputs, request[2] if parameters is None else parameters)
        return made

    def __repr__(self) -> str:
        return f"Plan({self.operator!r}, {self.parameters}, {self.outputs})"


class PlanTable:
    """The plans of one operator: `by_key` by signature, and launches for any size.

    `dense[layout.dense]` is a launch or None; `with_float` and `with_int` are the same for an operand and a Python
    number. `by_kind` contains one plan for each kind of call (dtypes, device, parameters), as created by backends, for
    calls with new shapes. Plans derived from it for `by_key` are reported to observers like all plans. These objects
    are the same for the table's lifetime, so operators may keep references to them. The lists grow with each device,
    because there are hundreds of tables and mostly one device. The table is bounded like the layout table, for the same
    reason.
    """

    LIMIT = 512
    DROPPED = 64  # entries per eviction, as for layouts
    DENSE = DENSE_PLACES
    __slots__ = ("__weakref__", "_plain", "by_key", "by_kind", "dense", "is_used", "operator", "with_float", "with_int")

    def __init__(self, operator: str):
        self.operator = operator
        self.is_used = False  # whether a plan was ever added that observers replace
        self.by_key: dict[Hashable, Plan] = {}
        self.by_kind: dict[Hashable, Plan] = {}
        # launches that observers replaced: by list (0: dense, 1: with_float, 2: with_int) and code
        self._plain: dict[tuple[int, int], Callable[..., None]] = {}
        with _changing:
            self.dense: list[Callable[..., None] | None] = [None] * _places
            self.with_float = list(self.dense)
            self.with_int = list(self.dense)
            _tables.add(self)

    def add(self, key: Hashable, plan: Plan) -> Plan:
        """Publish a plan and return it, or return the existing one."""
        self.is_used = True  # before the observers are compared
        while True:
            observers_before = _observers
            if len(self.by_key) >= self.LIMIT:
                self._make_room(self.by_key)
            found = self.by_key.setdefault(key, _observed(plan) if observers_before else plan)
            if _observers is observers_before:
                return found
            self.by_key.pop(key, None)  # the table may have been rewritten before this plan was added

    def add_kind(self, kind: Hashable, plan: Plan) -> None:
        """Store a plan as an example of its kind."""
        if len(self.by_kind) >= self.LIMIT:
            self._make_room(self.by_kind)
        self.by_kind[kind] = plan

    def _make_room(self, entries: dict[K, Plan]) -> None:
        try:
            for _ in range(self.DROPPED):
                entries.popitem()
        except KeyError:
            pass  # another thread emptied it

    def add_dense(
        self, launches: list[Callable[..., None] | None], code: int, plan: Plan, is_keyed: bool = False
    ) -> None:
        """Publish a plan that fits any size; other plans are ignored.

        Arguments:
            launches: `dense`, `with_float` or `with_int` of this table.
            code: the `dense` of the layout.
            plan: the plan.
            is_keyed: whether it is also added to `by_key`, where observers of exact layouts find it.
        """
        self.is_used = True
        while plan.any_size and 0 < code < len(launches):
            observers_before = _observers
            if not observers_before:
                launches[code] = plan.launch
            else:
                number = next(i for i, one in enumerate(self._lists()) if one is launches)
                self._plain[number, code] = plan.launch
                launches[code] = None if is_keyed and _needs_layouts() else _observed_for_any_size(plan)
            if _observers is observers_before:
                return
            launches[code] = None

    def _lists(self) -> tuple[list[Callable[..., None] | None], ...]:
        return self.dense, self.with_float, self.with_int

    def observe(self) -> None:
        """Replace all launches by those for the current observers."""
        keyed = {}
        for key, plan in self.by_key.copy().items():
            plain = plan.plain or plan
            keyed[plain.launch] = plain
            new = _observed(plain) if _observers else plain
            if self.by_key.get(key) is plan:  # not evicted meanwhile
                self.by_key[key] = new
        for number, launches in enumerate(self._lists()):
            if not any(launches) and not self._plain:
                continue
            for code, launch in enumerate(launches):
                plain_launch = self._plain.get((number, code), launch)
                if plain_launch is None:
                    continue
                if not _observers:
                    self._plain.pop((number, code), None)
                    launches[code] = plain_launch
                    continue
                self._plain[number, code] = plain_launch
                found = keyed.get(plain_launch)
                if found is not None and _needs_layouts():
                    launches[code] = None
                else:
                    launches[code] = _observed_for_any_size(found or Plan(self.operator, (), (), plain_launch))

    def clear(self) -> None:
        """Remove all plans."""
        self.by_key.clear()
        self.by_kind.clear()
        self._plain.clear()
        for launches in (self.dense, self.with_float, self.with_int):
            launches[:] = [None] * len(launches)


# Note [Observers]
# ~~~~~~~~~~~~~~~~
# A profiler observes every launch without a test on the hot path: while there are observers, tables contain plans with
# their launches, functions around the original ones. When the observers change, the launches in all tables are
# replaced, which is cheaper than to make all plans again. A thread that publishes a plan compares the observers before
# and after, so that no outdated plan remains in a table. While an observer needs layouts, launches for any size are
# not used if their plan can also be found by its key.
#
# An exception of a listener gets the attribute `launched`, so that code that retries failed launches does not repeat
# one that succeeded: repeating in-place operations or random numbers would be wrong.
_tables: WeakSet[PlanTable] = WeakSet()
_observers: tuple[Observer, ...] = ()
_changing = RLock()
# length of the lists of each table; meta is the last of the initial devices
_places = DTYPES_PER_DEVICE * (meta.slot + 1)
os.register_at_fork(after_in_child=_changing._at_fork_reinit)  # type: ignore[attr-defined]


def _grow(devices: int) -> None:
    """Extend the lists of all tables to this number of devices."""
    global _places
    with _changing:
        _places = max(_places, min(devices * DTYPES_PER_DEVICE, DENSE_PLACES))
        for table in list(_tables):
            for launches in (table.dense, table.with_float, table.with_int):
                launches.extend([None] * (_places - len(launches)))


growth_listeners.append(_grow)


class Observer(NamedTuple):
    """A function that is called for each plan of the tables, and returns the launch to use.

    Arguments:
        wrap: `wrap(plan, launch)` returns a function with the arguments and effects of `launch`, which is that of
            `plan` or of an earlier observer. A plan of `any_size` without outputs serves any shape; its `request`, if
            known, is that of an example.
        needs_layouts: whether plans must have exact layouts, so that launches that fit any size are avoided.
    """

    wrap: Callable[[Plan, Callable[..., None]], Callable[..., None]]
    needs_layouts: bool = False


def _needs_layouts() -> bool:
    return any([observer.needs_layouts for observer in _observers])


def _observed(plan: Plan) -> Plan:
    """Return a copy of a plan with the launch of the current observers."""
    launch = plan.launch
    for observer in _observers:
        launch = observer.wrap(plan, launch)
    made = Plan(
        plan.operator, plan.parameters, plan.outputs, launch, plan.workspace, plan.any_size, plan.for_layouts,
        plan.inner or plan,
    )  # fmt: skip
    made.plain = plan
    return made


def _observed_for_any_size(plan: Plan) -> Callable[..., None]:
    """Return the launch of the current observers for a plan that is used with other layouts than its own."""
    any_size = Plan(plan.operator, plan.parameters, (), plan.launch, any_size=True, request=plan.request)
    return _observed(any_size).launch


def forget_plans() -> None:
    """Clear all tables."""
    with _changing:
        for table in list(_tables):
            table.clear()


def add_observer(observer: Observer) -> None:
    """Use the launches of an observer from now on, around those of earlier ones, in every thread."""
    _change((*_observers, observer))


def remove_observer(observer: Observer) -> None:
    """Stop using the launches of an observer. Those that callers still have must continue to work."""
    _change(tuple([one for one in _observers if one is not observer]))


def _change(observers: tuple[Observer, ...]) -> None:
    global _observers
    with _changing:
        _observers = observers
        for table in list(_tables):
            if table.is_used:  # there are about a thousand tables, and programs use few of them
                table.observe()


class listen:
    """Call `listener(plan, arguments)` after each launch, in every thread, within the context.

    Listeners are called in order of registration. An exception of a listener is raised by the operator, after its
    launch. Failed launches are not reported. Launches are observed through plan tables: a launch that a caller took
    from a table earlier is not observed.

    >>> heard = []
    >>> with listen(lambda plan, arguments: heard.append(plan.operator)):
    ...     pass
    """

    def __init__(self, listener: Callable[[Plan, tuple[object, ...]], None]):
        self._listener = listener
        self._observers: list[Observer] = []  # one for each `with` statement that the object is in

    def _wrap(self, plan: Plan, launch: Callable[..., None]) -> Callable[..., None]:
        listener = self._listener

        def observed_launch(*args: object) -> None:
            launch(*args)
            try:
                listener(plan, args)
            except BaseException as error:
                vars(error)["launched"] = True  # see Note [Observers]
                raise

        return observed_launch

    def __enter__(self) -> listen:
        observer = Observer(self._wrap)
        self._observers.append(observer)
        add_observer(observer)
        return self

    def __exit__(self, *exc: object) -> None:
        remove_observer(self._observers.pop())
