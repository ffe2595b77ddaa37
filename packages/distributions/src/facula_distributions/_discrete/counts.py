"""Distributions of counts: Poisson, binomial, negative binomial."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, binomial, lgamma, no_grad, poisson, where, xlogy
from facula_tensor.extend.sampling import standard_gamma
from facula_tensor.extend.tensors import elements
from facula_tensor.functional import logsigmoid

from .. import constraints
from .._distribution import Distribution
from .trials import _Trials, either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..constraints import Constraint

    Value = float | Tensor


@boundary
class Poisson(Distribution):
    """The Poisson distribution: the number of events in a unit of time, with `rate` expected events.

    >>> from facula_tensor import tensor
    >>> Poisson(2.0).log_prob(tensor(0.0))
    tensor(-2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Value, validate_args: bool | None = None):
        super().__init__(self._store_parameters(rate=rate), (), validate_args)

    @property
    def mean(self) -> Tensor:
        """`rate`."""
        return self.rate

    @property
    def mode(self) -> Tensor:
        """`rate`, rounded down."""
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        """`rate`."""
        return self.rate

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples: integers in the parameter's dtype."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        return xlogy(value, self.rate) - self.rate - lgamma(value + 1)


class _Repeated(_Trials):
    """Base class of distributions of repeated trials: a `total_count`, and the probability of success.

    Arguments:
        total_count: the number of trials.
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    total_count: Tensor

    def __init__(
        self,
        total_count: Value,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ):
        either(type(self).__name__, probs, logits)
        given = {"logits": logits} if probs is None else {"probs": probs}
        shape = self._store_parameters(total_count=total_count, **given)
        self.total_count = self.total_count.to(self._parameter().dtype)
        Distribution.__init__(self, shape, (), validate_args)


@boundary
class Binomial(_Repeated):
    """The number of successes in `total_count` trials with probability `probs`; `logits` are the log odds.

    Arguments:
        total_count: the number of trials.
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: both probs and logits are given, or neither.

    >>> from facula_tensor import tensor
    >>> Binomial(2, tensor(0.5)).log_prob(tensor([0.0, 1.0, 2.0])).exp()
    tensor([0.2500, 0.5000, 0.2500])
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Value = 1,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ):
        super().__init__(total_count, probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        """Integers from 0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        """total_count * probs."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        """(total_count + 1) probs, rounded down, at most total_count."""
        return ((self.total_count + 1) * self.probs).floor().minimum(self.total_count)

    @property
    def variance(self) -> Tensor:
        """total_count * probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples: integers in the parameter's dtype."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        n, logits = self.total_count, self.logits
        ways = lgamma(n + 1) - lgamma(value + 1) - lgamma(n - value + 1)
        return ways + value * logsigmoid(logits) + (n - value) * logsigmoid(-logits)

    def entropy(self) -> Tensor:
        """Return the entropy, a sum over all values; ValueError if total_count differs within the batch."""
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 to total_count along a new first dimension; ValueError if total_count differs within the batch."""
        counts = elements(self.total_count)
        most = counts.max().item() if counts.numel() else 0
        if not (counts == most).all().item():
            raise InvalidValueError(f"Binomial: expected one total_count to enumerate; got {self.total_count}")
        given = self._parameter()
        values = arange(int(most) + 1, dtype=given.dtype, device=given.device)
        values = values.reshape((-1,) + (1,) * len(self._batch_shape))
        return values.expand((values.shape[0], *self._batch_shape)) if expand else values


@boundary
class NegativeBinomial(_Repeated):
    """The number of successes, with probability `probs`, before `total_count` failures.

    >>> from facula_tensor import tensor
    >>> NegativeBinomial(3.0, tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0.0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        """total_count * probs / (1 - probs)."""
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        """(total_count - 1) probs / (1 - probs), rounded down, at least 0."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """mean / (1 - probs)."""
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw Poisson samples with gamma-distributed rates."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            rates = standard_gamma(self.total_count.expand(shape)) * self.logits.exp().expand(shape)
            return poisson(rates)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        n, logits = self.total_count, self.logits
        certain = n + value == 0
        ways = lgamma(where(certain, 1.0, n + value)) - lgamma(value + 1) - lgamma(where(certain, 1.0, n))
        return n * logsigmoid(-logits) + value * logsigmoid(logits) + ways
