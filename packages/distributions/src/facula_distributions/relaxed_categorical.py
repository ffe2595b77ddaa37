"""Continuous relaxations of the categorical distribution, with differentiable samples.

E. Jang, S. Gu, B. Poole: Categorical reparameterization with Gumbel-softmax; C. Maddison, A. Mnih, Y. W. Teh: The
Concrete distribution. Both ICLR 2017.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, published
from facula_tensor import Tensor, lgamma
from facula_tensor.functional import log_softmax

from . import constraints
from ._discrete.categorical import _Categories
from ._transforms.elementwise import ExpTransform
from .relaxed_bernoulli import Relaxed, open_uniform, temperature_like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .constraints import Constraint

    Value = float | Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]

__dir__ = published(__name__)


@boundary
class ExpRelaxedCategorical(_Categories):
    """The logarithms of the components of a `RelaxedOneHotCategorical`.

    Arguments:
        temperature: a positive number; lower temperatures concentrate the samples near the corners.
        probs: the probabilities of the categories along the last dimension, with any positive sum.
        logits: alternatively, their logarithms, up to a constant.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    _shared = ("temperature",)

    temperature: Tensor

    support = constraints.real_vector
    has_rsample = True
    has_enumerate_support = False

    def __init__(
        self,
        temperature: Value,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        super().__init__(probs, logits, validate_args)
        self.temperature = temperature_like(temperature, self._parameter())

    @classmethod
    def _is_vector(cls) -> bool:
        return True

    def entropy(self) -> Tensor:
        """Raise NotImplementedError: there is no formula."""
        raise self._undefined("entropy")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        noise = -(-open_uniform(self._parameter(), self._extended_shape(sample_shape)).log()).log()
        return log_softmax((self.logits + noise) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        self._check_value(value)
        count = self._num_events
        scores = log_softmax(self.logits - value * self.temperature, -1).sum(-1)
        return scores + lgamma(self.temperature.detach() * 0 + count) + (count - 1) * self.temperature.log()


@boundary
class RelaxedOneHotCategorical(Relaxed):
    """A continuous relaxation of `OneHotCategorical` to the simplex, which approaches it as `temperature` decreases.

    Arguments:
        temperature: a positive number; lower temperatures concentrate the samples near the corners.
        probs: the probabilities of the categories along the last dimension, with any positive sum.
        logits: alternatively, their logarithms, up to a constant.
        validate_args: whether to validate parameters and values; the class's default if None.

    >>> from facula_tensor import ones, tensor
    >>> RelaxedOneHotCategorical(1.0, ones(2)).log_prob(tensor([0.5, 0.5])).exp()
    tensor(1.)
    """

    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Value,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        base = ExpRelaxedCategorical(temperature, probs, logits)
        super().__init__(base, ExpTransform(), validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=1)
    def support(self) -> Constraint:
        """The simplex."""
        return constraints.simplex
