"""A driver of Python functions that write down what is queued."""

from __future__ import annotations

import numpy as np

from facula_cuda._driver import ffi, lib

TYPES = {name: field.type for name, field in ffi.typeof("struct driver").fields}


class Launched:
    """One call of cuLaunchKernel."""

    def __init__(self, function, blocks, threads, shared, stream, block):
        self.function, self.blocks, self.threads, self.shared, self.stream = function, blocks, threads, shared, stream
        self.block: np.ndarray = block


class RecordingDriver:
    """Replaces entries of the table until `close`.

    `launched` has the kernels, `calls` the names of all functions called, in order. `codes` are those that the next
    launches return, 0 after them.
    """

    def __init__(self):
        self.launched: list[Launched] = []
        self.calls: list[str] = []
        self.codes: list[int] = []
        self.capturing = 0
        self.pending = False  # whether events are not over
        self._events = 100
        self._alive = []
        for name in TYPES:
            self._replace(name, getattr(self, name, lambda *arguments: 0))
        for index in (0, 1):
            lib.facula_cuda_set_context(index, id(self) + index)
        lib.facula_cuda_forget_queues()

    def _replace(self, name, function):
        def counted(*arguments):
            self.calls.append(name)
            return function(*arguments)

        callback = ffi.callback(TYPES[name], counted)
        self._alive.append(callback)
        setattr(lib.driver, name, callback)

    def close(self):
        lib.facula_cuda_close(lib.DRIVER_NOT_INITIALIZED)
        lib.facula_cuda_forget_queues()
        for index in (0, 1):
            lib.facula_cuda_set_context(index, 0)
            lib.facula_cuda_set_stream_of(index, 0)

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra):
        code = self.codes.pop(0) if self.codes else 0
        if code:
            return code
        assert (gy, gz, by, bz, parameters) == (1, 1, 1, 1, ffi.NULL)
        assert [int(ffi.cast("intptr_t", extra[i])) for i in (0, 2, 4)] == [1, 2, 0]
        nbytes = ffi.cast("size_t *", extra[3])[0]
        block = np.frombuffer(bytes(ffi.buffer(extra[1], nbytes)), np.int64)
        self.launched.append(Launched(function, gx, bx, shared, stream, block))
        return 0

    def cuStreamIsCapturing(self, stream, status):
        status[0] = self.capturing
        return 0

    def cuEventCreate(self, event, flags):
        assert flags == 2  # without times
        self._events += 1
        event[0] = self._events
        return 0

    def cuEventQuery(self, event):
        return lib.DRIVER_NOT_READY if self.pending else 0

    def cuMemAlloc_v2(self, address, nbytes):
        address[0] = 0x7000
        return 0
