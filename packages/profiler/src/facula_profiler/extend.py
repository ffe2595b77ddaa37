"""Functions that sibling packages may use in addition to the public names.

* `is_profiling()`: whether a profile records now.
* `give_way(profile)`: lets other profiles start while this one runs. It pauses until they end.
"""

from ._profile.profile import give_way
from ._recording.recording import is_profiling

__all__ = ["give_way", "is_profiling"]
