"""The state of a program, kept in memory of the launcher."""

from __future__ import annotations

import os
import pickle
import random
import sys
import time
from math import ceil
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import float64, tensor
from facula_tensor.extend import default_states, restore_default_states

from ._board.slots import PAUSE_VARIABLE, Slots
from ._collectives.exchanges import barrier
from ._collectives.reductions import all_reduce
from ._groups.groups import is_initialized
from ._groups.work import ReduceOp

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARE = 0.01  # of the time that may be spent on copies
_MAX_INTERVAL = 100_000  # steps
_METHODS = (
    ("sharded_state_dict", "load_state_dict"),  # of each rank's part
    ("state_dict", "load_state_dict"),
    ("get_state", "set_state"),
)


class Resumable:
    """The state of a program that continues where it was, after ranks have failed.

    Attributes:
        step: the first step to run: 0, or after a restart the one after the last step whose state was kept.
        is_resumed: whether a former attempt's state was loaded.

    `resumable` creates it.
    """

    step: int
    is_resumed: bool

    def __init__(self, objects: dict[str, Any], every: int | None) -> None:
        self._every = every
        self._getters: dict[str, Callable[[], Any]] = {}
        setters: dict[str, Callable[[Any], Any]] = {}
        for name, one in {**objects, **_generators()}.items():
            self._getters[name], setters[name] = _accessors(name, one)
        inherited = Slots.inherited()
        self._slots: Slots | None = None if inherited is None else inherited[0]
        former = None if inherited is None else inherited[1]
        self._rank = int(os.environ.get("RANK", "0"))
        self.step, self.is_resumed = 0, former is not None
        if self._slots is not None and former is not None:
            self.step = former + 1
            self._load(setters)
        self._due = self.step if every is None else self.step + every - 1
        self._last: tuple[int, float] | None = None  # the last step that was kept, and the time afterwards

    def _load(self, setters: dict[str, Callable[[Any], Any]]) -> None:
        assert self._slots is not None
        text, *buffers = self._slots.read(self._rank)
        states = pickle.loads(text, buffers=map(bytearray, buffers))  # copies: the slot is written again
        if states.keys() - _generators().keys() != setters.keys() - _generators().keys():
            raise InvalidValueError(
                f"resumable: expected the objects of the former attempt, {sorted(states)}; got {sorted(setters)}"
            )
        for name in setters.keys() & states.keys():
            setters[name](states[name])

    @boundary
    def save(self, step: int) -> None:
        """Keep the state after a step, if it is due. All ranks must call this after the same steps.

        Without `--max-restarts` of the launcher, nothing is kept.

        Arguments:
            step: the number of the step that has ended.

        Raises:
            TypeError, ValueError: `step` is not a whole number from 0 on.
            RuntimeError: there are several ranks, and no process group in which they wait for each other.
            SharedMemoryError: there is no memory for the state. The former state is still kept.
        """
        if isinstance(step, bool) or not isinstance(step, int):
            raise InvalidTypeError(f"save: expected step to be an int; got {step!r:.100}")
        if step < 0:
            raise InvalidValueError(f"save: expected step to be at least 0; got {step}")
        if self._slots is None or step < self._due:
            return
        is_alone = os.environ.get("WORLD_SIZE", "1") == "1"
        if not is_alone and not is_initialized():
            raise OperationError("save: expected a process group of all ranks; call init_process_group first")
        begun = time.perf_counter()
        self._write(step)
        ended = time.perf_counter()
        former, since = self._last or (step, begun)
        times = tensor([ended - begun, (begun - since) / max(1, step - former)], dtype=float64)
        if not is_alone:  # the others have finished their copies, too; and choose the same interval
            all_reduce(times, ReduceOp.MAX)
        copy_seconds, step_seconds = times.tolist()
        pause = float(os.environ.get(PAUSE_VARIABLE, "0"))
        self._due = step + (self._every or interval(copy_seconds, step_seconds, pause))
        self._last = step, time.perf_counter()

    def _write(self, step: int) -> None:
        assert self._slots is not None
        buffers: list[pickle.PickleBuffer] = []
        states = {name: get() for name, get in self._getters.items()}
        text = pickle.dumps(states, protocol=5, buffer_callback=buffers.append)
        parts: list[memoryview | bytes] = [text, *(one.raw() for one in buffers)]
        first = self._rank - int(os.environ.get("LOCAL_RANK", "0"))
        if self._rank == first:
            self._slots.write(self._rank, step, parts)
        if is_initialized():
            barrier()
        if self._rank != first:
            self._slots.write(self._rank, step, parts, first)


@boundary
def resumable(*, every: int | None = None, **objects: Any) -> Resumable:
    """Let a program continue where it was after ranks have failed, with `--max-restarts` of the launcher.

    The launcher starts all ranks again, and this function loads the state that they kept before: that of the given
    objects, and of the default generators of facula, `random` and NumPy. If the program is deterministic, its results
    are those of a run without failures, bit for bit. The states are kept in memory of the launcher, twice: tensors that
    are equal on all ranks of a machine once for all of them.

    Call it once, after the objects have been created, directly before the first step.

    Arguments:
        every: keep the state after so many steps. None: often, but copies take less than 1 % of the time.
        objects: models, optimizers, loaders and others with `state_dict` and `load_state_dict`, and generators, with
            `get_state` and `set_state`; by any names.

    Raises:
        TypeError: an object without these methods.
        ValueError: `every` is below 1, or the former attempt had other objects.

    >>> from facula_tensor import Generator
    >>> state = resumable(noise=Generator())
    >>> for step in range(state.step, 3):
    ...     state.save(step)
    """
    if every is not None and (isinstance(every, bool) or not isinstance(every, int)):
        raise InvalidTypeError(f"resumable: expected every to be an int or None; got {every!r:.100}")
    if every is not None and every < 1:
        raise InvalidValueError(f"resumable: expected every to be at least 1; got {every}")
    return Resumable(objects, every)


def interval(copy_seconds: float, step_seconds: float, pause: float = 0.0) -> int:
    """Return the number of steps between two copies, so that these take at most `_SHARE` of the time.

    Arguments:
        copy_seconds: the time of one copy.
        step_seconds: the time of one step; 0 if it is unknown.
        pause: the seconds between two copies at least.
    """
    if step_seconds <= 0:
        return 1
    return max(1, min(_MAX_INTERVAL, ceil(max(copy_seconds / _SHARE, pause) / step_seconds)))


def _accessors(name: str, one: Any) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    for get, put in _METHODS:
        if callable(getattr(one, get, None)) and callable(getattr(one, put, None)):
            return getattr(one, get), getattr(one, put)
    raise InvalidTypeError(
        f"resumable: expected {name} to have state_dict and load_state_dict, or get_state and set_state; got "
        f"{type(one).__name__}; pass an object that has them"
    )


class _Functions:
    """The state of a module's global generator."""

    def __init__(self, get_state: Callable[[], Any], set_state: Callable[[Any], Any]) -> None:
        self.get_state, self.set_state = get_state, set_state


def _generators() -> dict[str, Any]:
    """Return the global generators, by names that no argument can have."""
    found: dict[str, Any] = {
        "generators of facula": _Functions(default_states, restore_default_states),
        "generator of random": _Functions(random.getstate, random.setstate),
    }
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        found["generator of NumPy"] = _Functions(numpy.random.get_state, numpy.random.set_state)
    return found
