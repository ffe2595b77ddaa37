"""Elementwise transforms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.functional import logsigmoid

from .. import constraints
from .._distribution import Distribution
from ..utils import eps_of, sum_last, tiny_of
from .transform import Transform, broadcast_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Size

    from ..constraints import Constraint

    Value = float | Tensor


def softplus(x: Tensor) -> Tensor:
    """Return log(1 + exp(x))."""
    return -logsigmoid(-x)


def inside(y: Tensor) -> Tensor:
    """Clamp probabilities to the open interval (0, 1)."""
    return y.clamp(tiny_of(y.dtype), 1 - eps_of(y.dtype) / 2)


class _Plain(Transform):
    """Base class of transforms without parameters: all instances of a class are equal."""

    _compared = ()
    bijective = True


@boundary
class ExpTransform(_Plain):
    """exp(x).

    >>> from facula_tensor import tensor
    >>> ExpTransform()(tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """

    codomain = constraints.positive
    sign: int = 1  # type: ignore[assignment]

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return `x`."""
        return x


@boundary
class SigmoidTransform(_Plain):
    """1 / (1 + exp(-x)).

    >>> from facula_tensor import tensor
    >>> SigmoidTransform().inv(tensor([0.5]))
    tensor([0.])
    """

    codomain = constraints.unit_interval
    sign: int = 1  # type: ignore[assignment]

    def _call(self, x: Tensor) -> Tensor:
        return inside(x.sigmoid())

    def _inverse(self, y: Tensor) -> Tensor:
        y = inside(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(y (1 - y))."""
        return logsigmoid(x) + logsigmoid(-x)


@boundary
class SoftplusTransform(_Plain):
    """log(1 + exp(x)).

    >>> from facula_tensor import tensor
    >>> SoftplusTransform()(tensor([0.0]))
    tensor([0.6931])
    """

    codomain = constraints.positive
    sign: int = 1  # type: ignore[assignment]

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-(-y).expm1()).log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of sigmoid(x)."""
        return logsigmoid(x)


@boundary
class TanhTransform(_Plain):
    """tanh(x).

    >>> from facula_tensor import tensor
    >>> TanhTransform()(tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    codomain = constraints.interval(-1.0, 1.0)
    sign: int = 1  # type: ignore[assignment]

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(1 - y²), computed accurately for y near 1."""
        return 2 * (math.log(2) - x - softplus(-2 * x))


@boundary
class AbsTransform(_Plain):
    """|x|; the inverse returns y itself.

    >>> from facula_tensor import tensor
    >>> AbsTransform()(tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """

    bijective = False
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


@boundary
class PowerTransform(Transform):
    """x to the power `exponent`, a number or a tensor, for positive x.

    >>> from facula_tensor import tensor
    >>> PowerTransform(2.0)(tensor([1.0, 3.0]))
    tensor([1., 9.])
    """

    _made_of = _compared = ("exponent",)
    exponent: float | Tensor

    bijective = True
    domain = constraints.positive
    codomain = constraints.positive

    def __init__(self, exponent: Value, cache_size: int = 0):
        super().__init__(cache_size)
        self.exponent = exponent

    @property
    def sign(self) -> int | Tensor:
        """The sign of the exponent."""
        return _sign(self.exponent)

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape, broadcast with the exponent's."""
        return broadcast_with(shape, self.exponent)

    inverse_shape = forward_shape

    def __repr__(self) -> str:
        return f"PowerTransform(exponent: {_shown(self.exponent)})"


@boundary
class AffineTransform(Transform):
    """loc + scale * x, with numbers or tensors, for events with `event_dim` dimensions.

    Arguments:
        loc: the constant to add.
        scale: the factor of x.
        event_dim: the number of dimensions of an event.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.

    >>> from facula_tensor import tensor
    >>> AffineTransform(1.0, 2.0).inv(tensor([1.0, 5.0]))
    tensor([0., 2.])
    """

    _made_of = ("loc", "scale", "_event_dim")
    _compared = ("loc", "scale")
    loc: float | Tensor
    scale: float | Tensor

    bijective = True

    def __init__(self, loc: Value, scale: Value, event_dim: int = 0, cache_size: int = 0):
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        """The number of dimensions of an event."""
        return self._event_dim

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """All real numbers."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    @property
    def sign(self) -> int | Tensor:
        """The sign of the scale."""
        return _sign(self.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |scale|, summed over the event."""
        if isinstance(self.scale, Tensor):
            each = self.scale.abs().log().expand(broadcast_with(x.shape, self.scale))
        else:
            each = x * 0 + math.log(abs(self.scale))
        return sum_last(each, self._event_dim)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape, broadcast with those of loc and scale."""
        return broadcast_with(shape, self.loc, self.scale)

    inverse_shape = forward_shape

    def __repr__(self) -> str:
        return f"AffineTransform(loc: {_shown(self.loc)}, scale: {_shown(self.scale)})"


def _sign(value: Value) -> int | Tensor:
    if isinstance(value, Tensor):
        return value.sign()
    return (value > 0) - (value < 0)


def _shown(value: Value) -> object:
    return value if not isinstance(value, Tensor) else value.item() if value.numel() == 1 else tuple(value.shape)


@boundary
class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a univariate distribution, with values in [0, 1].

    >>> from facula_tensor import tensor
    >>> from facula_distributions import Normal
    >>> CumulativeDistributionTransform(Normal(0.0, 1.0))(tensor(0.0))
    tensor(0.5000)
    """

    _made_of = ("distribution",)

    bijective = True
    codomain = constraints.unit_interval
    sign: int = 1  # type: ignore[assignment]

    def __init__(self, distribution: Distribution, cache_size: int = 0):
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:  # type: ignore[override]
        """The support of the distribution."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        return self.distribution.log_prob(x)

    def __repr__(self) -> str:
        return f"CumulativeDistributionTransform({self.distribution!r})"
