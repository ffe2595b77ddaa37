"""CUDA graphs: those of facula_cuda, or classes without instances if it is not installed."""

from __future__ import annotations

from .._lookup.absent_device import CudaDevice, Kind, Refusal
from .._lookup.names import publish
from ._graphed import make_graphed_callables

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]

_absent = CudaDevice()
CUDAGraph: Kind = _absent.provided("CUDAGraph")
graph: Kind = _absent.provided("graph")
graph_pool_handle: Refusal = _absent.function("graph_pool_handle")
is_current_stream_capturing: Refusal = _absent.function("is_current_stream_capturing")

publish(__name__)
