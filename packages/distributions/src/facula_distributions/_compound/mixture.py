"""Mixtures of distributions from one family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import no_grad
from facula_tensor.functional import log_softmax

from .. import constraints
from .._discrete.categorical import Categorical
from .._distribution import Distribution
from ..utils import broadcast_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from facula_tensor import Tensor

    from ..constraints import Constraint


@boundary
class MixtureSameFamily(Distribution):
    """A mixture: a sample of the component that `mixture_distribution` selects.

    The last batch dimension of `component_distribution` enumerates the components.

    Arguments:
        mixture_distribution: the probabilities of the components.
        component_distribution: the components, along its last batch dimension.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> from facula_distributions import Categorical, Normal
    >>> MixtureSameFamily(Categorical(tensor([1.0, 3.0])), Normal(tensor([0.0, 4.0]), 1.0)).mean
    tensor(3.)
    """

    _mixture_distribution: Categorical
    _component_distribution: Distribution

    arg_constraints = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ):
        mixture, component = mixture_distribution, component_distribution
        if not isinstance(mixture, Categorical):
            raise InvalidTypeError(
                f"MixtureSameFamily: expected mixture_distribution to be a Categorical; got {mixture!r}"
            )
        if not isinstance(component, Distribution):
            raise InvalidTypeError(
                f"MixtureSameFamily: expected component_distribution to be a Distribution; got {component!r}"
            )
        count = mixture._num_events
        if not component.batch_shape or component.batch_shape[-1] != count:
            raise InvalidValueError(
                f"MixtureSameFamily: expected {count} components, one per category, in the last batch dimension; got "
                f"batch shape {tuple(component.batch_shape)}"
            )
        batch = broadcast_shapes(mixture.batch_shape, component.batch_shape[:-1])
        self._mixture_distribution = mixture
        self._component_distribution = component.expand((*batch, count))
        super().__init__(batch, component.event_shape, validate_args)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of the components' indices."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components, along the last batch dimension."""
        return self._component_distribution

    @constraints.dependent_property
    def support(self) -> Constraint:
        """The support of the components."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with its parameters expanded."""
        mixture = self._mixture_distribution.expand(batch_shape)
        component = self._component_distribution.expand((*batch_shape, mixture._num_events))
        return type(self)(mixture, component, validate_args=self._validate_args)

    def _weights(self) -> Tensor:
        """The probabilities of the components, with dimensions for events."""
        probs = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *(1,) * len(self._event_shape)))

    def _padded(self, value: Tensor) -> Tensor:
        return value.unsqueeze(-1 - len(self._event_shape))

    @property
    def mean(self) -> Tensor:
        """The weighted mean of the components' means."""
        return (self._weights() * self._component_distribution.mean).sum(-1 - len(self._event_shape))

    @property
    def variance(self) -> Tensor:
        """The weighted mean of the components' variances, plus the variance of their means."""
        dim, weights, means = -1 - len(self._event_shape), self._weights(), self._component_distribution.mean
        away = means - (weights * means).sum(dim, keepdim=True)
        return (weights * (self._component_distribution.variance + away * away)).sum(dim)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        shares = self._component_distribution.cdf(self._padded(value))
        return (shares * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        densities = self._component_distribution.log_prob(self._padded(value))
        return (densities + log_softmax(self._mixture_distribution.logits, -1)).logsumexp(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples without gradients."""
        with no_grad():
            numbers = self._mixture_distribution.expand(self._batch_shape).sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            dim, events = -1 - len(self._event_shape), tuple(self._event_shape)
            places = numbers.reshape((*numbers.shape, 1, *(1,) * len(events)))
            places = places.expand((*numbers.shape, 1, *events))
            return drawn.gather(drawn.dim() + dim, places).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution!r},\n  {self._component_distribution!r})"
