"""Sequences of launches with the checks that must pass first, for captured functions."""

from .._bridge import call_filter
from .._sequences import ABSENT, ANY, CheckKind, Sequence, launch_count, observe_replays, snapshot_bytes

__all__ = [
    "ABSENT",
    "ANY",
    "CheckKind",
    "Sequence",
    "call_filter",
    "launch_count",
    "observe_replays",
    "snapshot_bytes",
]
