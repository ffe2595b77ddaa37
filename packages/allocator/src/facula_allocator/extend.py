"""Functions that sibling packages and tests may use in addition to the public names.

* `available_memory()`: bytes that this process can still allocate.
* `usable_memory()`: bytes that this process may use.
* `block_size(nbytes)`: capacity of the block that serves a request.
* `setting_bytes(name)`: a size read from the environment.
* `observe_regions(report, lane, taken, returned)`: reports memory of the host to a C function.
* `observe_segments(observer)`: reports memory of devices, as it is taken and returned.
* `reserved_bytes()`: bytes that all host allocators have taken from the system.
* `refuse_next(count)`: make the next requests to the system fail.
"""

from facula_errors.extend import imported_later as _imported_later

from ._host.host_allocator import reserved_bytes
from ._host.regions import observe_regions, refuse_next
from ._host.size_classes import block_size
from ._settings import available_memory, setting_bytes, usable_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._caching.devices import observe_segments as observe_segments

__all__ = [
    "available_memory", "block_size", "observe_regions", "observe_segments", "refuse_next", "reserved_bytes",
    "setting_bytes", "usable_memory",
]  # fmt: skip

__getattr__ = _imported_later(__name__, {"._caching.devices": ("observe_segments",)})
