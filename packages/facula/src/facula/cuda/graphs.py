"""CUDA graphs, which are not available; `facula.jit.capture` replays steps without them."""

from __future__ import annotations

from .._lookup.absent_device import CudaDevice, Kind, Refusal
from .._lookup.names import publish

__all__ = ["CUDAGraph", "graph", "is_current_stream_capturing", "make_graphed_callables"]

_absent = CudaDevice()
CUDAGraph: Kind = _absent.kind("CUDAGraph")
graph: Kind = _absent.kind("graph")
is_current_stream_capturing: Refusal = _absent.function("is_current_stream_capturing")
make_graphed_callables: Refusal = _absent.function("make_graphed_callables")

publish(__name__)
