"""facula.distributed: processes that work together: a group of one so far, in which collective operations give back
what they get.

More than one process is refused by name. May import: siblings. Where next: `_groups.py` for groups, `_collectives.py`
for what they do together, `_store.py` for keys and values; `fsdp.py`, `tensor.py` and others are PyTorch's places for
what is not there yet.
"""

from .._lookup.names import publish
from . import device_mesh, distributed_c10d
from ._groups import is_available
from ._store import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from .device_mesh import DeviceMesh, init_device_mesh
from .distributed_c10d import *

publish(__name__, later=("fsdp", "optim", "tensor"))
