"""Transforms of vectors and matrices, and of parts of tensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor, arange, cat, eye, linalg, stack
from facula_tensor.functional import logsigmoid, pad, softmax

from .. import constraints
from ..utils import eps_of, tril_matrix_to_vec, vec_to_tril_matrix
from .elementwise import _Plain, inside, softplus
from .transform import Transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..constraints import Constraint


def _least(name: str, value: Sequence[int], dims: int) -> None:
    """Raise ValueError for a shape of fewer than `dims` dimensions."""
    if len(value) < dims:
        raise InvalidValueError(f"{name}: expected at least {dims} dimension(s); got shape {tuple(value)}")


@boundary
class SoftmaxTransform(_Plain):
    """exp(x), normalized to a sum of 1; not injective, and the inverse returns log(y).

    >>> from facula_tensor import zeros
    >>> SoftmaxTransform()(zeros(2))
    tensor([0.5000, 0.5000])
    """

    bijective = False
    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the same shape, with at least one dimension."""
        _least("SoftmaxTransform", shape, 1)
        return Size(shape)

    inverse_shape = forward_shape


@boundary
class StickBreakingTransform(_Plain):
    """Map vectors of n numbers to n + 1 components with a sum of 1; each takes a sigmoid's share of the remainder.

    >>> from facula_tensor import zeros
    >>> StickBreakingTransform()(zeros(3))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    @staticmethod
    def _offset(x: Tensor) -> Tensor:
        """Return the offsets that map zeros to equal components."""
        n = x.shape[-1]
        return (n - arange(n, dtype=x.dtype, device=x.device)).log()

    def _call(self, x: Tensor) -> Tensor:
        taken = inside((x - self._offset(x)).sigmoid())
        left = (1 - taken).cumprod(-1)
        return pad(taken, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=eps_of(y.dtype) / 4)
        return shares.log() - left.log() + self._offset(shares)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log determinant for all components but the last, which is determined by the others."""
        z = x - self._offset(x)
        return (logsigmoid(-z) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape with the last dimension increased by one."""
        _least("StickBreakingTransform", shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Return the shape with the last dimension decreased by one."""
        _least("StickBreakingTransform", shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


@boundary
class LowerCholeskyTransform(_Plain):
    """Map square matrices to lower triangular ones with a positive diagonal, the exponential of the original one.

    >>> from facula_tensor import zeros
    >>> LowerCholeskyTransform()(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    bijective = False
    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(0, -2, -1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(0, -2, -1).log().diag_embed()


@boundary
class PositiveDefiniteTransform(_Plain):
    """Map square matrices to positive definite L L^T, where L is the result of `LowerCholeskyTransform`.

    >>> from facula_tensor import zeros
    >>> PositiveDefiniteTransform()(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    bijective = False
    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.transpose(-2, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


@boundary
class CorrCholeskyTransform(_Plain):
    """Map vectors of n (n - 1) / 2 numbers to Cholesky factors of n by n correlation matrices.

    In each row, which has norm 1, tanh(x) is the fraction that an element takes of the remaining norm (D. Lewandowski,
    D. Kurowicka, H. Joe, 2009).

    >>> from facula_tensor import zeros
    >>> CorrCholeskyTransform()(zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        most = 1 - eps_of(x.dtype)
        partial = vec_to_tril_matrix(x.tanh().clamp(-most, most), -1)
        left = (1 - partial * partial).sqrt().cumprod(-1)
        whole = partial + eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return whole * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        before = pad(left[..., :-1], [1, 0], value=1)
        return (tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(before, -1).sqrt()).atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log determinant for the elements below the diagonal, which determine the diagonal."""
        left = 1 - (y * y).cumsum(-1)
        before = tril_matrix_to_vec(pad(left[..., :-1], [1, 0], value=1), -1)
        return (before.log() / 2 + 2 * (math.log(2) - x - softplus(-2 * x))).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        """Convert the shape of vectors to that of matrices."""
        _least("CorrCholeskyTransform", shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise InvalidValueError(
                f"CorrCholeskyTransform: expected n (n - 1) / 2 numbers in the last dimension; got {shape[-1]}"
            )
        return Size((*shape[:-1], n, n))

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        """Convert the shape of matrices to that of vectors."""
        _least("CorrCholeskyTransform", shape, 2)
        if shape[-1] != shape[-2]:
            raise InvalidValueError(f"CorrCholeskyTransform: expected square matrices; got shape {tuple(shape)}")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class _PartsTransform(Transform):
    """Base class of transforms of the parts of a tensor along a dimension.

    Arguments:
        tseq: the transforms, one for each part.
        dim: the dimension along which the tensor is split.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.
    """

    transforms: list[Transform]

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int):
        for part in tseq:
            if not isinstance(part, Transform):
                raise InvalidTypeError(f"{type(self).__name__}: expected transforms; got {part!r}")
        super().__init__(cache_size)
        self.transforms = [part.with_cache(cache_size) for part in tseq]
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all transforms are bijective."""
        return all(transform.bijective for transform in self.transforms)

    @property
    def domain(self) -> Constraint:  # type: ignore[override]
        """The domains of the transforms, along the dimension."""
        return self._region([transform.domain for transform in self.transforms])

    @property
    def codomain(self) -> Constraint:  # type: ignore[override]
        """The codomains of the transforms, along the dimension."""
        return self._region([transform.codomain for transform in self.transforms])

    def _region(self, parts: list[Constraint]) -> Constraint:
        raise UnsupportedError(f"{type(self).__name__}: expected the class to define _region")

    def _parts(self, value: Tensor) -> list[Tensor]:
        raise UnsupportedError(f"{type(self).__name__}: expected the class to define _parts")

    def _joined(self, parts: list[Tensor]) -> Tensor:
        raise UnsupportedError(f"{type(self).__name__}: expected the class to define _joined")

    def _call(self, x: Tensor) -> Tensor:
        return self._joined([transform(part) for transform, part in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y: Tensor) -> Tensor:
        parts = self._parts(y)
        return self._joined([transform.inv(part) for transform, part in zip(self.transforms, parts, strict=True)])


@boundary
class StackTransform(_PartsTransform):
    """A transform for each index of a dimension.

    Arguments:
        tseq: the transforms, one for each part.
        dim: the dimension along which the tensor is split.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.

    >>> from facula_tensor import tensor
    >>> from facula_distributions import ExpTransform, identity_transform
    >>> StackTransform([ExpTransform(), identity_transform], 0)(tensor([0.0, 0.0]))
    tensor([1., 0.])
    """

    _made_of = ("transforms", "dim")

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0):
        super().__init__(tseq, dim, cache_size)

    def _region(self, parts: list[Constraint]) -> Constraint:
        return constraints.stack(parts, self.dim)

    def _parts(self, value: Tensor) -> list[Tensor]:
        count = value.shape[self.dim]
        if count != len(self.transforms):
            raise InvalidValueError(
                f"StackTransform: expected {len(self.transforms)} elements in dimension {self.dim}, one for each "
                f"transform; got {count}"
            )
        return list(value.unbind(self.dim))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log determinants of the transforms, along the dimension."""
        given = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return stack([transform.log_abs_det_jacobian(a, b) for transform, a, b in given], self.dim)


@boundary
class CatTransform(_PartsTransform):
    """A transform for each part, with these `lengths` (default 1), along a dimension.

    Arguments:
        tseq: the transforms, one for each part.
        dim: the dimension along which the tensor is split.
        lengths: the length of each part; 1 each if None.
        cache_size: 1 to cache the last pair of x and y, 0 for no cache.
    """

    _made_of = ("transforms", "dim", "lengths")
    lengths: list[int]

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise InvalidValueError(
                f"CatTransform: expected a length for each of {len(self.transforms)} transforms; got {self.lengths}"
            )

    @property
    def length(self) -> int:
        """The sum of the lengths."""
        return sum(self.lengths)

    @property
    def event_dim(self) -> int:
        """The maximum of the transforms' event dimensions."""
        return max(transform.event_dim for transform in self.transforms)

    def _region(self, parts: list[Constraint]) -> Constraint:
        return constraints.cat(parts, self.dim, self.lengths)

    def _parts(self, value: Tensor) -> list[Tensor]:
        count = value.shape[self.dim]
        if count != self.length:
            raise InvalidValueError(
                f"CatTransform: expected {self.length} elements in dimension {self.dim}; got {count}"
            )
        return list(value.split(self.lengths, self.dim))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log determinants of the transforms, along the dimension unless it is an event dimension."""
        most, found = self.event_dim, []
        for transform, a, b in zip(self.transforms, self._parts(x), self._parts(y), strict=True):
            each = transform.log_abs_det_jacobian(a, b)
            found.append(each.sum(tuple(range(transform.event_dim - most, 0))) if transform.event_dim < most else each)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += most
        if dim < 0:
            return cat(found, dim)
        total = found[0]
        for each in found[1:]:
            total = total + each
        return total
