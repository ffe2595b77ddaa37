"""Continuous relaxations of the Bernoulli distribution, with differentiable samples.

E. Jang, S. Gu, B. Poole: Categorical reparameterization with Gumbel-softmax; C. Maddison, A. Mnih, Y. W. Teh: The
Concrete distribution. Both ICLR 2017.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, published
from facula_tensor import Tensor, as_tensor, rand
from facula_tensor.functional import logsigmoid

from . import constraints
from ._compound.transformed import TransformedDistribution
from ._discrete.trials import _Trials
from ._transforms.elementwise import SigmoidTransform
from .utils import eps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Value = float | Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]

__dir__ = published(__name__)


def open_uniform(like: Tensor, shape: Sequence[int]) -> Tensor:
    """Draw uniform numbers from the open interval (0, 1)."""
    eps = eps_of(like.dtype) / 4
    return rand(tuple(shape), dtype=like.dtype, device=like.device).clamp(eps, 1 - 2 * eps)


def temperature_like(value: Value, like: Tensor) -> Tensor:
    return value if isinstance(value, Tensor) else as_tensor(float(value), dtype=like.dtype, device=like.device)


@boundary
class LogitRelaxedBernoulli(_Trials):
    """The log odds of a `RelaxedBernoulli`: (logits + logistic noise) / temperature.

    Arguments:
        temperature: a positive number; lower temperatures concentrate the samples near the corners.
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    _shared = ("temperature",)

    temperature: Tensor

    arg_constraints = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        temperature: Value,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ):
        super().__init__(probs, logits, validate_args)
        self.temperature = temperature_like(temperature, self._parameter())

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        share = open_uniform(self._parameter(), self._extended_shape(sample_shape))
        return (share.log() - (-share).log1p() + self.logits) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        away = self.logits - value * self.temperature
        return self.temperature.log() + logsigmoid(away) + logsigmoid(-away)


class Relaxed(TransformedDistribution):
    """A transform of a distribution with a temperature."""

    @property
    def temperature(self) -> Tensor:
        """The temperature; samples approach 0 and 1 as it decreases."""
        return self.base_dist.temperature  # type: ignore[attr-defined, no-any-return]

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs  # type: ignore[attr-defined, no-any-return]

    @property
    def logits(self) -> Tensor:
        """The log odds, or the logarithms, of the probabilities."""
        return self.base_dist.logits  # type: ignore[attr-defined, no-any-return]


@boundary
class RelaxedBernoulli(Relaxed):
    """A continuous relaxation of `Bernoulli` to the interval (0, 1), which approaches it as `temperature` decreases.

    Arguments:
        temperature: a positive number; lower temperatures concentrate the samples near the corners.
        probs: the probability of success, from 0 to 1.
        logits: alternatively, its log odds.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import tensor
    >>> RelaxedBernoulli(1.0, tensor(0.5)).log_prob(tensor(0.25)).exp()
    tensor(1.)
    """

    base_dist: LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: Value,
        probs: Value | None = None,
        logits: Value | None = None,
        validate_args: bool | None = None,
    ):
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args)
