"""facula_allocator: memory that is reused instead of given back, and counted exactly.

What it is: `CachingAllocator`, blocks of any driver's memory (`drivers`), reused by stream; `HostAllocator`, a fast
front for host memory, free lists by size; `snapshots` and `traces` of what they hold and do.
May import: cffi and the standard library; of the siblings, facula_errors.
Where next: `_caching.py` and Note [The slow path] in `_slow_path.py`, over the books in csrc/core.h; `_host.py` and
`_size_classes.py`; `_process.py` (why garbage collections matter here).
"""

from facula_errors.extend import register as _register

from ._core import Block
from ._errors import OutOfMemoryError
from ._host import HostAllocator, default_host_allocator
from ._host_books import SizeClassRow

_register("facula_allocator")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._caching import CachingAllocator as CachingAllocator
    from ._devices import device_allocator as device_allocator
    from ._devices import known_device_allocators as known_device_allocators
    from ._devices import pinned_allocator as pinned_allocator
    from ._devices import set_device_allocator as set_device_allocator
    from ._following import follow as follow
    from ._following import unfollow as unfollow
    from ._listeners import MemoryEvent as MemoryEvent
    from ._pools import MemPool as MemPool
    from ._pools import use_mem_pool as use_mem_pool
    from ._recovery import retry_after_oom as retry_after_oom
    from ._recovery import smaller_batches as smaller_batches
    from ._storage_front import StorageAllocator as StorageAllocator

# Imported when they are first asked for: who takes host memory alone does not wait for them.
_LATER = {
    "CachingAllocator": "_caching",
    "MemPool": "_pools",
    "MemoryEvent": "_listeners",
    "StorageAllocator": "_storage_front",
    "device_allocator": "_devices",
    "follow": "_following",
    "known_device_allocators": "_devices",
    "pinned_allocator": "_devices",
    "set_device_allocator": "_devices",
    "retry_after_oom": "_recovery",
    "smaller_batches": "_recovery",
    "unfollow": "_following",
    "use_mem_pool": "_pools",
}

__all__ = [
    "Block",
    "CachingAllocator",
    "HostAllocator",
    "MemPool",
    "MemoryEvent",
    "OutOfMemoryError",
    "SizeClassRow",
    "StorageAllocator",
    "default_host_allocator",
    "device_allocator",
    "follow",
    "known_device_allocators",
    "pinned_allocator",
    "retry_after_oom",
    "set_device_allocator",
    "smaller_batches",
    "unfollow",
    "use_mem_pool",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
