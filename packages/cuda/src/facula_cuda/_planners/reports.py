"""Wrong elements that kernels report: an index out of range, a target without a class, an element outside a domain.

Note [Records]
~~~~~~~~~~~~~~
A kernel that finds a wrong element writes a status and four details to its record, 64 bytes of pinned memory; the first
report of a launch wins. The host reads records after waits. So that an error names the operator and the line of the
program, each launch of a reporting plan takes its own record, together with a description that facula_tensor makes
(`pending_launches`). The record belongs to the launch until a wait has shown that its stream is past it. When all
records are taken, the next launch waits for the device.

A launch that runs again in replays of a captured function or of a graph keeps a record, which is released with the
capture. At most half of the records are kept. The first record of a device serves the launches that have none: its
errors name no operator.
"""

from __future__ import annotations

import ctypes
from collections import deque
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import LaunchError, Plan, bind
from facula_storage.extend.devices import pending_launches
from facula_storage.extend.plans import unbind

from .._driver import ffi, lib
from .._port.devices import context
from .._port.driver import check, on_close
from .._port.functions import address_of
from .._port.graphs import is_capturing, keep_in_graph
from .._port.pinned import pinned_allocator
from .._port.transfers import wait_for_device
from .._port.waits import on_wait, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_allocator import Block
    from facula_storage import Layout

RECORDS = 1024
MAX_KEPT = RECORDS // 2  # by launches of replays
NEVER = 1 << 62  # elements from which a launch releases the GIL: it only queues
WORDS = 8  # of a record: the status, four details, and padding to a cache line


class _Unnamed:
    """The description of a launch without facula_tensor, or of the launches that share a record."""

    def error(self, status: int, *details: int) -> Exception:
        """Return the exception for a kernel's status and its details."""
        return LaunchError(status, *details)


class KeptRecord:
    """A record of a launch that runs again: it is released with this object.

    Arguments:
        records: the records of its device.
        number: the number of the record.
    """

    def __init__(self, records: Records, number: int):
        self.address = records.address(number)
        self._number, self._released = number, records.released

    def __del__(self) -> None:
        self._released.append(self._number)  # without a lock, which this thread may hold already


class Records:
    """The records of one device.

    Arguments:
        index: the number of the device.
    """

    def __init__(self, index: int):
        self.index = index
        self.block: Block = pinned_allocator(index).allocate(RECORDS * WORDS * 8)
        memory = (ctypes.c_int64 * (RECORDS * WORDS)).from_address(self.block.ptr)
        self.words = np.ctypeslib.as_array(memory).reshape(RECORDS, WORDS)
        self.words[:] = 0
        # Launches that may not be complete, in order: the number of the record, the stream, a description.
        self.pending: dict[int, tuple[int, Any]] = {}
        self.idle = list(range(RECORDS - 1, 0, -1))
        self.kept: dict[int, Any] = {}  # records of launches that run again, and their descriptions
        self.released: deque[int] = deque()  # records that were kept
        self.lock = RLock()

    def address(self, number: int) -> int:
        """Return the address of a record."""
        return self.block.ptr + number * WORDS * 8

    def take(self, operator: str, layouts: Sequence[Layout | None]) -> int:
        """Return the number of a record for a launch on the current stream; wait for the device if there is none."""
        while True:
            try:
                number = self.idle.pop()
                break
            except IndexError:
                with waiting(self.index, None):
                    check(operator, wait_for_device())
        with self.lock:
            self.pending[number] = lib.facula_cuda_stream_of(self.index), _described(operator, layouts)
        return number

    def keep(self, operator: str, layouts: Sequence[Layout | None]) -> KeptRecord | None:
        """Return a record for a launch that runs again; None if there are too many."""
        self._take_back()
        with self.lock:
            if len(self.kept) >= MAX_KEPT or not self.idle:
                return None
            number = self.idle.pop()
            self.kept[number] = _described(operator, layouts)
        return KeptRecord(self, number)

    def _take_back(self) -> None:
        """Let the next wait release the records that are not kept any more: the last replay may still run."""
        with self.lock:
            while self.released:
                number = self.released.popleft()
                self.pending[number] = 0, self.kept.pop(number)

    def give_back(self, number: int) -> None:
        """Release the record of a launch that was not queued."""
        with self.lock:
            if self.pending.pop(number, None) is not None:
                self.idle.append(number)

    def before_wait(self, stream: int | None) -> Callable[[], None]:
        """Return the function to call after a wait for a stream, for all (None), or for none that is known (-1).

        It raises the error of the first launch that failed, and releases the records of the launches that the wait
        included.
        """
        self._take_back()
        with self.lock:
            included = [number for number, (of, _) in self.pending.items() if stream is None or of == stream]
        return lambda: self._read(included)

    def _read(self, included: Sequence[int]) -> None:
        errors: list[Exception] = []
        with self.lock:
            for number in included:
                found = self.pending.pop(number, None)
                if found is None:  # another thread has waited, too
                    continue
                if self.words[number, 0]:
                    errors.append(found[1].error(*map(int, self.words[number, :5])))
                    self.words[number] = 0
                self.idle.append(number)
            if self.kept and self.words[:, 0].any():
                for number, description in self.kept.items():
                    if self.words[number, 0]:
                        errors.append(description.error(*map(int, self.words[number, :5])))
                        self.words[number] = 0
            if self.words[0, 0]:
                errors.append(LaunchError(*map(int, self.words[0, :5])))
                self.words[0] = 0
        if errors:
            raise errors[0]


def _described(operator: str, layouts: Sequence[Layout | None]) -> Any:
    """Return the description of a launch that the program makes now."""
    return pending_launches[-1](operator, layouts) if pending_launches else _Unnamed()


_records: dict[int, Records] = {}
_making = RLock()


def records_of(index: int) -> Records:
    """Return the records of a device, created on first use."""
    found = _records.get(index)
    if found is None:
        with _making:
            context(index)
            found = _records.setdefault(index, Records(index))
    return found


def record_of(index: int) -> int:
    """Return the address of the record of a device that serves launches without their own record."""
    return records_of(index).address(0)


def reporting(plan: Plan, index: int, inputs: Sequence[Layout | type | None]) -> Plan:
    """Return a plan whose launches report wrong elements by the operator's name and the caller's line.

    Arguments:
        plan: a plan with a record in its C struct: `record_of`.
        index: the device.
        inputs: the inputs of the plan.
    """
    layouts = [one for one in inputs if not isinstance(one, type)]

    def with_record(launch: Callable[..., None], layouts: Sequence[Layout | None]) -> Callable[..., None]:
        def launch_with_record(n: int, *args: Any) -> None:
            records = records_of(index)
            stream = lib.facula_cuda_stream_of(index)
            if stream and not lib.facula_cuda_bind(index) and is_capturing(stream):
                kept = keep_in_graph(index, records.keep(plan.operator, layouts))
                address = kept.address if kept is not None else 0
                number = 0
            else:
                number = records.take(plan.operator, layouts)
                address = records.address(number)
            lib.facula_cuda_set_record(address)
            try:
                launch(n, *args)
            except BaseException:
                records.give_back(number)
                raise
            finally:
                lib.facula_cuda_set_record(0)

        def for_replays() -> Callable[..., None]:
            kept = records_of(index).keep(plan.operator, layouts)
            return launch if kept is None else _with_kept_record(launch, kept)

        launch_with_record.for_replays = for_replays  # type: ignore[attr-defined]  # see `Plan.launch`
        return launch_with_record

    def for_layouts(output: Layout, *arrays: Layout) -> Callable[..., None] | None:
        launch = plan.for_layouts and plan.for_layouts(output, *arrays)
        return launch and with_record(launch, arrays)

    return Plan(
        plan.operator, plan.parameters, plan.outputs, with_record(plan.launch, layouts), plan.workspace, plan.any_size,
        plan.for_layouts and for_layouts, elementwise=plan.elementwise, request=plan.request,
    )  # fmt: skip


def _with_kept_record(launch: Callable[..., None], kept: KeptRecord) -> Callable[..., None]:
    """Return a launch with a copy of the plan that reports to a record."""
    kernel, address, doubles, _ = unbind(launch)
    if kernel == address_of("facula_cuda_fixed"):
        constants = ffi.cast("struct facula_cuda_fixed *", address).constants
        plan = ffi.new("struct facula_cuda_fixed *", {"constant": constants})
        nbytes = ffi.sizeof("struct facula_cuda_fixed") + 8 * constants
    else:
        plan = ffi.new("struct facula_cuda_elementwise *")
        nbytes = ffi.sizeof("struct facula_cuda_elementwise")
    ffi.memmove(plan, ffi.cast("void *", address), nbytes)
    plan.record = kept.address
    return bind(kernel, int(ffi.cast("intptr_t", plan)), NEVER, doubles, (plan, kept, launch), -1)


@on_wait
def _before_wait(index: int, stream: int | None) -> Callable[[], None] | None:
    records = _records.get(index)
    return None if records is None else records.before_wait(stream)


@on_close
def _forget(alive: bool) -> None:
    _records.clear()
