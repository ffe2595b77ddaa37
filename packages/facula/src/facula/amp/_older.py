"""Code shared by `facula.cpu.amp` and `facula.cuda.amp`: a scaler whose class determines the device type."""

from __future__ import annotations

from .grad_scaler import GradScaler


class OlderGradScaler(GradScaler):
    """A `GradScaler` whose class determines the device. Arguments: those of `facula.amp.GradScaler`."""

    _kind: str

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__(self._kind, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
