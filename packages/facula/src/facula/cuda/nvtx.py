"""Marks for NVIDIA's profiler: no-ops, as there is no device."""

from .._lookup.absent_device import AbsentDevice, Kind, Refusal
from .._lookup.names import publish

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_absent = AbsentDevice("cuda.nvtx", "CUDA")
mark: Refusal = _absent.function("mark")
range: Kind = _absent.kind("range")
range_end: Refusal = _absent.function("range_end")
range_pop: Refusal = _absent.function("range_pop")
range_push: Refusal = _absent.function("range_push")
range_start: Refusal = _absent.function("range_start")

publish(__name__)
