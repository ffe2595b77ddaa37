"""The device type "fake", which defers its work so that tests cover the invariants of asynchronous backends.

Its plans wrap those of the CPU. A launch enters a queue and runs in order when a test calls `run` or
when the program waits (`synchronize`, `copy_out`). Memory is checked twice: an address must be inside a
block that is allocated when the launch is queued, and the block must not have been returned to the system
when the launch runs. A released block may be reused at once because the queue preserves the order.
An error that a kernel reports is raised at the next wait, with the operator and the user's line.

All devices have one queue. "fake" and "fake:1" have the optional calls of `AcceleratorBackend`, "plain" has none.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from facula_cpu import CpuBackend
from facula_storage import Device, DType, LaunchError, Layout, MallocAllocator, Plan, Storage, cpu
from facula_storage.extend import Place, Program, register_backend
from facula_tensor.extend import PendingLaunch


class MemoryFault(AssertionError):
    """Queued work accessed memory that it must not use."""


@dataclass(eq=False, slots=True)
class Block:
    """Memory from the system. A later block at the same address is another object."""

    address: int
    nbytes: int
    give_back: Callable[[], object]
    idle: list[tuple[int, Callable[[], object]]]  # where its release puts it
    known: dict[int, Block]  # the blocks of its allocator, by address


class QueuedAllocator:
    """An allocator that reuses blocks as soon as they are released, because work runs in order."""

    def __init__(self) -> None:
        self.system = MallocAllocator()
        self.idle: dict[int, list] = {}
        self.blocks: dict[int, Block] = {}

    def take_for(self, nbytes: int) -> Any:
        return self.idle.setdefault(nbytes, []).pop if nbytes else partial(self.refill, 0)

    def refill(self, nbytes: int) -> tuple[int, Any]:
        if not nbytes:
            return 0, int
        address, back = self.system.refill(nbytes)
        entry: list[Any] = []
        idle = self.idle.setdefault(nbytes, [])
        release = partial(idle.extend, entry)
        release.nbytes = nbytes  # type: ignore[attr-defined]
        entry.append((address, release))
        self.blocks[address] = Block(address, nbytes, back, idle, self.blocks)
        return address, release

    def statistics(self) -> dict[str, int]:
        idle = sum(map(len, self.idle.values()))
        figures = self.system.statistics()
        return {**figures, "allocated_blocks": figures["allocated_blocks"] - idle}

    def trim(self, keep: int = 0) -> int:
        """Free idle blocks at once, even if queued work needs them: the fault that the checks must detect."""
        given = 0
        for nbytes, idle in self.idle.items():
            while idle:
                address, _ = idle.pop()
                self.blocks.pop(address).give_back()
                given += nbytes
        return given

    def tidy(self) -> int:
        """Return 0: idle memory has no bound."""
        return 0

    def block_at(self, address: int, nbytes: int, handed_out: bool) -> Block:
        """Return the block that contains these bytes.

        Raises MemoryFault if no block contains them, or if `handed_out` is set and the block is idle.
        """
        for block in list(self.blocks.values()):
            if block.address <= address and address + nbytes <= block.address + block.nbytes:
                if handed_out and any(entry[0] == block.address for entry in list(block.idle)):
                    raise MemoryFault(f"work names {address:#x}, in a block that was released before")
                return block
        raise MemoryFault(f"work names {nbytes} bytes at {address:#x}, which lie in no block")


class FakeBackend:
    """A backend that computes in host memory, later."""

    def __init__(self, first: FakeBackend | None = None) -> None:
        self.allocator: QueuedAllocator = QueuedAllocator()
        self.cpu = CpuBackend()
        self.most_queued = 0
        self.pinned: QueuedAllocator | None = None  # tests of pinned memory give one
        self.waits = 0
        self.uses: list[tuple[int, object]] = []  # address and stream, by `record_use`
        # operator, what its error needs, work: shared by all devices
        self.queue: list[tuple[str, PendingLaunch, Any]] = [] if first is None else first.queue
        self.failed: list[Exception] = [] if first is None else first.failed
        self.lock = threading.RLock() if first is None else first.lock

    # ------------------------------------------------------------------------- the interface of a backend
    def plan(self, operator: str | Program, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
        plan = self.cpu.plan(operator, inputs, outputs, parameters)
        operator = plan.operator
        layouts = [layout for layout in (*inputs, *outputs) if layout is None or isinstance(layout, Layout)]
        if operator == "cat":
            launch = partial(self._launch_cat, plan, outputs[0].dtype.itemsize)
        elif operator.endswith("_step"):
            launch = partial(self._launch_step, plan, layouts)
        else:
            operands = [layout for layout in inputs if layout is None or isinstance(layout, Layout)]
            launch = partial(self._launch, plan, layouts, operands)
        return Plan(operator, parameters, plan.outputs, launch, plan.workspace, plan.any_size)

    def copy_in(self, address: int, source: Any) -> None:
        data = bytes(source)
        blocks = [self.allocator.block_at(address, len(data), handed_out=True)] if data else []
        self._put("copy_in", blocks, lambda: self.cpu.copy_in(address, data) if data else None)

    def copy_out(self, address: int, target: Any) -> None:
        self.synchronize()
        self.allocator.block_at(address, memoryview(target).nbytes, handed_out=True)
        self.cpu.copy_out(address, target)

    def copy_across(self, source: Place, target: Place, non_blocking: bool) -> None:
        here, there = source.layout.device, target.layout.device
        assert source.layout.is_contiguous and target.layout.is_contiguous and here is not there
        assert source.layout.shape == target.layout.shape and source.layout.dtype is target.layout.dtype
        nbytes = source.layout.nbytes
        place, goal = source.storage.ptr + source.offset, target.storage.ptr + target.offset
        blocks = [
            device.backend.allocator.block_at(address, nbytes, handed_out=True)
            for device, address in ((here, place), (there, goal))
            if device is not cpu
        ]
        if there is cpu and not (non_blocking and self._is_pinned(goal, nbytes)):
            self.synchronize()
            ctypes.memmove(goal, place, nbytes)
        elif here is cpu and not (non_blocking and self._is_pinned(place, nbytes)):
            data = ctypes.string_at(place, nbytes)
            self._put("copy_across", blocks, lambda: ctypes.memmove(goal, data, nbytes))
        else:  # the storages stay until it has run, as `record_use` keeps their blocks

            def work(held: tuple[Place, Place] = (source, target)) -> None:
                ctypes.memmove(goal, place, nbytes)

            self._put("copy_across", blocks, work)

    def read(self, address: int, dtype: DType) -> Any:
        self.synchronize()
        self.allocator.block_at(address, dtype.itemsize, handed_out=True)
        return np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype.numpy)[0].item()

    def record_use(self, storage: Storage, stream: object) -> None:
        self.uses.append((storage.ptr, stream))

    def synchronize(self) -> None:
        self.waits += 1
        self.run()
        if self.failed:
            raise self.failed.pop(0)

    # ------------------------------------------------------------------------------- the interface for tests
    def run(self, count: int | None = None) -> None:
        """Run the next `count` queued launches, or all."""
        with self.lock:
            while self.queue and (count is None or count > 0):
                _, pending, work = self.queue.pop(0)
                try:
                    work()
                except LaunchError as error:
                    self.failed.append(pending.error(*error.args))
                except Exception:
                    if not self.failed:  # otherwise it reads what a failed launch has not written
                        raise
                if count is not None:
                    count -= 1

    # ------------------------------------------------------------------------------------------- launching
    def _launch(
        self, plan: Plan, layouts: list[Layout | None], operands: list[Layout | None], n: int, *args: Any
    ) -> None:
        blocks = []
        for place, (layout, address) in enumerate(zip(layouts, args, strict=False)):
            if layout is None:  # an omitted operand
                continue
            nbytes = n * layout.dtype.itemsize if plan.any_size else layout.extent
            if plan.operator in ("nonzero_flat", "nonzero") and place:
                nbytes = 0  # one plan serves any number of results
            if nbytes:
                blocks.append(self.allocator.block_at(address, nbytes, handed_out=True))
        if plan.workspace:
            blocks.append(self.allocator.block_at(args[len(layouts)], plan.workspace, handed_out=True))
        self._put(plan.operator, blocks, lambda: plan.launch(n, *args), operands)

    def _launch_step(self, plan: Plan, layouts: list[Layout | None], n: int, *args: Any) -> None:
        """The numbers precede the tensors because the number of tensors varies."""
        numbers = len(args) - len(layouts)
        self._launch(plan, [None] * numbers + layouts, [], n, *args)

    def _launch_cat(self, plan: Plan, itemsize: int, n: int, outer: int, parts: int, *args: int) -> None:
        """Each part is an address and the number of bytes that it contributes to each outer step."""
        *pairs, out = args
        assert len(pairs) == 2 * parts
        blocks = [self.allocator.block_at(out, n * itemsize, handed_out=True)]
        for address, nbytes in zip(pairs[::2], pairs[1::2], strict=True):
            blocks.append(self.allocator.block_at(address, nbytes * outer, handed_out=True))
        self._put("cat", blocks, lambda: plan.launch(n, outer, parts, *args))

    def _is_pinned(self, address: int, nbytes: int) -> bool:
        try:
            return self.pinned is not None and bool(self.pinned.block_at(address, nbytes, handed_out=True))
        except MemoryFault:
            return False

    def _put(self, operator: str, blocks: list[Block], work: Any, operands: Sequence[Layout | None] = ()) -> None:
        def checked() -> None:
            for block in blocks:
                if block.known.get(block.address) is not block:
                    where = f"the block at {block.address:#x}"
                    raise MemoryFault(f"{operator}: {where} was given back to the system before it ran")
            work()

        with self.lock:
            self.queue.append((operator, PendingLaunch(operator, operands, callers_frame()), checked))
            self.most_queued = max(self.most_queued, len(self.queue))


def callers_frame() -> Any:
    """Return the nearest frame outside this file."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame


class PlainBackend(FakeBackend):
    """A backend without optional calls."""

    copy_across = read = record_use = None  # type: ignore[assignment]


def fake(device: str = "fake") -> FakeBackend:
    """Return the backend of a device: "fake", "fake:1" or "plain". They are registered on first use."""
    try:
        backend = Device(device).backend
    except RuntimeError:
        made = FakeBackend()
        others = {1: FakeBackend(made)}
        register_backend("fake", lambda index: others.get(index, made))
        register_backend("plain", lambda index: PlainBackend(made))
        backend = Device(device).backend
    assert isinstance(backend, FakeBackend)
    return backend


def numbers(tensor: Any) -> np.ndarray:
    """Copy the elements of a tensor on any device into a new NumPy array."""
    return np.array(tensor.detach().tolist(), dtype=tensor.dtype.numpy).reshape(tuple(tensor.shape))
