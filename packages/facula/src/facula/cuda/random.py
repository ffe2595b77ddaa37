"""Random numbers of CUDA devices: their default generators.

`facula.manual_seed` seeds them, too. Without a device, seeding has no effect, as in PyTorch.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import Device
from facula_tensor import Generator
from facula_tensor.extend.sampling import default_generators as generators_by_device

from .._lookup.absent_device import CudaDevice, cuda_backend
from .._lookup.names import publish
from .._types import AnyValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_tensor import Tensor
    from facula_tensor.extend.arguments import DeviceLike

    State = Tensor | tuple[int, int]

__all__ = [
    "default_generators", "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all",
    "seed", "seed_all", "set_rng_state", "set_rng_state_all",
]  # fmt: skip

_absent = CudaDevice()


def _generator(name: str, device: DeviceLike | int = "cuda") -> Generator:
    """Return the default generator of a device; RuntimeError if there is none."""
    _absent.needed(name)
    return generators_by_device[Device(f"cuda:{device}" if isinstance(device, int) else device).resolved]


def _generators() -> list[Generator]:
    return list(default_generators)


class _DefaultGenerators(Sequence[Generator]):
    """The default generators of all devices, by index. Without a device there are none."""

    def __len__(self) -> int:
        backend = cuda_backend()
        return 0 if backend is None else int(backend.device_count())

    def __getitem__(self, index: AnyValue) -> AnyValue:
        found = range(len(self))[index]
        return (
            _generator("default_generators", found) if isinstance(found, int) else tuple(map(self.__getitem__, found))
        )

    def __repr__(self) -> str:
        return repr(tuple(self))


default_generators: Sequence[Generator] = _DefaultGenerators()


@boundary
def get_rng_state(device: DeviceLike | int = "cuda") -> Tensor:
    """Return the state of a device's default generator, for `set_rng_state`: 16 bytes, in a tensor on the CPU."""
    return _generator("get_rng_state", device).get_state()


@boundary
def get_rng_state_all() -> list[Tensor]:
    """Return the states of the default generators of all devices."""
    return [generator.get_state() for generator in _generators()]


@boundary
def set_rng_state(new_state: State, device: DeviceLike | int = "cuda") -> None:
    """Set the state of a device's default generator to a result of `get_rng_state`."""
    _generator("set_rng_state", device).set_state(new_state)


@boundary
def set_rng_state_all(new_states: Iterable[State]) -> None:
    """Set the states of the default generators of all devices. A no-op without a device."""
    for generator, state in zip(_generators(), new_states, strict=False):
        generator.set_state(state)


@boundary
def manual_seed(seed: int) -> None:
    """Restart the current device's default generator from a seed. A no-op without a device.

    TypeError if `seed` is not an integer.

    >>> manual_seed(1)
    """
    _check(seed)
    if cuda_backend() is not None:
        _generator("manual_seed").manual_seed(seed)


@boundary
def manual_seed_all(seed: int) -> None:
    """Restart the default generators of all devices from a seed. A no-op without a device."""
    _check(seed)
    for generator in _generators():
        generator.manual_seed(seed)


def _check(seed: object) -> None:
    if not hasattr(seed, "__index__"):
        raise InvalidTypeError(f"cuda.manual_seed: expected seed to be an integer; got {seed!r}")


def seed() -> None:
    """Restart the current device's default generator from a seed of the system. A no-op without a device."""
    manual_seed(int.from_bytes(os.urandom(7), "little"))


def seed_all() -> None:
    """Restart the default generators of all devices from a seed of the system. A no-op without a device."""
    manual_seed_all(int.from_bytes(os.urandom(7), "little"))


@boundary
def initial_seed() -> int:
    """Return the seed of the current device's default generator."""
    return _generator("initial_seed").initial_seed()


publish(__name__)
