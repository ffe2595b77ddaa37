"""The older profile of `torch.autograd.profiler`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import published as _published

from ._profile.profile import profile as _profile
from ._profile.schedules import ProfilerActivity

if TYPE_CHECKING:
    from ._events.events import EventList

__all__ = ["profile"]


class profile(_profile):
    """A profile of a block, under the name and with the arguments of `torch.autograd.profiler.profile`.

    Arguments:
        enabled: whether to record; otherwise the block runs as usual, and there are no results.
        use_cuda: whether to observe CUDA.
        use_device: "cuda" to observe it, or None.
        record_shapes, with_flops, profile_memory, with_stack, with_modules, acc_events: as in
            `facula_profiler.profile`.
        use_kineto, use_cpu, experimental_config, custom_trace_id_callback: accepted for PyTorch's programs.

    >>> import facula_profiler
    >>> with profile() as prof, facula_profiler.record_function("work"):
    ...     pass
    >>> [event.name for event in prof.function_events]
    ['work']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: None = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
    ):
        activities = {ProfilerActivity.CPU}
        if use_cuda or use_device == "cuda":
            activities.add(ProfilerActivity.CUDA)
        super().__init__(
            activities=activities, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
            acc_events=acc_events, custom_trace_id_callback=custom_trace_id_callback,
        )  # fmt: skip
        self.enabled = enabled

    def start(self) -> None:
        """Start, if enabled."""
        if self.enabled:
            super().start()

    @property
    def function_events(self) -> EventList:
        """The recorded events."""
        return self.events()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events on the host, each counted once."""
        return self.events().self_cpu_time_total

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """Return a table of all events. Arguments are those of `AverageList.table`."""
        return self.events().table(sort_by, row_limit, **options)

    def total_average(self) -> Any:
        """Return the sums over all events."""
        return self.events().total_average()


__dir__ = _published(__name__)
