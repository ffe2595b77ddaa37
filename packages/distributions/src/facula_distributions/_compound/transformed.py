"""`TransformedDistribution`: a distribution mapped by transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import no_grad

from .. import constraints
from .._distribution import Distribution
from .._transforms.compositions import ComposeTransform
from .._transforms.transform import Transform
from ..utils import sum_last
from .independent import Independent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from facula_tensor import Tensor

    from ..constraints import Constraint


@boundary
class TransformedDistribution(Distribution):
    """The distribution of f(x), where x has the `base_distribution` and f is the composition of the transforms.

    Arguments:
        base_distribution: the distribution of x.
        transforms: one transform, or a list of them in the order of application.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> from facula_distributions import ExpTransform, Normal
    >>> TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()]).log_prob(tensor(1.0))
    tensor(-0.9189)
    """

    transforms: list[Transform]
    base_dist: Distribution

    arg_constraints = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ):
        given = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(given, (list, tuple)) or not all(isinstance(transform, Transform) for transform in given):
            raise InvalidTypeError(
                f"TransformedDistribution: expected transforms to be a Transform or a list of them; got {transforms!r}"
            )
        self.transforms = list(given)
        whole = ComposeTransform(self.transforms)
        shape, dims = base_distribution.batch_shape + base_distribution.event_shape, len(base_distribution.event_shape)
        if len(shape) < whole.domain.event_dim:
            raise InvalidValueError(
                f"TransformedDistribution: expected a base of at least {whole.domain.event_dim} dimensions, "
                f"which the transforms take; got shape {tuple(shape)}"
            )
        results = whole.forward_shape(shape)
        wide = whole.inverse_shape(results)
        if tuple(wide) != tuple(shape):
            base_distribution = base_distribution.expand(wide[: len(wide) - dims])
        more = whole.domain.event_dim - dims
        self.base_dist = Independent(base_distribution, more) if more > 0 else base_distribution
        events = whole.codomain.event_dim + max(-more, 0)
        cut = len(results) - events
        super().__init__(results[:cut], results[cut:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the base distribution has differentiable samples."""
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> Constraint:
        """The codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self._event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with the base distribution's parameters expanded."""
        new: Self = object.__new__(type(self)) if _instance is None else _instance
        new.transforms = self.transforms
        whole = ComposeTransform(self.transforms)
        shape = whole.inverse_shape((*batch_shape, *self._event_shape))
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples without gradients."""
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to all parameters, including those of the transforms."""
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density: the base density minus the log determinants of the transforms."""
        self._check_value(value)
        dims, total, y = len(self._event_shape), None, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            wider = sum_last(transform.log_abs_det_jacobian(x, y), dims - transform.domain.event_dim)
            total = -wider if total is None else total - wider
            y = x
        below = sum_last(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))
        return below if total is None else below + total

    def _flip_if_decreasing(self, share: Tensor) -> Tensor:
        """Return probabilities of the base distribution, or 1 minus them if the transforms are decreasing."""
        sign: int | Tensor = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return share
        return sign * (share - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self.base_dist._validate_args:
            self.base_dist._validate_sample(value)
        return self._flip_if_decreasing(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        value = self._flip_if_decreasing(value)
        return self._transformed(self.base_dist.icdf(value))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.transforms!r})"
