"""Constraints: sets of values of a parameter or a sample. `check(value)` returns a bool for each event.

The end of this module defines the instances (`positive`, `simplex`, ...); classes with bounds are called, as in
`interval(0.0, 1.0)`. A constraint that depends on a distribution's parameters is a `dependent_property` of its class.
"""

from __future__ import annotations

from itertools import accumulate as _accumulate
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import published
from facula_tensor import Tensor, isclose, linalg
from facula_tensor import bool as bool_
from facula_tensor import cat as join
from facula_tensor import stack as pile

from ._constraint import Constraint, _Dependent, dependent_property, is_dependent
from .utils import eps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Bound = float | Tensor

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular",
    "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite",
    "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack", "symmetric",
    "unit_interval",
]  # fmt: skip

__dir__ = published(__name__)


class independent(Constraint):
    """A constraint with additional event dimensions: all values of an event must be in the region."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each event."""
        inside = self.base_constraint.check(value)
        if inside.ndim < self.reinterpreted_batch_ndims:
            raise InvalidValueError(
                f"independent.check: expected a value of at least {self.event_dim} dimension(s); got {value.ndim}"
            )
        for _ in range(self.reinterpreted_batch_ndims):
            inside = inside.all(-1)
        return inside

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Real(Constraint):
    """All numbers, but not NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value  # everything but NaN


class _Boolean(Constraint):
    """The numbers 0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    """Vectors of zeros with a single 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Nonnegative vectors with a sum of 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Above(Constraint):
    lower_bound: float | Tensor

    def __init__(self, lower_bound: Bound):
        self.lower_bound = lower_bound


class _Below(Constraint):
    def __init__(self, upper_bound: Bound):
        self.upper_bound = upper_bound


class _Between(Constraint):
    lower_bound: float | Tensor
    upper_bound: float | Tensor

    def __init__(self, lower_bound: Bound, upper_bound: Bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class greater_than(_Above):
    """Values above a bound.

    >>> from facula_tensor import tensor
    >>> greater_than(1.0).check(tensor([1.0, 2.0]))
    tensor([False,  True])
    """

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return value > self.lower_bound


class greater_than_eq(_Above):
    """Values of at least a bound.

    >>> from facula_tensor import tensor
    >>> greater_than_eq(1.0).check(tensor([1.0, 2.0]))
    tensor([True, True])
    """

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return value >= self.lower_bound


class less_than(_Below):
    """Values below a bound.

    >>> from facula_tensor import tensor
    >>> less_than(2.0).check(tensor([1.0, 2.0]))
    tensor([ True, False])
    """

    upper_bound: float | Tensor

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return value < self.upper_bound


class interval(_Between):
    """Values between two bounds, inclusive.

    >>> from facula_tensor import tensor
    >>> interval(0.0, 1.0).check(tensor([1.0, 2.0]))
    tensor([ True, False])
    """

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class half_open_interval(_Between):
    """Values between two bounds, excluding the upper one.

    >>> from facula_tensor import tensor
    >>> half_open_interval(0.0, 1.0).check(tensor([0.0, 1.0]))
    tensor([ True, False])
    """

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return (value >= self.lower_bound) & (value < self.upper_bound)


class integer_interval(_Between):
    """Integers between two bounds, inclusive.

    >>> from facula_tensor import tensor
    >>> integer_interval(0, 3).check(tensor([1.0, 1.5]))
    tensor([ True, False])
    """

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each element."""
        return (value % 1 == 0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Whole numbers of at least a bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _IntegerLessThan(_Below):
    upper_bound: float | Tensor

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _LowerTriangular(Constraint):
    """Square matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(0, -2, -1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices, with rows of norm 1."""

    def check(self, value: Tensor) -> Tensor:
        close = 10 * value.shape[-1] * eps_of(value.dtype)
        length = linalg.vector_norm(value.detach(), dim=-1)
        return super().check(value) & ((length - 1).abs() <= close).all(-1)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return value.new_full(tuple(value.shape[:-2]), value.shape[-1] == value.shape[-2], dtype=bool_)


class _Symmetric(_Square):
    """Symmetric matrices, up to rounding."""

    def check(self, value: Tensor) -> Tensor:
        square = super().check(value)
        if value.shape[-1] != value.shape[-2]:
            return square
        return isclose(value, value.transpose(-2, -1), atol=1e-6).all(-1).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices whose eigenvalues are not negative, up to rounding."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if value.shape[-1] != value.shape[-2]:
            return symmetric
        n, eps = value.shape[-1], eps_of(value.dtype)
        most = value.diagonal(0, -2, -1).abs().sum(-1, keepdim=True)
        slack = (most + (most == 0)) * (4 * n * eps)  # rounding errors may make a singular matrix slightly negative
        return symmetric & (linalg.cholesky_ex(value + slack.expand(value.shape[:-1]).diag_embed())[1] == 0)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices whose eigenvalues are positive."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if value.shape[-1] != value.shape[-2]:
            return symmetric
        return symmetric & (linalg.cholesky_ex(value)[1] == 0)


class multinomial(_Below):
    """Vectors of nonnegative integers with a sum of at most `upper_bound`."""

    upper_bound: float | Tensor

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each vector."""
        return ((value >= 0) & (value % 1 == 0)).all(-1) & (value.sum(-1) <= self.upper_bound)


class _PartsConstraint(Constraint):
    """Constraints on the parts of a tensor along a dimension."""

    cseq: list[Constraint]

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0):
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether one of the constraints is discrete."""
        return any(part.is_discrete for part in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The maximum of the constraints' event dimensions."""
        return max(part.event_dim for part in self.cseq)


class cat(_PartsConstraint):
    """A constraint for each part, with these `lengths` (default 1), along a dimension; further parts are unconstrained.

    Arguments:
        cseq: the constraints, one for each part.
        dim: the dimension along which the tensor is split.
        lengths: the length of each part; 1 each if None.
    """

    lengths: list[int]

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each event."""
        places = zip(self.cseq, _accumulate(self.lengths, initial=0), self.lengths, strict=False)
        return join(
            [constraint.check(value.narrow(self.dim, start, length)) for constraint, start, length in places], self.dim
        )


class stack(_PartsConstraint):
    """A constraint for each index of a dimension; surplus indices and constraints are ignored."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """The maximum of the constraints' event dimensions, plus one if the dimension is among them."""
        most = max(part.event_dim for part in self.cseq)
        return most + (self.dim + most < 0)

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each event."""
        parts = zip(self.cseq, value.unbind(self.dim), strict=False)
        return pile([constraint.check(part) for constraint, part in parts], self.dim)


class MixtureSameFamilyConstraint(Constraint):
    """The support of mixtures: values that satisfy `base_constraint` in each component."""

    def __init__(self, base_constraint: Constraint):
        self.base_constraint = base_constraint
        self.is_discrete, self.event_dim = base_constraint.is_discrete, base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        """Return a bool for each event."""
        inside = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return inside.all(-1)


dependent: Constraint = _Dependent()
boolean: Constraint = _Boolean()
one_hot: Constraint = _OneHot()
nonnegative_integer: Constraint = _IntegerGreaterThan(0)
positive_integer: Constraint = _IntegerGreaterThan(1)
real: Constraint = _Real()
real_vector: Constraint = independent(real, 1)
positive: Constraint = greater_than(0.0)
nonnegative: Constraint = greater_than_eq(0.0)
unit_interval: Constraint = interval(0.0, 1.0)
lower_triangular: Constraint = _LowerTriangular()
lower_cholesky: Constraint = _LowerCholesky()
corr_cholesky: Constraint = _CorrCholesky()
square: Constraint = _Square()
symmetric: Constraint = _Symmetric()
positive_semidefinite: Constraint = _PositiveSemidefinite()
positive_definite: Constraint = _PositiveDefinite()
simplex: Constraint = _Simplex()
