"""Mixed precision on the CPU, by its older names."""

from __future__ import annotations

from facula_storage import DType, bfloat16

from ... import amp
from ..._names import publish

__all__ = ["GradScaler", "autocast"]


class autocast(amp.autocast):
    """`amp.autocast("cpu", ...)`.

    >>> import facula
    >>> with autocast():
    ...     (facula.ones(2, 2) @ facula.ones(2, 2)).dtype
    facula.bfloat16
    """

    __slots__ = ()

    def __init__(self, enabled: bool = True, dtype: DType = bfloat16, cache_enabled: bool = True) -> None:
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler("cpu", ...)`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


publish(__name__, later=("autocast_mode", "grad_scaler"))
