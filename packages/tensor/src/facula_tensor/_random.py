"""Random numbers: a generator (Philox 4x32-10, by counter) and the functions that draw from it.

A draw is a function of (seed, offset, element number) alone: neither strides nor threads nor devices change it.
J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Device, float64, int64
from facula_storage.extend import FLOATING, PlanTable, plain_address

from ._creation import empty, finish, with_options
from ._errors import ArgumentError, DTypeError, RangeError, named, relabel
from ._fresh import new_empty
from ._from_data import tensor
from ._operator import raw, recording
from ._overrides import asks
from ._promotion import as_dtype, as_integer, as_real, check_scalar, number_for
from ._tensor import Tensor, layout_of_tensor, method
from ._viewing import as_tensor
from .ops.choosing import check_within
from .ops.copying import give, write
from .ops.shape import sizes

if TYPE_CHECKING:
    from ._types import DeviceLike

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]

_MASK = (1 << 63) - 1


@boundary
class Generator:
    """A stream of random numbers: a seed, and how many numbers have been drawn.

    >>> a, b = Generator().manual_seed(1), Generator().manual_seed(1)
    >>> rand(3, generator=a).tolist() == rand(3, generator=b).tolist()
    True
    """

    device: Device

    def __init__(self, device: DeviceLike = "cpu"):
        #: Where the tensors are that may be filled from it.
        self.device = Device(device)
        self.device.backend  # RuntimeError where there is none  # noqa: B018
        self._lock = Lock()
        self._seed, self._offset = 0x9E3779B97F4A7C15 & _MASK, 0

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.device, self.get_state())

    def manual_seed(self, seed: int) -> Generator:
        """Start over from `seed` (any 64-bit integer)."""
        seed = as_integer(seed, "manual_seed", "seed")
        if not -(1 << 63) <= seed < 1 << 64:
            raise ArgumentError(f"manual_seed: expected a 64-bit integer; got {seed}")
        with self._lock:
            self._seed, self._offset = seed & ((1 << 64) - 1), 0
        return self

    def seed(self) -> int:
        """Start over from a seed that the operating system gives, and return it."""
        seed = int.from_bytes(os.urandom(8), "little") & _MASK
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed in use."""
        return self._seed

    def get_state(self) -> tuple[int, int]:
        """What `set_state` takes back: (seed, numbers drawn)."""
        return self._seed, self._offset

    def set_state(self, state: tuple[int, int]) -> Generator:
        """Go on from a state that `get_state` gave."""
        numbers = state if isinstance(state, (tuple, list)) and len(state) == 2 else ()
        if [type(one) for one in numbers] != [int, int] or not (0 <= state[0] < 1 << 64 and 0 <= state[1] <= _MASK):
            raise InvalidTypeError(
                f"set_state: expected the pair (seed, numbers drawn) that get_state gave; got {state!r}"
            )
        seed, offset = state
        with self._lock:
            self._seed, self._offset = seed, offset
        return self

    def advance(self, count: int) -> tuple[int, int]:
        """Reserve `count` numbers: the seed and offset to draw them from, as signed 64-bit integers."""
        try:
            with self._lock:
                offset = self._offset
                self._offset = (offset + count) & _MASK
            seed = self._seed
            return seed - (1 << 64) if seed >> 63 else seed, offset
        except FaculaError as error:
            trim_traceback(error)
            raise


def _restored(device: Device, state: tuple[int, int]) -> Generator:
    """The inverse of pickling."""
    return Generator(device).set_state(state)


default_generator: Generator = Generator()


@boundary
def manual_seed(seed: int) -> Generator:
    """Start the default generator over from `seed`, and return it.

    >>> _ = manual_seed(0)
    >>> a = rand(2)
    >>> _ = manual_seed(0)
    >>> bool((rand(2) == a).all())
    True
    """
    return default_generator.manual_seed(seed)


@boundary
def seed() -> int:
    """Start the default generator over from a seed of the operating system's."""
    return default_generator.seed()


def initial_seed() -> int:
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state() -> tuple[int, int]:
    """The default generator's state."""
    return default_generator.get_state()


@boundary
def set_rng_state(new_state: tuple[int, int]) -> None:
    """Set the default generator's state, to one that `get_rng_state` gave."""
    try:
        default_generator.set_state(new_state)
    except TypeError as error:
        relabel(error, "set_rng_state")
        raise


class repeating:
    """A context manager in which the default generator goes on from `state`, and afterwards from where it was."""

    def __init__(self, state: tuple[int, int]):
        self.state = state

    def __enter__(self) -> None:
        self.before = get_rng_state()
        set_rng_state(self.state)

    def __exit__(self, *exc: object) -> None:
        set_rng_state(self.before)


def draw(target: Tensor, kernel: str, generator: Generator | None, *arguments: Any) -> None:
    """Fill `target` (a snapshot) with draws. Strided targets are filled by way of a contiguous one."""
    layout = target._layout
    storage = target._storage
    offset = target._offset
    if generator is None and layout.is_contiguous:
        try:  # as below, when all is as usual
            launch = _table.by_key[kernel, layout.dtype, layout.device].launch
            if storage.ptr is not None:  # before the generator moves: a second try must not draw twice
                seed, start = default_generator.advance(layout.numel)
                launch(layout.numel, storage.ptr + offset, seed, start, *arguments)
                return
        except KeyError:
            pass
    if not layout.is_contiguous:
        fresh = empty(layout.shape, dtype=layout.dtype, device=layout.device)
        draw(fresh, kernel, generator, *arguments)
        write(target, fresh)
        return
    key = (kernel, layout.dtype, layout.device)
    plan = _table.by_key.get(key)
    if plan is None:
        plan = _table.add(key, layout.device.backend.plan(kernel, (), (layout,), ()))
    source = default_generator if generator is None else generator
    if not isinstance(source, Generator):
        raise named(
            InvalidTypeError(
                f"draw: expected generator to be a Generator, or None; got {type(source).__name__} {source!r:.60}"
            )
        )
    if generator is not None and generator.device.type != layout.device.type:
        raise named(
            ArgumentError(f"draw: generator is for device '{generator.device}'; the tensor is on '{layout.device}'")
        )
    plain_address(storage)  # before the generator moves: a second try must not draw twice
    seed, start = source.advance(layout.numel)
    plan.launch(layout.numel, storage.ptr + offset, seed, start, *arguments)  # type: ignore[operator]


_table = PlanTable("random")


def new_floating(lengths: tuple, size: Any, operation: str, dtype: Any, device: Any) -> Tensor:
    """An uninitialised tensor to draw into; DTypeError unless the dtype is floating."""
    if dtype is not None:
        dtype = as_dtype(dtype, operation)
        if dtype.category != FLOATING:
            raise named(DTypeError(f"{operation}: expected a floating dtype; got {dtype.name}; give dtype="))
    return new_empty(lengths, size, dtype, device, operation)


def rand(
    *lengths: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1).

    >>> rand(2, 3).shape
    facula.Size([2, 3])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return with_options(rand, lengths, out, layout, pin_memory, size=size, generator=generator, **options)
        result = new_floating(lengths, size, "rand", dtype, device)
        draw(result, "uniform", generator, 0.0, 1.0)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def randn(
    *lengths: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1.

    >>> randn(2, 3).shape
    facula.Size([2, 3])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return with_options(randn, lengths, out, layout, pin_memory, size=size, generator=generator, **options)
        result = new_floating(lengths, size, "randn", dtype, device)
        draw(result, "normal", generator, 0.0, 1.0)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def randint(
    low: int = 0,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Integers drawn evenly from `low` (0 where left out) to before `high`; int64 unless `dtype` is given.

    >>> randint(0, 1, (2,))
    tensor([0, 0])
    """
    if out is not None or layout is not None or pin_memory:
        options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
        return with_options(randint, (low, high, size), out, layout, pin_memory, generator=generator, **options)
    if size is None and isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high = 0, low
    if size is None:
        raise InvalidTypeError("randint: expected size to be a tuple of lengths; got none; as in randint(10, (2, 3))")
    low, high = as_integer(low, "randint", "low"), as_integer(high, "randint", "high")
    if not low < high:
        raise named(ArgumentError(f"randint: expected low < high; got {low} and {high}"))
    for which, bound in (("low", low), ("high", high)):
        if not -(1 << 63) <= bound < 1 << 63:
            raise named(
                RangeError(
                    f"randint: expected {which} to be an integer of 64 bits, {-(1 << 63)} to {(1 << 63) - 1}; "
                    f"got {bound}"
                )
            )
    result = empty(*sizes("randint", (size,)), dtype=int64 if dtype is None else dtype, device=device)
    if result.dtype.category == 1:
        check_scalar(low, result.dtype, "randint")
        check_scalar(high - 1, result.dtype, "randint")
    if result.dtype.category > 1:
        whole = empty(result.shape, dtype=int64, device=device)
        draw(whole, "randint", generator, low, high)
        return finish(raw.to(whole, (result.dtype,)), requires_grad)
    draw(result, "randint", generator, low, high)
    return finish(result, requires_grad)


@boundary
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The integers 0 to n - 1 in random order (int64 unless `dtype` is given).

    >>> sorted(randperm(4).tolist())
    [0, 1, 2, 3]
    """
    if out is not None or layout is not None or pin_memory:
        options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
        return with_options(randperm, (n,), out, layout, pin_memory, generator=generator, **options)
    n = as_integer(n, "randperm", "n")
    if n < 0:
        raise ArgumentError(f"randperm: expected n of at least 0; got {n}")
    if dtype is not None:
        number_for(max(n - 1, 0), as_dtype(dtype, "randperm"), "randperm")
    keys = rand(n, generator=generator, dtype=float64)
    order = keys.numpy().argsort(kind="stable")
    return tensor(order, dtype=int64 if dtype is None else dtype, device=device, requires_grad=requires_grad)


@boundary
def rand_like(input: Tensor, *, memory_format: Any = None, **options: Any) -> Tensor:
    """`rand` of the shape, dtype and device of `input`."""
    layout = layout_of_tensor(as_tensor("rand_like", input))
    result = rand(layout.shape, **{"dtype": layout.dtype, "device": layout.device, **options})
    return result if memory_format is None else raw.in_format(result, memory_format)


@boundary
def randn_like(input: Tensor, *, memory_format: Any = None, **options: Any) -> Tensor:
    """`randn` of the shape, dtype and device of `input`."""
    layout = layout_of_tensor(as_tensor("randn_like", input))
    result = randn(layout.shape, **{"dtype": layout.dtype, "device": layout.device, **options})
    return result if memory_format is None else raw.in_format(result, memory_format)


@asks
@method()
@boundary
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """1 with the probability that each element gives, else 0. ValueError for probabilities outside [0, 1].

    With a number `p` that is the probability of all, and of `input` only shape, dtype and device count. No gradient
    flows to the probabilities: it is 0.

    >>> bernoulli(tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    chances = as_tensor("bernoulli", input)
    if p is not None:
        share = as_real(p, "bernoulli", "p")
        if not 0 <= share <= 1:
            raise ArgumentError(f"bernoulli: expected a probability p from 0 to 1; got {share}")
        draws = rand(tuple(chances.shape), generator=generator, device=chances.device)
        return give("bernoulli", raw.to(raw.lt(draws, share), (chances.dtype,)), out)
    if chances.dtype.category != FLOATING:
        raise DTypeError(
            f"bernoulli: expected probabilities in a floating dtype; got {chances.dtype.name}; convert with .float()"
        )
    if not chances.is_meta:
        check_within("bernoulli", "input, a probability,", chances)
    draws = rand(tuple(chances.shape), generator=generator, dtype=chances.dtype, device=chances.device)
    answer = raw.to(raw.lt(draws, chances), (chances.dtype,))
    if chances.node is not None and out is None and is_grad_enabled():
        return recording.add(answer, recording.mul(chances, 0))
    return give("bernoulli", answer, out)
