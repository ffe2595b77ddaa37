"""Work at import: Tensor's methods from upper layers, the CPU's kernels, the garbage collector's callback."""

from __future__ import annotations

import gc

from facula_autograd.extend.modes import active_modes
from facula_cpu import CpuBackend
from facula_storage.extend.devices import pending_launches, register_backend
from facula_storage.extend.memory import launching_modules
from facula_storage.extend.objects import collection_callback

# Imported for their side effects: they add methods to Tensor and register it with the engine. They have no
# public names.
# ruff: noqa: F401
from ._core import resizing
from ._core.reports import PendingLaunch
from ._creation import random_laws
from ._dispatch import torch_function
from ._interop import (
    constructor,
    engine,
    export,
    html,
    later_methods,
    older_methods,
    other_memory,
    pickling,
    protocols,
    repr,
    shared_memory,
)
from .ops.indexing import getitem, setitem
from .ops.memory import assignment, detach, memory_format
from .ops.shape import data_movement, inplace_views

register_backend("cpu", lambda index: CpuBackend())
pending_launches.append(PendingLaunch)
# The functions that pass an address to a kernel or a copy: see Note [Replacing a buffer] in facula_storage.
LAUNCHING = (
    "_core.allocation", "_core.transfer", "_creation.filling", "_dispatch.slow_path.launching",
    "_dispatch.slow_path.complex_numbers", "_dispatch.slow_path.slow_call", "_dispatch.slow_path.writing",
    "_interop.pickling", "_forms._dispatch.fast.unary", "_forms._dispatch.fast.pairs",
    "_forms._dispatch.fast.ternary", "_forms._dispatch.fast.many", "_forms._dispatch.fast.inplace",
    "_creation.random", "_creation.random_fill", "_core.resizing",
    "ops.indexing.setitem", "_interop.export", "ops.memory.copying", "ops.memory.assignment", "ops.indexing.gather",
    "library._native", "ops.shape.concatenation", "ops.indexing.masks", "ops.optimizers.steps", "ops.indexing.scatter",
    "ops.indexing.where_true",
)  # fmt: skip
launching_modules.update(f"facula_tensor.{name}" for name in LAUNCHING)


# While the collector runs, operators take the path on which blocks come from `refill`. The callback is C: a
# Python one could swallow a Ctrl-C.
gc.callbacks.append(collection_callback(active_modes))
