"""facula.random: the default generators of random numbers; the names of facula_tensor, and `fork_rng`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import guarded
from facula_storage import Device, cpu
from facula_tensor import get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from facula_tensor.extend.sampling import default_states, restore_default_states

from ._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from facula_tensor.extend.arguments import DeviceLike

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@guarded
def fork_rng(
    devices: Iterable[DeviceLike | int] | None = None, enabled: bool = True, *, device_type: str = "cuda"
) -> Iterator[None]:
    """Restore the states of the default generators after the block: the CPU's, and those of other devices.

    Arguments:
        devices: the other devices, or their indices; all if None.
        enabled: False disables the block.
        device_type: the type of the devices that are given by their indices.

    >>> import facula
    >>> _ = facula.manual_seed(0)
    >>> with fork_rng():
    ...     inside = facula.rand(2)
    >>> (facula.rand(2) == inside).all().item()
    True
    """
    chosen = {Device(f"{device_type}:{one}" if isinstance(one, int) else one).resolved for one in devices or ()}
    before = default_states()
    try:
        yield
    finally:
        if enabled:
            now = {} if devices is None else default_states()
            others = {device: state for device, state in now.items() if device is not cpu and device not in chosen}
            restore_default_states(before | others)


publish(__name__)
