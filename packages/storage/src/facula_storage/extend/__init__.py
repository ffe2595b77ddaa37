"""Names for sibling packages in addition to the public API, by subject.

- `devices`: backends.
- `layouts`: categories of dtypes, and caches that layouts invalidate.
- `memory`: storages and their buffers.
- `plans`: plans of launches, programs of elementwise operators, and the status codes of kernels.
- `recording`: recorders of captured functions.
- `replay`: sequences of launches that run again without Python.
- `objects`: functions in C on types and instances.

Each of these names can also be imported from this module.
"""

from facula_errors.extend import imported_later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .devices import *
    from .layouts import *
    from .memory import *
    from .objects import *
    from .plans import *
    from .recording import *
    from .replay import *

__getattr__ = imported_later(
    __name__,
    {
        ".devices": None,
        ".layouts": None,
        ".memory": None,
        ".objects": None,
        ".plans": None,
        ".recording": None,
        ".replay": None,
    },
)
