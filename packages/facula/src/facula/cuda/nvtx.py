"""Marks in NVIDIA's profiles: there is no device, and nothing is marked."""

from .._absent_device import AbsentDevice
from .._names import publish

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_absent = AbsentDevice("cuda.nvtx", "CUDA")
mark = _absent.function("mark")
range = _absent.kind("range")
range_end = _absent.function("range_end")
range_pop = _absent.function("range_pop")
range_push = _absent.function("range_push")
range_start = _absent.function("range_start")

publish(__name__)
