"""What sibling packages use beyond the public API: the parts of the hot path."""

from ._bridge import collection_callback, new_instance, rebind, unbind
from ._devices import register_backend
from ._dtypes import (
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    dtype_of_code,
    dtype_of_numpy,
    register_dtype,
)
from ._host import HostMemory
from ._layout_caches import layout_cache_clearers, note_duplicate_layout
from ._layouts import contiguous_strides
from ._plans import (
    STATUS_DIVISOR,
    STATUS_INDEX,
    STATUS_MEMORY,
    STATUS_POSITION,
    STATUS_RANGE,
    STATUS_REQUIRED,
    STATUS_TARGET,
    PlanTable,
    forget_plans,
)
from ._programs import Instruction, Program
from ._recorders import Place, Recorder, current_recorder, made_elsewhere, next_moment, note_read, recorders
from ._retired import buffer_lock, launching_modules, release_idle_memory, release_retired
from ._sequences import Sequence, launch_count
from ._storages import (
    alias,
    allocate,
    borrow,
    capacity,
    check_replaceable,
    collecting,
    host_view,
    order_buffer,
    plain_address,
    replace_buffer,
    root_of,
    take_block,
)

__all__ = [
    "BOOL",
    "COMPLEX",
    "FLOATING",
    "INTEGER",
    "STATUS_DIVISOR",
    "STATUS_INDEX",
    "STATUS_MEMORY",
    "STATUS_POSITION",
    "STATUS_RANGE",
    "STATUS_REQUIRED",
    "STATUS_TARGET",
    "HostMemory",
    "Instruction",
    "Place",
    "PlanTable",
    "Program",
    "Recorder",
    "Sequence",
    "alias",
    "allocate",
    "borrow",
    "buffer_lock",
    "capacity",
    "check_replaceable",
    "collecting",
    "collection_callback",
    "contiguous_strides",
    "current_recorder",
    "dtype_of_code",
    "dtype_of_numpy",
    "forget_plans",
    "host_view",
    "launch_count",
    "launching_modules",
    "layout_cache_clearers",
    "made_elsewhere",
    "new_instance",
    "next_moment",
    "note_duplicate_layout",
    "note_read",
    "order_buffer",
    "plain_address",
    "rebind",
    "recorders",
    "register_backend",
    "register_dtype",
    "release_idle_memory",
    "release_retired",
    "replace_buffer",
    "root_of",
    "take_block",
    "unbind",
]
