"""`ExponentialFamily`: entropies and divergences from the derivatives of the log normalizer."""

from __future__ import annotations

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, is_grad_enabled, ones_like
from facula_tensor.derivatives import vjp

from ._distribution import Distribution
from .kl import register_kl
from .utils import sum_last


@boundary
class ExponentialFamily(Distribution):
    """Base class of densities exp(sum of t(x) parameters - F(parameters) + k(x)) with a sufficient statistic t.

    A subclass defines `_natural_params`, a tuple; `_log_normalizer`, F as a function of these, with the batch's shape;
    and `_mean_carrier_measure`, the mean of k. The derivatives of F determine the entropy, and the divergences within a
    class. F. Nielsen, R. Nock: Entropies and cross-entropies of exponential families, 2010.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise self._undefined("_natural_params")

    @property
    def _mean_carrier_measure(self) -> float | Tensor:
        raise self._undefined("_mean_carrier_measure")

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise self._undefined("_log_normalizer")

    def _normalizer_and_slopes(self) -> tuple[Tensor, list[Tensor], tuple[Tensor, ...]]:
        """Return F, its derivatives by the parameters (the mean of t), and the parameters."""
        given = tuple(self._natural_params)
        total = self._log_normalizer(*given)
        if isinstance(total, tuple):
            raise UnsupportedError(f"{type(self).__name__}._log_normalizer: expected a tensor; got a tuple")
        wanted = is_grad_enabled() and any(tensor.requires_grad for tensor in given)
        slopes = vjp(self._log_normalizer, given, ones_like(total), create_graph=wanted)[1]
        return total, list(slopes), given

    def _over_events(self, value: Tensor) -> Tensor:
        return sum_last(value, value.dim() - len(self._batch_shape))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        total, slopes, given = self._normalizer_and_slopes()
        for parameter, slope in zip(given, slopes, strict=True):
            total = total - self._over_events(parameter * slope)
        return total - self._mean_carrier_measure


@register_kl(ExponentialFamily, ExponentialFamily)
def _of_one_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise UnsupportedError(
            f"kl_divergence: there is no formula for {type(p).__name__} and {type(q).__name__}; "
            "add one with register_kl"
        )
    total, slopes, first = p._normalizer_and_slopes()
    second = tuple(q._natural_params)
    total = q._log_normalizer(*second) - total
    for parameter, other, slope in zip(first, second, slopes, strict=True):
        total = total - p._over_events((other - parameter) * slope)
    return total
