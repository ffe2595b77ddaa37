"""Distributions on the simplex: Dirichlet, and beta for two components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, digamma, eye, lgamma, stack, where, xlogy
from facula_tensor.extend.sampling import sample_dirichlet

from .. import constraints
from .._distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor


@boundary
class Dirichlet(Distribution):
    """Components with a sum of 1 along the last dimension, and mean concentration / sum; larger sums concentrate them.

    >>> from facula_tensor import tensor
    >>> Dirichlet(tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None):
        if not isinstance(concentration, Tensor) or concentration.dim() < 1:
            raise InvalidValueError(
                f"Dirichlet: expected concentration to be a tensor of one dimension at least; got {concentration!r}"
            )
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        """The normalized concentrations."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        """The normalized concentration - 1; if all are below 1, the vertex of the largest concentration."""
        above = (self.concentration - 1).clamp(min=0)
        total = above.sum(-1, keepdim=True)
        corner = eye(above.shape[-1], dtype=above.dtype, device=above.device)[self.concentration.argmax(-1)]
        return where(total > 0, above / where(total > 0, total, 1.0), corner)

    @property
    def variance(self) -> Tensor:
        """mean (1 - mean) / (sum + 1)."""
        mean = self.mean
        return mean * (1 - mean) / (self.concentration.sum(-1, keepdim=True) + 1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        given = self.concentration
        return xlogy(given - 1, value).sum(-1) + lgamma(given.sum(-1)) - lgamma(given).sum(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        given, count = self.concentration, self._event_shape[0]
        total = given.sum(-1)
        norm = lgamma(given).sum(-1) - lgamma(total)
        return norm - (count - total) * digamma(total) - ((given - 1) * digamma(given)).sum(-1)


@boundary
class Beta(Distribution):
    """A variable in [0, 1] with density proportional to x^(concentration1 - 1) (1 - x)^(concentration0 - 1).

    Arguments:
        concentration1: the weight of 1, above 0.
        concentration0: the weight of 0, above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> Beta(2.0, 2.0).log_prob(tensor(0.5)).exp()
    tensor(1.5000)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Tensor
    concentration0: Tensor

    def __init__(self, concentration1: Value, concentration0: Value, validate_args: bool | None = None):
        super().__init__(
            self._store_parameters(concentration1=concentration1, concentration0=concentration0), (), validate_args
        )

    def _concentrations(self) -> Tensor:
        return stack([self.concentration1, self.concentration0], -1)

    @property
    def mean(self) -> Tensor:
        """concentration1 / (concentration1 + concentration0)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        """The mode, as for `Dirichlet`."""
        return Dirichlet(self._concentrations(), validate_args=False).mode[..., 0]

    @property
    def variance(self) -> Tensor:
        """mean (1 - mean) / (sum + 1)."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total * total * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        both = self._concentrations()
        return sample_dirichlet(both.expand((*self._extended_shape(sample_shape), 2)))[..., 0]

    def _norm(self) -> Tensor:
        """Return the logarithm of the beta function."""
        a, b = self.concentration1, self.concentration0
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        a, b = self.concentration1, self.concentration0
        return xlogy(a - 1, value) + xlogy(b - 1, 1 - value) - self._norm()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a, b = self.concentration1, self.concentration0
        return self._norm() - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b)
