"""Profiles of programs, under PyTorch's names."""

from __future__ import annotations

import json
import os
import uuid
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, warn

from .. import _sources  # noqa: F401  # registers itself
from .._events.events import EventList
from .._recording.recording import CAPACITY, Recording
from .._trace.concatenating import concatenate
from .._trace.records import EVENT, MEMORY, Kind
from .._trace.trace import Trace
from .schedules import ProfilerAction, ProfilerActivity, record_always, supported_activities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .. import Peaks, Summary
    from .._events.averages import AverageList

NONE, WARMUP, RECORD, SAVE = ProfilerAction
UNSUPPORTED = {
    "experimental_config": "leave it out; `capacity` bounds the number of events",
    "execution_trace_observer": "leave it out; `Trace.save` writes all events",
}


@boundary
class profile:
    """A profile of the program, in all its threads, between `start` and `stop`, or in a `with` block.

    At most one profile runs at a time. Launches of operators, ranges, steps and, where their packages are loaded,
    backward rules, module calls, optimizers, loaders, collectives, threads of the pool, replays and devices are
    recorded. The newest `capacity` events are kept.

    Arguments:
        activities: the activities to observe; by default all that are supported.
        schedule: a function from the number of a step to a `ProfilerAction`, for programs that call `step()`.
        on_trace_ready: called with the profile when a trace is complete.
        record_shapes: record the shapes of operators' inputs. Programs whose shapes rarely repeat become slower.
        profile_memory: record allocations and releases, and the memory that allocators take from the system.
        with_stack: record the call stack of each operator.
        with_flops: count floating-point operations; records shapes, too.
        with_modules: record calls of modules.
        experimental_config, execution_trace_observer: must be None.
        acc_events: keep the events of all cycles of a schedule, instead of those of the last one.
        use_cuda: whether to observe CUDA, for older programs; `activities` replaces it.
        custom_trace_id_callback: returns the text that identifies a trace.
        capacity: the largest number of events, of 64 bytes each.
        path: a file that receives the events while they are recorded: `recover` reads it after a crash. Each start
            replaces the file and reserves its full size. Do not write to it while the profile runs. A child that is
            forked while it runs writes no file.

    Raises:
        RuntimeError: another profile runs.
        NotImplementedError: an argument that is not supported.

    >>> import facula_profiler
    >>> with facula_profiler.profile() as prof:
    ...     with facula_profiler.record_function("work"):
    ...         total = sum(range(10))
    >>> [(one.key, one.count) for one in prof.key_averages()]
    [('work', 1)]
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: None = None,
        execution_trace_observer: None = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        capacity: int = CAPACITY,
        path: str | os.PathLike[str] | None = None,
    ):
        refused = {
            "experimental_config": experimental_config, "execution_trace_observer": execution_trace_observer,
        }  # fmt: skip
        for name, value in refused.items():
            if value is not None:
                raise UnsupportedError(f"profile: expected {name} to be None; got {value!r:.60}; {UNSUPPORTED[name]}")
        self.activities = _checked_activities(activities, use_cuda)
        for name, function in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if function is not None and not callable(function):
                raise InvalidTypeError(f"profile: expected {name}, a function or None; got {function!r:.60}")
        self.schedule = schedule or record_always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.capacity, self.path = capacity, path
        self.step_num = 0
        self.current_action = self._action_of("profile")
        self._recording: Recording | None = None
        self._finished: list[Recording | Trace] = []  # recordings become traces on first access
        self._preset: dict[str, Any] = {}
        self._trace_id = ""
        self._step: int | None = None  # the open range of the current step
        self._runs = False
        self._process = 0  # that called `start`
        self._was_ready = False  # a warmup has begun
        self._gives_way = False

    # Start and stop ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start with the action of step 0, or of the current step."""
        if self._runs:
            raise OperationError("start: expected a profile that does not run; got one that runs; call stop first")
        self._runs, self._process = True, os.getpid()
        try:
            if self.current_action in (RECORD, SAVE):
                self._begin()
            self._begin_step()
        except BaseException:
            self._runs, recording, self._recording = False, self._recording, None
            if recording is not None:
                recording.stop()
            raise

    def stop(self) -> None:
        """Stop; if steps are recorded, their trace is complete."""
        if not self._runs:
            return
        self._end_step()
        self._runs = False
        if self._finish() and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """End a step, and take the action of the next one.

        Exceptions of `on_trace_ready` propagate after the profile has changed to the next step.
        """
        if not self._runs:
            raise OperationError("step: expected a profile that runs; got one that does not; call start, or use `with`")
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self._action_of("step")
        is_ready = False
        if before is SAVE or (before is RECORD and self.current_action in (NONE, WARMUP)):
            if before is RECORD:
                warn("step: the schedule stops recording without RECORD_AND_SAVE; on_trace_ready is not called")
            is_ready = self._finish() and before is SAVE
        try:
            if is_ready and self.on_trace_ready is not None:
                self.on_trace_ready(self)
        finally:
            if self._runs:  # otherwise on_trace_ready has stopped it
                if self.current_action in (RECORD, SAVE) and self._recording is None:
                    self._begin()
                self._begin_step()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def _action_of(self, operation: str) -> ProfilerAction:
        action = self.schedule(self.step_num)
        if not isinstance(action, ProfilerAction):
            raise InvalidTypeError(f"{operation}: expected schedule to return a ProfilerAction; got {action!r:.60}")
        return action

    def _begin(self) -> None:
        recording = Recording(
            with_layouts=self.record_shapes or self.with_flops, with_stacks=self.with_stack,
            with_memory=self.profile_memory, capacity=self.capacity,
            path=self.path if self._process == os.getpid() else None,
            options={
                "with_modules": self.with_modules, "profile_memory": self.profile_memory,
                "activities": {one.name for one in self.activities},
            },
        )  # fmt: skip
        self._trace_id = str(self.custom_trace_id_callback()) if self.custom_trace_id_callback else uuid.uuid4().hex
        recording.metadata |= {
            "trace_id": self._trace_id, "record_shapes": self.record_shapes, "profile_memory": self.profile_memory,
            "with_stack": self.with_stack, "with_flops": self.with_flops, "with_modules": self.with_modules,
            **self._preset,
        }  # fmt: skip
        recording.owner, recording.gives_way = weakref.ref(self), self._gives_way
        self._recording = recording
        try:
            recording.start()
        except BaseException:
            self._recording = None
            raise

    def _finish(self) -> bool:
        """Stop recording and keep the trace; return whether there is one."""
        recording, self._recording = self._recording, None
        if recording is None:
            return False
        try:
            recording.stop()
        finally:  # keep the events if a source fails to stop
            self._finished = [*self._finished, recording] if self.acc_events else [recording]
        return True

    def _begin_step(self) -> None:
        self._was_ready |= self.current_action is WARMUP
        if self.record_steps and self._recording is not None:
            self._step = self._recording.begin(Kind.STEP, f"ProfilerStep#{self.step_num}")

    def _end_step(self) -> None:
        if self._step is not None and self._recording is not None:
            self._recording.end(self._step)
        self._step = None

    # Results ----------------------------------------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """The recorded trace; while the profile runs, the trace recorded so far.

        Raises:
            RuntimeError: no trace is recorded yet.
        """
        if self._recording is not None:
            return self._recording.trace()
        if not self._finished and self._was_ready:  # PyTorch has an empty trace from the warmup on
            return Trace(np.zeros(0, EVENT), np.zeros(0, MEMORY), [], [])
        if not self._finished:
            raise OperationError(
                "profile: expected a trace; got none, as no step has been recorded; run the program between start and "
                "stop, for as many steps as the schedule waits"
            )
        traces = [one.trace() if isinstance(one, Recording) else one for one in self._finished]
        found = traces[0] if len(traces) == 1 else concatenate(traces)
        self._finished = [found]
        return found

    def events(self) -> EventList:
        """Return the recorded events."""
        return EventList(self.trace)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> AverageList:
        """Return the sums over events with the same name.

        Arguments:
            group_by_input_shape: distinguish shapes of inputs, for which `record_shapes` is needed.
            group_by_stack_n: distinguish the innermost frames of the program, up to this number, for which
                `with_stack` is needed.
            group_by_overload_name: accepted for PyTorch's programs; operators have no overloads here.
        """
        return self.events().key_averages(group_by_input_shape, group_by_stack_n)

    def _repr_html_(self) -> str | None:
        is_complete = self._finished and self._recording is None
        return self.trace._repr_html_() if is_complete else None  # None: the plain repr

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write JSON for Perfetto and Chrome; compressed if the name ends with ".gz"."""
        self.events().export_chrome_trace(path)

    def summary(self, peaks: Peaks | tuple[float, float] | None = None) -> Summary:
        """Return the bottleneck with its evidence and remedies.

        Arguments:
            peaks: the speed of the machine, as for `Summary`; None measures it.
        """
        return self.trace.summary(peaks)

    def export_html(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Write a page with timeline, flame graphs, tables and memory, which opens in any browser, offline.

        Arguments:
            path: the file to write.
            title: the title of the page; None: the name of the file.
        """
        self.trace.export_html(path, title)

    def export_memory_timeline(self, path: str | os.PathLike[str], device: str | None = None) -> None:
        """Write live bytes over time in PyTorch's formats; see `facula_profiler.export_memory_timeline`.

        Arguments:
            path: the file; its suffix selects the format.
            device: "cpu" or "cuda:0"; None: the first device other than the CPU, if any.
        """
        self.trace.export_memory_timeline(path, device)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write the time of each stack, for flame graphs. Arguments are those of `EventList.export_stacks`."""
        if not self.with_stack:
            raise OperationError("export_stacks: expected a profile with stacks; got one without; pass with_stack=True")
        self.events().export_stacks(path, metric)

    def get_trace_id(self) -> str:
        """Return the text that identifies the trace."""
        return self._trace_id

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set the function that returns the text that identifies the next trace."""
        self.custom_trace_id_callback = callback

    # While it runs ----------------------------------------------------------------------------------------------------

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the trace that is being recorded."""
        if not isinstance(key, str) or not isinstance(value, str):
            raise InvalidTypeError(
                f"add_metadata: expected texts; got {key!r:.60} and {value!r:.60}; for other values, add_metadata_json"
            )
        self._running("add_metadata").metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a value in JSON to the trace that is being recorded."""
        self._running("add_metadata_json").metadata[key] = _parsed("add_metadata_json", value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Add a value in JSON to all traces that will be recorded."""
        self._preset[key] = _parsed("preset_metadata_json", value)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Pause or continue recording in the middle of a step. Ranges that began before a pause are kept.

        Arguments:
            enable: whether to continue.
            activities: the activities; others than `ProfilerActivity.CPU` are ignored.
        """
        if ProfilerActivity.CPU in _checked_activities(activities, None):
            recording = self._running("toggle_collection_dynamic")
            (recording.resume if enable else recording.pause)()

    def _running(self, operation: str) -> Recording:
        if self._recording is None:
            raise OperationError(
                f"{operation}: expected a profile that records; got one that does not; call start first"
            )
        return self._recording


def _checked_activities(activities: Iterable[ProfilerActivity] | None, use_cuda: bool | None) -> set[ProfilerActivity]:
    supported = supported_activities()
    try:
        found = set(supported) if activities is None else set(activities)
    except TypeError:
        raise InvalidTypeError(
            f"profile: expected activities, a list of ProfilerActivity; got {activities!r:.60}; pass "
            "[ProfilerActivity.CPU]"
        ) from None
    for one in found:
        if getattr(one, "name", None) not in ProfilerActivity.__members__:
            raise InvalidTypeError(f"profile: expected activities of ProfilerActivity; got {one!r:.60}")
    found = {ProfilerActivity[one.name] for one in found}
    if use_cuda:
        found.add(ProfilerActivity.CUDA)
    if use_cuda is False:
        found.discard(ProfilerActivity.CUDA)
    if not found:
        raise InvalidValueError(
            "profile: expected at least one of activities; got none; pass activities=[ProfilerActivity.CPU]"
        )
    missing = found - supported
    if missing:
        names = ", ".join(sorted([one.name for one in missing]))
        warn(f"profile: {names} is not available and is not observed; leave it out of activities")
    return found


def give_way(prof: profile) -> None:
    """Let other profiles start while this one runs; it pauses until they end."""
    prof._gives_way = True


def _refused_constant(text: str) -> Any:
    raise InvalidValueError(f"JSON has no {text}")


def _parsed(operation: str, value: str) -> Any:
    try:
        return json.loads(value, parse_constant=_refused_constant)
    except (TypeError, ValueError) as error:
        raise InvalidValueError(f"{operation}: expected value to be JSON; got {value!r:.60} ({error})") from None
