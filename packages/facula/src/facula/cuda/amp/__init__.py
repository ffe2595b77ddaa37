"""Mixed precision on a CUDA device, by its older names: there is none, so nothing is cast or scaled."""

from __future__ import annotations

from functools import partial
from typing import Any

from facula_storage import DType, float16

from ... import amp
from ..._names import publish

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

custom_fwd: partial[Any] = partial(amp.custom_fwd, device_type="cuda")
custom_bwd: partial[Any] = partial(amp.custom_bwd, device_type="cuda")


def amp_definitely_not_available() -> bool:
    """Whether there is no CUDA device: True."""
    return True


class autocast(amp.autocast):
    """`amp.autocast("cuda", ...)`: a warning says that nothing is cast."""

    __slots__ = ()

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler("cuda", ...)`: a warning says that nothing is scaled."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


publish(__name__, later=("autocast_mode", "grad_scaler"))
