"""Categorical distributions, of indices or one-hot vectors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidIndexError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, eye, no_grad, rand, where
from facula_tensor.extend.tensors import elements

from .. import constraints
from .._distribution import Distribution
from ..utils import broadcast_shapes, eps_of, lazy_property, logits_to_probs, normalized_logits, probs_to_logits
from .trials import either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Size

    from ..constraints import Constraint


@boundary
class _Categories(Distribution):
    """Base class of distributions with the probabilities of categories along the last dimension.

    Arguments:
        probs: the probabilities of the categories along the last dimension, with any positive sum.
        logits: alternatively, their logarithms, up to a constant.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    arg_constraints = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        name = type(self).__name__
        either(name, probs, logits)
        given = probs if probs is not None else logits
        if not isinstance(given, Tensor) or given.dim() < 1:
            raise InvalidValueError(
                f"{name}: expected a tensor with the categories along its last dimension; got {given!r}"
            )
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = normalized_logits(given)
        shape = tuple(given.shape)
        super().__init__(shape[:-1], shape[-1:] if type(self)._is_vector() else (), validate_args)

    @classmethod
    def _is_vector(cls) -> bool:
        return cls.support is constraints.one_hot

    @lazy_property
    def logits(self) -> Tensor:
        """The log probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities, with a sum of 1 along the last dimension."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._parameter().shape

    def _parameter(self) -> Tensor:
        return vars(self)["probs" if "probs" in vars(self) else "logits"]

    @property
    def _num_events(self) -> int:
        return self._parameter().shape[-1]

    def _numbers(self, sample_shape: Sequence[int]) -> Tensor:
        """Draw indices of categories: the first of independent exponential clocks with the probabilities as rates."""
        with no_grad():
            probs = self.probs.expand((*self._lengths(sample_shape), *self._batch_shape, self._num_events))
            share = rand(probs.shape, dtype=probs.dtype, device=probs.device).clamp(min=eps_of(probs.dtype) / 4)
            return (probs / -share.log()).argmax(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        terms = self.logits * self.probs
        return -where(self.probs == 0, 0.0, terms).sum(-1)


@boundary
class Categorical(_Categories):
    """The index of a category, from 0, with `probs` (of any positive sum) or `logits` along the last dimension.

    >>> from facula_tensor import tensor
    >>> Categorical(tensor([1.0, 3.0])).log_prob(tensor([0, 1])).exp()
    tensor([0.2500, 0.7500])
    """

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        """Integers from 0 to the number of categories - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        """NaN: indices of categories have no mean."""
        return self.probs.detach().sum(-1) * math.nan

    @property
    def mode(self) -> Tensor:
        """The most probable category."""
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        """NaN: indices of categories have no mean."""
        return self.mean

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples, as int64."""
        return self._numbers(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        shape, count = broadcast_shapes(value.shape, self._batch_shape), self._num_events
        chosen = value.long().expand(shape).reshape(-1)
        if (
            not self._validate_args and not elements((chosen >= 0) & (chosen < count)).all().item()
        ):  # prevents reading from another row
            raise InvalidIndexError(f"Categorical.log_prob: expected categories from 0 to {count - 1}; got others")
        flat = self.logits.expand((*shape, count)).reshape(-1)
        starts = arange(chosen.numel(), device=chosen.device) * count
        return flat[starts + chosen].reshape(shape)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all categories along a new first dimension."""
        count = self._num_events
        values = arange(count, device=self._parameter().device).reshape((count,) + (1,) * len(self._batch_shape))
        return values.expand((count, *self._batch_shape)) if expand else values


@boundary
class OneHotCategorical(_Categories):
    """A category as a one-hot vector; the parameters are those of `Categorical`.

    >>> from facula_tensor import tensor
    >>> OneHotCategorical(tensor([1.0, 3.0])).log_prob(tensor([0.0, 1.0])).exp()
    tensor(0.7500)
    """

    support = constraints.one_hot

    @property
    def mean(self) -> Tensor:
        """`probs`."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The most probable category."""
        return self._one_hot(self.probs.argmax(-1))

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def _one_hot(self, numbers: Tensor) -> Tensor:
        given = self._parameter()
        return eye(self._num_events, dtype=given.dtype, device=given.device)[numbers]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples with the parameter's dtype."""
        return self._one_hot(self._numbers(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        logits = where((value == 0) & (self.logits == -math.inf), 0.0, self.logits)  # defines 0 · -inf as 0
        return (value * logits).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all categories along a new first dimension."""
        count, batch = self._num_events, self._batch_shape
        values = self._one_hot(arange(count, device=self._parameter().device)).reshape(
            (count,) + (1,) * len(batch) + (count,)
        )
        return values.expand((count, *batch, count)) if expand else values


@boundary
class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A `OneHotCategorical` whose samples have the gradient of the probabilities (Y. Bengio and others, 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples whose gradients are those of the probabilities."""
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
