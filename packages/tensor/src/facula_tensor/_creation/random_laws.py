"""Filling of existing tensors with draws from further distributions: `bernoulli_`, `exponential_` and others."""

from __future__ import annotations

from math import log1p, pi
from typing import TYPE_CHECKING

from facula_autograd import no_grad
from facula_errors import ArgumentError, DTypeError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage import contiguous, float32, float64
from facula_storage.extend.layouts import FLOATING, INTEGER

from .._core.memory import check_overlap, check_writable
from .._core.promotion import as_real
from .._core.tensor import Tensor, method, snapshot
from .._dispatch.overrides import overridable
from .._dispatch.slow_path.inplace_checks import starts_inplace
from .._dispatch.slow_path.launching import mutated
from .batches import open_batches
from .generator import Generator
from .random import BERNOULLI, DRAWN, bernoulli, bernoulli_draws, fill_slowly, in_steps, rand, randn

if TYPE_CHECKING:
    from facula_storage import DType


def _target(name: str, self: Tensor, least: int = FLOATING) -> DType:
    """Return the dtype to compute a tensor's draws in; raise if the tensor cannot be filled with them."""
    if starts_inplace(name, self, (self,)):
        raise UnsupportedError(f"{name}: a gradient is wanted through this tensor; call it on .detach()")
    now = snapshot(self)
    category = now._layout.dtype.category
    if not least <= category <= FLOATING:
        kind = "floating" if least == FLOATING else "floating or integer"
        raise DTypeError(f"{name}: expected a {kind} tensor; got {now._layout.dtype.name}")
    check_writable(name, now)
    check_overlap(name, now, ())
    return float64 if now._layout.dtype is float64 else float32


def _fill_without_grad(self: Tensor, values: Tensor) -> Tensor:
    with no_grad():
        return self.copy_(values)


def _uniform_open(self: Tensor, dtype: DType, generator: Generator | None) -> Tensor:
    """Return numbers from (0, 1)."""
    share = rand(tuple(self.shape), generator=generator, dtype=dtype, device=self.device)
    return share.clamp_(min=2.0**-25 if dtype is float32 else 2.0**-54)


def _above_zero(name: str, what: str, value: object) -> float:
    """Return `value` as a float; ValueError, naming the argument `what`, unless it is positive."""
    number = as_real(value, name, what)
    if not number > 0:
        raise ArgumentError(f"{name}: expected {what} above 0; got {number}")
    return float(number)


@overridable
@method()
@boundary
def bernoulli_(self: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability `p`, otherwise 0; supports all dtypes.

    Arguments:
        p: the probability, or a tensor of probabilities, which broadcasts.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import tensor, zeros
    >>> zeros(2).bernoulli_(tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    if starts_inplace("bernoulli_", self, (self,)):
        raise UnsupportedError("bernoulli_: a gradient is wanted through this tensor; call it on .detach()")
    now = snapshot(self)
    check_writable("bernoulli_", now)
    check_overlap("bernoulli_", now, ())
    if isinstance(p, Tensor):
        with no_grad():
            return self.copy_(bernoulli(p.detach().expand(self.shape), generator=generator))
    share = as_real(p, "bernoulli_", "p")
    if not 0 <= share <= 1:
        raise ArgumentError(f"bernoulli_: expected a probability p from 0 to 1; got {share}")
    layout, chance = now._layout, in_steps(share)
    if open_batches or layout.dtype.name not in DRAWN or not layout.is_contiguous:
        return _fill_without_grad(
            self, bernoulli_draws(contiguous(self.shape, self.dtype, self.device), chance, generator)
        )
    fill_slowly(layout, now._storage, now._offset, BERNOULLI, generator, chance)
    mutated(now, "bernoulli_")
    return self


@overridable
@method()
@boundary
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with draws from the exponential distribution of rate `lambd`; all are positive.

    Arguments:
        lambd: the rate, above 0.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import empty
    >>> bool((empty(9).exponential_(2.0) > 0).all())
    True
    """
    rate = _above_zero("exponential_", "lambd", lambd)
    share = _uniform_open(self, _target("exponential_", self), generator)
    return _fill_without_grad(self, share.neg_().log1p_().div_(-rate))


@overridable
@method()
@boundary
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with draws from the geometric distribution: the number of trials up to the first success, from 1.

    Arguments:
        p: the probability of success, between 0 and 1.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import empty
    >>> bool((empty(9).geometric_(0.5) >= 1).all())
    True
    """
    chance = as_real(p, "geometric_", "p")
    if not 0 < chance < 1:
        raise ArgumentError(f"geometric_: expected a probability p above 0 and below 1; got {chance}")
    _target("geometric_", self, INTEGER)
    share = _uniform_open(self, float64, generator)
    return _fill_without_grad(self, share.log_().div_(log1p(-chance)).ceil_())


@overridable
@method()
@boundary
def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with draws from the Cauchy distribution with this median and half width at half maximum.

    Arguments:
        median: the median.
        sigma: the half width at half maximum, above 0; half of the draws are closer to the median.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import empty
    >>> empty(3).cauchy_().shape
    facula.Size([3])
    """
    middle, width = as_real(median, "cauchy_", "median"), _above_zero("cauchy_", "sigma", sigma)
    share = _uniform_open(self, _target("cauchy_", self), generator)
    return _fill_without_grad(self, share.sub_(0.5).mul_(pi).tan_().mul_(width).add_(middle))


@overridable
@method()
@boundary
def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fill with exp(x) for draws x from the normal distribution with this mean and standard deviation.

    Arguments:
        mean: the mean of x.
        std: the standard deviation of x.
        generator: the source of random numbers; the default generator if None.

    >>> from facula_tensor import empty
    >>> bool((empty(9).log_normal_() > 0).all())
    True
    """
    middle, width = as_real(mean, "log_normal_", "mean"), _above_zero("log_normal_", "std", std)
    draws = randn(tuple(self.shape), generator=generator, dtype=_target("log_normal_", self), device=self.device)
    return _fill_without_grad(self, draws.mul_(width).add_(middle).exp_())
