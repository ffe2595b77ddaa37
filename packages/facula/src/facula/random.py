"""facula.random: the default random number generator; the names of facula_tensor, and `fork_rng`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import guarded
from facula_tensor import get_rng_state, initial_seed, manual_seed, seed, set_rng_state

from ._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


@guarded
def fork_rng(devices: object = None, enabled: bool = True, *, device_type: str | None = None) -> Iterator[None]:
    """Restore the state of the default generator after the block.

    Arguments:
        devices, device_type: ignored: there are no other devices with a generator.
        enabled: False disables the block.

    >>> import facula
    >>> _ = facula.manual_seed(0)
    >>> with fork_rng():
    ...     inside = facula.rand(2)
    >>> (facula.rand(2) == inside).all().item()
    True
    """
    before = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if before is not None:
            set_rng_state(before)


publish(__name__)
