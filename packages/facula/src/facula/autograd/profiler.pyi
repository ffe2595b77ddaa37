"""Names of PyTorch's torch.autograd.profiler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal
from facula.profiler import record_function as record_function

emit_itt: Kind
emit_nvtx: Kind
profile: Kind
EventList: Kind
FunctionEvent: Kind
ProfilerState: Kind
