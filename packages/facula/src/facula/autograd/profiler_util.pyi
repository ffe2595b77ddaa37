"""Names of PyTorch's torch.autograd.profiler_util, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

EventList: Kind
FunctionEvent: Kind
FunctionEventAvg: Kind
