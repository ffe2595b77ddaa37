"""Names of PyTorch's torch.profiler.profiler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal
from facula.profiler import ProfilerAction as ProfilerAction
from facula.profiler import profile as profile
from facula.profiler import schedule as schedule
from facula.profiler import supported_activities as supported_activities
from facula.profiler import tensorboard_trace_handler as tensorboard_trace_handler

_default_schedule_fn: Refusal
