"""Mixed precision on CUDA devices, under its deprecated names."""

from __future__ import annotations

from functools import partial

from facula_storage import DType, float16

from ... import amp, cuda
from ..._lookup.names import publish
from ..._types import AnyValue
from ...amp._older import OlderGradScaler

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

custom_fwd: partial[AnyValue] = partial(amp.custom_fwd, device_type="cuda")  # `amp.custom_fwd` for CUDA
custom_bwd: partial[AnyValue] = partial(amp.custom_bwd, device_type="cuda")  # `amp.custom_bwd` for CUDA


def amp_definitely_not_available() -> bool:
    """Return whether there is no CUDA device."""
    return not cuda.is_available()


class autocast(amp.autocast):
    """`amp.autocast("cuda", ...)`, which warns and does not cast without a device.

    Arguments: those of `facula.amp.autocast`.
    """

    __slots__ = ()

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(OlderGradScaler):
    """`amp.GradScaler("cuda", ...)`, which warns and does not scale without a device."""

    _kind = "cuda"


publish(__name__)
