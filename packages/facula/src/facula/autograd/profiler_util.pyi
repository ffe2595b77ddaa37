"""Names of PyTorch's torch.autograd.profiler_util, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_profiler import EventList as EventList
from facula_profiler import FunctionEvent as FunctionEvent
from facula_profiler import FunctionEventAvg as FunctionEventAvg
from facula_profiler import Interval as Interval
