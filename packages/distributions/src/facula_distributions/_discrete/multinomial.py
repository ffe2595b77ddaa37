"""The multinomial distribution: the counts of categories in several draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, binomial, lgamma, no_grad, stack, where

from .. import constraints
from .categorical import _Categories
from .counts import Binomial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..constraints import Constraint

    Value = float | Tensor


@boundary
class Multinomial(_Categories):
    """The counts of the categories in `total_count` draws; the other parameters are those of `Categorical`.

    Arguments:
        total_count: the number of draws, at least 0.
        probs: the probabilities of the categories along the last dimension, with any positive sum.
        logits: alternatively, their logarithms, up to a constant.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> Multinomial(2, tensor([1.0, 1.0])).log_prob(tensor([1.0, 1.0])).exp()
    tensor(0.5000)
    """

    _shared = ("total_count",)

    has_enumerate_support = False

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        if not isinstance(total_count, int) or total_count < 0:
            raise InvalidValueError(
                f"Multinomial: expected total_count to be an integer of at least 0; got {total_count!r}"
            )
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    @classmethod
    def _is_vector(cls) -> bool:
        return True

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Constraint:
        """Nonnegative integers with a sum of total_count."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        """total_count * probs."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """total_count * probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples by category: the count of each is a binomial sample of the remaining draws."""
        with no_grad():
            probs = self.probs.expand(self._extended_shape(sample_shape))
            columns, counts = list(probs.unbind(-1)), []
            left = columns[0] * 0 + self.total_count
            rest = probs.flip(-1).cumsum(-1).flip(-1)  # the sum of this and all later probabilities
            for place, chance in enumerate(columns[:-1]):
                after = rest[..., place]
                share = where(after > 0, chance / where(after > 0, after, 1.0), 0.0).clamp(0, 1)
                drawn = binomial(left, share)
                counts.append(drawn)
                left = left - drawn
            return stack([*counts, left], -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        self._check_value(value)
        logits = where((value == 0) & (self.logits == -math.inf), 0.0, self.logits)  # defines 0 · -inf as 0
        return lgamma(value.sum(-1) + 1) - lgamma(value + 1).sum(-1) + (value * logits).sum(-1)

    def entropy(self) -> Tensor:
        """Return the entropy, from sums over the possible counts of each category."""
        n, probs = self.total_count, self.probs
        if n == 0:
            return super().entropy() * 0
        numbers = arange(1, n + 1, dtype=probs.dtype, device=probs.device).reshape((n,) + (1,) * probs.dim())
        each = Binomial(n, probs, validate_args=False).log_prob(numbers).exp() * lgamma(numbers + 1)
        norm = lgamma(probs.detach().sum(-1) * 0 + (n + 1))
        return n * super().entropy() - norm + each.sum(0).sum(-1)
