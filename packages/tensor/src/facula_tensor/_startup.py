"""What has to be wired once: the CPU's kernels, and the marker that keeps operators off dying memory."""

from __future__ import annotations

import gc

from facula_autograd.extend import special
from facula_cpu import CpuBackend
from facula_storage.extend import collection_callback, launching_modules, register_backend

register_backend("cpu", lambda index: CpuBackend())
# Whoever hands an address to a kernel or to a copy: see Note [Replacing a buffer] in facula_storage.
LAUNCHING = (
    "_fresh", "_general", "_pickling", "_quick", "_quick_inplace", "_quick_many", "_quick_pair", "_quick_two",
    "_random", "_random_fill", "_resize", "_setitem", "_values", "ops.copying", "ops.gathering", "ops.join",
    "ops.masks", "ops.optimizer_steps", "ops.scattering",
)  # fmt: skip
launching_modules.update(f"facula_tensor.{name}" for name in LAUNCHING)


# While the collector runs, operators take the path on which blocks come from `refill`. The callback is C: a
# Python one could swallow a Ctrl-C.
gc.callbacks.append(collection_callback(special))
