"""facula_jit: captured steps; a function's tensor work, taken down once and replayed by one call into C.

What it is: the way from a function of tensors to the list of its launches, and back to its results.
May import: facula_tensor, facula_autograd, facula_storage, facula_cpu and their `extend`; facula_checkpoint;
facula_errors; no other sibling. Nothing but the face imports it.
Where next: `docs/jit.md` of the repository.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import passes as passes
from ._breaks import CaptureError
from ._calls import Call, Use, Value
from ._capture import capture
from ._captured import Captured
from ._cond import cond
from ._files.errors import GraphFileError, SaveError
from ._files.loaded import Loaded
from ._files.saving import load, save
from ._graph import Graph
from ._reads.allow import allow
from ._scan import associative_scan, map, scan
from ._script import export, ignore, is_scripting, script, unused
from ._source import SourceError
from ._trace import Traced, TracerWarning, freeze, trace
from ._while_loop import while_loop

_register("facula_jit")

__version__ = "0.1.0"

__all__ = [
    "Call", "CaptureError", "Captured", "Graph", "GraphFileError", "Loaded", "SaveError", "SourceError", "Traced",
    "TracerWarning", "Use", "Value", "allow", "associative_scan", "capture", "cond", "export", "freeze", "ignore",
    "is_scripting", "load", "map", "passes", "save", "scan", "script", "trace", "unused", "while_loop",
]  # fmt: skip

__dir__ = _published(__name__)
