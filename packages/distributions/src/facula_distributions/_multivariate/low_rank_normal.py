"""The multivariate normal distribution with a covariance of low rank plus a diagonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, eye, linalg, randn

from .. import constraints
from .._continuous.location_scale import Located
from .._distribution import Distribution
from ..utils import broadcast_shapes, lazy_property
from .multivariate_normal import half_log_det, squared_length

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self


@boundary
class LowRankMultivariateNormal(Located, Distribution):
    """The multivariate normal distribution with covariance W W^T + D, W being `cov_factor` and D diag(`cov_diag`).

    Computations use Woodbury's identity with matrices as wide as W, and never form the full covariance.

    Arguments:
        loc: the means, (..., n).
        cov_factor: W, (..., n, rank).
        cov_diag: the diagonal of D, (..., n), above 0.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: the shapes do not match.

    >>> from facula_tensor import ones, zeros
    >>> LowRankMultivariateNormal(zeros(3), ones(3, 1), ones(3)).variance
    tensor([2., 2., 2.])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    cov_factor: Tensor
    cov_diag: Tensor

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None):
        name = "LowRankMultivariateNormal"
        if loc.dim() < 1 or cov_factor.dim() < 2 or cov_diag.dim() < 1:
            raise InvalidValueError(
                f"{name}: expected loc and cov_diag (..., n), cov_factor (..., n, rank); got {tuple(loc.shape)}, "
                f"{tuple(cov_diag.shape)} and {tuple(cov_factor.shape)}"
            )
        size = loc.shape[-1]
        if cov_factor.shape[-2] != size or cov_diag.shape[-1] != size:
            raise InvalidValueError(
                f"{name}: expected cov_factor (..., {size}, rank) and cov_diag (..., {size}); got "
                f"{tuple(cov_factor.shape)} and {tuple(cov_diag.shape)}"
            )
        batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc, self.cov_diag = loc.expand((*batch, size)), cov_diag.expand((*batch, size))
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        super().__init__(batch, (size,), validate_args)

    @lazy_property
    def _capacitance_factor(self) -> Tensor:
        """Return the Cholesky factor of 1 + W^T D^-1 W."""
        w = self.cov_factor
        inner = w.transpose(-2, -1) @ (w / self.cov_diag.unsqueeze(-1))
        return linalg.cholesky(inner + eye(w.shape[-1], dtype=w.dtype, device=w.device))

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with its parameters expanded."""
        new = super().expand(batch_shape, _instance)
        factor = self._capacitance_factor
        new._capacitance_factor = factor.expand((*batch_shape, *factor.shape[-2:]))
        return new

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        """The diagonal of the covariance."""
        return (self.cov_factor * self.cov_factor).sum(-1) + self.cov_diag

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        return self.cov_factor @ self.cov_factor.transpose(-2, -1) + self.cov_diag.diag_embed()

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return linalg.cholesky(self.covariance_matrix)

    def _woodbury_factor(self) -> Tensor:
        """Return S in (W W^T + D)^-1 = D^-1 - S^T S."""
        scaled = self.cov_factor.transpose(-2, -1) / self.cov_diag.unsqueeze(-2)
        return linalg.solve_triangular(self._capacitance_factor, scaled, upper=False)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        less = self._woodbury_factor()
        return (1 / self.cov_diag).diag_embed() - less.transpose(-2, -1) @ less

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        shape, like = self._extended_shape(sample_shape), self.loc
        own = randn(shape, dtype=like.dtype, device=like.device)
        common = randn((*shape[:-1], self.cov_factor.shape[-1]), dtype=like.dtype, device=like.device)
        return self.loc + (self.cov_factor @ common.unsqueeze(-1)).squeeze(-1) + self.cov_diag.sqrt() * own

    def _squared_length(self, away: Tensor) -> Tensor:
        """Return x^T (W W^T + D)^-1 x."""
        scaled = away / self.cov_diag
        inner = (self.cov_factor.transpose(-2, -1) @ scaled.unsqueeze(-1)).squeeze(-1)
        return (away * scaled).sum(-1) - squared_length(self._capacitance_factor, inner)

    def _log_det(self) -> Tensor:
        return 2 * half_log_det(self._capacitance_factor) + self.cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        norm = self._event_shape[0] * math.log(2 * math.pi) + self._log_det()
        return -0.5 * (norm + self._squared_length(value - self.loc))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 0.5 * (self._event_shape[0] * (1 + math.log(2 * math.pi)) + self._log_det())
