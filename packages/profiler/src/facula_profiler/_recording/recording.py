"""Recordings: they observe launches, ranges, memory and sources from `start` to `stop`, and become traces."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FileError, InvalidValueError, OperationError
from facula_errors.extend import warn
from facula_storage.extend.memory import observe_layout
from facula_storage.extend.plans import Observer, add_observer, remove_observer

from .. import _recorder
from .._files import checked_path
from .._trace.records import SIZES, Lane, Signature
from .assembling import Described, assemble
from .journal import Journal
from .memory import observe_memory
from .names import Names
from .ranges import Ranges
from .raw import FIRST_OWN_LANE, RAW
from .signatures import output_place, signature_of
from .sources import sources
from .stacks import Frames

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

    from facula_storage import Plan

    from .._trace.trace import Trace

CAPACITY = 1 << 20  # events: 64 MiB, of which the system provides only the pages that are written
_lock = threading.Lock()  # held while a recording starts or stops
_running: list[Recording] = []  # the recording of this process, or none

# Note [Sequence numbers]
# ~~~~~~~~~~~~~~~~~~~~~~~
# After each launch the recorder draws a number from the counter that numbers the nodes of autograd graphs. An operator
# creates its node directly after its launch, so a node with number q belongs to the launch with number q - 1, if their
# operators agree: a view has a node without a launch, and an operator without gradients a launch without a node. In a
# trace, both have the number q. If several threads record gradients at the same time, another thread may draw a number
# in between: then the arrow is missing. The node of a `Function` has no arrow, since its launches are of any operators.


class Recording:
    """A recording of this process. At most one runs at a time.

    Arguments:
        with_layouts: record the exact shapes of all operators.
        with_stacks: record the call stack of each launch and range.
        with_memory: record allocations and releases.
        capacity: the number of records, rounded up to a power of two; the oldest are overwritten.
        path: a file that contains the records while they are made, for `recover`; None for none.
        options: further options, for sources: "with_modules" and "activities".
    """

    address: int = _recorder.ADDRESS

    def __init__(
        self,
        *,
        with_layouts: bool = False,
        with_stacks: bool = False,
        with_memory: bool = False,
        capacity: int = CAPACITY,
        path: str | os.PathLike[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ):
        if not isinstance(capacity, int) or isinstance(capacity, bool) or not 1 <= capacity <= 1 << 40:
            raise InvalidValueError(f"profile: expected capacity in [1, 2**40] events; got {capacity!r:.60}")
        path = None if path is None else checked_path("profile", path)
        self.options: Mapping[str, Any] = dict(options or {})
        nodes = sys.modules.get("facula_autograd.extend.nodes")
        if path is not None:
            _check_none_runs()  # before replacing the file of a running recording
        events = 1 << (capacity - 1).bit_length()
        try:
            self._recorder = _recorder.Recorder(
                events, path, with_stacks, with_memory,
                None if nodes is None else nodes.next_seq.__self__,
                self._add_thread, None if path is None else self._add_stacks,
            )  # fmt: skip
        except OSError as error:
            problem = (
                f"profile: cannot reserve {events * RAW.itemsize:,} bytes: {error.strerror}; choose another path, or "
                "a smaller capacity"
            )
            raise FileError(error.errno, problem, path) from None
        try:
            self._journal = None if path is None else Journal(path)
        except OSError:
            if path is not None:
                os.unlink(path)
            raise
        self._frames = Frames()  # of the journal
        self._with_memory = with_memory
        self._observer = Observer(self._wrap, with_layouts)
        self._plans: list[Plan | Signature] = []
        self._names = Names(events // 4, self._used_names, None if self._journal is None else self._journal.keep_names)
        self._lock = threading.Lock()
        self._threads: dict[int, str] = {}
        self._lanes: list[Lane] = []
        self._undo: list[Callable[[], object]] = []
        self._process = 0
        self.owner: Callable[[], object] | None = None  # a weak reference to the profile, if it can be dropped
        self.gives_way = False  # to other recordings, until they end
        self._waits = False
        self._capacity = capacity
        self._contents: deque[tuple[int, dict[int, tuple[str, int, int]]]] = deque()
        self._contents_count = 0  # addresses in them
        self.metadata: dict[str, Any] = {}
        self.now = _recorder.now
        self._ranges = Ranges(self._recorder, self.now)
        self.end = self._ranges.end

    # For sources: see `sources.Recorder` ------------------------------------------------------------------------------

    def name(self, text: str) -> int:
        """Return the number of a name."""
        return self._names.number_of(text, None if self._journal is None else self._journal.write)

    def _used_names(self) -> list[int]:
        """Return the numbers of the names of all records and open ranges."""
        _, records = self._recorder.contents()
        return [*np.unique(np.frombuffer(records, RAW)["name"]).tolist(), *self._ranges.names()]

    def lane(self, kind: str, label: str, thread: int = 0) -> int:
        """Return the number of a new lane."""
        with self._lock:
            self._lanes.append(Lane(kind, label, thread))
            number = FIRST_OWN_LANE + len(self._lanes) - 1
        if self._journal is not None:
            self._journal.write("lane", number, kind, label, thread)
        return number

    def event(
        self, kind: int, name: str | int, start: int, end: int, *, lane: int = -1, seq: int = -1, value: int = 0,
        link: int = -1, signature: int = -1, stack: int = -1,
    ) -> int:  # fmt: skip
        """Record an event; see `sources.Recorder`."""
        number = self.name(name) if isinstance(name, str) else name
        return self._recorder.event(kind, number, start, end, lane, seq, value, link, signature, stack)

    def signature(self, described: Signature) -> int:
        """Return a number for the operands of events; see `sources.Recorder`."""
        return self._number_of(described)

    def stack(self, code: CodeType, instruction: int) -> int:
        """Return the number of a stack of one frame; see `sources.Recorder`."""
        return self._recorder.stack(code, instruction)

    def label(
        self, kind: int, name: str | None = None, plan: Plan | None = None, site: tuple[CodeType, int] | None = None
    ) -> int:  # fmt: skip
        """Return the label of events that C code reports; see `sources.Recorder`."""
        label, bits, named = int(kind), 8, -1
        if name is not None:
            named = self.name(name)
            self._names.keep(named)
        for number, width in (
            (named, 16),
            (-1 if plan is None else self._number_of(plan), 20),
            (-1 if site is None else self.stack(*site), 19),
        ):
            if number + 1 < 1 << width:  # further names are left out
                label |= (number + 1) << bits
            bits += width
        return label

    def begin(self, kind: int, name: str) -> int:
        """Begin a range of the calling thread; return the token that ends it."""
        return self._ranges.begin(kind, self.name(name))

    def categorize(self, contents: Mapping[int, tuple[str, int, int]]) -> None:
        """Record the contents of memory; see `sources.Recorder`. Keeps the newest, at most as many as events."""
        with self._lock:
            self._contents.append((self.now(), dict(contents)))
            self._contents_count += len(contents)
            while self._contents_count > self._capacity and len(self._contents) > 1:
                self._contents_count -= len(self._contents.popleft()[1])

    # Start and stop ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start observing.

        Raises:
            RuntimeError: another recording runs.
        """
        with _lock:
            _check_none_runs()
            try:
                for former in tuple(_running):
                    former._make_way(self._undo)
                self._observe()
            except BaseException:
                with suppress(Exception):  # of observers that were half started
                    self._stop()
                raise

    def _observe(self) -> None:
        """Start all observers. `_undo` lists each before it starts, because Ctrl-C may interrupt the start."""
        self._process = os.getpid()
        self._undo.append(_running.clear)
        _running.append(self)
        self._undo.append(self._recorder.stop)
        self._recorder.start()
        if self._with_memory:
            observe_memory(self._plans, self._undo)
        self._undo.append(lambda: remove_observer(self._observer))
        add_observer(self._observer)
        for make in tuple(sources):
            before = len(self._undo)
            try:
                source = make()
                self._undo.append(source.stop)
                source.start(self)
            except Exception as error:
                del self._undo[before:]
                name = getattr(make, "__qualname__", repr(make))
                warn(
                    f"profile: {name} cannot observe: {type(error).__name__}: {error!s:.200}; other events are recorded"
                )

    @property
    def makes_way(self) -> bool:
        """Whether another recording may start: this one gives way, or its profile was dropped."""
        return self.gives_way or (self.owner is not None and self.owner() is None)

    def _make_way(self, undo: list[Callable[[], object]]) -> None:
        if self.gives_way:
            warn("profile: the program starts another profile; that of `python -m facula profile` pauses until it ends")
            self._waits = True
            undo.append(self._continue)
        with suppress(Exception):
            self._stop()

    def _continue(self) -> None:
        if self._waits and os.getpid() == self._process:
            self._waits = False
            self._observe()

    def stop(self) -> None:
        """Stop observing, unless the recording has stopped."""
        with _lock:
            self._waits = False
            self.resume()
            self._ranges.end_all()
            self._stop()

    def pause(self) -> None:
        """Ignore all events until `resume`, but not ranges that began before."""
        self._ranges.pause()
        self._recorder.stop()

    def resume(self) -> None:
        """Record again, after `pause`."""
        if self.is_running and self._ranges.paused_at is not None:
            self._recorder.start()
            self._ranges.resume()

    def _stop(self) -> None:
        error: BaseException | None = None
        while self._undo:
            try:
                self._undo[-1]()
            except BaseException as failed:  # all must be undone, also after a Ctrl-C
                error = error or failed
            self._undo.pop()
        if self._journal is not None and not self._waits:
            self._journal.close()
        if error is not None:
            raise error

    @property
    def is_running(self) -> bool:
        """Whether the recording observes this process."""
        return bool(self._undo)

    # Called while programs run ----------------------------------------------------------------------------------------

    def _wrap(self, plan: Plan, launch: Callable[..., None]) -> Callable[..., None]:
        return self._recorder.wrap(launch, self._number_of(plan), output_place(plan))  # type: ignore[no-any-return]

    def _number_of(self, plan: Plan | Signature) -> int:
        """Return a number for a plan, which is kept to describe it later, or for a description."""
        number = len(self._plans)
        self._plans.append(plan)
        while self._plans[number] is not plan:  # another thread appended in between
            number += 1
        if self._with_memory and not isinstance(plan, Signature):
            for layout in plan.outputs:
                observe_layout(layout)
        if self._journal is not None:
            self._journal.write("plan", number, signature_of(plan))
        return number

    def _add_thread(self, lane: int) -> None:
        """Note the name of the calling thread, at its first event."""
        name = threading.current_thread().name
        self._threads[lane] = name
        if self._journal is not None:
            self._journal.write("thread", lane, name, threading.get_native_id())

    def _add_stacks(self, first: int) -> None:
        journal = self._journal
        if journal is not None:
            for number, (code, caller, instruction) in enumerate(self._recorder.stacks(first), first):
                journal.write("stack", number, self._frames.at(code, instruction), caller)

    # Afterwards -------------------------------------------------------------------------------------------------------

    def trace(self) -> Trace:
        """Return what was recorded."""
        first, records = self._recorder.contents() if os.getpid() == self._process else (0, b"")
        _, began, began_utc, _ = self._recorder.header()
        rows = np.frombuffer(records, RAW).copy()
        names, rows["name"] = self._names.listed(rows["name"])
        frames = Frames()
        stacks: list[tuple[CodeType, int, int]] = self._recorder.stacks(0)
        main = threading.main_thread().native_id
        threads = [
            Lane("python", self._threads.get(lane, "MainThread" if thread == main else f"thread {thread}"), thread)
            for lane, thread in enumerate(self._recorder.threads())
        ]
        metadata = {"process": self._process, "host": socket.gethostname(), "began_utc_ns": began_utc, **self.metadata}
        with self._lock:
            contents_at = tuple(self._contents)
        if contents_at:  # blocks that are older than the recording have no other record of their sizes
            metadata[SIZES] = {address: row[1:] for _, contents in contents_at for address, row in contents.items()}
        categories = [(time, {address: row[0] for address, row in contents.items()}) for time, contents in contents_at]
        described = Described(
            began, names, _Signatures(self._plans), threads, self._lanes,
            [(frames.at(code, instruction), caller) for code, caller, instruction in stacks], categories, metadata,
        )  # fmt: skip
        return assemble(rows, first, described)


class _Signatures:
    """The signatures of plans, computed on use: most plans of a process are not used."""

    def __init__(self, plans: list[Plan | Signature]):
        self._plans = plans

    def __getitem__(self, number: int) -> Signature:
        return signature_of(self._plans[number])


def _check_none_runs() -> None:
    if any([not one.makes_way for one in _running]):
        raise OperationError(
            "profile: expected no other profile to run; got one that has not ended; stop it first, or name parts of it "
            "with record_function"
        )


def running() -> Recording | None:
    """Return the recording that runs in this process, or None."""
    return _running[0] if _running else None


def is_profiling() -> bool:
    """Return whether a recording runs in this process."""
    return bool(_running)


def _after_fork() -> None:
    """Stop the recording in a child: its file and its other threads belong to the parent."""
    _lock._at_fork_reinit()  # type: ignore[attr-defined]
    _recorder.abandon()
    for recording in tuple(_running):
        recording._stop()


os.register_at_fork(after_in_child=_after_fork)
