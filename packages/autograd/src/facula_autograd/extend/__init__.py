"""Extension interface for packages that define differentiable values, in addition to the public names, by subject.

- `values`: differentiable values and their adapters.
- `nodes`: nodes and rules of recorded operators.
- `saved_values`: values that nodes save.
- `modes`: the mode of a thread.
- `hooks`: hooks on nodes, values and modules.
- `functions`: calls of a user's Function.
- `graphs`: passes over graphs, scopes of modules, and pictures.
- `transforms`: arguments of function transforms, and trees of them.

Each of these names can also be imported from this module.
"""

from facula_errors.extend import imported_later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .functions import *
    from .graphs import *
    from .hooks import *
    from .modes import *
    from .nodes import *
    from .saved_values import *
    from .transforms import *
    from .values import *

__getattr__ = imported_later(
    __name__,
    {
        ".functions": None,
        ".graphs": None,
        ".hooks": None,
        ".modes": None,
        ".nodes": None,
        ".saved_values": None,
        ".transforms": None,
        ".values": None,
    },
)
