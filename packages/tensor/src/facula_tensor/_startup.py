"""What has to be wired once: the CPU's kernels, and the marker that keeps operators off dying memory."""

from __future__ import annotations

import gc

from facula_autograd.extend import special
from facula_cpu import CpuBackend
from facula_storage.extend import launching_modules, register_backend

register_backend("cpu", lambda index: CpuBackend())
launching_modules.update(f"facula_tensor.{name}" for name in ("_quick", "_general", "_random", "ops.join", "_values"))


def _on_collection(phase: str, info: dict) -> None:
    """While the collector runs, operators take the path on which blocks come from `refill`."""
    if phase == "start":
        special.append(None)
    else:
        special.pop()


gc.callbacks.append(_on_collection)
