"""Helpers for tests of the backend: memory with known elements on a device, and launches there."""

import numpy as np

from facula_storage import Device, contiguous, float32, int64
from facula_storage.extend.memory import allocate


def put(values, device="cuda:0"):
    """Return a storage with these elements, and its contiguous layout."""
    values = np.asarray(values)
    layout = contiguous(values.shape, {"f": float32, "i": int64}[values.dtype.kind], Device(device))
    storage = allocate(layout)
    layout.device.backend.copy_in(storage.ptr, values.astype(layout.dtype.numpy))
    return storage, layout


def get(storage, layout):
    """Return all elements of a contiguous layout."""
    values = np.empty(layout.shape, layout.dtype.numpy)
    layout.device.backend.copy_out(storage.ptr, values)
    return values


def launch(operator, inputs, output, *more, parameters=()):
    """Plan an operator for layouts, and launch it. `inputs` and `output` are pairs (address, layout)."""
    backend = output[1].device.backend
    plan = backend.plan(operator, tuple(layout for _, layout in inputs), (output[1],), parameters)
    plan.launch(output[1].numel, *[address for address, _ in inputs], output[0], *more)
    return plan
