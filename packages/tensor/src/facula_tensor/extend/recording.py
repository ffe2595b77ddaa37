"""Recorders of captured functions, the program's line, and containers of results.

- `collecting` is not empty while any thread captures, `current_recorder` returns this thread's recorder.
- `user_site` is the program's line, as a code object and an instruction, `user_frame` the frame; `forget_readers` makes
  the next read of an element notify a recorder. `ACCESSORS` are the modules of the functions by which a program reads a
  tensor's shape.
- `call_in_replays` calls a function of addresses, such as a collective, now and in each replay.
- `take_apart` returns the leaves and the `Shape` of a tree of tuples, lists and dicts, `put_together` the tree.
"""

from facula_errors.extend import imported_later
from facula_storage.extend.recording import collecting, current_recorder

from .._core.call_sites import ACCESSORS, user_frame, user_site
from .._core.errors import launch_error
from .._dispatch.slow_path.launching import call_in_replays
from .._interop.export import forget_readers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from facula_autograd.extend.transforms import Shape, put_together, take_apart

__all__ = [
    "ACCESSORS",
    "Shape",
    "call_in_replays",
    "collecting",
    "current_recorder",
    "forget_readers",
    "launch_error",
    "put_together",
    "take_apart",
    "user_frame",
    "user_site",
]

__getattr__ = imported_later(__name__, {"facula_autograd.extend.transforms": ("Shape", "put_together", "take_apart")})
