"""facula_allocator: memory that is reused instead of given back, and counted exactly.

What it is: `CachingAllocator`, blocks of any driver's memory (`drivers`), reused by stream; `HostAllocator`, a fast
front for host memory, free lists by size; `snapshots` and `traces` of what they hold and do.
May import: cffi and the standard library; of the siblings, facula_errors.
Where next: `_caching.py` and Note [The slow path] in `_slow_path.py`, over the books in csrc/core.h; `_host.py` and
`_size_classes.py`; `_process.py` (why garbage collections matter here).
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register
from facula_errors.extend import settle as _settle

from ._errors import OutOfMemoryError
from ._host import HostAllocator, default_host_allocator
from ._host_books import SizeClassRow

_register("facula_allocator")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._caching import CachingAllocator as CachingAllocator
    from ._core import Block as Block
    from ._devices import device_allocator as device_allocator
    from ._devices import known_device_allocators as known_device_allocators
    from ._devices import pinned_allocator as pinned_allocator
    from ._devices import set_device_allocator as set_device_allocator
    from ._fitting import Fit as Fit
    from ._fitting import SmallestCapacity as SmallestCapacity
    from ._fitting import smallest_capacity as smallest_capacity
    from ._fitting import will_it_fit as will_it_fit
    from ._following import follow as follow
    from ._following import unfollow as unfollow
    from ._listeners import MemoryEvent as MemoryEvent
    from ._pools import MemPool as MemPool
    from ._pools import use_mem_pool as use_mem_pool
    from ._recording import Recording as Recording
    from ._recovery import retry_after_oom as retry_after_oom
    from ._recovery import smaller_batches as smaller_batches
    from ._replay_report import ReplayReport as ReplayReport
    from ._replaying import replay as replay
    from ._storage_front import StorageAllocator as StorageAllocator

# Imported when they are first asked for: who takes host memory alone does not wait for them.
_LATER = {
    "Block": "_core",
    "CachingAllocator": "_caching",
    "Fit": "_fitting",
    "MemPool": "_pools",
    "MemoryEvent": "_listeners",
    "Recording": "_recording",
    "ReplayReport": "_replay_report",
    "SmallestCapacity": "_fitting",
    "StorageAllocator": "_storage_front",
    "device_allocator": "_devices",
    "follow": "_following",
    "known_device_allocators": "_devices",
    "pinned_allocator": "_devices",
    "replay": "_replaying",
    "retry_after_oom": "_recovery",
    "set_device_allocator": "_devices",
    "smaller_batches": "_recovery",
    "smallest_capacity": "_fitting",
    "unfollow": "_following",
    "use_mem_pool": "_pools",
    "will_it_fit": "_fitting",
}

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


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = found
    _settle(__name__, name, found)
    return found


__dir__ = _published(__name__)
