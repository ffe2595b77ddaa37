"""Selection of attention kernels, for compatibility with PyTorch: a single kernel serves every selection."""

from __future__ import annotations

from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary, published

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """PyTorch's kernels of `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@boundary
def sdpa_kernel(
    backends: SDPBackend | Sequence[SDPBackend], set_priority: bool = False
) -> AbstractContextManager[None]:
    """Return a context that selects kernels in PyTorch. Here it has no effect: one kernel serves all cases.

    TypeError if a backend is not an `SDPBackend`.

    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     pass
    """
    given = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(given, (list, tuple, set)) or not all(isinstance(backend, SDPBackend) for backend in given):
        raise InvalidTypeError(f"sdpa_kernel: expected an SDPBackend or a list of them; got {backends!r:.60}")
    return _no_effect()


@contextmanager
def _no_effect() -> Iterator[None]:
    yield


__dir__ = published(__name__)
