"""The continuous Bernoulli distribution, with an exponential density between 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, rand, where

from .. import constraints
from .._discrete.trials import _Trials
from ..utils import eps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor

# With l = logits, the density is l exp(l x) / (exp(l) - 1). Formulas derived from it are 0 / 0 at l = 0 and are
# evaluated as series with Bernoulli numbers near 0.
NEAR = 0.5
LOG_NORM = (1 / 24, -1 / 2880, 1 / 181440, -1 / 9676800, 1 / 479001600)
MEAN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)
VARIANCE = (1 / 12, -1 / 240, 1 / 6048, -1 / 172800, 1 / 5322240)


def _series(square: Tensor, coefficients: Sequence[float]) -> Tensor:
    total = square * 0 + coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * square + coefficient
    return total


@boundary
class ContinuousBernoulli(_Trials):
    """A variable x in [0, 1] with density proportional to probs^x (1 - probs)^(1 - x); `logits` are the log odds.

    `lims` is accepted for compatibility with PyTorch and ignored. G. Loaiza-Ganem, J. Cunningham: The continuous
    Bernoulli, NeurIPS 2019.

    Arguments:
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        lims: the limits around 0.5 between which PyTorch uses a series; ignored.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: both probs and logits are given, or neither.

    >>> from facula_tensor import tensor
    >>> ContinuousBernoulli(tensor(0.5)).log_prob(tensor(0.25)).exp()
    tensor(1.)
    """

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Value | None = None,
        logits: Value | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ):
        super().__init__(probs, logits, validate_args)

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return logits; a mask of those near 0; logits with 1 there; their squares with 0 elsewhere."""
        logits = self.logits
        near = logits.abs() < NEAR
        small = where(near, logits, 0.0)
        return logits, near, where(near, 1.0, logits), small * small

    def _log_norm(self) -> Tensor:
        """Return log((exp(l) - 1) / l)."""
        logits, near, far, square = self._parts()
        size = far.abs()
        beyond = far.clamp(min=0) + (-(-size).expm1()).log() - size.log()
        return where(near, logits / 2 + square * _series(square, LOG_NORM), beyond)

    @property
    def mean(self) -> Tensor:
        """1 / (1 - exp(-l)) - 1 / l."""
        logits, near, far, square = self._parts()
        return where(near, 0.5 + logits * _series(square, MEAN), -1 / (-far).expm1() - 1 / far)

    @property
    def variance(self) -> Tensor:
        """1 / l² - 1 / (4 sinh²(l / 2))."""
        _, near, far, square = self._parts()
        fall = (-far.abs()).exp()  # 4 sinh² = (1 - fall)² / fall
        return where(near, _series(square, VARIANCE), 1 / (far * far) - fall / ((1 - fall) * (1 - fall)))

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        given = self._parameter()
        share = rand(self._extended_shape(sample_shape), dtype=given.dtype, device=given.device)
        return self.icdf(share.clamp(min=eps_of(given.dtype) / 4))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        return self.logits * value - self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        self._check_value(value)
        value, logits = value.clamp(0, 1), self.logits
        near = logits.abs() < 1e-4
        far = where(near, 1.0, logits)
        size, x = far.abs(), where(far > 0, 1 - value, value)  # measured from the end with the greater density
        rising = (-size * x).expm1() / (-size).expm1()
        beyond = where(far > 0, 1 - rising, rising)
        middle = value * (1 - value)
        return where(near, value - logits * middle / 2 * (1 + logits * (1 - 2 * value) / 6), beyond)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        logits = self.logits
        near = logits.abs() < 1e-4
        far = where(near, 1.0, logits)
        size, share = far.abs(), where(far > 0, 1 - value, value)
        falling = -(share * (-size).expm1()).log1p() / size
        middle = value * (1 - value)
        close = value + logits * middle / 2 * (1 + logits * (1 - 2 * value) / 3)
        return where(near, close, where(far > 0, 1 - falling, falling))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._log_norm() - self.logits * self.mean
