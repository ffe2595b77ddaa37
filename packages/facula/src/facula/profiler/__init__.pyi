"""Names of PyTorch's torch.profiler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import profiler as profiler
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula_profiler import AverageList as AverageList
from facula_profiler import Comparison as Comparison
from facula_profiler import DeviceType as DeviceType
from facula_profiler import EVENT as EVENT
from facula_profiler import EventList as EventList
from facula_profiler import Frame as Frame
from facula_profiler import FunctionEvent as FunctionEvent
from facula_profiler import FunctionEventAvg as FunctionEventAvg
from facula_profiler import Interval as Interval
from facula_profiler import Kind as Kind
from facula_profiler import Lane as Lane
from facula_profiler import MEMORY as MEMORY
from facula_profiler import Peaks as Peaks
from facula_profiler import ProfilerAction as ProfilerAction
from facula_profiler import ProfilerActivity as ProfilerActivity
from facula_profiler import Signature as Signature
from facula_profiler import Summary as Summary
from facula_profiler import Trace as Trace
from facula_profiler import compare as compare
from facula_profiler import export_html as export_html
from facula_profiler import export_memory_timeline as export_memory_timeline
from facula_profiler import kineto_available as kineto_available
from facula_profiler import measured_peaks as measured_peaks
from facula_profiler import profile as profile
from facula_profiler import record_function as record_function
from facula_profiler import recover as recover
from facula_profiler import schedule as schedule
from facula_profiler import supported_activities as supported_activities
from facula_profiler import tensorboard_trace_handler as tensorboard_trace_handler

ExecutionTraceObserver: _Kind
