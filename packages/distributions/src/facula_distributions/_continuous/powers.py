"""Distributions based on powers: Pareto and its generalization, Weibull, Kumaraswamy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, digamma, lgamma, where, xlogy

from .. import constraints
from .._transforms.elementwise import AffineTransform, ExpTransform, PowerTransform
from .inverse_cdf import EULER, Exponential, Uniform, _InverseCdfDistribution

if TYPE_CHECKING:
    from .._distribution import Distribution
    from .._transforms.transform import Transform
    from ..constraints import Constraint

    Value = float | Tensor


@boundary
class Pareto(_InverseCdfDistribution):
    """The Pareto distribution: values of at least `scale`, with density proportional to x^-(alpha + 1).

    Arguments:
        scale: the minimum, above 0.
        alpha: the rate of decay of the density, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> Pareto(1.0, 3.0).mean
    tensor(1.5000)
    """

    arg_constraints = {
        "alpha": constraints.positive,
        "scale": constraints.positive,
    }
    scale: Tensor
    alpha: Tensor

    def __init__(self, scale: Value, alpha: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(scale=scale, alpha=alpha), (), validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        """Values of at least `scale`."""
        return constraints.greater_than_eq(self.scale)

    @property
    def base_dist(self) -> Distribution:
        """The exponential distribution."""
        return Exponential(self.alpha, validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [ExpTransform(), AffineTransform(0, self.scale)]

    @property
    def mean(self) -> Tensor:
        """alpha scale / (alpha - 1); infinite for alpha up to 1."""
        above = self.alpha > 1
        alpha = where(above, self.alpha, 2.0)
        return where(above, alpha * self.scale / (alpha - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        """`scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """scale² alpha / ((alpha - 1)² (alpha - 2)); infinite for alpha up to 2."""
        above = self.alpha > 2
        alpha = where(above, self.alpha, 3.0)
        less = alpha - 1
        return where(above, self.scale * self.scale * alpha / (less * less * (alpha - 2)), math.inf)

    def _inverse(self, share: Tensor) -> Tensor:
        return self.scale * (-(-share).log1p() / self.alpha).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        return self.alpha.log() + self.alpha * self.scale.log() - (self.alpha + 1) * value.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return -(self.alpha * (self.scale / value).log()).expm1()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return (self.scale / self.alpha).log() + 1 + 1 / self.alpha


@boundary
class GeneralizedPareto(_InverseCdfDistribution):
    """Excesses over a threshold `loc`: exponential at `concentration` 0, with heavier tails above it.

    Arguments:
        loc: the threshold.
        scale: the scale, above 0.
        concentration: the weight of the tail; if negative, the support is bounded.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(self, loc: Value, scale: Value, concentration: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(loc=loc, scale=scale, concentration=concentration), (), validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        """Values from loc, up to loc - scale / concentration if concentration is negative."""
        most = where(self._is_nearly_exponential(), math.inf, self.loc - self.scale / self._safe_concentration())
        return constraints.interval(self.loc, where(self.concentration < 0, most, math.inf))

    def _is_nearly_exponential(self) -> Tensor:
        """Return a mask of nearly exponential distributions, whose formulas (0 / 0 at 0) are evaluated as series."""
        return self.concentration.abs() < 1e-5

    def _safe_concentration(self) -> Tensor:
        return where(self._is_nearly_exponential(), 1.0, self.concentration)

    @property
    def mean(self) -> Tensor:
        """loc + scale / (1 - concentration), infinite for concentrations from 1."""
        below = self.concentration < 1
        return where(below, self.loc + self.scale / where(below, 1 - self.concentration, 1.0), math.inf)

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale² / ((1 - concentration)² (1 - 2 concentration)), infinite for concentrations from 1/2."""
        below = self.concentration < 0.5
        less = where(below, 1 - self.concentration, 1.0)
        return where(below, self.scale * self.scale / (less * less * (2 * less - 1)), math.inf)

    def _inverse(self, share: Tensor) -> Tensor:
        size, steep = -(-share).log1p(), self._safe_concentration()
        rise = self.concentration * size
        near = size * (1 + rise / 2 * (1 + rise / 3))
        return self.loc + self.scale * where(self._is_nearly_exponential(), near, (steep * size).expm1() / steep)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of more than `value`."""
        self._check_value(value)
        away, steep = (value - self.loc) / self.scale, self._safe_concentration()
        rise = self.concentration * away
        near = -away * (1 - rise * (0.5 - rise / 3))
        return where(self._is_nearly_exponential(), near, -(steep * away).log1p() / steep)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        return (1 + self.concentration) * self.log_survival_function(value) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        return -self.log_survival_function(value).expm1()

    def log_cdf(self, value: Tensor) -> Tensor:
        """Return the logarithm of `cdf`."""
        return self.cdf(value).log()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.scale.log() + self.concentration + 1


@boundary
class Weibull(_InverseCdfDistribution):
    """The Weibull distribution: the time to a failure whose rate grows as x^(concentration - 1).

    Arguments:
        scale: the scale, above 0.
        concentration: 1 for a constant failure rate, above 1 for an increasing one.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> Weibull(2.0, 1.0).cdf(tensor(2.0))
    tensor(0.6321)
    """

    arg_constraints = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    scale: Tensor
    concentration: Tensor

    def __init__(self, scale: Value, concentration: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(scale=scale, concentration=concentration), (), validate_args)

    def _moment(self, power: int) -> Tensor:
        return lgamma(1 + power / self.concentration).exp()

    @property
    def base_dist(self) -> Distribution:
        """The exponential distribution."""
        return Exponential(self.scale.detach() * 0 + 1, validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [PowerTransform(1 / self.concentration), AffineTransform(0, self.scale)]

    @property
    def concentration_reciprocal(self) -> Tensor:
        """1 / concentration."""
        return 1 / self.concentration

    @property
    def mean(self) -> Tensor:
        """scale times the gamma function of 1 + 1 / concentration."""
        return self.scale * self._moment(1)

    @property
    def mode(self) -> Tensor:
        """scale ((concentration - 1) / concentration)^(1 / concentration), 0 for concentrations up to 1."""
        share = ((self.concentration - 1) / self.concentration).clamp(min=0)
        return self.scale * share ** (1 / self.concentration)

    @property
    def variance(self) -> Tensor:
        """The second moment minus the squared mean."""
        first = self._moment(1)
        return self.scale * self.scale * (self._moment(2) - first * first)

    def _inverse(self, share: Tensor) -> Tensor:
        return self.scale * (-(-share).log1p()) ** (1 / self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        size = value / self.scale
        density = (self.concentration / self.scale).log() + xlogy(self.concentration - 1, size)
        return density - size**self.concentration

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return -(-((value / self.scale) ** self.concentration)).expm1()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return EULER * (1 - 1 / self.concentration) + (self.scale / self.concentration).log() + 1


@boundary
class Kumaraswamy(_InverseCdfDistribution):
    """A distribution on [0, 1] similar to `Beta`, with a simple distribution function: 1 - (1 - x^a)^b.

    a is `concentration1`, b is `concentration0`.

    Arguments:
        concentration1: the exponent of x, above 0.
        concentration0: the exponent of 1 - x^a, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> Kumaraswamy(2.0, 1.0).cdf(tensor(0.5))
    tensor(0.2500)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    concentration1: Tensor
    concentration0: Tensor

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None):
        super().__init__(
            self._store_parameters(concentration1=concentration1, concentration0=concentration0), (), validate_args
        )

    @property
    def base_dist(self) -> Distribution:
        """The uniform distribution between 0 and 1."""
        zero = self.concentration1.detach() * 0
        return Uniform(zero, zero + 1, validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        a, b = self.concentration1, self.concentration0
        return [PowerTransform(1 / b), AffineTransform(1.0, -1.0), PowerTransform(1 / a)]

    def _moment(self, power: int) -> Tensor:
        a, b = self.concentration1, self.concentration0
        first = 1 + power / a
        return (b.log() + lgamma(first) + lgamma(b) - lgamma(first + b)).exp()

    @property
    def mean(self) -> Tensor:
        """The first moment."""
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """((a - 1) / (a b - 1))^(1 / a); NaN if a or b is below 1, or both are 1."""
        a, b = self.concentration1, self.concentration0
        inside = (a >= 1) & (b >= 1) & (a * b > 1)
        share = where(inside, (a - 1) / where(inside, a * b - 1, 1.0), 1.0)
        return where(inside, share ** (1 / a), math.nan)

    @property
    def variance(self) -> Tensor:
        """The second moment minus the squared mean."""
        mean = self.mean
        return self._moment(2) - mean * mean

    def _inverse(self, share: Tensor) -> Tensor:
        rest = (-share).log1p() / self.concentration0
        return (-rest.expm1()) ** (1 / self.concentration1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        a, b = self.concentration1, self.concentration0
        return a.log() + b.log() + xlogy(a - 1, value) + xlogy(b - 1, 1 - value**a)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return -(self.concentration0 * (-(value**self.concentration1)).log1p()).expm1()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a, b = self.concentration1, self.concentration0
        return (1 - 1 / b) + (1 - 1 / a) * (digamma(b + 1) + EULER) - a.log() - b.log()
