"""The backend of one CUDA device: facula_storage's `AcceleratorBackend`."""

from __future__ import annotations

import os
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_allocator import Block, StorageAllocator
from facula_cpu import CpuBackend
from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_storage import Plan
from facula_storage.extend.devices import register_backend
from facula_storage.extend.layouts import clear_layout_caches
from facula_storage.extend.memory import root_of

from .._driver import ffi, lib
from .._libraries import Request, adapted, adapters
from .._libraries.cublaslt import describe
from .._libraries.library import VARIABLE
from .._planners import general_planners, planners
from .._port import transfers
from .._port.device_memory import device_allocator
from .._port.devices import context, current_index, set_index
from .._port.driver import failure, on_close, open_driver
from .._port.graphs import is_capturing
from .._port.pinned import pinned_allocator, record_use
from .._port.sequence_graphs import SequenceGraph
from .._port.waits import waiting
from .fallback import plan_on_cpu
from .launches import Launches, is_blocking

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from facula_storage import Allocator, DType, Layout, Storage
    from facula_storage.extend.plans import Program
    from facula_storage.extend.recording import Place

    from .fallback import Inputs

DLPACK_CUDA = 2  # DLPack's number for the devices of CUDA
STATUS_DEVICE = 9  # a launch that the driver refused; the details are its code and the device


class CudaBackend:
    """Memory of one CUDA device, and plans of launches that only queue work there.

    All methods may be called from any thread. Work is queued on the calling thread's current stream of the device.

    Arguments:
        index: the number of the device.
    """

    #: The calling thread's current device, and the function that changes it.
    current_index = staticmethod(current_index)
    set_index = staticmethod(set_index)

    def __init__(self, index: int):
        self.index = index
        self.dlpack_device = DLPACK_CUDA, index
        self.context: int = context(index)
        self.launches = Launches(index)
        self.lock = RLock()
        #: The address of the function `int64_t current_stream(void)` of this device.
        self.current_stream: int = lib.facula_cuda_stream_function(index)
        self.allocator: Allocator = StorageAllocator(device_allocator(index), current_stream=self.current_stream)

    # -------------------------------------------------------------------------------------------------------- plans
    def plan(
        self,
        operator: str | Program,
        inputs: Inputs,
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...] = (),
    ) -> Plan:
        """Return the plan of a library or of a CUDA kernel, or else one that runs on the CPU.

        Arguments:
            operator: the name of the operator, or a program.
            inputs: for each, its layout, a Python number type for a scalar given at launch, or None if omitted.
            outputs: the layouts of the results.
            parameters: further arguments of the operator's planner.

        Raises:
            NotImplementedError: the CPU has no kernel either; the message names the operator and the dtypes.
        """
        plan = None
        if isinstance(operator, str) and operator in adapters:
            plan = adapted(Request(self, operator, inputs, outputs, parameters))
        plan = plan or self._kernel_plan(operator, inputs, outputs, parameters)
        if plan is None:
            return plan_on_cpu(self, operator, inputs, outputs, parameters)
        plan.request = operator, inputs, parameters
        return self._blocking(plan) if is_blocking() else plan

    def reference_plan(
        self, operator: str, inputs: Inputs, outputs: tuple[Layout, ...], parameters: tuple[object, ...]
    ) -> Plan:
        """Return the plan of a CUDA kernel, or else one that runs on the CPU and is not counted as a fallback."""
        plan = self._kernel_plan(operator, inputs, outputs, parameters)
        return plan or plan_on_cpu(self, operator, inputs, outputs, parameters, counted=False)

    def _kernel_plan(
        self,
        operator: str | Program,
        inputs: Inputs,
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan | None:
        """Return the plan of a CUDA kernel, or None."""
        own: Any = planners.get(operator) if isinstance(operator, str) else None
        for planner in (own, *general_planners):
            plan: Plan | None = planner and planner(operator, inputs, outputs, parameters)
            if plan is not None:
                return plan
        return None

    def _blocking(self, plan: Plan) -> Plan:
        """Return a plan whose launches wait for their kernels."""

        def waiting(launch: Callable[..., None]) -> Callable[..., None]:
            def launch_and_wait(n: int, *args: Any) -> None:
                self.launches.note(plan.operator)
                launch(n, *args)
                self.enter(plan.operator)
                self.wait(plan.operator)

            return launch_and_wait

        def for_layouts(*layouts: Layout) -> Callable[..., None] | None:
            launch = plan.for_layouts and plan.for_layouts(*layouts)
            return launch and waiting(launch)

        return Plan(
            plan.operator, plan.parameters, plan.outputs, waiting(plan.launch), plan.workspace, plan.any_size,
            plan.for_layouts and for_layouts, request=plan.request,
        )  # fmt: skip

    def combined_launch(self) -> Callable[..., None]:
        """Return a new launch of all steps of a sequence, which become a CUDA graph."""
        return SequenceGraph(self.index).launch()

    def status_message(self, status: int, *details: int) -> str:
        """Return the message for a LaunchError's status and details."""
        if status == lib.STATUS_LIBRARY:
            return f"cublasLt refused the product: {describe(details[0])}. Set {VARIABLE} to libraries without cublaslt"
        if status != STATUS_DEVICE:
            return CpuBackend.status_message(self, status, *details)  # type: ignore[arg-type]  # it reads no state
        try:
            self.launches.check("launch", details[0])
        except OperationError as error:
            return str(error)
        return failure(details[0])

    # ------------------------------------------------------------------------------------------- copies between devices
    def copy_in(self, address: int, source: Buffer) -> None:
        """Queue a copy of a C-contiguous host buffer, which may be changed afterwards."""
        data = ffi.from_buffer(source)
        if not len(data):
            return
        self.enter("copy_in")
        at = int(ffi.cast("intptr_t", data))
        self.to_device("copy_in", address, at, len(data))
        if transfers.is_pinned(at):
            self.wait("copy_in")

    def copy_out(self, address: int, target: Buffer) -> None:
        """Copy from `address` to fill a writable C-contiguous host buffer, after the work of the current stream."""
        data = ffi.from_buffer(target, require_writable=True)
        if len(data):
            self.enter("copy_out")
            self.to_host("copy_out", int(ffi.cast("intptr_t", data)), address, len(data))
            self.wait("copy_out")

    def copy_across(self, source: Place, target: Place, non_blocking: bool) -> None:
        """Copy the elements of `source` to `target`; one is on this device, the other on the host or another device.

        Arguments:
            source: the memory to read, contiguous.
            target: the memory to write, with the same shape and dtype.
            non_blocking: whether the host may continue before a copy from or to pinned memory is done.
        """
        here, there = source.storage.ptr + source.offset, target.storage.ptr + target.offset
        assert source.layout is not None and target.layout is not None
        nbytes = source.layout.nbytes
        if not nbytes:
            return
        if source.layout.device.type == target.layout.device.type:
            self._copy_from_peer(there, source.layout.device.backend, here, nbytes)
            return
        self.enter("copy")
        if target.layout.device.type == "cpu":
            self.to_host("copy", there, here, nbytes)
            if not (non_blocking and transfers.is_pinned(there) and self._keep_pinned(target.storage)):
                self.wait("copy")
        else:
            self.to_device("copy", there, here, nbytes)
            if transfers.is_pinned(here) and not (non_blocking and self._keep_pinned(source.storage)):
                self.wait("copy")

    def _copy_from_peer(self, target: int, peer: Any, source: int, nbytes: int) -> None:
        """Copy on the peer's stream, between the work of this device's stream before and after."""
        self.enter("copy")
        mine, theirs = self.stream, peer.stream
        ready = self._event(mine)
        peer.enter("copy")
        peer.check("copy", transfers.wait_for_event(theirs, ready))
        peer.check("copy", transfers.copy_to_peer(target, self.context, source, peer.context, nbytes, theirs))
        done = peer._event(theirs)
        self.enter("copy")
        self.check("copy", transfers.wait_for_event(mine, done))
        for event in (ready, done):
            self.check("copy", transfers.destroy_event(event))

    def _event(self, stream: int) -> int:
        """Return a new event after the work of a stream of this device, whose context is current."""
        made: list[int] = []
        self.check("copy", transfers.new_event(made))
        self.check("copy", transfers.record_event(made[0], stream))
        return made[0]

    def read(self, address: int, dtype: DType) -> complex:
        """Wait for the work of the current stream and return one element as a Python number.

        Arguments:
            address: the address of the element.
            dtype: its dtype, which NumPy also has.
        """
        element = np.empty(1, dtype.numpy)
        self.copy_out(address, element)  # type: ignore[arg-type]  # valid in NumPy from Python 3.12 on
        found: complex = element[0].item()
        return found

    # --------------------------------------------------------------------------------------------- streams and waits
    @property
    def stream(self) -> int:
        """The handle of the calling thread's current stream of this device."""
        found: int = lib.facula_cuda_stream_of(self.index)
        return found

    def synchronize(self) -> None:
        """Wait for all work of the device, on all streams, and raise the errors that it caused."""
        self.enter("synchronize")
        with waiting(self.index, None):
            self.check("synchronize", transfers.wait_for_device())

    @property
    def in_order(self) -> bool:
        """Whether the calling thread's work is queued on the default stream, so that all work runs in one order."""
        return self.stream == 0

    @property
    def is_capturing(self) -> bool:
        """Whether the calling thread's current stream is being captured."""
        self.enter("is_capturing")
        return is_capturing(self.stream)

    def stream_number(self) -> int:
        """Return the number of the current stream for other libraries, where 1 stands for the default stream."""
        return self.stream or 1

    def order_streams(self, earlier: int, later: int) -> None:
        """Make a stream wait for the work that another has now.

        Arguments:
            earlier: the number of the stream to wait for.
            later: the number of the stream that waits.
        """
        self.enter("dlpack")
        event = self._event(0 if earlier == 1 else earlier)
        self.check("dlpack", transfers.wait_for_event(0 if later == 1 else later, event))
        self.check("dlpack", transfers.destroy_event(event))

    def record_use(self, storage: Storage, stream: object) -> None:
        """Keep the block of a storage from being reused before the work that `stream` has now is done.

        Arguments:
            storage: a storage on this device.
            stream: a stream of this device, or its handle.
        """
        handle = getattr(stream, "handle", stream)
        if type(handle) is not int:
            raise InvalidTypeError(f"record_stream: expected a stream of 'cuda:{self.index}'; got {stream!r:.60}")
        owner = root_of(storage)
        block = owner.__del__
        if isinstance(block, Block):
            block.record_use(handle)
        elif owner.ptr:
            raise OperationError(
                f"record_stream: expected memory of facula's allocator; got memory of {type(owner.base).__name__}"
            )

    # -------------------------------------------------------------------------------------------------- pinned memory
    @cached_property
    def pinned(self) -> Allocator:
        """The allocator of host memory that this device copies from and to without waiting for the host."""
        return StorageAllocator(pinned_allocator(self.index))

    def _keep_pinned(self, storage: Storage) -> bool:
        """Register a queued copy with the block of pinned memory; False if the storage does not own a block."""
        block = root_of(storage).__del__
        if not isinstance(block, Block):
            return False
        record_use(block, self.stream)
        return True

    # ------------------------------------------------------------------------------- calls of the driver, with checks
    def check(self, operation: str, code: int) -> None:
        """Raise CudaError unless a call of the driver succeeded, and for every call of a lost device."""
        self.launches.check(operation, code)

    def enter(self, operation: str) -> None:
        """Make the context current for the calling thread; raise CudaError if it is lost."""
        code = lib.facula_cuda_bind(self.index)
        if code:
            open_driver()  # names a fork
        self.launches.check(operation, code)

    def to_device(self, operation: str, target: int, source: int, nbytes: int) -> None:
        """Queue a copy from the host."""
        self.check(operation, transfers.copy_to_device(target, source, nbytes, self.stream))

    def to_host(self, operation: str, target: int, source: int, nbytes: int) -> None:
        """Queue a copy to the host."""
        self.check(operation, transfers.copy_to_host(target, source, nbytes, self.stream))

    def wait(self, operation: str) -> None:
        """Wait for the work of the current stream."""
        stream = self.stream
        with waiting(self.index, stream):
            self.check(operation, transfers.wait_for_stream(stream))

    def __repr__(self) -> str:
        return f"<CudaBackend of device {self.index}>"


_making = RLock()
_backends: dict[int, CudaBackend] = {}


@boundary
def create_backend(index: int | None) -> CudaBackend:
    """Return the backend of a device, the same one for each call; that of the current device for None.

    Raises OperationError if there is no driver, or no such device.
    """
    open_driver()
    if index is None:
        index = current_index()
    with _making:
        found = _backends.get(index)
        if found is None:
            found = _backends[index] = CudaBackend(index)
        return found


@on_close
def _forget(alive: bool) -> None:
    """Forget all backends: their driver is closed, and tensors with its memory may not be used any more."""
    _backends.clear()
    lib.facula_cuda_forget_queues()
    register_backend("cuda", create_backend)
    clear_layout_caches()


os.register_at_fork(after_in_child=_making._at_fork_reinit)  # type: ignore[attr-defined]
