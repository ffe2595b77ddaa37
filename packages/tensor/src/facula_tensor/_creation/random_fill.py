"""Filling of existing tensors with random numbers: `uniform_`, `normal_`, `random_`; and `normal` for new ones."""

from __future__ import annotations

from math import inf
from sys import _getframe
from typing import TYPE_CHECKING

from facula_autograd.extend.modes import active_modes, replace_mode
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import contiguous, cpu
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER
from facula_storage.extend.plans import PlanTable

from .._core.allocation import fresh, layout_for
from .._core.memory import check_overlap, check_writable
from .._core.promotion import as_integer, as_real, result_type
from .._core.tensor import Tensor, elements, layout_of_tensor, method, snapshot
from .._core.wrapped import LevelLayout
from .._dispatch.namespaces import no_record_ops
from .._dispatch.overrides import overridable
from .._dispatch.slow_path.inplace_checks import starts_inplace
from .._dispatch.slow_path.launching import mutated
from .._dispatch.slow_path.planning import broadcast_shapes
from .._dispatch.value_checks import refuse_outside
from .batches import open_batches
from .filled import finish, with_options
from .generator import LARGEST, Generator, default_generator, default_generators
from .random import NORMAL, RANDINT, UNIFORM, drawn_batched, fill_with_draws, randint, randn

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._core.types import DeviceLike, DTypeLike, Lengths, Number, Scalar


def _draw_into(
    name: str, self: Tensor, table: PlanTable, generator: Generator | None, first: float, second: float
) -> Tensor:
    """Fill `self` in place, for a public function."""
    layout = self._layout  # see Note [One moment]
    storage = self._storage
    offset = self._offset
    if open_batches or isinstance(layout, LevelLayout):
        return _draw_new_into(name, self, table, generator, first, second)
    launch = table.dense[layout.dense]
    if (
        generator is None
        and self.node is None
        and not (active_modes or launch is None or (address := storage.ptr) is None or storage.version is None)
    ):  # `draw`, inlined
        n, device = layout.numel, layout.device
        source = default_generator if device is cpu else default_generators[device]
        key, start, source._offset = source._key, source._offset, source._offset + n  # Note [One draw at a time]
        launch(n, address + offset, key, start & LARGEST, first, second)
    else:
        if starts_inplace(name, self, (self,)):
            raise UnsupportedError(f"{name}: a gradient is wanted through this tensor; call it on .detach()")
        now = snapshot(self)
        layout, storage, offset = now._layout, now._storage, now._offset
        _check_dtype(name, layout, table)
        check_writable(name, now)
        check_overlap(name, now, ())
        fill_with_draws(layout, storage, offset, table, generator, first, second)
        mutated(now, name)
        return self
    storage.version += 1  # type: ignore[operator]
    f = _getframe(2)
    storage.mutator = (name, f.f_code, f.f_lasti)
    return self


def _check_dtype(name: str, layout: Layout, table: PlanTable) -> None:
    if layout.dtype.category not in ((INTEGER,) if table is RANDINT else (FLOATING, COMPLEX)):
        raise DTypeError(f"{name}: expected a floating or complex tensor; got {layout.dtype.name}")


def _draw_new_into(
    name: str, self: Tensor, table: PlanTable, generator: Generator | None, first: float, second: float
) -> Tensor:
    """Fill `self` inside a transform, through a new tensor."""
    layout = layout_of_tensor(self)
    _check_dtype(name, layout, table)
    made = contiguous(layout.shape, layout.dtype, layout.device)
    with replace_mode(grad=False):
        return self.copy_(drawn_batched(made, table, generator, first, second))


def _ends_of_range(name: str, first: Number, last: Number, others: dict[str, Number]) -> tuple[Number, Number]:
    """Return the bounds of a range, named a and b, or from and to; `from` is a keyword in Python."""
    for position, known in enumerate((("from", "a"), ("to", "b"))):
        for key in known:
            if key in others:
                first, last = (others.pop(key), last) if not position else (first, others.pop(key))
    if others:
        raise InvalidTypeError(f"{name}: expected from, to and generator; got an argument {next(iter(others))!r}")
    return first, last


@overridable
@method()
def uniform_(
    self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None, **ends: float
) -> Tensor:
    """Fill with numbers drawn uniformly from [a, b). As in PyTorch, the bounds may also be passed as `from` and `to`.

    Arguments:
        a: the lower bound.
        b: the upper bound.
        generator: the source of random numbers; the default generator if None.
        ends: `from` and `to`, other names of the bounds.

    >>> from facula_tensor import empty
    >>> bool((empty(9).uniform_(1, to=2) >= 1).all())
    True
    """
    try:
        if ends:
            a, b = _ends_of_range("uniform_", a, b, ends)
        if not (type(a) is float or type(a) is int) or not (type(b) is float or type(b) is int):
            a, b = as_real(a, "uniform_", "from"), as_real(b, "uniform_", "to")
        if not a <= b:
            raise ArgumentError(f"uniform_: expected from <= to; got {a} and {b}")
        return _draw_into("uniform_", self, UNIFORM, generator, a, b)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _mean_and_deviation(name: str, mean: Scalar | Tensor, std: Scalar | Tensor) -> tuple[float, float]:
    """Check a mean and a standard deviation; return them as Python numbers."""
    mean, std = as_real(mean, name, "mean"), as_real(std, name, "std")
    if not std >= 0:
        raise ArgumentError(f"{name}: expected a standard deviation of at least 0; got {std}")
    return mean, std


@overridable
@method()
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with draws from the normal distribution with this mean and standard deviation.

    Arguments:
        mean: the mean.
        std: the standard deviation.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import empty
    >>> empty(2).normal_(mean=3, std=0)
    tensor([3., 3.])
    """
    try:
        if (
            not (type(mean) is float or type(mean) is int)
            or not (type(std) is float or type(std) is int)
            or not std >= 0
        ):
            mean, std = _mean_and_deviation("normal_", mean, std)
        return _draw_into("normal_", self, NORMAL, generator, mean, std)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@boundary
def normal(
    mean: Scalar | Tensor,
    std: Scalar | Tensor = 1.0,
    size: Lengths | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Draw from normal distributions: in the shape `size`, or one number for each element of `mean` and `std`.

    `mean` and `std` may be tensors, which broadcast; they receive no gradient. ValueError for a negative `std`.

    Arguments:
        mean: the mean, or a tensor of means.
        std: the standard deviation, or a tensor of them.
        size: the shape; omit it if `mean` or `std` is a tensor.
        generator: the source of random numbers; the default generator if None.
        out: the tensor to write the result to; a new one if None.
        dtype: the dtype of the result; if None that of the tensors, or the default floating dtype.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; if None that of the tensors, or the CPU.
        requires_grad: whether the result requires a gradient.
        pin_memory: whether the result is in pinned memory.

    >>> normal(0.0, 1.0, size=(2, 3)).shape
    facula.Size([2, 3])
    >>> from facula_tensor import tensor
    >>> normal(tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])
    """
    if out is not None or layout is not None or pin_memory:
        return with_options(normal, locals())
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise InvalidTypeError(
                "normal: expected size to be a tuple of lengths, since mean and std are numbers; got none"
            )
        if (
            not (type(mean) is float or type(mean) is int)
            or not (type(std) is float or type(std) is int)
            or not std >= 0
        ):
            mean, std = _mean_and_deviation("normal", mean, std)
        made = layout_for("normal", (size,), None, dtype, device)
        if open_batches:
            return finish(drawn_batched(made, NORMAL, generator, mean, std), requires_grad)
        result = fresh(made, "normal")
        fill_with_draws(made, result._storage, 0, NORMAL, generator, mean, std)
        return finish(result, requires_grad)
    mean, std = [argument.detach() if isinstance(argument, Tensor) else argument for argument in (mean, std)]
    tensors = [argument for argument in (mean, std) if isinstance(argument, Tensor)]
    if size is not None:
        raise InvalidTypeError(f"normal: expected no size, since mean or std is a tensor; got {size}")
    for name, argument in (("mean", mean), ("std", std)):
        if not isinstance(argument, Tensor):
            as_real(argument, "normal", name)
        elif argument.dtype.category != FLOATING and not (name == "mean" and argument.dtype.category == COMPLEX):
            raise DTypeError(
                f"normal: expected {name} to be floating; got {argument.dtype.name}; convert with .float()"
            )
    if isinstance(std, Tensor):
        refuse_outside(
            std, 0, inf, lambda: _negative_deviation(elements(std).amin().item()), lambda: _negative_deviation("less")
        )
    elif not (number := as_real(std, "normal", "std")) >= 0:
        raise _negative_deviation(number)
    shape = broadcast_shapes("normal", tuple(tensors[0].shape), tuple(tensors[-1].shape))
    chosen = result_type(*tensors) if dtype is None else dtype
    draws = randn(shape, generator=generator, dtype=chosen, device=tensors[0].device if device is None else device)
    return finish(
        no_record_ops.to(no_record_ops.add(no_record_ops.mul(draws, std), mean), (draws.dtype,)), requires_grad
    )


def _negative_deviation(found: Number | str) -> ArgumentError:
    return ArgumentError(f"normal: expected std of at least 0; got {found}")


@overridable
@method()
def random_(
    self: Tensor, low: int = 0, high: int | None = None, *, generator: Generator | None = None, **ends: int
) -> Tensor:
    """Fill with integers drawn uniformly from `low` (inclusive) to `high` (exclusive).

    The bounds may also be passed as `from` and `to`.

    Arguments:
        low: the lower bound, inclusive; the upper bound if `high` is None.
        high: the upper bound, exclusive; if both bounds are omitted, the largest number of the dtype, at most 2^24.
        generator: the source of random numbers; the default generator if None.
        ends: `from` and `to`, other names of the bounds.
    """
    try:
        if ends:
            low, high = _ends_of_range("random_", low, high, ends)
        if type(low) is not int:
            low = as_integer(low, "random_", "from")
        if high is None:
            low, high = (0, low) if low else (0, 1 << min(self.dtype.itemsize * 8 - 1, 24))
        if type(high) is int and -LARGEST <= low < high <= LARGEST and self.dtype.category == INTEGER:
            return _draw_into("random_", self, RANDINT, generator, low, high)
        return self.copy_(randint(low, high, tuple(self.shape), generator=generator, device=self.device))
    except FaculaError as error:
        trim_traceback(error)
        raise
