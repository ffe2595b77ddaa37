"""Constants of a plan that do not fit its parameter block: arrays in the device's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._driver import lib
from .._port.device_memory import device_allocator
from .._port.devices import context
from .._port.driver import check
from .._port.transfers import copy_to_device, wait_for_stream
from .._port.waits import waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_allocator import Block

ALIGNMENT = 16


class Table:
    """Copies of arrays in a device's memory, which live as long as the object. The host waits for the copy.

    Arguments:
        index: the number of the device.
        arrays: contiguous arrays.
    """

    def __init__(self, index: int, arrays: Sequence[np.ndarray]):
        self.index = index
        places, total = [], 0
        for array in arrays:
            places.append(total)
            total += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        packed = np.zeros(max(total, 1), np.uint8)
        for place, array in zip(places, arrays, strict=True):
            packed[place : place + array.nbytes] = array.view(np.uint8)
        context(index)
        check("copy", lib.facula_cuda_bind(index))
        stream = lib.facula_cuda_stream_of(index)
        self.block: Block = device_allocator(index).allocate(packed.nbytes, stream)
        self.addresses = [self.block.ptr + place for place in places]
        check("copy", copy_to_device(self.block.ptr, packed.ctypes.data, packed.nbytes, stream))
        with waiting(index, stream):  # so that launches on all streams may read it
            check("copy", wait_for_stream(stream))

    def __del__(self) -> None:
        if hasattr(self, "block"):  # launches of other streams than the block's
            self.block.record_use(lib.facula_cuda_stream_of(self.index))
