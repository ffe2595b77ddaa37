"""facula_profiler: records the work of a program with its times.

May import: facula_errors, NumPy. Other packages of facula are looked up among the loaded modules when a
recording starts. Start at `_trace/records.py` (the records of a recording) and `_trace/trace.py`.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._trace.records import EVENT, MEMORY, Frame, Kind, Lane, Signature
from ._trace.trace import Trace

_register("facula_profiler")

__version__ = "0.1.0"

__all__ = ["EVENT", "MEMORY", "Frame", "Kind", "Lane", "Signature", "Trace"]

__dir__ = _published(__name__)
