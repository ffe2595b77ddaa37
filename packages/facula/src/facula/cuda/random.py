"""Random numbers of CUDA devices: seeding is a no-op."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._lookup.absent_device import AbsentDevice, Refusal
from .._lookup.names import publish

if TYPE_CHECKING:
    from facula_tensor import Tensor

__all__ = [
    "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all",
    "set_rng_state", "set_rng_state_all",
]  # fmt: skip

_absent = AbsentDevice("cuda", "CUDA")
get_rng_state: Refusal = _absent.function("get_rng_state")
initial_seed: Refusal = _absent.function("initial_seed")
set_rng_state: Refusal = _absent.function("set_rng_state")


def get_rng_state_all() -> list[Tensor]:
    """Return the states of the generators of all CUDA devices: none."""
    return []


@boundary
def manual_seed(seed: int) -> None:
    """Seed the current CUDA device's generator. A no-op, as there is none. TypeError if `seed` is not an integer.

    >>> manual_seed(1)
    """
    if not hasattr(seed, "__index__"):
        raise InvalidTypeError(f"cuda.manual_seed: expected seed to be an integer; got {seed!r}")


@boundary
def manual_seed_all(seed: int) -> None:
    """Seed the generators of all CUDA devices. A no-op, as there are none."""
    manual_seed(seed)


def seed() -> None:
    """Seed the current CUDA device's generator from the system. A no-op, as there is none."""


def seed_all() -> None:
    """Seed the generators of all CUDA devices from the system. A no-op, as there are none."""


def set_rng_state_all(new_states: object) -> None:
    """Set the states of the generators of all CUDA devices. A no-op, as there are none."""


publish(__name__)
