"""facula_jit: captured functions, whose kernel launches are recorded once and replayed by one call into C.

Rooms, in the order in which a call uses them: `_capture` finds the cache entry of its signature; `_recording` records
the first run, `_guards` the Python state that it reads, and `_autograd` its backward passes; `_graph` and `passes`
transform the recording, `_replay` runs it, `_files` and `onnx` write it to files. `_control_flow`, `_script` and
`_source` implement control flow that depends on tensors.
May import: facula_tensor, facula_autograd, facula_storage, facula_cpu and their `extend`; facula_checkpoint;
facula_errors; no other sibling. Of the siblings, only facula imports it. Where next: docs/packages/jit.md.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import passes as passes
from ._capture.captured import Captured
from ._capture.decorator import capture
from ._control_flow.cond import cond
from ._control_flow.scan import associative_scan, map, scan
from ._control_flow.while_loop import while_loop
from ._files.errors import GraphFileError, SaveError
from ._files.loaded import Loaded
from ._files.saving import load, save
from ._graph.calls import Call, Use, Value
from ._graph.graph import Graph
from ._guards.allow import allow
from ._recording.graph_breaks import CaptureError
from ._script.scripting import export, ignore, is_scripting, script, unused
from ._script.trace import Traced, TracerWarning, freeze, trace
from ._source.function_ast import SourceError

_register("facula_jit")

__version__ = "0.1.0"

__all__ = [
    "Call", "CaptureError", "Captured", "Graph", "GraphFileError", "Loaded", "SaveError", "SourceError", "Traced",
    "TracerWarning", "Use", "Value", "allow", "associative_scan", "capture", "cond", "export", "freeze", "ignore",
    "is_scripting", "load", "map", "passes", "save", "scan", "script", "trace", "unused", "while_loop",
]  # fmt: skip

__dir__ = _published(__name__)
