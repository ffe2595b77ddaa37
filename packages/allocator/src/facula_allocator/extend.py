"""What sibling packages and tests may use beyond the public names.

`available_memory()` is what this process could still take;
`block_size(nbytes)` is the capacity of the block that serves a request; `usable_memory()` the bytes
that this process may use; `setting_bytes(name)` reads a size from the environment;
`refuse_next(count)` makes the next requests to the system fail.
"""

from ._host.regions import refuse_next
from ._host.size_classes import block_size
from ._settings import available_memory, setting_bytes, usable_memory

__all__ = ["available_memory", "block_size", "refuse_next", "setting_bytes", "usable_memory"]
