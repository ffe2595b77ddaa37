"""Reinterpretation of batch dimensions as event dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .. import constraints
from .._distribution import Distribution
from ..utils import sum_last

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from facula_tensor import Tensor

    from ..constraints import Constraint


@boundary
class Independent(Distribution):
    """A distribution that reinterprets the last `reinterpreted_batch_ndims` batch dimensions as event dimensions.

    Log probabilities and entropies are summed over them.

    Arguments:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: the number of batch dimensions to reinterpret.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: more dimensions than the batch has.

    >>> from facula_tensor import ones, zeros
    >>> from facula_distributions import Normal
    >>> diagonal = Independent(Normal(zeros(3), ones(3)), 1)
    >>> diagonal.batch_shape, diagonal.event_shape
    (facula.Size([]), facula.Size([3]))
    """

    reinterpreted_batch_ndims: int

    arg_constraints = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ):
        dims, shape = reinterpreted_batch_ndims, base_distribution.batch_shape + base_distribution.event_shape
        if not 0 <= dims <= len(base_distribution.batch_shape):
            raise InvalidValueError(
                f"Independent: expected reinterpreted_batch_ndims from 0 to the {len(base_distribution.batch_shape)} "
                f"batch dimensions; got {dims}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, dims
        split = len(base_distribution.batch_shape) - dims
        super().__init__(shape[:split], shape[split:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the base distribution has differentiable samples."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether the base distribution can enumerate its support, and no dimension is reinterpreted."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Constraint:
        """The support of the base distribution, for whole events."""
        base = self.base_dist.support
        return constraints.independent(base, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else base

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with its parameters expanded."""
        taken = tuple(self._event_shape[: self.reinterpreted_batch_ndims])
        base = self.base_dist.expand((*batch_shape, *taken))
        return type(self)(base, self.reinterpreted_batch_ndims, validate_args=self._validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The value with the maximum density."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples without gradients."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of whole events."""
        return sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the entropy of whole events."""
        return sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return the base distribution's enumeration, if no dimension is reinterpreted."""
        if self.reinterpreted_batch_ndims:
            raise self._undefined("enumerate_support")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
