"""facula.distributed: process groups, collective operations and stores, of the package facula-distributed.

Without that package, `is_available()` is False and there are no other names. May import: siblings. `tensor.py`,
`device_mesh.py`, and sections of `_places.txt` such as `fsdp`, are PyTorch's modules of features without support yet.
"""

from importlib.util import find_spec

from .._lookup.names import publish

if find_spec("facula_distributed") is None:

    def is_available() -> bool:
        """Return whether the package facula-distributed is installed: False."""
        return False

    publish(__name__, otherwise="the package facula-distributed is missing; install it from where facula came from")
else:
    from facula_distributed import (
        DistBackendError,
        DistError,
        DistNetworkError,
        DistStoreError,
        DistTimeoutError,
        MismatchError,
        QueueEmptyError,
        RankError,
        is_available,
    )

    from . import device_mesh, distributed_c10d
    from .device_mesh import DeviceMesh, init_device_mesh
    from .distributed_c10d import *

    publish(__name__, later=("fsdp", "optim", "tensor"))
