"""Wrong elements that kernels report: an index out of range, a target without a class, an element outside a domain.

Note [Records]
~~~~~~~~~~~~~~
A kernel that finds a wrong element writes a status and four details to its record, 64 bytes of pinned memory; the first
report of a launch wins. The host reads records after waits. So that an error names the operator and the line of the
program, each launch of a reporting plan takes its own record, together with a description that facula_tensor makes
(`pending_launches`). The record belongs to the launch until a wait has shown that its stream is past it. When all
records are taken, the next launch waits for the device.

The first record of a device serves the launches that take none, such as those of replays: its errors name no operator.
"""

from __future__ import annotations

import ctypes
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import LaunchError, Plan
from facula_storage.extend.devices import pending_launches

from .._driver import lib
from .._port.devices import context
from .._port.driver import check, on_close
from .._port.graphs import is_current_stream_capturing
from .._port.pinned import pinned_allocator
from .._port.transfers import wait_for_device
from .._port.waits import on_wait, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_allocator import Block
    from facula_storage import Layout

RECORDS = 1024
WORDS = 8  # of a record: the status, four details, and padding to a cache line


class _Unnamed:
    """The description of a launch without facula_tensor, or of the launches that share a record."""

    def error(self, status: int, *details: int) -> Exception:
        """Return the exception for a kernel's status and its details."""
        return LaunchError(status, *details)


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
        self.lock = RLock()

    def address(self, number: int) -> int:
        """Return the address of a record."""
        return self.block.ptr + number * WORDS * 8

    def take(self, operator: str, layouts: Sequence[Layout | None]) -> int:
        """Return the number of a record for a launch on the current stream; wait for the device if there is none."""
        describe = pending_launches[-1] if pending_launches else lambda *_: _Unnamed()
        while True:
            try:
                number = self.idle.pop()
                break
            except IndexError:
                with waiting(self.index, None):
                    check(operator, wait_for_device())
        with self.lock:
            self.pending[number] = lib.facula_cuda_stream_of(self.index), describe(operator, layouts)
        return number

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
            if self.words[0, 0]:
                errors.append(LaunchError(*map(int, self.words[0, :5])))
                self.words[0] = 0
        if errors:
            raise errors[0]


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
            if is_current_stream_capturing():  # a replay would write to a record that is reused
                launch(n, *args)
                return
            records = records_of(index)
            number = records.take(plan.operator, layouts)
            lib.facula_cuda_set_record(records.address(number))
            try:
                launch(n, *args)
            except BaseException:
                records.give_back(number)
                raise
            finally:
                lib.facula_cuda_set_record(0)

        return launch_with_record

    def for_layouts(output: Layout, *arrays: Layout) -> Callable[..., None] | None:
        launch = plan.for_layouts and plan.for_layouts(output, *arrays)
        return launch and with_record(launch, arrays)

    return Plan(
        plan.operator, plan.parameters, plan.outputs, with_record(plan.launch, layouts), plan.workspace, plan.any_size,
        plan.for_layouts and for_layouts, elementwise=plan.elementwise, request=plan.request,
    )  # fmt: skip


@on_wait
def _before_wait(index: int, stream: int | None) -> Callable[[], None] | None:
    records = _records.get(index)
    return None if records is None else records.before_wait(stream)


@on_close
def _forget(alive: bool) -> None:
    _records.clear()
