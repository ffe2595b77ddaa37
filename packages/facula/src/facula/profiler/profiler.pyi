"""Names of PyTorch's torch.profiler.profiler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula_profiler import ProfilerAction as ProfilerAction
from facula_profiler import profile as profile
from facula_profiler import schedule as schedule
from facula_profiler import supported_activities as supported_activities
from facula_profiler import tensorboard_trace_handler as tensorboard_trace_handler

_default_schedule_fn: _Refusal
