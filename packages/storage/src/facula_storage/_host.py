"""The two backends that `storage` has of its own: host memory without kernels, and no memory at all."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from ._devices import register_backend
from ._malloc import MallocAllocator
from ._plans import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._layouts import Layout
    from ._protocols import Allocator


class HostMemory:
    """What every backend on host memory does the same way. Subclasses bring kernels."""

    allocator: Allocator

    def __init__(self, allocator: Allocator | None = None):
        self.allocator = allocator or MallocAllocator()

    def plan(self, operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
        """Refused: this backend has memory and no kernels."""
        raise NotImplementedError(f"{operator}: no kernels for the CPU are installed; install facula-cpu")

    def copy_in(self, address: int, source: Any) -> None:
        """Copy a C-contiguous buffer to `address`."""
        view = memoryview(source).cast("B")
        if view.nbytes:
            into = (ctypes.c_char * view.nbytes).from_address(address)
            memoryview(into).cast("B")[:] = view

    def copy_out(self, address: int, target: Any) -> None:
        """Copy from `address` to a writable C-contiguous buffer, filling it."""
        view = memoryview(target).cast("B")
        if view.nbytes:
            view[:] = memoryview((ctypes.c_char * view.nbytes).from_address(address)).cast("B")

    def synchronize(self) -> None:
        """Nothing to wait for: host work is done when its call returns."""


class _NoMemory:
    """Blocks without memory: address 0."""

    def take_for(self, nbytes: int) -> Callable[[], tuple[int, type[int]]]:
        return _no_block

    def refill(self, nbytes: int) -> tuple[int, type[int]]:
        return _no_block()

    def statistics(self) -> dict[str, int]:
        return {"allocated_bytes": 0, "allocated_blocks": 0, "reserved_bytes": 0}

    def trim(self) -> int:
        return 0


def _no_block() -> tuple[int, type[int]]:
    return 0, int


def _no_launch(*args: object) -> None:
    pass


class Meta:
    """Tensors that have shapes and dtypes and no elements: every plan runs, none computes."""

    def __init__(self) -> None:
        self.allocator = _NoMemory()

    def plan(self, operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
        """A plan that does nothing."""
        return Plan(operator, parameters, outputs, _no_launch, any_size=True)

    def copy_in(self, address: int, source: Any) -> None:
        """Nothing to copy to."""

    def copy_out(self, address: int, target: Any) -> None:
        """Refused: there are no elements."""
        raise RuntimeError("a tensor on device 'meta' has no elements; make it on another device to read it")

    def synchronize(self) -> None:
        """Nothing to wait for."""


register_backend("cpu", lambda index: HostMemory())
register_backend("meta", lambda index: Meta())
