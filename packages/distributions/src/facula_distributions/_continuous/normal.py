"""The normal, log-normal and half-normal distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, erfinv, randn, where

from .. import constraints
from .._distribution import Distribution
from .._transforms.elementwise import AbsTransform, ExpTransform
from .location_scale import Located, LocationScale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from .._transforms.transform import Transform

Value = float | Tensor

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


@boundary
class Normal(Located, LocationScale):
    """The normal (Gaussian) distribution with mean `loc` and standard deviation `scale`.

    >>> from facula_tensor import tensor
    >>> Normal(0.0, tensor([1.0, 2.0])).log_prob(tensor(0.0))
    tensor([-0.9189, -1.6121])
    """

    has_rsample = True

    @property
    def stddev(self) -> Tensor:
        """`scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """scale²."""
        return self.scale * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        noise = randn(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        away = (value - self.loc) / self.scale
        return -0.5 * away * away - self.scale.log() - HALF_LOG_TWO_PI

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        return self.loc + self.scale * math.sqrt(2) * erfinv(2 * value - 1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.scale.log() + (0.5 + HALF_LOG_TWO_PI)


class _TransformedNormal(Distribution):
    """Base class of distributions that are functions of a normal one, `_base`."""

    has_rsample = True
    _base: Normal

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with parameters expanded to a batch shape."""
        new = super().expand(batch_shape, _instance)
        new._base = self._base.expand(batch_shape)
        return new


@boundary
class LogNormal(_TransformedNormal, LocationScale):
    """The distribution of exp(x), where x is normal with mean `loc` and standard deviation `scale`.

    Arguments:
        loc: the mean of the normal variable.
        scale: its standard deviation, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> LogNormal(0.0, 0.5).mean
    tensor(1.1331)
    """

    support = constraints.positive

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None):
        super().__init__(loc, scale, validate_args)
        self._base = Normal(self.loc, self.scale, validate_args=False)

    @property
    def base_dist(self) -> Distribution:
        """The normal distribution."""
        return self._base

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [ExpTransform()]

    @property
    def mean(self) -> Tensor:
        """exp(loc + scale² / 2)."""
        return (self.loc + self.scale * self.scale / 2).exp()

    @property
    def mode(self) -> Tensor:
        """exp(loc - scale²)."""
        return (self.loc - self.scale * self.scale).exp()

    @property
    def variance(self) -> Tensor:
        """(exp(scale²) - 1) exp(2 loc + scale²)."""
        square = self.scale * self.scale
        return square.expm1() * (2 * self.loc + square).exp()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return self._base.rsample(sample_shape).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        size = value.log()
        return self._base.log_prob(size) - size

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return self._base.cdf(value.log())

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        return self._base.icdf(value).exp()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._base.entropy() + self.loc


@boundary
class HalfNormal(_TransformedNormal):
    """The distribution of |x|, where x is normal with mean 0 and standard deviation `scale`.

    >>> HalfNormal(1.0).mean
    tensor(0.7979)
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    scale: Tensor

    def __init__(self, scale: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(scale=scale), (), validate_args)
        self._base = Normal(0.0, self.scale, validate_args=False)

    @property
    def base_dist(self) -> Distribution:
        """The normal distribution."""
        return self._base

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [AbsTransform()]

    @property
    def mean(self) -> Tensor:
        """scale * sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Tensor:
        """0."""
        return self.scale.detach() * 0

    @property
    def variance(self) -> Tensor:
        """scale² (1 - 2 / pi)."""
        return self.scale * self.scale * (1 - 2 / math.pi)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return self._base.rsample(sample_shape).abs()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        density = self._base.log_prob(value) + math.log(2)
        return where(value >= 0, density, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return 2 * self._base.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        return self._base.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._base.entropy() - math.log(2)
