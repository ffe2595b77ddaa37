"""Distributions of matrices: correlation matrices (LKJ) and covariance matrices (Wishart)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, cat, digamma, lgamma, linalg, mvlgamma, no_grad, randn, where
from facula_tensor.extend.sampling import sample_dirichlet, standard_gamma

from .. import constraints
from .._distribution import Distribution
from ..utils import broadcast_shapes, lazy_property
from .multivariate_normal import factor_of_precision, half_log_det, inverse_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor


@boundary
class LKJCholesky(Distribution):
    """Cholesky factors L of `dim` by `dim` correlation matrices, with densities like |L L^T|^(concentration - 1).

    Arguments:
        dim: the size of the matrices, at least 2.
        concentration: 1 for a uniform distribution; larger values favor matrices close to the identity.
        validate_args: whether to validate parameters and values; the class's default if None.

    D. Lewandowski, D. Kurowicka, H. Joe: Generating random correlation matrices based on vines and extended onion
    method, 2009.

    >>> LKJCholesky(3).sample().shape
    facula.Size([3, 3])
    """

    _shared = ("dim",)

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    concentration: Tensor

    def __init__(self, dim: int, concentration: Value = 1.0, validate_args: bool | None = None):
        if not isinstance(dim, int) or dim < 2:
            raise InvalidValueError(f"LKJCholesky: expected dim to be an integer of at least 2; got {dim!r}")
        self.dim = dim
        super().__init__(self._store_parameters(concentration=concentration), (dim, dim), validate_args)

    def _rows(self) -> tuple[Tensor, Tensor]:
        """Return the indices of the rows from 1 on, and for each the beta weight of its last element."""
        given = self.concentration
        rows = arange(1, self.dim, dtype=given.dtype, device=given.device)
        return rows, given.unsqueeze(-1) + (self.dim - 1 - rows) / 2

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples row by row: a direction, and a norm that leaves a beta-distributed share to the last element."""
        with no_grad():
            rows, last = self._rows()
            shape = (*self._lengths(sample_shape), *self._batch_shape, self.dim - 1)
            shares = sample_dirichlet(
                cat([(rows / 2).expand(shape).unsqueeze(-1), last.expand(shape).unsqueeze(-1)], -1)
            )
            noise = randn((*shape, self.dim), dtype=last.dtype, device=last.device).tril()
            before = noise / (noise * noise).sum(-1, keepdim=True).sqrt() * shares[..., :1].sqrt()
            below = before + (shares[..., 1].sqrt().diag_embed(1)[..., : self.dim - 1, :])
            first = below[..., :1, :] * 0
            first[..., 0] = 1
            return cat([first, below], -2)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of the elements below the diagonal."""
        self._check_value(value)
        rows, last = self._rows()
        norms = lgamma(rows / 2 + last) - lgamma(last) - rows * (math.log(math.pi) / 2)
        return ((2 * last - 2) * value.diagonal(0, -2, -1)[..., 1:].log() + norms).sum(-1)


@boundary
class Wishart(Distribution):
    """Sums of x x^T over `df` normal vectors x with mean 0 and one of three matrices, as in `MultivariateNormal`.

    `df` may be fractional, and must exceed the matrices' size - 1.

    Arguments:
        df: the degrees of freedom, above n - 1.
        covariance_matrix: the covariances, (..., n, n).
        precision_matrix: alternatively, their inverse.
        scale_tril: alternatively, their Cholesky factor: lower triangular, with a positive diagonal.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: none or several of the three matrices are given, or the shapes do not match.

    >>> from facula_tensor import eye, tensor
    >>> Wishart(tensor(4.0), eye(2)).mean
    tensor([[4., 0.],
            [0., 4.]])
    """

    _shared = ("_factor",)

    arg_constraints = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0.0),
    }
    support = constraints.positive_definite
    has_rsample = True
    df: Tensor
    _factor: Tensor

    def __init__(
        self,
        df: Value,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        every = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = {name: candidate for name, candidate in every.items() if candidate is not None}
        if len(given) != 1:
            raise InvalidValueError(f"Wishart: expected one of {', '.join(every)}; got {' and '.join(given) or 'none'}")
        ((name, matrix),) = given.items()
        if not isinstance(matrix, Tensor) or matrix.dim() < 2 or matrix.shape[-1] != matrix.shape[-2]:
            shape = tuple(matrix.shape) if isinstance(matrix, Tensor) else repr(matrix)
            raise InvalidValueError(f"Wishart: expected {name} to be square matrices; got {shape}")
        size = matrix.shape[-1]
        freedom = df if isinstance(df, Tensor) else matrix.new_full((), float(df))
        try:
            batch = broadcast_shapes(matrix.shape[:-2], freedom.shape)
        except InvalidValueError:
            raise InvalidValueError(
                f"Wishart: expected parameters of shapes that broadcast; got df {tuple(freedom.shape)} and {name} "
                f"{tuple(matrix.shape)}, matrices in its last two dimensions"
            ) from None
        self.df = freedom.expand(batch)
        setattr(self, name, matrix.expand((*batch, size, size)))
        super().__init__(batch, (size, size), validate_args)
        if self._validate_args:
            self._check("parameter df", constraints.greater_than(size - 1.0), self.df)
        if name == "scale_tril":
            self._factor = matrix
        else:
            self._factor = linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_precision(matrix)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._factor.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        return (self._factor @ self._factor.transpose(-2, -1)).expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return inverse_of(self._factor).expand((*self._batch_shape, *self._event_shape))

    def _expanded_df(self) -> Tensor:
        """Return `df` with dimensions for matrices."""
        return self.df.unsqueeze(-1).unsqueeze(-1)

    @property
    def mean(self) -> Tensor:
        """df times the covariance."""
        return self._expanded_df() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """(df - size - 1) times the covariance; NaN if the factor is negative."""
        factor = self._expanded_df() - self._event_shape[-1] - 1
        return where(factor >= 0, factor, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """df (V_ij² + V_ii V_jj) of each element."""
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(0, -2, -1)
        return self._expanded_df() * (matrix * matrix + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _row_df(self) -> Tensor:
        """Return df, df - 1, ... for the rows."""
        size = self._event_shape[-1]
        return self.df.unsqueeze(-1) - arange(size, dtype=self.df.dtype, device=self.df.device)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw differentiable samples by M. S. Bartlett's decomposition (1933)."""
        shape = self._extended_shape(sample_shape)
        squares = 2 * standard_gamma((self._row_df() / 2).expand(shape[:-1]))
        noise = randn(shape, dtype=self.df.dtype, device=self.df.device).tril(-1)
        factor = self._factor @ (noise + squares.sqrt().diag_embed())
        return factor @ factor.transpose(-2, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        size, factor = self._event_shape[-1], linalg.cholesky(value)
        spread = linalg.solve_triangular(self._factor, factor, upper=False)
        norm = self.df * (size * math.log(2) / 2 + half_log_det(self._factor)) + mvlgamma(self.df / 2, size)
        return (self.df - size - 1) * half_log_det(factor) - (spread * spread).sum((-2, -1)) / 2 - norm

    def entropy(self) -> Tensor:
        """Return the entropy."""
        size, df = self._event_shape[-1], self.df
        norm = (size + 1) * (half_log_det(self._factor) + size * math.log(2) / 2) + mvlgamma(df / 2, size)
        return norm - (df - size - 1) / 2 * digamma(self._row_df() / 2).sum(-1) + df * size / 2
