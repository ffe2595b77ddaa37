"""Recorders: what takes down the work of a thread while a step is captured, and where it is asked for."""

from __future__ import annotations

import os
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ._layouts import Layout

# Note [Recorders]
# ~~~~~~~~~~~~~~~~
# While a thread has a recorder, `collecting` is not empty, so that all operators, the raw ones of backward passes
# too, leave the fast path; other threads do, too, and find no recorder of theirs. On the slow path every block that
# is allocated and every launch is told to the recorder, with the storages that its addresses came from. What asks for
# elements in Python (`pin`) says so, since a replay has nobody to answer. The launcher counts the launches of each
# thread (`launch_count`), so that a recorder notices one that nobody told it of.


class Place(NamedTuple):
    """An address among a launch's arguments.

    Arguments:
        storage: whose memory it is.
        offset: in bytes from where the buffer begins.
        layout: what lies there.
        written: whether the launch writes there.
    """

    storage: Any
    offset: int
    layout: Layout | None
    written: bool


class Recorder(Protocol):
    """What is told of one thread's work. Storages and plans are what modules above this one call so."""

    def allocated(self, storage: Any, layout: Layout) -> None:
        """A storage was made, with memory for `layout`."""

    def filled(self, storage: Any, layout: Layout) -> None:
        """Python filled new memory with numbers of the program's: replays use the same ones.

        Arguments:
            storage: the memory.
            layout: all of it.
        """

    def constant(self, storage: Any) -> None:
        """What is about to be read there is the library's, and the same for good."""

    def launching(self, written: Sequence[Place]) -> None:
        """A launch is about to write to these places."""

    def launched(self, plan: Any, n: int, arguments: Sequence[Place | float], arrays: int) -> None:
        """A launch of `plan` is done.

        Arguments:
            plan: the plan.
            n: the first argument, the number of elements.
            arguments: the others, but for the workspace.
            arrays: how many of these come before the workspace.
        """

    def mutated(self, storage: Any, operation: str) -> None:
        """The last launch changed this storage in place, and its version was counted up."""

    def read(self, operation: str) -> None:
        """Elements are about to be looked at in Python, by `operation`."""

    def bounded(self, length: int) -> None:
        """A part of a dimension of this length ends with it, where the program asked for more."""

    def sizes(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """The program is about to read sizes of a tensor: the same numbers, which may know where they are from.

        Arguments:
            sizes: the sizes.
            is_length: whether `len()` reads one.
        """

    def operands(self, operands: Sequence[object]) -> None:
        """An operator is about to look at these: tensors of the program's among them."""

    def drawn(self, generator: object, key: int, start: int, count: int) -> tuple[int, int]:
        """A generator of random numbers was moved: the same seed and offset, which know where they are from.

        Arguments:
            generator: the generator.
            key: its seed.
            start: where the numbers begin.
            count: how many there are.
        """

    def state_of(self, generator: object, seed: int, offset: int) -> tuple[int, int]:
        """A generator's state is asked for: the same two, which know where they are from.

        Arguments:
            generator: the generator.
            seed: its seed.
            offset: how many numbers it has drawn.
        """

    def seeded(self, generator: object, number: int) -> None:
        """A generator's state is about to be set: by a number of `state_of`, or by one of the program's."""

    def entered(self, module: object) -> None:
        """A call of a module begins."""

    def left(self) -> None:
        """The innermost call of a module ends."""

    def optimizes(self, optimizer: object) -> None:
        """An optimizer's step begins: what it reads of its groups must stay, but for what `stepping` tells of."""

    def reads_groups(self, optimizer: object) -> None:
        """The parameters of an optimizer's groups are about to be gone through, without a step."""

    def reads_whole(self, owner: object) -> None:
        """All attributes of an optimizer, schedule or module are about to be read, and of an optimizer all options."""

    def stepping(self, owner: object, group: dict[str, Any], step: Callable[[], None]) -> AbstractContextManager[None]:
        """A block in which an optimizer calls `step()`, which reads its numbers from a group.

        Arguments:
            owner: the optimizer.
            group: its parameter group.
            step: what is called in the block.
        """

    def stepped(self, rows: Sequence[Sequence[object]], numbers: Sequence[float]) -> bool:
        """An optimizer's operator begins; False where it is to do nothing.

        Arguments:
            rows: what it changes, parameter by parameter.
            numbers: its numbers.
        """

    def refuses(self, error: Exception) -> None:
        """The next launch fails where an operator raises an error like this one."""

    def numbered(self) -> None:
        """The next launch takes the numbers of that operator."""

    def holds(self, storage: Any, offset: int) -> bool:
        """Whether a float32 is not 0 in this run: for `skipping`, since replays ask again."""

    def skipping(self, storage: Any, offset: int, skips: bool) -> AbstractContextManager[None]:
        """A block whose launches each replay leaves out where a float32 is not 0.

        Arguments:
            storage: where the number lies.
            offset: its place there, in bytes.
            skips: whether this run leaves the block out.
        """

    def act(self, owner: object, action: Callable[[], object]) -> None:
        """Do something in Python, which each replay does again; `owner` is the optimizer whose numbers it changes."""


recorders: dict[int, Recorder] = {}
"""The recorder of each thread that has one, by the thread's number."""
os.register_at_fork(after_in_child=recorders.clear)

next_moment: Callable[[], int] = count().__next__
made_elsewhere: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""When threads without a recorder made storages while another thread had one, which does not know what fills them."""


def current_recorder() -> Recorder | None:
    """This thread's recorder, if it has one."""
    return recorders.get(get_ident()) if recorders else None


def note_read(operation: str) -> None:
    """Tell this thread's recorder, if there is one, that Python looks at elements."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.read(operation)


def note_sizes(sizes: tuple[int, ...], is_length: bool = False) -> tuple[int, ...]:
    """Sizes of a tensor as this thread's recorder, if there is one, lets the program read them."""
    recorder = current_recorder()
    return sizes if recorder is None else recorder.sizes(sizes, is_length)


def note_bound(length: int) -> None:
    """Tell this thread's recorder, if there is one, that a part ends early, as its dimension of this length does."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.bounded(length)


def note_constant(storage: Any) -> None:
    """Tell this thread's recorder, if there is one, that a storage holds what never changes."""
    recorder = current_recorder()
    if recorder is not None:
        recorder.constant(storage)
