"""Generators of random numbers (Philox 4x32-10, by counter), and the default ones.

A draw depends only on (seed, offset, element number), not on strides, threads or devices.
J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

import os
from struct import Struct
from typing import TYPE_CHECKING
from weakref import WeakSet

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Device, cpu, meta, uint8
from facula_storage.extend.recording import current_recorder, generator_lists, recorders

from .._core.errors import relabel, shown
from .._core.promotion import as_integer
from .._core.tensor import Tensor
from .batches import open_batches, reserved

if TYPE_CHECKING:
    from .._core.types import DeviceLike

LARGEST = (1 << 63) - 1
PYTORCH_BYTES = 5056  # of a Mersenne Twister, the state of PyTorch's CPU generator
_PAIR = Struct("<2Q")  # a state: the seed, and the count of numbers drawn
_of_devices: WeakSet[Generator] = WeakSet()

# Note [One draw at a time]
# ~~~~~~~~~~~~~~~~~~~~~~~~~
# Two threads must never draw the same numbers. Python switches threads at calls and at backward jumps, but not
# between plain loads and stores (as in Note [One moment]). Therefore code that advances or sets a generator
# does so in one statement without calls, and needs no lock. (A lock would cost half as much as a small draw,
# and a fork could leave it locked.) `_offset` can exceed 63 bits if a state near the end was set, and is
# truncated when used.


@boundary
class Generator:
    """A stream of random numbers: a seed, and the count of numbers drawn so far.

    >>> from facula_tensor import rand
    >>> a, b = Generator().manual_seed(1), Generator().manual_seed(1)
    >>> rand(3, generator=a).tolist() == rand(3, generator=b).tolist()
    True
    """

    device: Device

    def __init__(self, device: DeviceLike = "cpu"):
        #: The device of the tensors that it can fill.
        self.device = Device(device).resolved
        self.device.backend  # RuntimeError if there is none  # noqa: B018
        self._key = 0x9E3779B97F4A7C15 & LARGEST  # the seed as a signed integer, as kernels take it
        self._offset = 0  # the number of values drawn: see Note [One draw at a time]
        if self.device is not cpu:
            _of_devices.add(self)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.device, state_pair(self))

    def manual_seed(self, seed: int) -> Generator:
        """Restart from `seed` (any 64-bit integer)."""
        seed = as_integer(seed, "manual_seed", "seed")
        if not -(1 << 63) <= seed < 1 << 64:
            raise ArgumentError(f"manual_seed: expected a 64-bit integer; got {seed}")
        if recorders:
            self._tell(seed)
        self._key, self._offset = seed - (1 << 64) if seed >> 63 > 0 else seed, 0
        return self

    def seed(self) -> int:
        """Restart from a seed provided by the operating system, and return it."""
        if recorders and (recorder := current_recorder()) is not None:
            recorder.read("seed")
        seed = int.from_bytes(os.urandom(8), "little") & LARGEST
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed in use."""
        return self._key & ((1 << 64) - 1)

    def get_state(self) -> Tensor:
        """The state for `set_state`: the bytes of the seed and of the count of numbers drawn, (16,) of uint8."""
        if recorders and (recorder := current_recorder()) is not None:
            recorder.read("get_state")
        from .from_memory import frombuffer

        return frombuffer(bytearray(_PAIR.pack(*state_pair(self))), dtype=uint8)

    def set_state(self, state: Tensor | tuple[int, int]) -> Generator:
        """Restore a state.

        Arguments:
            state: a result of `get_state`, or the pair (seed, numbers drawn). A state of PyTorch's CPU generator, whose
                numbers cannot be continued, is a seed.
        """
        pair = _pair_of(state)
        if recorders:
            self._tell(pair[1])
        seed, offset = int(pair[0]), int(pair[1])
        self._key, self._offset = seed - (1 << 64) if seed >> 63 else seed, offset
        return self

    def _tell(self, number: int) -> None:
        """Notify this thread's recorder, if any, of the number before the state is set."""
        recorder = current_recorder()
        if recorder is not None:
            recorder.seeded(self, number)

    def advance(self, count: int) -> tuple[int, int]:
        """Reserve `count` numbers; return the seed and offset to draw them from, as signed 64-bit integers."""
        try:
            if open_batches:
                count = reserved(count)
            key, start, self._offset = self._key, self._offset, self._offset + count
            if recorders:
                recorder = current_recorder()
                if recorder is not None:
                    return recorder.drawn(self, key, start & LARGEST, count)
            return key, start & LARGEST
        except FaculaError as error:  # so that `boundary` leaves it without a wrapper: Note [Trimming]
            trim_traceback(error)
            raise


def state_pair(generator: Generator) -> tuple[int, int]:
    """Return the state of a generator as numbers: (seed, numbers drawn)."""
    key, offset = generator._key, generator._offset
    seed, offset = key & ((1 << 64) - 1), offset & LARGEST
    recorder = current_recorder() if recorders else None
    return (seed, offset) if recorder is None else recorder.state_of(generator, seed, offset)


def derived_seed(state: bytes) -> int:
    """Return a seed that depends on all bytes of a state."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(state, digest_size=8).digest(), "little") >> 1


def _pair_of(state: object) -> tuple[int, int]:
    """Return the seed and the count of numbers drawn that a state contains."""
    numbers = state
    if isinstance(state, Tensor):
        numbers = ()
        if state.dtype is uint8 and state.numel() in (_PAIR.size, PYTORCH_BYTES):
            data = state.cpu().numpy().tobytes()
            numbers = _PAIR.unpack(data) if len(data) == _PAIR.size else (derived_seed(data), 0)
    if isinstance(numbers, (tuple, list)) and len(numbers) == 2:
        seed, offset = numbers
        if all([isinstance(number, int) and not isinstance(number, bool) for number in numbers]) and (
            0 <= seed < 1 << 64 and 0 <= offset <= LARGEST
        ):
            return seed, offset
    raise InvalidTypeError(
        f"set_state: expected a state that get_state returned, {_PAIR.size} bytes in a uint8 tensor, or the pair "
        f"(seed, numbers drawn); got {shown(state)}; to start from a number, call manual_seed"
    )


def _generators_for(device: Device) -> list[Generator]:
    """Return the device's default generator and all others of its type."""
    default_generators[device]  # created on its first use
    return [one for one in list(_of_devices) if one.device.type == device.type]


generator_lists.append(_generators_for)


def _restored(device: Device, state: tuple[int, int]) -> Generator:
    """The inverse of pickling."""
    return Generator(device).set_state(state)


# Note [Default generators]
# ~~~~~~~~~~~~~~~~~~~~~~~~~
# Each device except "meta" has a default generator, which is created on its first draw. Like those in use, it starts
# from the seed of the last `manual_seed`, so the same program draws the same numbers on every device.
class DefaultGenerators(dict[Device, Generator]):
    """The default generators by device, whose index is resolved: Note [Default generators]."""

    def __missing__(self, device: Device) -> Generator:
        made = Generator(device)
        made._key, made._offset = _start
        return self.setdefault(device, made)


default_generator: Generator = Generator()  # the CPU's; `manual_seed` seeds it
default_generators = DefaultGenerators({cpu: default_generator, meta: default_generator})
_start: list[int] = [default_generator._key, 0]  # the key and offset of generators that are created later


def source_of_draws(operation: str, generator: object, device: Device) -> Generator:
    """Return the generator for a draw on `device`; check one that the caller chose."""
    if generator is None:
        return default_generators[device]
    if not isinstance(generator, Generator):
        got = f"{type(generator).__name__} {generator!r:.60}"
        raise InvalidTypeError(f"{operation}: expected generator to be a Generator, or None; got {got}")
    if generator.device.type != device.type and device is not meta:
        raise ArgumentError(
            f"{operation}: expected a generator for device '{device}', where the tensor is; got one for "
            f"'{generator.device}'"
        )
    return generator


@boundary
def manual_seed(seed: int) -> Generator:
    """Restart the default generators of all devices from `seed`, and return the CPU's.

    >>> from facula_tensor import rand
    >>> _ = manual_seed(0)
    >>> a = rand(2)
    >>> _ = manual_seed(0)
    >>> (rand(2) == a).all().item()
    True
    """
    default_generator.manual_seed(seed)
    _restart_others()
    return default_generator


def restart_default_generators(seed: int, offset: int) -> None:
    """Restart the default generators of all devices from `seed`, as if they had drawn `offset` numbers."""
    manual_seed(seed)
    default_generator.set_state((default_generator.initial_seed(), offset))
    _restart_others()


@boundary
def seed() -> int:
    """Restart the default generators of all devices from a seed provided by the operating system, and return it."""
    made = default_generator.seed()
    _restart_others()
    return made


def _restart_others() -> None:
    _start[:] = default_generator._key, default_generator._offset
    for generator in list(default_generators.values()):
        if generator is not default_generator:
            generator.set_state(_start_state())


def _start_state() -> tuple[int, int]:
    return _start[0] & ((1 << 64) - 1), _start[1]


def initial_seed() -> int:
    """Return the seed of the CPU's default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the CPU's default generator: the bytes of its seed and of the count of numbers drawn.

    >>> get_rng_state().dtype, get_rng_state().shape
    (facula.uint8, facula.Size([16]))
    """
    return default_generator.get_state()


@boundary
def set_rng_state(new_state: Tensor | tuple[int, int]) -> None:
    """Set the state of the CPU's default generator.

    Arguments:
        new_state: a result of `get_rng_state`, or the pair (seed, numbers drawn). A state of PyTorch's CPU generator,
            whose numbers cannot be continued, is a seed.
    """
    try:
        default_generator.set_state(new_state)
    except TypeError as error:
        relabel(error, "set_rng_state")
        raise


def default_states() -> dict[Device, tuple[int, int]]:
    """Return the states of all default generators, by device."""
    return {
        device: state_pair(generator) for device, generator in list(default_generators.items()) if device is not meta
    }


def restore_default_states(states: dict[Device, tuple[int, int]]) -> None:
    """Restore a result of `default_states`. Generators that were created since then start again."""
    for device, generator in list(default_generators.items()):
        if device is not meta:
            generator.set_state(states.get(device, _start_state()))


class repeating:
    """Context manager in which the default generators continue from `states`; afterwards their previous states are
    restored."""

    def __init__(self, states: dict[Device, tuple[int, int]]):
        self.states = states

    def __enter__(self) -> None:
        self.before = default_states()
        restore_default_states(self.states)

    def __exit__(self, *exc: object) -> None:
        restore_default_states(self.before)
