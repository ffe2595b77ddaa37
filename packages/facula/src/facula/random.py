"""facula.random: the default generator of random numbers; the names of facula_tensor, and `fork_rng`."""

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
    """Random numbers of a block of their own: the default generator is after the block where it was before.

    Arguments:
        devices, device_type: no difference: there are no other devices whose generators could be kept.
        enabled: False: do nothing.

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
