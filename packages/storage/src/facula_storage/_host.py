"""The two built-in backends: host memory without kernels, and the meta device without memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidValueError, OperationError, UnsupportedError

from ._bridge import Export
from ._devices import register_backend
from ._malloc import MallocAllocator
from ._plans import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from ._layouts import Layout
    from ._programs import Program
    from ._protocols import Allocator


class HostMemory:
    """The common part of all backends on host memory. Subclasses add kernels.

    >>> import numpy as np
    >>> memory = HostMemory()
    >>> address, release = memory.allocator.refill(8)
    >>> memory.copy_in(address, np.array([1, 2], np.int32))
    >>> back = np.empty(2, np.int32)
    >>> memory.copy_out(address, back)
    >>> back
    array([1, 2], dtype=int32)
    """

    allocator: Allocator

    def __init__(self, allocator: Allocator | None = None):
        self.allocator = MallocAllocator() if allocator is None else allocator

    def plan(
        self,
        operator: str | Program,
        inputs: tuple[object, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """Raise UnsupportedError: this backend has no kernels. Arguments: those of `facula_storage.Backend.plan`."""
        raise UnsupportedError(f"{operator}: no kernels for the CPU are installed; install facula-cpu")

    def copy_in(self, address: int, source: Buffer) -> None:
        """Copy a C-contiguous buffer of any format to `address`; raise ValueError if it is not contiguous."""
        nbytes = _contiguous_bytes("copy_in", source)
        if nbytes:
            _bytes_at(address, nbytes)[...] = np.frombuffer(source, np.uint8)  # type: ignore[call-overload]  # any buffer

    def copy_out(self, address: int, target: Buffer) -> None:
        """Copy from `address` to fill a writable C-contiguous buffer; raise ValueError for other buffers."""
        nbytes = _contiguous_bytes("copy_out", target)
        if nbytes:
            np.frombuffer(target, np.uint8)[...] = _bytes_at(address, nbytes)  # type: ignore[call-overload]

    def synchronize(self) -> None:
        """Return at once: work on the host is done when its call returns."""


def _contiguous_bytes(operation: str, buffer: Buffer) -> int:
    view = memoryview(buffer)
    if not view.c_contiguous or (operation == "copy_out" and view.readonly):
        wanted = "a C-contiguous buffer" if operation == "copy_in" else "a writable C-contiguous buffer"
        raise InvalidValueError(
            f"{operation}: expected {wanted}; got {type(buffer).__name__} of shape {view.shape}, strides "
            f"{view.strides}, readonly={view.readonly}; make a contiguous copy first"
        )
    return view.nbytes


def _bytes_at(address: int, nbytes: int) -> np.ndarray:
    memory = Export(None, int, address, "B", 1, (nbytes,), (1,), False)
    return np.frombuffer(memory, np.uint8)  # type: ignore[call-overload]


class _NoMemory:
    """An allocator of blocks without memory: address 0."""

    def take_for(self, nbytes: int) -> Callable[[], tuple[int, Callable[[], object]]]:
        return _no_block

    def refill(self, nbytes: int) -> tuple[int, Callable[[], object]]:
        return _no_block()

    def statistics(self) -> dict[str, int]:
        return {"allocated_bytes": 0, "allocated_blocks": 0, "reserved_bytes": 0}

    def trim(self, keep: int = 0) -> int:
        return 0

    def tidy(self) -> int:
        return 0


def _no_block() -> tuple[int, Callable[[], object]]:
    return 0, int


def _no_launch(*args: object) -> None:
    pass


class Meta:
    """The backend of tensors that have shapes and dtypes but no elements: plans run without computing."""

    allocator: Allocator

    def __init__(self) -> None:
        self.allocator = _NoMemory()

    def plan(
        self,
        operator: str | Program,
        inputs: tuple[object, ...],
        outputs: tuple[Layout, ...],
        parameters: tuple[object, ...],
    ) -> Plan:
        """Return a plan without effect. Arguments: those of `facula_storage.Backend.plan`."""
        name = operator if isinstance(operator, str) else operator.name
        return Plan(name, parameters, outputs, _no_launch, any_size=True)

    def copy_in(self, address: int, source: Buffer) -> None:
        """Return at once: there are no elements."""

    def copy_out(self, address: int, target: Buffer) -> None:
        """Raise OperationError: there are no elements."""
        raise OperationError("copy_out: memory on device 'meta' has no elements; make the tensor on another device")

    def synchronize(self) -> None:
        """Return at once: there is no work."""


register_backend("cpu", lambda index: HostMemory())
register_backend("meta", lambda index: Meta())
