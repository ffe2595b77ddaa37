"""Storages and their buffers: allocation, exchange and release. For tensors, files and captured functions.

Buffers are replaced with `buffer_lock` held. `launching_modules` are the modules whose running functions may use
addresses: `release_retired` frees replaced buffers when none of them runs. `observe_blocks` is for profilers.
"""

from .._block_observers import observe_layout
from .._interop import sharer_of_arrays
from .._layout_caches import ignore_blocks, observe_blocks
from .._retired import buffer_lock, exchange_idle_memory, launching_modules, release_idle_memory, release_retired
from .._storages import (
    alias,
    allocate,
    borrow,
    capacity,
    check_replaceable,
    host_view,
    replace_buffer,
    root_of,
    take_block,
)

__all__ = [
    "alias",
    "allocate",
    "borrow",
    "buffer_lock",
    "capacity",
    "check_replaceable",
    "exchange_idle_memory",
    "host_view",
    "ignore_blocks",
    "launching_modules",
    "observe_blocks",
    "observe_layout",
    "release_idle_memory",
    "release_retired",
    "replace_buffer",
    "root_of",
    "sharer_of_arrays",
    "take_block",
]
