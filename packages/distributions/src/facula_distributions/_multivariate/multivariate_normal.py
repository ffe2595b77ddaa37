"""The multivariate normal distribution."""

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

if TYPE_CHECKING:
    from collections.abc import Sequence


def half_log_det(factor: Tensor) -> Tensor:
    """Return half the log determinant of a matrix, given its Cholesky factor."""
    return factor.diagonal(0, -2, -1).log().sum(-1)


def squared_length(factor: Tensor, away: Tensor) -> Tensor:
    """Return x^T (L L^T)^-1 x for vectors along the last dimension; vectors with a common matrix share one solve."""
    size, batch = away.shape[-1], tuple(factor.shape[:-2])
    extra = away.dim() - 1 - len(batch)
    if extra < 0 or tuple(away.shape[extra:-1]) != batch:
        shape = broadcast_shapes(batch, away.shape[:-1])
        batch = shape[len(shape) - len(batch) :]
        factor, away = factor.expand((*batch, size, size)), away.expand((*shape, size))
        extra = len(shape) - len(batch)
    ahead = tuple(away.shape[:extra])
    columns = away.reshape((math.prod(ahead), *batch, size)).movedim(0, -1)
    solved = linalg.solve_triangular(factor, columns, upper=False)
    return (solved * solved).sum(-2).movedim(-1, 0).reshape((*ahead, *batch))


def inverse_of(factor: Tensor) -> Tensor:
    """Return the inverse of a matrix, given its Cholesky factor."""
    identity = eye(factor.shape[-1], dtype=factor.dtype, device=factor.device)
    inverse = linalg.solve_triangular(factor, identity, upper=False)
    return inverse.transpose(-2, -1) @ inverse


def factor_of_precision(precision: Tensor) -> Tensor:
    """Return the Cholesky factor of the inverse."""
    turned = linalg.cholesky(precision.flip((-2, -1))).flip((-2, -1)).transpose(-2, -1)
    return linalg.solve_triangular(turned, eye(turned.shape[-1], dtype=turned.dtype, device=turned.device), upper=False)


@boundary
class MultivariateNormal(Located, Distribution):
    """The multivariate normal distribution with mean `loc`, specified by one of three matrices.

    They are `covariance_matrix`, its inverse `precision_matrix`, and its Cholesky factor `scale_tril`, lower triangular
    with a positive diagonal, to which the others are converted.

    Arguments:
        loc: the means, (..., n).
        covariance_matrix: the covariances, (..., n, n).
        precision_matrix: alternatively, their inverse.
        scale_tril: alternatively, their Cholesky factor: lower triangular, with a positive diagonal.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: none or several of the three matrices are given, or the shapes do not match.

    >>> from facula_tensor import tensor, zeros
    >>> MultivariateNormal(zeros(2), tensor([[2.0, 1.0], [1.0, 1.0]])).log_prob(zeros(2))
    tensor(-1.8379)
    """

    _shared = ("_factor",)

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _factor: Tensor  # scale_tril without expansion

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        given = {
            name: candidate
            for name, candidate in (
                ("covariance_matrix", covariance_matrix),
                ("precision_matrix", precision_matrix),
                ("scale_tril", scale_tril),
            )
            if candidate is not None
        }
        if len(given) != 1:
            raise InvalidValueError(
                "MultivariateNormal: expected one of covariance_matrix, precision_matrix, scale_tril; got "
                f"{' and '.join(given) or 'none'}"
            )
        ((name, matrix),) = given.items()
        if not isinstance(loc, Tensor) or loc.dim() < 1:
            raise InvalidValueError(f"MultivariateNormal: expected loc to be a tensor of vectors; got {loc!r}")
        size = loc.shape[-1]
        if not isinstance(matrix, Tensor) or tuple(matrix.shape[-2:]) != (size, size):
            shape = tuple(matrix.shape) if isinstance(matrix, Tensor) else repr(matrix)
            raise InvalidValueError(f"MultivariateNormal: expected {name} of shape (..., {size}, {size}); got {shape}")
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch, size))
        setattr(self, name, matrix.expand((*batch, size, size)))
        super().__init__(batch, (size,), validate_args)
        if name == "scale_tril":
            self._factor = matrix
        else:
            self._factor = linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_precision(matrix)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._factor.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        matrix = self._factor @ self._factor.transpose(-2, -1)
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        matrix = inverse_of(self._factor)
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        return (self._factor * self._factor).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        noise = randn(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        if self._factor.dim() == 2:
            return self.loc + noise @ self._factor.t()
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        length = squared_length(self._factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + length) - half_log_det(self._factor)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        entropy = 0.5 * self._event_shape[0] * (1 + math.log(2 * math.pi)) + half_log_det(self._factor)
        return entropy.expand(self._batch_shape)
