"""New tensors of random numbers, and the launches that draw them. `generator.py` has the generators."""

from __future__ import annotations

from ctypes import c_float
from math import ceil, sqrt
from typing import TYPE_CHECKING

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError, RangeError
from facula_storage import LaunchError, Layout, Plan, Storage, bool_, contiguous, cpu, float64, int64, meta
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import collecting

from .._core.allocation import fresh, layout_for, place_of
from .._core.errors import launch_error, named
from .._core.number_limits import finfo
from .._core.promotion import as_dtype, as_integer, as_real, check_scalar, number_for
from .._core.tensor import Tensor, make
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.slow_path.launching import launch
from .._dispatch.slow_path.writing import write, write_out
from .._dispatch.value_checks import check_within
from .._dispatch.view_call import as_tensor
from .._dispatch.written import function, maker
from .batches import draw_batched, open_batches
from .filled import empty, layout_like
from .generator import LARGEST, Generator, default_generator, default_generators, source_of_draws

if TYPE_CHECKING:
    from typing import SupportsIndex

    from .._core.types import DeviceLike, DTypeLike, Function, Lengths

# Launches that draw into a contiguous tensor, by its `dense` code: uniformly from an interval, from a normal
# distribution, uniform integers from a range, and 1 with a probability, otherwise 0.
UNIFORM, NORMAL, RANDINT = PlanTable("uniform"), PlanTable("normal"), PlanTable("randint")
BERNOULLI = PlanTable("bernoulli")
DRAWN = frozenset("bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split())  # by BERNOULLI


def fill_with_draws(
    layout: Layout,
    storage: Storage,
    offset: int,
    table: PlanTable,
    generator: Generator | None,
    first: float,
    second: float,
) -> None:
    """Fill a tensor, given by a consistent layout, storage and offset, with draws from a law with two parameters."""
    if generator is None:
        quick = table.dense[layout.dense]
        address = storage.ptr
        if quick is not None and address is not None and not collecting:
            n, device = layout.numel, layout.device
            source = default_generator if device is cpu else default_generators[device]
            key, start, source._offset = source._key, source._offset, source._offset + n  # Note [One draw at a time]
            try:
                quick(n, address + offset, key, start & LARGEST, first, second)
            except LaunchError as error:
                raise named(launch_error(table.operator, error, (layout,))) from None
            return
    fill_slowly(layout, storage, offset, table, generator, first, second)


def fill_slowly(
    layout: Layout, storage: Storage, offset: int, table: PlanTable, generator: object, *numbers: float
) -> None:
    """Fill in all cases, such as a missing plan or strided tensors. `numbers` are the parameters of the law."""
    try:
        source = source_of_draws("draw", generator, layout.device)
    except FaculaError as error:
        raise named(error) from None
    if (table is UNIFORM or table is NORMAL) and layout.dtype.category not in (FLOATING, COMPLEX):
        raise named(DTypeError(f"draw: expected a floating or complex dtype; got {layout.dtype.name}; give dtype="))
    if layout.device is meta:  # no draws, and the generator does not advance
        return
    if not layout.is_contiguous:
        target = make(Tensor, layout, storage, offset)
        compact = fresh(layout_like(table.operator, target, None, None))
        fill_slowly(compact._layout, compact._storage, 0, table, source, *numbers)
        write(target, compact)
        return
    if layout.dtype.category == COMPLEX and (table is UNIFORM or table is NORMAL):
        # Both parts are drawn, and share the normal's variance.
        numbers = (numbers[0], numbers[1] * sqrt(0.5)) if table is NORMAL else numbers
        layout = contiguous((2 * layout.numel,), layout.dtype.to_real(), layout.device)
    key = (layout.dtype, layout.device)
    plan = table.by_key.get(key)
    if plan is None:
        plan = layout.device.backend.plan(table.operator, (), (layout,), ())
        table.add_dense(table.dense, layout.dense, plan)
        plan = table.add(key, plan)
    seed, start = source.advance(layout.numel)
    plain = plan.plain or plan
    sized = Plan(plan.operator, plan.parameters, (layout,), plain.launch, request=plain.request)
    if plan is not plain:
        sized = Plan(plan.operator, plan.parameters, (layout,), plan.launch, inner=sized)
    launch(sized, (), [(storage, offset)], (seed, start, *numbers))


def drawn_batched(layout: Layout, table: PlanTable, generator: Generator | None, first: float, second: float) -> Tensor:
    """Return a new tensor of draws inside `vmap`. The arguments are those of `draw`."""

    def each(layout: Layout) -> Tensor:
        result = fresh(layout, table.operator)
        fill_with_draws(layout, result._storage, 0, table, generator, first, second)
        return result

    return draw_batched(layout, each)


def draws(name: str, what: str, parts: str, table: PlanTable) -> tuple[Function, Function]:
    """Declare and return the functions `name` and `name_like`, which draw by the launches in `table`.

    `what` and `parts` are what the docstrings say of the numbers, and of complex ones.
    """
    name_like = f"{name}_like"
    words = {"name": name, "what": what, "parts": parts}

    @maker(name=name, words=words, inline=True)
    def plain(
        *lengths: Lengths,
        size: Lengths | None = None,
        generator: Generator | None = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> Tensor:
        """Draw {what}; {parts}.

        >>> {name}(2, 3).shape
        facula.Size([2, 3])
        """
        made = layout_for(name, lengths, size, dtype, device)
        result = drawn_batched(made, table, generator, 0.0, 1.0) if open_batches else fresh(made, name)
        if not open_batches:
            fill_with_draws(made, result._storage, 0, table, generator, 0.0, 1.0)
        return result

    @maker("like", name=name_like, words=words, memory_format=True, inline=True)
    def like(
        input: Tensor,
        *,
        generator: Generator | None = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> Tensor:
        """Draw {what}, in the shape, dtype and device of `input`."""
        made = layout_like(name_like, input, dtype, device)
        result = drawn_batched(made, table, generator, 0.0, 1.0) if open_batches else fresh(made, name_like)
        if not open_batches:
            fill_with_draws(made, result._storage, 0, table, generator, 0.0, 1.0)
        return result

    return plain, like


rand, rand_like = draws("rand", "numbers uniformly from [0, 1)", "for complex dtypes, both parts", UNIFORM)
randn, randn_like = draws(
    "randn", "from the standard normal distribution", "each part of complex numbers has variance 1/2", NORMAL
)


@maker()
def randint(
    low: int = 0,
    high: Lengths | None = None,
    size: Lengths | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Draw integers uniformly from `low` (inclusive, 0 by default) to `high` (exclusive).

    Arguments:
        low: the lower bound, inclusive; the upper bound if `high` is omitted.
        high: the upper bound, exclusive; the shape if `size` is omitted and `low` is the upper bound.
        size: the shape.
        dtype: the dtype of the result; int64 if None.

    >>> randint(0, 1, (2,)), randint(1, (2,))
    (tensor([0, 0]), tensor([0, 0]))
    """
    if size is None and isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high = 0, low
    if size is None:
        raise InvalidTypeError("randint: expected size to be a tuple of lengths; got none; as in randint(10, (2, 3))")
    made = layout_for("randint", (size,), None, int64 if dtype is None else dtype, device)
    if (
        type(low) is not int
        or type(high) is not int
        or made.dtype is not int64
        or not -LARGEST <= low < high <= LARGEST
    ):
        low, high = _range_of_integers(low, high, made)
        if made.dtype.category > INTEGER or not made.dtype.promotes:
            whole = randint(low, high, made.shape, generator=generator, device=made.device)
            return no_record_ops.to(whole, (made.dtype,))
    if open_batches:
        return drawn_batched(made, RANDINT, generator, low, high)
    result = fresh(made, "randint")
    fill_with_draws(made, result._storage, 0, RANDINT, generator, low, high)
    return result


def _range_of_integers(low: SupportsIndex, high: object, layout: Layout) -> tuple[int, int]:
    """Return the checked bounds of a range to draw from, for elements of this layout's dtype."""
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
    if layout.dtype.category == INTEGER:
        check_scalar(low, layout.dtype, "randint")
        check_scalar(high - 1, layout.dtype, "randint")
    return low, high


@maker("like", memory_format=True)
def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Draw integers uniformly from `low` (inclusive) to `high` (exclusive), in the shape of `input`.

    `randint_like(input, high)` draws from 0.

    Arguments:
        low: the lower bound, inclusive.
        high: the upper bound, exclusive.

    >>> from facula_tensor import ones
    >>> randint_like(ones(2), 1)
    tensor([0., 0.])
    """
    made = layout_like("randint_like", input, dtype, device)
    ends = (low, high) if high is not None else (0, low)
    return randint(*ends, made.shape, generator=generator, dtype=made.dtype, device=made.device)


@maker()
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the integers from 0 to n - 1 in random order.

    Arguments:
        n: the number of integers.
        dtype: the dtype of the result; int64 if None.

    >>> sorted(randperm(4).tolist())
    [0, 1, 2, 3]
    """
    n = as_integer(n, "randperm", "n")
    if n < 0:
        raise ArgumentError(f"randperm: expected n of at least 0; got {n}")
    kind = int64 if dtype is None else as_dtype(dtype, "randperm")
    if dtype is not None:
        number_for(max(n - 1, 0), kind, "randperm")
        if kind.category == FLOATING and n - 1 > 2 / finfo(kind).eps:
            raise ArgumentError(
                f"randperm: expected a dtype that has all integers below {n}; got {kind.name}; use int64"
            )
    place = place_of(device)
    if place is meta:
        return empty(n, dtype=kind, device=meta)
    keys = rand(n, generator=generator, dtype=float64, device=place)
    order = no_record_ops.sort(keys, (0, False))[1]
    if kind is not int64:
        order = no_record_ops.to(order, (kind,))
    return order.requires_grad_() if requires_grad else order


def bernoulli_draws(layout: Layout, chance: float, generator: Generator | None = None) -> Tensor:
    """Return a new contiguous tensor: 1 with this probability, otherwise 0."""
    if layout.dtype.name not in DRAWN:
        drawn = bernoulli_draws(contiguous(layout.shape, bool_, layout.device), chance, generator)
        return no_record_ops.to(drawn, (layout.dtype,))

    def each(layout: Layout) -> Tensor:
        result = fresh(layout, "bernoulli")
        fill_slowly(layout, result._storage, 0, BERNOULLI, generator, chance)
        return result

    return draw_batched(layout, each) if open_batches else each(layout)


def in_steps(chance: float) -> float:
    """Return the probability that a number of `rand` is below `chance`: these are multiples of 2^-24."""
    return ceil(c_float(chance).value * 2**24) / 2**24


@function(method=True)
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Draw 1 with the probability given by each element, otherwise 0. ValueError for probabilities outside [0, 1].

    If `p` is given, it is the probability for all elements, and only the shape, dtype and device of `input` are used.
    The gradient of the probabilities is 0.

    Arguments:
        input: the probabilities, from 0 to 1.
        p: a single probability for all elements.

    >>> bernoulli(tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    chances = as_tensor("bernoulli", input)
    if p is not None:
        share = as_real(p, "bernoulli", "p")
        if not 0 <= share <= 1:
            raise ArgumentError(f"bernoulli: expected a probability p from 0 to 1; got {share}")
        made = contiguous(chances.shape, chances.dtype, chances.device)
        return write_out("bernoulli", bernoulli_draws(made, in_steps(share), generator), out)
    if chances.dtype.category != FLOATING:
        raise DTypeError(
            f"bernoulli: expected probabilities in a floating dtype; got {chances.dtype.name}; convert with .float()"
        )
    check_within("bernoulli", "input, a probability,", chances)
    draws = rand(tuple(chances.shape), generator=generator, dtype=chances.dtype, device=chances.device)
    answer = no_record_ops.to(no_record_ops.lt(draws, chances), (chances.dtype,))
    if chances.node is not None and out is None and is_grad_enabled():
        return recorded_ops.add(answer, recorded_ops.mul(chances, 0))
    return write_out("bernoulli", answer, out)
