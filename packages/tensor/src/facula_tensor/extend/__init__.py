"""Names for sibling packages beyond the public ones, by subject.

- `declaring`: declarations of operators, and the namespaces that call them.
- `arguments`: checks and types of arguments, and defaults.
- `tensors`: tensors and their parts.
- `overriding`: subclasses that override operators, autocast, function transforms.
- `recording`: recorders of captured functions.
- `reports`: errors that devices report after a launch.
- `modules`: hooks, scopes, and layers that are one operator.
- `optimizers`: the steps of optimizers.
- `processes`: process groups, for packages that do not import facula_distributed.
- `sampling`: draws with gradients.
- `names`: tables of PyTorch's names.

Each of these names can also be imported from this module.
"""

from facula_errors.extend import imported_later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import *
    from .declaring import *
    from .modules import *
    from .names import *
    from .optimizers import *
    from .overriding import *
    from .processes import *
    from .recording import *
    from .reports import *
    from .sampling import *
    from .tensors import *

__getattr__ = imported_later(
    __name__,
    {
        ".arguments": None,
        ".declaring": None,
        ".modules": None,
        ".names": None,
        ".optimizers": None,
        ".overriding": None,
        ".processes": None,
        ".recording": None,
        ".reports": None,
        ".sampling": None,
        ".tensors": None,
    },
)
