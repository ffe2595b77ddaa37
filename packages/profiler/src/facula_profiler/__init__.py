"""facula_profiler: records the work of a program with its times.

May import: facula_errors, NumPy. Other packages of facula are looked up among the loaded modules when a
recording starts. Start at `_trace/records.py` (the records of a recording) and `_trace/trace.py`. Outputs only read
traces: `_summary/`, `_memory/` and `_pages/`, and `_command.py` for the command line.
"""

from facula_errors.extend import imported_later as _imported_later
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

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
    "Comparison",
    "Frame",
    "Kind",
    "Lane",
    "Peaks",
    "Signature",
    "Summary",
    "Trace",
    "compare",
    "export_html",
    "export_memory_timeline",
    "measured_peaks",
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
