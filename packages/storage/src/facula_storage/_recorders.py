"""Recorders: they record the work of a thread while a step is captured; and functions that notify them."""

from __future__ import annotations

import os
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from ._devices import index_listeners

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ._layouts import Layout

# Note [Recorders]
# ~~~~~~~~~~~~~~~~
# While a thread has a recorder, `collecting` is not empty, so that all operators, including the raw ones of backward
# passes, leave the fast path. Other threads leave it as well, and find no recorder of their own. The slow path reports
# every allocated block and every launch to the recorder, with the storages of its addresses. Reads of elements by
# Python (`pin`) are reported too, because a replay does not run Python code. The launcher counts the launches of each
# thread (`launch_count`), so that a recorder detects unreported launches.


class Place(NamedTuple):
    """An address among a launch's arguments.

    Arguments:
        storage: the storage of the memory.
        offset: bytes from the start of the buffer.
        layout: the layout of the array there.
        written: whether the launch writes there.
    """

    storage: Any
    offset: int
    layout: Layout | None
    written: bool


class Recorder(Protocol):
    """A receiver of notifications about one thread's work. Storages and plans have the types of higher modules."""

    def allocated(self, storage: Any, layout: Layout) -> None:
        """Record that a storage was allocated with memory for `layout`."""

    def filled(self, storage: Any, layout: Layout) -> None:
        """Record that Python filled new memory with numbers of the program, which replays reuse.

        Arguments:
            storage: the memory.
            layout: the layout of all of the memory.
        """

    def constant(self, storage: Any) -> None:
        """Record that the memory about to be read belongs to the library and never changes."""

    def launching(self, written: Sequence[Place]) -> None:
        """Record that a launch is about to write to these places."""

    def launched(self, plan: Any, n: int, arguments: Sequence[Place | float], arrays: int) -> None:
        """Record that a launch of `plan` is done.

        Arguments:
            plan: the plan.
            n: the first argument, the number of elements.
            arguments: the other arguments, without the workspace.
            arrays: the number of these arguments that precede the workspace.
        """

    def mutated(self, storage: Any, operation: str) -> None:
        """Record that the last launch changed this storage in place, and that its version was incremented."""

    def read(self, operation: str) -> None:
        """Record that Python is about to read elements, in `operation`."""

    def setting(self, function: Callable[[], object], words: str) -> None:
        """Record that the present result of a function, described by `words`, determines the work.

        The run may change the result of a function with the attribute `is_of_beginning`.
        """

    def bounded(self, length: int) -> None:
        """Record that a slice was clipped to the end of a dimension of this length."""

    def sizes(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """Return the sizes of a tensor that the program is about to read, as numbers that may know their origin.

        Arguments:
            sizes: the sizes.
            is_length: whether `len()` reads one.
        """

    def operands(self, operands: Sequence[object]) -> None:
        """Record that an operator is about to read these operands, which include tensors of the program."""

    def drawn(self, generator: object, key: int, start: int, count: int) -> tuple[int, int]:
        """Record that a random generator advanced; return its seed and offset as numbers that know their origin.

        Arguments:
            generator: the generator.
            key: its seed.
            start: the offset of the first number.
            count: the number of numbers.
        """

    def state_of(self, generator: object, seed: int, offset: int) -> tuple[int, int]:
        """Return a generator's state that the program is about to read, as numbers that know their origin.

        Arguments:
            generator: the generator.
            seed: its seed.
            offset: the number of numbers that it has drawn.
        """

    def seeded(self, generator: object, number: int) -> None:
        """Record that a generator's state is about to be set, to a number from `state_of` or one of the program's."""

    def entered(self, module: object) -> None:
        """Record that a call of a module begins."""

    def left(self) -> None:
        """Record that the innermost call of a module ends."""

    def optimizes(self, optimizer: object) -> None:
        """Record the start of an optimizer's step: the values that it reads must stay the same.

        Values reported by `stepping` are exempt.
        """

    def reads_groups(self, optimizer: object) -> None:
        """Record that the parameters of an optimizer's groups are about to be iterated, without a step."""

    def reads_whole(self, owner: object) -> None:
        """Record that all attributes of an optimizer (all options), scheduler or module are about to be read."""

    def stepping(self, owner: object, group: dict[str, Any], step: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context in which an optimizer calls `step()`, which reads its numbers from a group.

        Arguments:
            owner: the optimizer.
            group: its parameter group.
            step: the function that is called in the context.
        """

    def stepped(self, rows: Sequence[Sequence[object]], numbers: Sequence[float]) -> bool:
        """Record that an optimizer's operator begins; return False to skip it.

        Arguments:
            rows: the storages that it changes, by parameter.
            numbers: its numbers.
        """

    def refuses(self, error: Exception) -> AbstractContextManager[None]:
        """Return a context whose launches fail with an error like this one if a requirement is not met."""

    def numbered(self) -> None:
        """Record that the next launch uses the numbers of that operator."""

    def holds(self, storage: Any, offset: int) -> bool:
        """Return whether a float32 is nonzero in this run: for `skipping`, which replays evaluate again."""

    def skipping(self, storage: Any, offset: int, skips: bool) -> AbstractContextManager[None]:
        """Return a context whose launches each replay skips if a float32 is nonzero.

        Arguments:
            storage: the storage of the number.
            offset: its offset there, in bytes.
            skips: whether this run skips the block.
        """

    def act(self, owner: object, action: Callable[[], object]) -> None:
        """Run a Python function now and in each replay; `owner` is the optimizer whose numbers it changes."""

    def calls(self, operation: str) -> None:
        """Record that a launch of Python code is about to have effects besides its writes, such as messages."""

    def broken(self, problem: str, remedy: str) -> None:
        """Record that this run cannot be replayed: why, and what to do instead."""


recorders: dict[int, Recorder] = {}
"""The recorder of each thread that has one, by thread ID."""
os.register_at_fork(after_in_child=recorders.clear)

generator_lists: list[Callable[[Any], list[Any]]] = []
"""Functions that return the random generators with which programs draw on a device: its default one, and all that exist
for its type. A generator has its seed in `_key` and its offset in `_offset`."""

next_moment: Callable[[], int] = count().__next__
made_elsewhere: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""When threads without a recorder created storages while another thread had one, which does not know their contents."""


def current_recorder() -> Recorder | None:
    """Return this thread's recorder, or None."""
    return recorders.get(get_ident()) if recorders else None


def _note_index(current_index: Callable[[], int], type_: str) -> None:
    """Notify this thread's recorder, if any, that the current index of a type of device is read."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.setting(current_index, f"the current device of type {type_!r}")


index_listeners.append(_note_index)


def note_read(operation: str) -> None:
    """Notify this thread's recorder, if any, that Python reads elements."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.read(operation)


def note_sizes(sizes: tuple[int, ...], is_length: bool = False) -> tuple[int, ...]:
    """Return sizes of a tensor in the form that this thread's recorder, if any, returns to the program."""
    recorder = current_recorder()
    return sizes if recorder is None else recorder.sizes(sizes, is_length)


def note_bound(length: int) -> None:
    """Notify this thread's recorder, if any, that a slice was clipped to the end of a dimension of this length."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.bounded(length)


def note_constant(storage: Any) -> None:
    """Notify this thread's recorder, if any, that the contents of a storage never change."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.constant(storage)
