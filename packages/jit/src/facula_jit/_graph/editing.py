"""Editing of graphs: calls are removed, replaced and created, and values redirected.

Note [Numbers of launches]
~~~~~~~~~~~~~~~~~~~~~~~~~~
A recording refers to launches by number: skips, loops, launches with optimizer scalars, and the bounds of backward
passes. Edits are collected by call and applied together in `renumbered`, which is the only function that changes the
numbers of launches. Replacements stay at the position of the replaced call: in the same backward pass, and in the same
condition or loop.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_storage import Layout
from facula_storage.extend.memory import capacity

from .._recording.graph_breaks import CaptureError
from .._recording.records import Address, Block, Launched
from .calls import Call, Names, Use, Value
from .jumps import Region, regions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from facula_storage import Storage
    from facula_storage.extend.plans import Program

    from .._recording.recording import Recording


class Span(NamedTuple):
    """A range of calls without jumps: the first, the one after the last, their part, and the enclosing conditions and
    loops, outer ones first.

    `part` is 0 for the call, and k for the k-th backward pass that runs outside of it.
    """

    start: int
    stop: int
    part: int
    around: tuple[Region, ...]


def spans_of(recording: Recording) -> list[Span]:
    """Return the calls of a recording as spans, split at the bounds of backward passes and regions."""
    regions = regions_of(recording.recorder)
    parts = [(pass_.start, pass_.stop) for pass_ in recording.passes]
    ends = [0, recording.boundary_at, len(recording.launches)]
    cuts = sorted({*ends, *[cut for part in parts for cut in part], *[cut for region in regions for cut in region[:2]]})
    found = []
    around: list[Region] = []
    for start, stop in pairwise(cuts):
        around = [region for region in around if start < region.stop]
        while regions and regions[0].start == start:
            around.append(regions.pop(0))
        inside = [number for number, part in enumerate(parts, 1) if part[0] <= start < part[1]]
        found.append(Span(start, stop, inside[0] if inside else 0, tuple(around)))
    return found


def renumbered(recording: Recording, edits: Mapping[int, Sequence[Launched]]) -> Recording:
    """Return the recording with the launches of these numbers replaced."""
    made = copy(recording)
    launches: list[Launched] = []
    place_of = []  # of each previous launch, and of the end
    for number, launch in enumerate(recording.launches):
        place_of.append(len(launches))
        launches += edits.get(number, (launch,))
    place_of.append(len(launches))
    recorder = made.recorder = copy(recording.recorder)
    made.launches = recorder.launches = launches
    made.boundary_at = place_of[recording.boundary_at]
    made.passes = [pass_._replace(start=place_of[pass_.start], stop=place_of[pass_.stop]) for pass_ in recording.passes]
    recorder.skips = []
    for skip in recording.recorder.skips:
        first, end = place_of[skip.first], place_of[skip.first + skip.launches]
        if end > first:
            recorder.skips.append(skip._replace(first=first, launches=end - first))
    recorder.loops = []
    for loop in recording.recorder.loops:
        first, body, last = place_of[loop.first], place_of[loop.body], place_of[loop.last]
        if body == first:
            raise CaptureError("the call that computes the condition of a loop was removed; keep it")
        recorder.loops.append(loop._replace(first=first, body=body, last=last))
    if recorder.refills:
        now = {id(launch): number for number, launch in enumerate(launches)}
        for number, others in edits.items():  # with other memory it is still the same call
            launch = recording.launches[number]
            for place, other in enumerate(others):
                if other.plan is launch.plan:
                    now.setdefault(id(launch), place_of[number] + place)
        recorder.refills = []
        for numbers in recording.recorder.refills:
            taken = [[now.get(id(recording.launches[number]), -1) for number in many] for many in numbers.launches]
            if any([number < 0 for many in taken for number in many]):
                raise CaptureError("a call that takes an optimizer's numbers was removed; keep such calls unchanged")
            recorder.refills.append(numbers._replace(launches=taken))
    return made


@boundary
class Editable:
    """The calls of a recording, and the edits that passes apply to them."""

    def __init__(self, recording: Recording):
        self._recording, self._names = recording, Names(recording)
        self._calls = tuple([Call(launch, self._names) for launch in recording.launches])
        self._edits: dict[int, tuple[Call, ...]] = {}  # by the id of the call
        self._instead: dict[int, int] = {}  # value -> the value that is read instead
        self._places: dict[int, int] | None = None  # of the calls, by id
        self.notes: dict[Any, Any] = {}  # results that passes cache until the next change

    # ------------------------------------------------------------------------------------------------------ inspection
    @property
    def calls(self) -> tuple[Call, ...]:
        """The operators, in the order in which they run."""
        self._settle()
        return self._calls

    @property
    def values(self) -> tuple[Value, ...]:
        """The values: arguments, results, tensors of the program, temporaries; some may be unused."""
        return tuple(self._names.values)

    @property
    def recording(self) -> Recording:
        """The calls as launches."""
        self._settle()
        return self._recording

    def parts(self) -> list[tuple[Call, ...]]:
        """Return the calls in the order in which they run, split into parts that run separately.

        The first parts belong to the call, the others to backward passes that run later. Parts also end where a
        condition or a loop starts or ends, for example if a gradient scaler skips a step. Calls stay in their part. A
        pass may use results from earlier parts that always run before its own.
        """
        calls = self.calls
        return [calls[span.start : span.stop] for span in spans_of(self._recording)]

    # --------------------------------------------------------------------------------------------------------- changes
    def remove(self, call: Call) -> None:
        """Remove a call."""
        self.replace(call)

    def replace(self, call: Call, *others: Call) -> None:
        """Replace a call by other calls, which may include it, or by none.

        Arguments:
            call: one of `calls`.
            others: the calls that run instead, in this order: calls of this graph, or results of `call`.
        """
        if self._places is None:
            self._places = {id(known): place for place, known in enumerate(self._calls)}
        if id(call) not in self._places:
            raise InvalidValueError(
                f"replace: expected a call of this graph; got {call!r}, which is not in it (any more)"
            )
        for other in others:
            if type(other) is not Call or other._names is not self._names:
                raise InvalidTypeError(f"replace: expected calls of this graph; got {other!r}; make them with call()")
        self._edits[id(call)] = others

    def redirect(self, value: Value, to: Value) -> None:
        """Make all calls that read a value read another one with the same layout.

        Arguments:
            value: a temporary.
            to: the value that is read instead.
        """
        for value_ in (value, to):
            self._check_value("redirect", value_)
        if value.kind != "temporary":
            raise InvalidValueError(f"redirect: expected a temporary; got {value.name}, which is {_a(value.kind)}")
        if value.layout is not to.layout:
            raise InvalidValueError(f"redirect: expected values of one layout; got {value.layout} and {to.layout}")
        target = to.number
        while target in self._instead:
            target = self._instead[target]
        if target == value.number:
            raise InvalidValueError(
                f"redirect: expected a value other than {value.name}, or than its replacement; got the same"
            )
        self._instead[value.number] = target

    def temporary(self, layout: Layout) -> Value:
        """Return a new value for intermediate results; its memory is reserved only while it is used."""
        if not isinstance(layout, Layout):
            raise InvalidTypeError(f"temporary: expected a layout; got {type(layout).__name__}")
        names = self._names.values
        recording = copy(self._recording)
        recording.recorder = copy(recording.recorder)
        recording.recorder.blocks = [*recording.recorder.blocks, Block(None, layout, True, len(self._calls))]
        self._recording = recording
        names.append(Value(f"n{len(names)}", "temporary", layout, len(names)))
        return names[-1]

    def call(
        self,
        operator: str | Program,
        inputs: Sequence[Use | Value | float | None],
        outputs: Sequence[Use | Value],
        *,
        parameters: tuple[object, ...] = (),
        like: Call,
    ) -> Call:
        """Return a new call, for `replace`.

        Arguments:
            operator: its name, or an elementwise program.
            inputs: its operands, in the operator's order: values, parts of them, numbers, and None for missing ones.
            outputs: the values that it writes.
            parameters: further parameters of the operator's planner, as in its other calls.
            like: a call whose module and line are shown for the new one.

        Raises:
            NotImplementedError: there is no kernel for these layouts.
            TypeError, ValueError: invalid arguments.
        """
        if type(like) is not Call:
            raise InvalidTypeError(f"call: expected like to be a call; got {type(like).__name__}")
        given = [None if value is None else self._address(value, False) for value in inputs]
        made = [self._address(value, True) for value in outputs]
        arrays: list[Any] = [one or 0 for one in given if one is None or type(one) is Address]
        numbers = [one for one in given if one is not None and type(one) is not Address]
        asked: list[Any] = [None if one is None else one.layout if type(one) is Address else type(one) for one in given]
        try:
            layouts = tuple([address.layout for address in made])
            plan = self._recording.recorder.launch_device.backend.plan(operator, tuple(asked), layouts, parameters)
        except FaculaError:
            raise
        # planners do not validate arguments that operators never pass
        except (TypeError, ValueError, LookupError) as error:
            raise InvalidValueError(
                f"call: expected operands and parameters of {operator}; got others: {error}"
            ) from None
        arguments = (plan.out.numel if plan.out else 0, *arrays, *made, *numbers)
        launch = Launched(
            plan, arguments, 1 + len(arrays) + len(made), like.launch.site, like.launch.module, plan.operator
        )
        return Call(launch, self._names)

    def _address(self, operand: Use | Value | float, written: bool) -> Any:
        use = Use(operand, operand.layout, 0) if isinstance(operand, Value) else operand
        if not isinstance(use, Use):
            if written or type(use) not in (int, float):
                raise InvalidTypeError(f"call: expected values{'' if written else ' and numbers'}; got {use!r}")
            return use
        self._check_value("call", use.value)
        if use.layout is None:
            raise InvalidValueError(
                f"call: the layout of {use.value.name} is not known; use Use(value, layout, offset)"
            )
        address = Address(use.value.number, use.offset, use.layout, written)
        if not _fits(self._recording, address):
            raise InvalidValueError(
                f"call: expected a layout within {use.value.name}; got {use.layout} from byte {use.offset} on"
            )
        return address

    def _check_value(self, operation: str, value: Value) -> None:
        values = self._names.values
        if not isinstance(value, Value) or not 0 <= value.number < len(values) or values[value.number] is not value:
            raise InvalidValueError(f"{operation}: expected a value of this graph; got {value!r}")

    # --------------------------------------------------------------------------------------------- for built-in passes
    def rewritten(self, edits: Mapping[int, Sequence[Launched]]) -> None:
        """Replace launches, by number."""
        self._settle()
        if edits:
            self._take(renumbered(self._recording, edits))

    def keep(self, constants: Mapping[int, Storage]) -> None:
        """Replace temporaries by the contents of these storages, which are never written."""
        recording = copy(self.recording)
        recording.fixed = {**recording.fixed, **constants}
        self._take(recording)

    def _take(self, recording: Recording) -> None:
        known = {id(call.launch): call for call in self._calls}
        extra = self._names.values[len(recording.recorder.blocks) :] if "values" in vars(self._names) else []
        assert not extra
        self._recording = recording
        self._calls = tuple([known.get(id(launch)) or Call(launch, self._names) for launch in recording.launches])
        self._edits, self._instead, self._places, self.notes = {}, {}, None, {}

    def _settle(self) -> None:
        """Apply the pending edits."""
        if not self._edits and not self._instead:
            return
        edits: dict[int, Sequence[Launched]] = {}
        for number, call in enumerate(self._calls):
            launches = [edited.launch for edited in self._edits.get(id(call), (call,))]
            launches = [reading(launch, self._instead) for launch in launches] if self._instead else launches
            if len(launches) != 1 or launches[0] is not call.launch:
                edits[number] = launches
        self._take(renumbered(self._recording, edits))


def reading(launch: Launched, instead: Mapping[int, int]) -> Launched:
    """Return the launch with some of the blocks that it reads replaced."""
    if not any(
        [
            type(argument) is Address and not argument.written and argument.block in instead
            for argument in launch.arguments
        ]
    ):
        return launch
    arguments: list[Any] = []
    for argument in launch.arguments:
        while type(argument) is Address and not argument.written and argument.block in instead:
            argument = argument._replace(block=instead[argument.block])
        arguments.append(argument)
    return launch._replace(arguments=tuple(arguments))


def _fits(recording: Recording, address: Address) -> bool:
    """Return True if the part used by a launch is within the memory of its block."""
    block = recording.recorder.blocks[address.block]
    assert address.layout is not None
    begin, end = address.offset, address.offset + address.layout.extent
    if address.block in recording.fixed:
        return 0 <= begin and end <= capacity(recording.fixed[address.block])
    if block.inputs:
        given = [*recording.inputs, *recording.gradients]
        likes = [given[place] for place in block.inputs]
        return any([like.offset <= begin and end <= like.offset + like.layout.extent for like in likes])
    return block.layout is not None and 0 <= begin and end <= block.layout.extent


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
