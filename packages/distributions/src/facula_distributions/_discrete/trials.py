"""Trials with two outcomes: a single one, and the number of failures before a success."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, bernoulli, no_grad, rand, where
from facula_tensor.functional import binary_cross_entropy_with_logits

from .. import constraints
from .._distribution import Distribution
from ..utils import broadcast_all, eps_of, lazy_property, logits_to_probs, probs_to_logits

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor


def either(name: str, probs: object, logits: object) -> None:
    """Raise ValueError unless exactly one of the two is given.

    Arguments:
        name: the distribution's class name, with which the error begins.
        probs: the probabilities, or None.
        logits: the log odds, or None.
    """
    if (probs is None) == (logits is None):
        given = "both" if logits is not None else "neither"
        raise InvalidValueError(f"{name}: expected either probs or logits; got {given}")


@boundary
class _Trials(Distribution):
    """Base class of distributions with a probability of success, or its log odds.

    Arguments:
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    def __init__(self, probs: Value | None = None, logits: Value | None = None, validate_args: bool | None = None):
        either(type(self).__name__, probs, logits)
        given = {"logits": logits} if probs is None else {"probs": probs}
        super().__init__(self._store_parameters(**given), (), validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        """log(probs / (1 - probs))."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> object:
        """The shape of the parameter."""
        return self._parameter().shape

    def _parameter(self) -> Tensor:
        return vars(self)["probs" if "probs" in vars(self) else "logits"]

    def _cross_entropy(self, value: Tensor) -> Tensor:
        logits, targets = broadcast_all(self.logits, value)
        return binary_cross_entropy_with_logits(logits, targets.to(logits.dtype), reduction="none")


@boundary
class Bernoulli(_Trials):
    """1 with probability `probs`, else 0; alternatively, `logits` are the log odds.

    >>> from facula_tensor import tensor
    >>> Bernoulli(tensor([0.25, 0.5])).log_prob(tensor(1.0)).exp()
    tensor([0.2500, 0.5000])
    """

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.boolean
    has_enumerate_support = True

    @property
    def mean(self) -> Tensor:
        """`probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The more probable value; NaN if both are equally probable."""
        probs = self.probs.detach()
        return where(probs == 0.5, math.nan, (probs >= 0.5).to(probs.dtype))

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples: zeros and ones in the parameter's dtype."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        return -self._cross_entropy(value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._cross_entropy(self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 and 1 along a new first dimension."""
        given = self._parameter()
        values = arange(2, dtype=given.dtype, device=given.device).reshape((2,) + (1,) * len(self._batch_shape))
        return values.expand((2, *self._batch_shape)) if expand else values


@boundary
class Geometric(_Trials):
    """The number of failures before the first success, with probability `probs`; `logits` are the log odds.

    Arguments:
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.

    Raises:
        ValueError: both probs and logits are given, or neither; with validation, a probability of 0.

    >>> from facula_tensor import tensor
    >>> Geometric(0.5).log_prob(tensor([0.0, 1.0, 2.0])).exp()
    tensor([0.5000, 0.2500, 0.1250])
    """

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, probs: Value | None = None, logits: Value | None = None, validate_args: bool | None = None):
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None:
            self._check("parameter probs", constraints.positive, self.probs)

    @property
    def mean(self) -> Tensor:
        """1 / probs - 1."""
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        """0."""
        return self.probs.detach() * 0

    @property
    def variance(self) -> Tensor:
        """(1 / probs - 1) / probs."""
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples: integers in the parameter's dtype."""
        with no_grad():
            probs = self.probs.expand(self._extended_shape(sample_shape))
            share = rand(probs.shape, dtype=probs.dtype, device=probs.device).clamp(min=eps_of(probs.dtype) / 4)
            return share.log() / (-probs).log1p() // 1

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        probs = where((value == 0) & (self.probs == 1), 0.0, self.probs)  # defines 0 · -inf as 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._cross_entropy(self.probs) / self.probs
