"""facula.distributed: process groups, collective operations and stores, of the package facula-distributed.

Without that package, `is_available()` is False and there are no other names. May import: siblings. Sections of
`_places.txt` such as `pipelining` are PyTorch's modules of features without support yet.
"""

from facula_errors import MissingAttributeError as _MissingAttributeError

from .._lookup.names import publish

try:
    from facula_distributed import (
        DistBackendError,
        DistError,
        DistNetworkError,
        DistStoreError,
        DistTimeoutError,
        MismatchError,
        QueueEmptyError,
        RankError,
        Report,
        Resumable,
        expect_slow,
        is_available,
        report,
        resumable,
        seed,
    )
except ModuleNotFoundError as error:
    if error.name != "facula_distributed":
        raise

    def is_available() -> bool:
        """Return whether the package facula-distributed is installed: False."""
        return False

    def __getattr__(name: str) -> object:
        what = f"module {__name__!r} has no attribute {name!r}: the package facula-distributed is missing"
        raise _MissingAttributeError(f"{what}; install it from where facula came from", name=name)
else:
    from . import distributed_c10d
    from .distributed_c10d import *

    publish(__name__, later=("checkpoint", "fsdp", "optim", "tensor"), lazily={"_loader": "loader"})
