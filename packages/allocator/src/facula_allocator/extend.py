"""Functions that sibling packages and tests may use in addition to the public names.

* `available_memory()`: bytes that this process can still allocate.
* `usable_memory()`: bytes that this process may use.
* `block_size(nbytes)`: capacity of the block that serves a request.
* `setting_bytes(name)`: a size read from the environment.
* `refuse_next(count)`: make the next requests to the system fail.
"""

from ._host.regions import refuse_next
from ._host.size_classes import block_size
from ._settings import available_memory, setting_bytes, usable_memory

__all__ = ["available_memory", "block_size", "refuse_next", "setting_bytes", "usable_memory"]
