"""Mixed precision on the CPU, under its deprecated names."""

from __future__ import annotations

from facula_storage import DType, bfloat16

from ... import amp
from ..._lookup.names import publish
from ...amp._older import OlderGradScaler

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """`amp.autocast("cpu", ...)`. Arguments: those of `facula.amp.autocast`.

    >>> import facula
    >>> with autocast():
    ...     (facula.ones(2, 2) @ facula.ones(2, 2)).dtype
    facula.bfloat16
    """

    __slots__ = ()

    def __init__(self, enabled: bool = True, dtype: DType = bfloat16, cache_enabled: bool = True) -> None:
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(OlderGradScaler):
    """`amp.GradScaler("cpu", ...)`."""

    _kind = "cpu"


publish(__name__)
