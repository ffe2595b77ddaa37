"""facula.distributed: process groups and collective operations, so far for groups of one process.

More than one process raises NotImplementedError. May import: siblings. Where next: `_groups.py` for groups,
`_collectives.py` for collective operations, `_store.py` for keys and values; `tensor.py`, and sections of `_places.txt`
such as `fsdp`, are PyTorch's modules for features that are not supported yet.
"""

from .._lookup.names import publish
from . import device_mesh, distributed_c10d
from ._groups import is_available
from ._store import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from .device_mesh import DeviceMesh, init_device_mesh
from .distributed_c10d import *

publish(__name__, later=("fsdp", "optim", "tensor"))
