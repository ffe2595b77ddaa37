"""The outcome of a recorded run: a replay, a graph break that rejects the signature, or None to try again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._recording.graph_breaks import GraphBreak
from .._replay.checked_calls import NEVER, first_check
from .._replay.replay import BusyFlag, Replay

if TYPE_CHECKING:
    from .._recording.signature import Signature
    from .cache_entry import CacheEntry
    from .recorded_call import RecordedCall

MAX_ATTEMPTS = 3  # runs that may leave new tensors with the program, as an optimizer's first step does
MAX_SPLIT_ATTEMPTS = 16  # runs that may depend on the first run of an earlier part, whose graph is not captured yet
MAX_OTHER_GRAPHS = 1000  # runs on the graph of a checked call, if that of a replay is captured


def outcome_of(
    run: RecordedCall, entry: CacheEntry, signature: Signature, name: str, busy_flag: BusyFlag, interval: int | None,
    is_split: bool,
) -> Replay | GraphBreak | None:  # fmt: skip
    """Return the outcome of a run: None if it was not captured, but the next one may be.

    Arguments:
        run: the run.
        entry: the cache entry of its signature; its `pending`, `attempts` and `returned` are updated.
        signature: the signature of the call.
        name: the name of the function.
        busy_flag: the flag that all replays of the function share.
        interval: the number of calls between two checked calls; None for the default schedule.
        is_split: True if functions with graph breaks are split.
    """
    recording, recorder = run.recording, run.recorder
    if run.breaks is None and is_split:
        recording.unsettled = entry.compare_returned(recording.plain()) or recording.unsettled
    entry.pending = recorder.retry or recording.unsettled
    if run.breaks is not None:
        return run.breaks
    if recorder.retry is not None:
        return None
    unsettled = recording.unsettled
    if unsettled is None:
        replay = _replay_of(run, signature, name, busy_flag, interval)
        if not recorder.found_argument and not replay.knows(signature.containers):
            return replay
        problem = "the function also accesses an argument from elsewhere"
        unsettled = GraphBreak(problem, "call it with a clone()", None)
    entry.attempts += 1
    limit = MAX_ATTEMPTS
    if recorder.foreign_backward is not None:
        limit = MAX_OTHER_GRAPHS if entry.replays else MAX_SPLIT_ATTEMPTS if is_split else MAX_ATTEMPTS
    return None if entry.attempts < limit else unsettled


def _replay_of(run: RecordedCall, signature: Signature, name: str, busy_flag: BusyFlag, interval: int | None) -> Replay:
    replay = Replay(run.recording, name, run.reads, busy_flag)
    replay.eager_backward, replay.identity_args = run.eager_backward, run.identity_args
    replay.compared_at = run.reads.identity.compared_at
    replay.reads_attributes = run.reads.reads_any_of(signature.attributes)
    is_unchecked = run.recorder.has_control_flow or (run.recorder.uses_allowed and interval is None)
    replay.check_at = NEVER if is_unchecked else first_check(interval)
    return replay
