"""The profiler, where programs for PyTorch look for it."""

from .._names import publish
from . import ProfilerAction, profile, schedule, supported_activities, tensorboard_trace_handler

__all__ = ["ProfilerAction", "profile", "schedule", "supported_activities", "tensorboard_trace_handler"]

publish(__name__)
