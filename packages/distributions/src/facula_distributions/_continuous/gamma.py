"""The gamma distribution, its special case chi-squared, and the inverse gamma distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, digamma, lgamma, where, xlogy
from facula_tensor.extend.sampling import gamma_share, standard_gamma

from .. import constraints
from .._distribution import Distribution
from .._transforms.elementwise import PowerTransform
from ..utils import tiny_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._transforms.transform import Transform

    Value = float | Tensor


class _Gammas(Distribution):
    """Base class of distributions with a `concentration` and a `rate`.

    Arguments:
        concentration: the shape, above 0.
        rate: the rate, above 0; the inverse of the scale.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    arg_constraints = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    has_rsample = True
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Value, rate: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(concentration=concentration, rate=rate), (), validate_args)

    def _gamma_draws(self, sample_shape: Sequence[int]) -> Tensor:
        """Draw positive samples from the gamma distribution."""
        shape = self._extended_shape(sample_shape)
        draws = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return draws.clamp(min=tiny_of(draws.dtype))


@boundary
class Gamma(_Gammas):
    """The gamma distribution: the sum of `concentration` exponential variables with rate `rate`.

    >>> Gamma(3.0, 2.0).mean
    tensor(1.5000)
    """

    support = constraints.nonnegative

    @property
    def mean(self) -> Tensor:
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """(concentration - 1) / rate, at least 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """concentration / rate²."""
        return self.concentration / (self.rate * self.rate)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return self._gamma_draws(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        shape, rate = self.concentration, self.rate
        return xlogy(shape, rate) + xlogy(shape - 1, value) - rate * value - lgamma(shape)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return gamma_share(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration
        return shape - self.rate.log() + lgamma(shape) + (1 - shape) * digamma(shape)


@boundary
class Chi2(Gamma):
    """The chi-squared distribution: the sum of the squares of `df` standard normal variables.

    >>> Chi2(3.0).variance
    tensor(6.)
    """

    arg_constraints = {"df": constraints.positive}
    df: Tensor

    def __init__(self, df: Value, validate_args: bool | None = None):
        Distribution.__init__(self, self._store_parameters(df=df), (), validate_args)

    @property
    def concentration(self) -> Tensor:  # type: ignore[override]
        """df / 2."""
        return self.df / 2

    @property
    def rate(self) -> Tensor:  # type: ignore[override]
        """1 / 2."""
        return self.df.detach() * 0 + 0.5


@boundary
class InverseGamma(_Gammas):
    """The distribution of 1 / x, where x has a gamma distribution.

    >>> InverseGamma(3.0, 2.0).mean
    tensor(1.)
    """

    support = constraints.positive

    @property
    def base_dist(self) -> Distribution:
        """The gamma distribution."""
        return Gamma(self.concentration, self.rate, validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [PowerTransform(-self.rate.new_ones(()))]

    @property
    def mean(self) -> Tensor:
        """rate / (concentration - 1), infinite for concentrations up to 1."""
        above = self.concentration > 1
        return where(above, self.rate / where(above, self.concentration - 1, 1.0), math.inf)

    @property
    def mode(self) -> Tensor:
        """rate / (concentration + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """mean² / (concentration - 2), infinite for concentrations up to 2."""
        above = self.concentration > 2
        shape = where(above, self.concentration, 3.0)
        mean = self.rate / (shape - 1)
        return where(above, mean * mean / (shape - 2), math.inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return 1 / self._gamma_draws(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        shape, rate = self.concentration, self.rate
        return shape * rate.log() - lgamma(shape) - (shape + 1) * value.log() - rate / value

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return 1 - gamma_share(self.concentration, self.rate / value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        shape = self.concentration
        return shape + self.rate.log() + lgamma(shape) - (1 + shape) * digamma(shape)
