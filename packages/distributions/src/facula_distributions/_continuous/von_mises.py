"""The von Mises distribution of angles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, float64, no_grad, rand, where

from .. import constraints
from .._distribution import Distribution
from .location_scale import Located

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor

POINTS, LARGE, TERMS = 32, 50.0, 12


def bessel(x: Tensor, order: int) -> Tensor:
    """Return the modified Bessel function of order 0 or 1, times exp(-x), for positive x.

    It is the mean of exp(x cos(angle)) over evenly spaced angles, with an error of order exp(-POINTS² 2 / x). From
    LARGE on, the asymptotic series is used (DLMF 10.32.1 and 10.40.1).
    """
    near = x < LARGE
    angles = (arange(POINTS, dtype=x.dtype, device=x.device) + 0.5) * (math.pi / POINTS)
    weights = angles.cos() if order else 1.0
    small = where(near, x, 1.0).unsqueeze(-1)
    mean = (weights * (small * (angles.cos() - 1)).exp()).mean(-1)
    far = where(near, LARGE, x)
    total = term = far * 0 + 1
    for k in range(1, TERMS + 1):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * far)
        total = total + term
    return where(near, mean, total * (2 * math.pi * far).rsqrt())


@boundary
class VonMises(Located, Distribution):
    """Angles around `loc`, in radians from -pi to pi, more concentrated for larger values of `concentration`.

    Arguments:
        loc: the mean direction, in radians.
        concentration: the concentration around it, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    D. J. Best, N. I. Fisher: Efficient simulation of the von Mises distribution, 1979.

    >>> from facula_tensor import tensor
    >>> VonMises(0.0, 1.0).log_prob(tensor(0.0))
    tensor(-1.0738)
    """

    arg_constraints = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real
    concentration: Tensor

    def __init__(self, loc: Value, concentration: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(loc=loc, concentration=concentration), (), validate_args)

    def _length(self) -> Tensor:
        """Return the length of the mean of the unit vectors."""
        return bessel(self.concentration, 1) / bessel(self.concentration, 0)

    @property
    def variance(self) -> Tensor:
        """1 minus the length of the mean of the unit vectors."""
        return 1 - self._length()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples by rejection."""
        shape = tuple(self._extended_shape(sample_shape))
        with no_grad():
            k = self.concentration.expand(shape).to(float64)
            tau = 1 + (1 + 4 * k * k).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            r = where(k < 1e-5, 1 / k + k, (1 + rho * rho) / (2 * rho))
            found, missing = k * 0, k == k
            while missing.any().item():
                z = (rand(shape, dtype=float64, device=k.device) * math.pi).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                second = 1 - rand(shape, dtype=float64, device=k.device)
                accepted = (c * (2 - c) > second) | ((c / second).log() + 1 - c >= 0)
                found = where(missing & accepted, f, found)
                missing = missing & ~accepted
            side = where(rand(shape, device=k.device) < 0.5, -1.0, 1.0)
            angle = side * found.clamp(-1, 1).acos() + self.loc + math.pi
            return (angle % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - bessel(k, 0).log() - math.log(2 * math.pi)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        k = self.concentration
        return bessel(k, 0).log() + math.log(2 * math.pi) + k * (1 - self._length())
