"""What sibling packages use beyond the public API: the parts of the hot path."""

from ._afresh import forgetting, met_twin
from ._bridge import blank, collection_callback, rebind
from ._devices import register_backend
from ._dtypes import (
    BOOL,
    COMPLEX,
    DTYPES_PER_DEVICE,
    FLOATING,
    INTEGER,
    dtype_of_code,
    dtype_of_numpy,
    register_dtype,
)
from ._host import HostMemory
from ._layouts import contiguous_strides
from ._plans import (
    STATUS_DIVISOR,
    STATUS_INDEX,
    STATUS_MEMORY,
    STATUS_POSITION,
    STATUS_RANGE,
    STATUS_TARGET,
    STATUS_UNSUPPORTED,
    PlanTable,
)
from ._retired import changing, launching_modules, quiet_moment, release_retired
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
    take,
)

__all__ = [
    "BOOL",
    "COMPLEX",
    "DTYPES_PER_DEVICE",
    "FLOATING",
    "INTEGER",
    "STATUS_DIVISOR",
    "STATUS_INDEX",
    "STATUS_MEMORY",
    "STATUS_POSITION",
    "STATUS_RANGE",
    "STATUS_TARGET",
    "STATUS_UNSUPPORTED",
    "HostMemory",
    "PlanTable",
    "alias",
    "allocate",
    "blank",
    "borrow",
    "capacity",
    "changing",
    "check_replaceable",
    "collecting",
    "collection_callback",
    "contiguous_strides",
    "dtype_of_code",
    "dtype_of_numpy",
    "forgetting",
    "host_view",
    "launching_modules",
    "met_twin",
    "order_buffer",
    "plain_address",
    "quiet_moment",
    "rebind",
    "register_backend",
    "register_dtype",
    "release_retired",
    "replace_buffer",
    "take",
]
