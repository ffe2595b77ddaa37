"""Names of PyTorch's torch.autograd.profiler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula_profiler import EventList as EventList
from facula_profiler import FunctionEvent as FunctionEvent
from facula_profiler import ProfilerActivity as ProfilerActivity
from facula_profiler import kineto_available as kineto_available
from facula_profiler import record_function as record_function
from facula_profiler.autograd import profile as profile

emit_itt: _Kind
emit_nvtx: _Kind
ProfilerState: _Kind
