"""The protocols of backends whose plans are described by layouts: of any device, and of one with its own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ._protocols import Allocator, DeviceBackend

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._dtypes import DType
    from ._layouts import Layout
    from ._plans import Plan
    from ._programs import Program
    from ._recorders import Place
    from ._storages import Storage


class Backend(DeviceBackend, Protocol):
    """An implementation of allocation and computation on one device.

    The optional attribute ``dlpack_device`` is the pair of numbers that identifies this device in DLPack. Devices of
    CUDA's kind, 2, have `__cuda_array_interface__` too.
    """

    def plan(
        self,
        operator: str | Program,
        inputs: tuple[Layout | type[complex] | None, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """Return a plan to compute an operator for these layouts; see Note [Launch].

        Arguments:
            operator: the name of the operator, or a program.
            inputs: for each input, its layout, a Python number type for a scalar given at launch, or None for an
                omitted operand.
            outputs: the layouts of the results.
            parameters: further arguments of the operator's planner: numbers, dimensions, names.

        Raises:
            NotImplementedError: the backend has no kernel; the message names the operator and the dtype.
        """


class AcceleratorBackend(Backend, Protocol):
    """A backend of a device with its own memory: calls beyond `Backend`, each of which is optional.

    Callers look up one attribute at a time. Without it they use the calls of `Backend`, which give the same
    results, but wait for the device more often.
    """

    @property
    def pinned(self) -> Allocator:
        """The allocator of host memory that this device copies from and to without waiting for the host.

        A block that a queued copy uses is released late: `copy_across` registers the copy with the block.
        """

    @property
    def in_order(self) -> bool:
        """Whether all work of the program on this device runs in the order of its launches.

        Captured functions are replayed only then, because replays reuse memory without waiting. A device with streams
        returns False while another stream than its default one is current.
        """

    @property
    def is_capturing(self) -> bool:
        """Whether the calling thread's work is captured, to run later and repeatedly, instead of running now."""

    def copy_across(self, source: Place, target: Place, non_blocking: bool) -> None:
        """Copy all elements of `source` to `target`, in order with the work of the current stream.

        Both layouts are contiguous and differ in their devices alone: one device is this backend's, the other is the
        host or another device of the same type. Between two devices, the backend of the target is called.

        Arguments:
            source: the memory to read.
            target: the memory to write.
            non_blocking: whether the host may continue before the copy is done. The host must be able to free or
                overwrite its memory afterwards as if the copy were done, unless the memory is pinned: pinned memory
                is read or written later, and `copy_across` keeps its block from being reused before that.
        """

    def read(self, address: int, dtype: DType) -> complex:
        """Wait for the work of the current stream and return one element as a Python number (a bool for bools).

        Arguments:
            address: the address of the element.
            dtype: its dtype, which NumPy also has.
        """

    def combined_launch(self) -> Callable[..., None]:
        """Return a new launch for `Sequence.combine`, which runs all steps of a sequence as one."""

    def record_use(self, storage: Storage, stream: object) -> None:
        """Keep the block of `storage` from being reused before the work that `stream` has now is done.

        Arguments:
            storage: a storage with memory of this device, which owns its block.
            stream: a stream of this device, as the program has it.
        """

    def stream_number(self) -> int:
        """Return the number of the current stream, as DLPack and `__cuda_array_interface__` use it: 1 or more."""

    def order_streams(self, earlier: int, later: int) -> None:
        """Make work that is queued on a stream from now on wait for the work that another has now.

        Without this call, arrays are exchanged with other libraries after a wait for the device.

        Arguments:
            earlier: the number of the stream to wait for, which may belong to another library.
            later: the number of the stream that waits.
        """

    def status_message(self, status: int, *details: int) -> str:
        """Return the message for a `LaunchError` with a status that only this backend uses.

        Arguments:
            status: the status.
            details: its four details.
        """
