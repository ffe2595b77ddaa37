"""facula_profiler: records the work of a program with its times.

May import: facula_storage, facula_errors, NumPy. A recording observes other packages of facula if they are loaded when
it starts. Rooms: `_trace` (the data of a recording), `_recording` (the recorder, over csrc/recorder.h, and
sources of events), `_events` (events, averages, tables), `_profile` (PyTorch's names). Outputs only read traces:
`_summary`, `_memory`, `_pages`, and `_command.py` for the command line. Start at `_profile/profile.py`.
"""

from facula_errors.extend import imported_later as _imported_later
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._events.averages import AverageList, FunctionEventAvg
from ._events.events import DeviceType, EventList, FunctionEvent, Interval
from ._profile.handlers import tensorboard_trace_handler
from ._profile.profile import profile
from ._profile.ranges import record_function
from ._profile.schedules import ProfilerAction, ProfilerActivity, kineto_available, schedule, supported_activities
from ._recording.journal import recover
from ._trace.records import EVENT, MEMORY, Frame, Kind, Lane, Signature
from ._trace.trace import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._pages.memory_timeline import export_memory_timeline
    from ._pages.page import export_html
    from ._summary.comparison import Comparison, compare
    from ._summary.peaks import Peaks, measured_peaks
    from ._summary.summary import Summary

_register("facula_profiler")

__version__ = "0.1.0"

__all__ = [
    "EVENT",
    "MEMORY",
    "AverageList",
    "Comparison",
    "DeviceType",
    "EventList",
    "Frame",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kind",
    "Lane",
    "Peaks",
    "ProfilerAction",
    "ProfilerActivity",
    "Signature",
    "Summary",
    "Trace",
    "compare",
    "export_html",
    "export_memory_timeline",
    "kineto_available",
    "measured_peaks",
    "profile",
    "record_function",
    "recover",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

__getattr__ = _imported_later(
    __name__,
    {
        "._pages.memory_timeline": ("export_memory_timeline",),
        "._pages.page": ("export_html",),
        "._summary.comparison": ("Comparison", "compare"),
        "._summary.peaks": ("Peaks", "measured_peaks"),
        "._summary.summary": ("Summary",),
    },
)

__dir__ = _published(__name__)
