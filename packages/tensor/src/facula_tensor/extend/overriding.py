"""Changes of the meaning of calls: subclasses that override operators, autocast, function transforms.

- `overridable` lets subclasses that override operators intercept a composite function; in a block of
  `disable_overrides` they are plain tensors. `overridden` returns whether one of some tensors is not.
  `make_overridable` does so for functions of a module, at no cost until such a subclass has an instance.
- `Autocast` is the state of a block of mixed precision, `autocast_state` that of this thread; `watch_functions` makes
  functions check for it.
- `batches_of` returns the levels at which a tensor is batched, `in_transform` whether a transform is active.
"""

from .._core.wrapped import batches_of, in_transform
from .._dispatch.autocast import Autocast, autocast_state
from .._dispatch.overrides import (
    disable_overrides,
    overridable,
    overridden,
    plain_torch_function,
    watch_functions,
)
from .._dispatch.torch_function import make_overridable

__all__ = [
    "Autocast",
    "autocast_state",
    "batches_of",
    "disable_overrides",
    "in_transform",
    "make_overridable",
    "overridable",
    "overridden",
    "plain_torch_function",
    "watch_functions",
]
