"""facula_allocator: caching memory allocators for hosts and devices, with exact statistics.

May import: cffi and the standard library; of the siblings, facula_errors.
Rooms, in the order in which memory flows through them:
`_host` (host memory, `HostAllocator`), `drivers` (device memory), `policies` (drivers that wrap drivers), `_blocks`
(the slow path over the block core in csrc/core.h), `_caching` (`CachingAllocator`), `_observers` (listeners and event
history), `traces` and `snapshots`, `_reports` (code that both share), `_replay`.
Start with `_caching/caching_allocator.py`, Note [The slow path] in `_blocks/slow_path.py`, and `_host/process.py` (why
garbage collections matter here).
"""

from facula_errors.extend import imported_later as _imported_later
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._errors import OutOfMemoryError
from ._host.host_allocator import HostAllocator, default_host_allocator
from ._host.host_statistics import SizeClassRow

_register("facula_allocator")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._caching.caching_allocator import CachingAllocator as CachingAllocator
    from ._caching.devices import device_allocator as device_allocator
    from ._caching.devices import known_device_allocators as known_device_allocators
    from ._caching.devices import pinned_allocator as pinned_allocator
    from ._caching.devices import set_device_allocator as set_device_allocator
    from ._caching.following import follow as follow
    from ._caching.following import unfollow as unfollow
    from ._caching.private_pools import MemPool as MemPool
    from ._caching.private_pools import use_mem_pool as use_mem_pool
    from ._caching.recording import Recording as Recording
    from ._caching.recovery import retry_after_oom as retry_after_oom
    from ._caching.recovery import smaller_batches as smaller_batches
    from ._caching.storage_allocator import StorageAllocator as StorageAllocator
    from ._core import Block as Block
    from ._observers.listeners import MemoryEvent as MemoryEvent
    from ._replay.fitting import Fit as Fit
    from ._replay.fitting import SmallestCapacity as SmallestCapacity
    from ._replay.fitting import smallest_capacity as smallest_capacity
    from ._replay.fitting import will_it_fit as will_it_fit
    from ._replay.replay_report import ReplayReport as ReplayReport
    from ._replay.replaying import replay as replay

__all__ = [
    "Block",
    "CachingAllocator",
    "Fit",
    "HostAllocator",
    "MemPool",
    "MemoryEvent",
    "OutOfMemoryError",
    "Recording",
    "ReplayReport",
    "SizeClassRow",
    "SmallestCapacity",
    "StorageAllocator",
    "default_host_allocator",
    "device_allocator",
    "follow",
    "known_device_allocators",
    "pinned_allocator",
    "replay",
    "retry_after_oom",
    "set_device_allocator",
    "smaller_batches",
    "smallest_capacity",
    "unfollow",
    "use_mem_pool",
    "will_it_fit",
]

# Imported on first access, so that programs that only need host memory do not wait for them.
__getattr__ = _imported_later(
    __name__,
    {
        "._caching.caching_allocator": ("CachingAllocator",),
        "._caching.devices": (
            "device_allocator",
            "known_device_allocators",
            "pinned_allocator",
            "set_device_allocator",
        ),
        "._caching.following": ("follow", "unfollow"),
        "._caching.private_pools": ("MemPool", "use_mem_pool"),
        "._caching.recording": ("Recording",),
        "._caching.recovery": ("retry_after_oom", "smaller_batches"),
        "._caching.storage_allocator": ("StorageAllocator",),
        "._core": ("Block",),
        "._observers.listeners": ("MemoryEvent",),
        "._replay.fitting": ("Fit", "SmallestCapacity", "smallest_capacity", "will_it_fit"),
        "._replay.replay_report": ("ReplayReport",),
        "._replay.replaying": ("replay",),
    },
)
__dir__ = _published(__name__)
