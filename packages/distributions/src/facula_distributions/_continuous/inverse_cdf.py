"""Continuous distributions with simple inverse CDFs: uniform, exponential, Laplace, Gumbel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, ones_like, rand, where
from facula_tensor.extend.tensors import elements

from .. import constraints
from .._distribution import Distribution
from .._transforms.elementwise import AffineTransform, ExpTransform
from ..utils import eps_of, tiny_of
from .location_scale import Located, LocationScale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._transforms.transform import Transform
    from ..constraints import Constraint

Value = float | Tensor

EULER = 0.57721566490153286061


class _InverseCdfDistribution(Distribution):
    """Base class of distributions that apply `_inverse` to uniform random numbers."""

    has_rsample = True

    def _inverse(self, share: Tensor) -> Tensor:
        raise self._undefined("icdf")

    def _reference_parameter(self) -> Tensor:
        """Return a parameter, for dtype and device."""
        return next(vars(self)[name] for name in self.arg_constraints)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        like = self._reference_parameter()
        share = rand(self._extended_shape(sample_shape), dtype=like.dtype, device=like.device)
        return self._inverse(share.clamp(min=eps_of(like.dtype) / 4))  # strictly between 0 and 1, for finite results

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        if self._validate_args:
            self._check("the value", constraints.unit_interval, value)
        return self._inverse(value)


@boundary
class Uniform(_InverseCdfDistribution):
    """The uniform distribution from `low` to `high`, excluding `high`.

    Arguments:
        low: the lower bound, a number or a tensor.
        high: the exclusive upper bound, above `low`.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: with validation, `low` is not below `high`.

    >>> from facula_tensor import tensor
    >>> Uniform(0.0, 4.0).log_prob(tensor(1.0)).exp()
    tensor(0.2500)
    """

    arg_constraints = {
        "low": constraints.dependent,
        "high": constraints.dependent,
    }
    low: Tensor
    high: Tensor

    def __init__(self, low: Value, high: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(low=low, high=high), (), validate_args)
        if self._validate_args and not elements(self.low < self.high).all().item():
            raise InvalidValueError(f"Uniform: expected low below high; got low={low}, high={high}")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        """The interval from low to high."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """(low + high) / 2."""
        return (self.low + self.high) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: all values are equally likely."""
        return self.low.detach() * math.nan

    @property
    def variance(self) -> Tensor:
        """(high - low)² / 12."""
        width = self.high - self.low
        return width * width / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        share = rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self._inverse(share)

    def _inverse(self, share: Tensor) -> Tensor:
        return self.low + share * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        inside = (value >= self.low) & (value < self.high)
        return where(inside, -(self.high - self.low).log(), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return (self.high - self.low).log()


@boundary
class Exponential(_InverseCdfDistribution):
    """The exponential distribution: the time to an event that occurs `rate` times per unit of time on average.

    >>> Exponential(4.0).mean
    tensor(0.2500)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    rate: Tensor

    def __init__(self, rate: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(rate=rate), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """1 / rate."""
        return 1 / self.rate

    @property
    def mode(self) -> Tensor:
        """0."""
        return self.rate.detach() * 0

    @property
    def stddev(self) -> Tensor:
        """1 / rate."""
        return 1 / self.rate

    @property
    def variance(self) -> Tensor:
        """1 / rate²."""
        return 1 / (self.rate * self.rate)

    def _inverse(self, share: Tensor) -> Tensor:
        return -(-share).log1p() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return -(-self.rate * value).expm1()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1 - self.rate.log()


class _LocationScale(LocationScale, _InverseCdfDistribution):
    """Base class of those with a location and a scale."""

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc


@boundary
class Laplace(Located, _LocationScale):
    """The Laplace distribution: density exp(-|x - loc| / scale) / (2 scale).

    >>> from facula_tensor import tensor
    >>> Laplace(0.0, 1.0).cdf(tensor(0.0))
    tensor(0.5000)
    """

    @property
    def stddev(self) -> Tensor:
        """sqrt(2) scale."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self) -> Tensor:
        """2 scale²."""
        return 2 * self.scale * self.scale

    def _inverse(self, share: Tensor) -> Tensor:
        side = share - 0.5
        return self.loc - self.scale * side.sign() * (-2 * side.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1 + (2 * self.scale).log()


@boundary
class Gumbel(_LocationScale):
    """The Gumbel distribution: the limit distribution of the maximum of many values.

    >>> from facula_tensor import tensor
    >>> Gumbel(0.0, 1.0).log_prob(tensor(0.0))
    tensor(-1.)
    """

    @property
    def base_dist(self) -> Distribution:
        """The uniform distribution between 0 and 1."""
        zero, dtype = self.loc.detach() * 0, self.loc.dtype
        return Uniform(zero + tiny_of(dtype), zero + (1 - eps_of(dtype)), validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        log = ExpTransform().inv
        return [log, AffineTransform(0, -ones_like(self.scale)), log, AffineTransform(self.loc, -self.scale)]

    @property
    def mean(self) -> Tensor:
        """loc + scale * Euler's constant."""
        return self.loc + self.scale * EULER

    @property
    def stddev(self) -> Tensor:
        """pi / sqrt(6) * scale."""
        return self.scale * (math.pi / math.sqrt(6))

    @property
    def variance(self) -> Tensor:
        """pi² / 6 * scale²."""
        return self.scale * self.scale * (math.pi**2 / 6)

    def _inverse(self, share: Tensor) -> Tensor:
        return self.loc - self.scale * (-share.log()).log()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        before = (self.loc - value) / self.scale
        return before - before.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return (-((self.loc - value) / self.scale).exp()).exp()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.scale.log() + (1 + EULER)
