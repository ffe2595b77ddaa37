"""Random numbers into tensors that are there: `uniform_`, `normal_`, `random_`; and `normal`, with tensors of means."""

from __future__ import annotations

from sys import _getframe
from typing import Any

from facula_autograd.extend import special
from facula_errors import FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage.extend import FLOATING, PlanTable

from ._creation import finish, with_options
from ._errors import ArgumentError, DTypeError
from ._fresh import fresh, layout_for
from ._generator import Generator
from ._inplace import starts_inplace
from ._memory import check_overlap, check_writable
from ._operator import raw
from ._overrides import asks
from ._planning import broadcast_shapes
from ._promotion import as_integer, as_real, result_type
from ._random import NORMAL, UNIFORM, draw, randint, randn
from ._tensor import Tensor, method, snapshot

__all__ = ["normal"]


def _draw_into(
    name: str, self: Tensor, table: PlanTable, generator: Generator | None, first: float, second: float
) -> Tensor:
    """Fill `self` in place, for a function that the program called."""
    layout = self._layout  # see Note [One moment]
    storage = self._storage
    offset = self._offset
    if special or self.node is not None or storage.version is None or table.dense[layout.dense] is None:
        if starts_inplace(name, self, (self,)):
            raise UnsupportedError(f"{name}: a gradient is wanted through this tensor; call it on .detach()")
        now = snapshot(self)
        layout, storage, offset = now._layout, now._storage, now._offset
        if layout.dtype.category != FLOATING:
            raise DTypeError(f"{name}: expected a floating tensor; got {layout.dtype.name}")
        check_writable(name, now)
        check_overlap(name, now, ())
    draw(layout, storage, offset, table, generator, first, second)
    storage.version += 1  # type: ignore[operator]
    f = _getframe(2)
    storage.mutator = (name, f.f_code, f.f_lasti)
    return self


def _bounds(name: str, first: Any, last: Any, others: dict) -> tuple[Any, Any]:
    """The two ends of a range, called a and b, or from and to: `from` is a word of Python's own."""
    for position, known in enumerate((("from", "a"), ("to", "b"))):
        for one in known:
            if one in others:
                first, last = (others.pop(one), last) if not position else (first, others.pop(one))
    if others:
        raise InvalidTypeError(f"{name}: expected from, to and generator; got an argument {next(iter(others))!r}")
    return first, last


@asks
@method()
def uniform_(
    self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None, **ends: float
) -> Tensor:
    """Fill with numbers drawn evenly from [a, b); PyTorch's `from` and `to` are other names of the two.

    >>> from facula_tensor import empty
    >>> bool((empty(9).uniform_(1, to=2) >= 1).all())
    True
    """
    try:
        first, last = _bounds("uniform_", a, b, ends) if ends else (a, b)
        if type(first) is not float or type(last) is not float:
            first, last = as_real(first, "uniform_", "from"), as_real(last, "uniform_", "to")
        if not first <= last:
            raise ArgumentError(f"uniform_: expected from <= to; got {first} and {last}")
        return _draw_into("uniform_", self, UNIFORM, generator, first, last)
    except FaculaError as error:
        trim_traceback(error)
        raise


@asks
@method()
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with draws from the normal distribution of this mean and standard deviation.

    >>> from facula_tensor import empty
    >>> empty(2).normal_(mean=3, std=0)
    tensor([3., 3.])
    """
    try:
        if type(mean) is not float or type(std) is not float:
            mean, std = as_real(mean, "normal_", "mean"), as_real(std, "normal_", "std")
        if not std >= 0:
            raise ArgumentError(f"normal_: expected a standard deviation of at least 0; got {std}")
        return _draw_into("normal_", self, NORMAL, generator, mean, std)
    except FaculaError as error:
        trim_traceback(error)
        raise


@asks
@boundary
def normal(
    mean: Any,
    std: Any = 1.0,
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
    """Draws from normal distributions: of numbers `mean` and `std` in shape `size`, or one for each of their elements.

    `mean` and `std` may be tensors, which broadcast; no gradient flows to them. ValueError for a negative `std`.

    >>> normal(0.0, 1.0, size=(2, 3)).shape
    facula.Size([2, 3])
    >>> from facula_tensor import tensor
    >>> normal(tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])
    """
    if out is not None or layout is not None or pin_memory:
        return with_options(normal, locals())
    mean, std = [one.detach() if isinstance(one, Tensor) else one for one in (mean, std)]
    tensors = [one for one in (mean, std) if isinstance(one, Tensor)]
    if not tensors:
        if size is None:
            raise InvalidTypeError(
                "normal: expected size to be a tuple of lengths, since mean and std are numbers; got none"
            )
        result = fresh(layout_for("normal", (size,), None, dtype, device), "normal")
        return finish(normal_(result, mean, std, generator=generator), requires_grad)
    if size is not None:
        raise InvalidTypeError(f"normal: expected no size, since mean or std is a tensor; got {size}")
    for name, one in (("mean", mean), ("std", std)):
        if not isinstance(one, Tensor):
            as_real(one, "normal", name)
        elif one.dtype.category != FLOATING:
            raise DTypeError(f"normal: expected {name} to be floating; got {one.dtype.name}; convert with .float()")
    lowest = std.amin().item() if isinstance(std, Tensor) and std.numel() and not std.is_meta else std
    if not isinstance(lowest, Tensor) and not lowest >= 0:
        raise ArgumentError(f"normal: expected std of at least 0; got {lowest}")
    shape = broadcast_shapes("normal", tuple(tensors[0].shape), tuple(tensors[-1].shape))
    chosen = result_type(*tensors) if dtype is None else dtype
    draws = randn(shape, generator=generator, dtype=chosen, device=tensors[0].device if device is None else device)
    return finish(raw.to(raw.add(raw.mul(draws, std), mean), (draws.dtype,)), requires_grad)


@asks
@method()
@boundary
def random_(
    self: Tensor, low: int = 0, high: int | None = None, *, generator: Generator | None = None, **ends: int
) -> Tensor:
    """Fill with integers drawn evenly from `low` to before `high`; also called `from` and `to`."""
    low, high = _bounds("random_", low, high, ends)
    low = as_integer(low, "random_", "from")
    if high is None:
        low, high = (0, low) if low else (0, 1 << min(self.dtype.itemsize * 8 - 1, 24))
    return self.copy_(randint(low, high, tuple(self.shape), generator=generator, device=self.device))
