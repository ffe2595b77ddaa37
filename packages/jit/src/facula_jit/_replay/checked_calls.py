"""Checked calls: eager calls instead of replays, to compare their launches with the capture.

Note [Checked calls]
~~~~~~~~~~~~~~~~~~~~
Guards compare the state that a function read (Note [Reads]). A checked call verifies the whole capture: the function
runs once under a recorder, and its results and effects count. The new recording is then compared with the captured one
in its state before passes:

* operators, numbers and bytes of constants,
* the role of each operand: an argument, a tensor of the program, `.grad` of a leaf, a result, a temporary,
* plain results.

Scalars of optimizer steps and draws of generators are compared by their source. By default, captures that use objects
in `allow` are not checked: their values at the capture are constant. Functions with tensor-dependent control flow
(`cond`, `while_loop`) are not checked either: the condition determines which branch is recorded first.

A checked call of a replay that creates `.grad`s is a new capture, which takes its place if both are equal. The replay
is discarded before the call. Otherwise its `.grad`s would exist during the call in addition to those that the call
creates. Two kinds stay: those with a backward pass, because captures of other functions may contain it, and those that
skip a part of the step, because the call may skip it, too, and is no capture then.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.nodes import describe_call_site
from facula_errors import InvalidValueError
from facula_storage.extend.memory import root_of

from .._recording.pytrees import Tree
from .._recording.recording import AliasOutput, InputOutput, Output
from .._recording.records import Address, bytes_at
from .._recording.rng_values import RngValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._recording.recording import Recording
    from .._recording.records import Launched, Site
    from .replay import Replay

NEVER = -1  # a number of replays that no capture reaches
VARIABLE = "FACULA_CAPTURE_CHECK"


def interval_of(check: int | None) -> int | None:
    """Return the number of calls between two checks; None for the default schedule: second, thousandth, ten-thousandth,
    ...

    Arguments:
        check: the argument of `capture`; None to use the environment variable.
    """
    where, value = "capture: expected check", check
    if check is None and (text := os.environ.get(VARIABLE)):
        where = f"{VARIABLE}: expected the environment variable"
        value = int(text) if text.isdecimal() else -1
        check = text  # type: ignore[assignment]
    if value is not None and (type(value) is not int or value < 0):
        raise InvalidValueError(f"{where} to be a number of calls, or 0 for no checks; got {check!r}")
    return value


def first_check(interval: int | None) -> int:
    """Return the number of replays before the first check."""
    return 1 if interval is None else interval - 1 if interval else NEVER


def next_check(interval: int | None, count: int) -> int:
    """Return the number of replays before the next check, after one at `count`."""
    if interval is None:
        return 999 if count < 999 else 10 * count + 9
    return count + interval - 1


class Step(NamedTuple):
    """One launch in comparable form: its operator, its plan and its arguments."""

    operator: str
    plan: tuple[Any, ...]
    arguments: tuple[Any, ...]
    site: Site


class Constant:
    """Memory without a tensor of the program; it equals itself and memory with the same bytes."""

    def __init__(self, storage: int, content: bytes):
        self.storage, self.content = storage, content

    def __eq__(self, other: object) -> bool:
        return type(other) is Constant and (self.storage == other.storage or self.content == other.content)

    __hash__ = None  # type: ignore[assignment]


class Digest:
    """The operations of a recording in a form that can be compared with another run.

    Arguments:
        recording: the recording before passes.
    """

    def __init__(self, recording: Recording):
        self.recording = recording
        recorder = recording.recorder
        self._numbers: dict[int, int] = {}  # of temporaries, in the order of their first use
        self._starts = [
            guard.offset for guard in (*recording.inputs, *recording.gradients)
        ]  # offsets of inputs in bytes
        self._grads = recording.grads_of
        known = [tensor for link in recorder.tensors.values() if (tensor := link()) is not None]
        self._watched = {id(root_of(tensor._storage)) for tensor in known}
        self._watched |= {id(root_of(before._storage)) for _, before in recording.needed if before is not None}
        self._followed = {launch for numbers in recorder.refills for row in numbers.launches for launch in row}
        self.steps = [self._step(number, launch) for number, launch in enumerate(recording.launches)]
        self.parts = [(skip.first, skip.launches) for skip in recorder.skips]
        self.result = list(self._leaves(recording.result))
        del self.recording  # it lives as long as its replay

    def _step(self, number: int, launch: Launched) -> Step:
        plan = launch.plan
        request = () if plan.request is None else tuple(plan.request)[:1]
        is_followed = number in self._followed  # numbers computed from an optimizer's options
        forms = [self._form(argument) for argument in launch.arguments if not is_followed or type(argument) is Address]
        described = (plan.parameters, request, launch.part)
        return Step(launch.operation, described, tuple(forms), launch.site)

    def _form(self, argument: Any) -> Any:
        if type(argument) is Address:
            inputs = self.recording.recorder.blocks[argument.block].inputs
            start = self._starts[inputs[0]] if inputs and inputs[0] < len(self._starts) else 0
            return *self._role(argument), argument.offset - start, argument.layout, argument.written
        if type(argument) is RngValue:
            return "a number that changes", argument.source, argument.delta
        return repr(argument)

    def _role(self, address: Address) -> tuple[Any, ...]:
        recording, number = self.recording, address.block
        block = recording.recorder.blocks[number]
        if number in self._grads:
            return "the gradient of a leaf", self._grads[number]
        if block.inputs:
            return "argument", block.inputs[0]
        if number in recording.outputs:
            return "result", recording.outputs.index(number)
        if block.is_new:
            return "temporary", self._numbers.setdefault(number, len(self._numbers))
        storage = recording.fixed.get(number)
        if id(storage) in self._watched or address.written or address.layout is None or storage is None:
            return "a tensor of the program", id(storage)
        return "a constant", Constant(id(storage), bytes_at(storage, address.offset, address.layout))

    def _leaves(self, value: Any) -> Iterator[Any]:
        if type(value) is Tree:
            yield value.kind, repr(value.keys)
            for part in value.parts:
                yield from self._leaves(part)
        elif type(value) in (Output, AliasOutput, InputOutput):
            yield value
        elif isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
            yield repr(value)
        elif id(value) in self.recording.views:
            yield "a view of a tensor of the program", id(root_of(value._storage)), value._offset, value._layout, 0
        else:
            yield id(value)


class Expected:
    """The digest of a replay, which a checked call must repeat.

    `kept` is the replay, or None if the capture of the checked call takes its place.

    Arguments:
        replay: the replay.
        replays: the replays of its signature, from which it is removed unless it is kept.
        interval: the number of calls between two checks; None for the default schedule.
    """

    def __init__(self, replay: Replay, replays: list[Replay], interval: int | None):
        self.digest = replay.digest()
        self._held = (
            replay.recording.recorder,
            replay.recording.result,
        )  # objects that the digest identifies by their ids
        replay.check_at = next_check(interval, replay.count)
        self._state = replay.count, replay.checks_made + 1, replay.check_at, replay.reason
        self.kept = replay if stays(replay) else None
        if self.kept is None:
            replays.remove(replay)

    def met_by(self, replay: Replay) -> None:
        """Let a replay go on with the counts of the one that was checked."""
        replay.count, replay.checks_made, replay.check_at, replay.reason = self._state


def stays(replay: Replay) -> bool:
    """Return True if a replay continues after a checked call; otherwise the capture of the call takes its place."""
    recording, recorder = replay.recording, replay.recording.recorder
    creates_gradients = any([recorder.blocks[block].is_new for block in recording.grads_of])
    return replay.has_backward or bool(recorder.skips) or not creates_gradients


def difference(captured: Digest, now: Digest) -> tuple[str, Site | None]:
    """Return the first difference as text with its line; "" if there is none."""
    if len(captured.steps) != len(now.steps):
        operators = [step.operator for step in captured.steps]
        later = [step.site for place, step in enumerate(now.steps) if operators[place : place + 1] != [step.operator]]
        return f"there were {len(captured.steps)} launches, and are {len(now.steps)}", later[0] if later else None
    for number, (step, other) in enumerate(zip(captured.steps, now.steps, strict=False)):
        if step.operator != other.operator:
            return f"launch {number} was {step.operator}, and is {other.operator}", other.site
        if step.plan != other.plan:
            return f"launch {number}, {step.operator}, has other options", other.site
        if len(step.arguments) != len(other.arguments):
            return f"launch {number}, {step.operator}, has another number of arguments", other.site
        for place, (a, b) in enumerate(zip(step.arguments, other.arguments, strict=False)):
            if a != b:
                words = f"argument {place} of launch {number}, {step.operator}, was {_word(a)}, and is {_other(a, b)}"
                return words, other.site
    if captured.parts != now.parts:
        return "the conditions skip different launches", None
    for a, b in zip(captured.result, now.result, strict=False):
        if a != b:
            return f"the result had {_word(a)}, and has {_other(a, b)}", None
    return ("", None) if len(captured.result) == len(now.result) else ("the result has other parts", None)


def _other(before: Any, form: Any) -> str:
    """Return the text of the second of two different forms, even if both have the same description."""
    words = _word(form)
    if words != _word(before):
        return words
    return "another one" if before[:2] != form[:2] else "one with other strides"


def _word(form: Any) -> str:
    if type(form) is tuple and form and form[0] == "a constant":
        return f"a constant of {len(form[1].content)} bytes beginning with {form[1].content[:16].hex()}"
    if type(form) is tuple and len(form) == 5:
        name, key, offset, layout, _ = form
        shape = "" if layout is None else f" of shape {layout.shape}"
        number = "" if key is None or "of" in name else f" {key}"
        return f"{name}{number}{shape}" + (f" at byte {offset}" if offset else "")
    return str(form)[:60]


def described(name: str, words: str, site: Site | None) -> str:
    """Return the message for a difference in a checked call."""
    where = "" if site is None else f" (at {describe_call_site(*site)})"
    return f"{name}: a checked call differs from its capture; {words}{where}"
