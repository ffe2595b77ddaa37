"""Heavy-tailed distributions: Student's t, Cauchy, half-Cauchy, and the F distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, digamma, lgamma, randn, where
from facula_tensor.extend.sampling import standard_gamma

from .. import constraints
from .._distribution import Distribution
from .._transforms.elementwise import AbsTransform
from ..utils import tiny_of
from .inverse_cdf import _InverseCdfDistribution, _LocationScale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._transforms.transform import Transform

    Value = float | Tensor


@boundary
class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom, location `loc` and scale `scale`.

    Arguments:
        df: the degrees of freedom, above 0.
        loc: the location, a number or a tensor.
        scale: the scale, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> StudentT(2.0).log_prob(tensor(0.0)).exp()
    tensor(0.3536)
    """

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(self, df: Value, loc: Value = 0.0, scale: Value = 1.0, validate_args: bool | None = None):
        super().__init__(self._store_parameters(df=df, loc=loc, scale=scale), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """`loc`; NaN for at most 1 degree of freedom."""
        return where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale² df / (df - 2); infinite for at most 2 degrees of freedom, NaN for at most 1."""
        above = self.df > 2
        df = where(above, self.df, 3.0)
        finite = self.scale * self.scale * where(df < math.inf, df / (df - 2), 1.0)
        return where(above, finite, where(self.df > 1, math.inf, math.nan))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        shape = self._extended_shape(sample_shape)
        noise = randn(shape, dtype=self.df.dtype, device=self.df.device)
        half = (self.df / 2).expand(shape)
        return self.loc + self.scale * noise * (standard_gamma(half) / half).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        away, half = (value - self.loc) / self.scale, self.df / 2
        norm = self.scale.log() + 0.5 * (self.df * math.pi).log() + lgamma(half) - lgamma(half + 0.5)
        return -(half + 0.5) * (away * away / self.df).log1p() - norm

    def entropy(self) -> Tensor:
        """Return the entropy."""
        half = self.df / 2
        norm = lgamma(half) - lgamma(half + 0.5) + 0.5 * (self.df * math.pi).log()
        return self.scale.log() + norm + (half + 0.5) * (digamma(half + 0.5) - digamma(half))


@boundary
class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two chi-squared variables, each divided by its degrees of freedom.

    Arguments:
        df1: the degrees of freedom of the numerator, above 0.
        df2: the degrees of freedom of the denominator, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> FisherSnedecor(3.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints = {
        "df1": constraints.positive,
        "df2": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Value, df2: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(df1=df1, df2=df2), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """df2 / (df2 - 2), NaN for df2 up to 2."""
        above = self.df2 > 2
        df2 = where(above, self.df2, 3.0)
        return where(above, df2 / (df2 - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        """(df1 - 2) / df1 * df2 / (df2 + 2), NaN for df1 up to 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return where(self.df1 > 2, mode, math.nan)

    @property
    def variance(self) -> Tensor:
        """2 mean² (df1 + df2 - 2) / (df1 (df2 - 4)), NaN for df2 up to 4."""
        above = self.df2 > 4
        df1, df2 = self.df1, where(above, self.df2, 5.0)
        mean = df2 / (df2 - 2)
        return where(above, 2 * mean * mean * (df1 + df2 - 2) / (df1 * (df2 - 4)), math.nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        shape = self._extended_shape(sample_shape)
        first, second = (self.df1 / 2).expand(shape), (self.df2 / 2).expand(shape)
        above, below = standard_gamma(first) / first, standard_gamma(second) / second
        tiny = tiny_of(above.dtype)
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        first, second, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        norm = lgamma(first + second) - lgamma(first) - lgamma(second) + first * ratio.log()
        return norm + (first - 1) * value.log() - (first + second) * (ratio * value).log1p()


@boundary
class Cauchy(_LocationScale):
    """The Cauchy distribution around `loc`; half of its mass is within `scale` of `loc`. It has no mean.

    >>> from facula_tensor import tensor
    >>> Cauchy(0.0, 2.0).cdf(tensor(2.0))
    tensor(0.7500)
    """

    @property
    def mean(self) -> Tensor:
        """NaN."""
        return self.loc.detach() * 0 + math.nan

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return self.loc.detach() * 0 + math.inf

    def _inverse(self, share: Tensor) -> Tensor:
        return self.loc + self.scale * ((share - 0.5) * math.pi).tan()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        away = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (away * away).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return math.log(4 * math.pi) + self.scale.log()


@boundary
class HalfCauchy(_InverseCdfDistribution):
    """The distribution of |x|, where x has a Cauchy distribution around 0.

    >>> from facula_tensor import tensor
    >>> HalfCauchy(2.0).cdf(tensor(2.0))
    tensor(0.5000)
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    scale: Tensor

    def __init__(self, scale: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(scale=scale), (), validate_args)

    @property
    def base_dist(self) -> Distribution:
        """The Cauchy distribution."""
        return Cauchy(0.0, self.scale, validate_args=False)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms from `base_dist` to this distribution."""
        return [AbsTransform()]

    @property
    def mean(self) -> Tensor:
        """Infinite."""
        return self.scale.detach() * 0 + math.inf

    @property
    def mode(self) -> Tensor:
        """0."""
        return self.scale.detach() * 0

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return self.scale.detach() * 0 + math.inf

    def _inverse(self, share: Tensor) -> Tensor:
        return self.scale * (share * (math.pi / 2)).tan()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        away = value / self.scale
        density = math.log(2 / math.pi) - self.scale.log() - (away * away).log1p()
        return where(value >= 0, density, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        return (value / self.scale).atan() * (2 / math.pi)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return math.log(2 * math.pi) + self.scale.log()
