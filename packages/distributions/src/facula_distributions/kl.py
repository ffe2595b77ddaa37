"""The Kullback-Leibler divergence: formulas by pair of classes, and registration of custom formulas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary, published
from facula_tensor import arange, broadcast_tensors, digamma, lgamma, linalg, where, xlogy
from facula_tensor.functional import logsigmoid

from ._compound.independent import Independent
from ._compound.transformed import TransformedDistribution
from ._continuous.gamma import Gamma, InverseGamma
from ._continuous.heavy_tails import Cauchy, HalfCauchy
from ._continuous.inverse_cdf import Exponential, Laplace, Uniform
from ._continuous.normal import HalfNormal, LogNormal, Normal
from ._continuous.powers import Pareto
from ._discrete.categorical import Categorical, OneHotCategorical
from ._discrete.counts import Binomial, Poisson
from ._discrete.trials import Bernoulli, Geometric
from ._distribution import Distribution
from ._multivariate.dirichlet import Beta, Dirichlet
from ._multivariate.multivariate_normal import MultivariateNormal, half_log_det, squared_length
from .utils import sum_last

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from facula_tensor import Tensor

    Formula = Callable[[Any, Any], Tensor]
    F = TypeVar("F", bound=Formula)

__all__ = ["kl_divergence", "register_kl"]

__dir__ = published(__name__)

FORMULAS: dict[tuple[type, type], Formula] = {}


@boundary
def register_kl(type_p: type, type_q: type) -> Callable[[F], F]:
    """Decorate a function of (p, q) to register it as the divergence for two classes and their subclasses.

    Any classes are accepted, such as a common base of several distributions. TypeError if an argument is not a class.
    """
    for kind in (type_p, type_q):
        if not isinstance(kind, type):
            raise InvalidTypeError(f"register_kl: expected two classes; got {kind!r}")

    def decorated(formula: F) -> F:
        FORMULAS[type_p, type_q] = formula
        return formula

    return decorated


@boundary
def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the divergence KL(p || q), the mean of log p(x) - log q(x) over p, for each distribution of the batch.

    The most specific registered formula is used; NotImplementedError if there is none.

    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    for above_p in type(p).__mro__:
        for above_q in type(q).__mro__:
            formula = FORMULAS.get((above_p, above_q))
            if formula is not None:
                return formula(p, q)
    raise UnsupportedError(
        f"kl_divergence: there is no formula for {type(p).__name__} and {type(q).__name__}; add one with "
        "register_kl, or take the mean of p.log_prob(x) - q.log_prob(x) over samples x of p"
    )


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Tensor:
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return 0.5 * (ratio * ratio + away * away - 1) - ratio.log()


@register_kl(LogNormal, LogNormal)
@register_kl(HalfNormal, HalfNormal)
def _of_normals(p: LogNormal | HalfNormal, q: LogNormal | HalfNormal) -> Tensor:
    return _normals(p._base, q._base)


@register_kl(Laplace, Laplace)
def _laplaces(p: Laplace, q: Laplace) -> Tensor:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * (-away / p.scale).exp() - 1


@register_kl(Exponential, Exponential)
def _exponentials(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Tensor:
    outside = (q.low > p.low) | (q.high < p.high)
    return where(outside, math.inf, ((q.high - q.low) / (p.high - p.low)).log())


@register_kl(Bernoulli, Bernoulli)
def _of_trial(p: Bernoulli | Binomial, q: Bernoulli | Binomial) -> Tensor:
    first, second = (p.probs, p.logits, q.probs, q.logits), (1 - p.probs, -p.logits, 1 - q.probs, -q.logits)
    return _of_outcome(*first) + _of_outcome(*second)


def _of_outcome(p: Tensor, p_logits: Tensor, q: Tensor, q_logits: Tensor) -> Tensor:
    """Return p (log p - log q) of one outcome: 0 if p is 0, inf if only q is 0; without a gradient in these cases.

    Arguments:
        p: the probability under p.
        p_logits: its log odds.
        q: the probability under q.
        q_logits: its log odds.
    """
    never, only = p == 0, q == 0
    p_logits, q_logits = where(never, 0.0, p_logits), where(never | only, 0.0, q_logits)
    return where(never, 0.0, where(only, math.inf, p * (logsigmoid(p_logits) - logsigmoid(q_logits))))


@register_kl(Geometric, Geometric)
def _geometrics(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Categorical, Categorical)
@register_kl(OneHotCategorical, OneHotCategorical)
def _categories(p: Categorical | OneHotCategorical, q: Categorical | OneHotCategorical) -> Tensor:
    terms = where(q.probs == 0, math.inf, p.probs * (p.logits - q.logits))
    return where((p.probs == 0) & (q.probs == q.probs), 0.0, terms).sum(-1)


@register_kl(Independent, Independent)
def _independents(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise InvalidValueError(
            "kl_divergence: expected Independents with equal reinterpreted_batch_ndims; got "
            f"{p.reinterpreted_batch_ndims} and {q.reinterpreted_batch_ndims}"
        )
    return sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Gamma, Gamma)
@register_kl(InverseGamma, InverseGamma)
def _gammas(p: Gamma | InverseGamma, q: Gamma | InverseGamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log() + p.concentration * (q.rate / p.rate - 1)
    norms = lgamma(q.concentration) - lgamma(p.concentration)
    return rates + norms + (p.concentration - q.concentration) * digamma(p.concentration)


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p: Dirichlet, q: Dirichlet) -> Tensor:
    first, second = p.concentration, q.concentration
    total = first.sum(-1)
    norms = lgamma(total) - lgamma(second.sum(-1)) + (lgamma(second) - lgamma(first)).sum(-1)
    return norms + ((first - second) * (digamma(first) - digamma(total).unsqueeze(-1))).sum(-1)


@register_kl(Beta, Beta)
def _betas(p: Beta, q: Beta) -> Tensor:
    a, b, total = p.concentration1, p.concentration0, p.concentration1 + p.concentration0
    more, less = q.concentration1 - a, q.concentration0 - b
    return q._norm() - p._norm() - more * digamma(a) - less * digamma(b) + (more + less) * digamma(total)


@register_kl(Poisson, Poisson)
def _poissons(p: Poisson, q: Poisson) -> Tensor:
    return xlogy(p.rate, p.rate) - xlogy(p.rate, q.rate) - p.rate + q.rate


@register_kl(Binomial, Binomial)
def _binomials(p: Binomial, q: Binomial) -> Tensor:
    """Infinity if p has more trials than q."""
    further = q.total_count - p.total_count
    result = p.total_count * _of_trial(p, q)
    if (further > 0).any().item():
        result = result + where(further > 0, _of_further_trials(p, q), 0.0)
    return where(further < 0, math.inf, result)


def _of_further_trials(p: Binomial, q: Binomial) -> Tensor:
    """Return the part of the divergence due to the trials that only q has: a sum over the counts of p.

    It is the mean, over counts k of p, of log(C(n, k) / C(m, k)), less m - n times the logarithm of q's probability
    of failure.
    """
    n, m = broadcast_tensors(p.total_count, q.total_count)
    counts = arange(int(n.max().item()) + 1, dtype=n.dtype, device=n.device).reshape((-1,) + (1,) * n.ndim)
    inside = counts <= n
    k = where(inside, counts, 0.0)
    ways = lgamma(n + 1) - lgamma(n - k + 1) - lgamma(m + 1) + lgamma(m - k + 1)
    mean = where(inside, p.log_prob(k).exp() * ways, 0.0).sum(0)
    return mean - (m - n) * where(q.probs == 1, -math.inf, logsigmoid(-q.logits))


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normals(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise InvalidValueError(
            "kl_divergence: expected MultivariateNormals of one event shape; got "
            f"{tuple(p.event_shape)} and {tuple(q.event_shape)}"
        )
    spread = linalg.solve_triangular(q.scale_tril, p.scale_tril, upper=False)
    terms = (spread * spread).sum((-2, -1)) + squared_length(q._factor, q.loc - p.loc) - p.event_shape[0]
    return half_log_det(q.scale_tril) - half_log_det(p.scale_tril) + 0.5 * terms


@register_kl(Pareto, Pareto)
def _paretos(p: Pareto, q: Pareto) -> Tensor:
    logs = q.alpha * (p.scale / q.scale).log() + (p.alpha / q.alpha).log() + q.alpha / p.alpha - 1
    return where(p.scale < q.scale, math.inf, logs)


@register_kl(Cauchy, Cauchy)
def _cauchys(p: Cauchy, q: Cauchy) -> Tensor:
    """F. Chyzak, F. Nielsen: A closed-form formula for the divergence between Cauchy distributions, 2019."""
    away, both = p.loc - q.loc, p.scale + q.scale
    return ((both * both + away * away) / (4 * p.scale * q.scale)).log()


@register_kl(HalfCauchy, HalfCauchy)
def _half_cauchys(p: HalfCauchy, q: HalfCauchy) -> Tensor:
    """Return the divergence of the symmetric distributions."""
    both = p.scale + q.scale
    return (both * both / (4 * p.scale * q.scale)).log()


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """Return the divergence of the base distributions if the transforms are equal."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise UnsupportedError(
            "kl_divergence: there is no formula for TransformedDistributions with different transforms; got "
            f"{p.transforms} and {q.transforms}"
        )
    below = kl_divergence(p.base_dist, q.base_dist)
    return sum_last(below, below.dim() - len(p.batch_shape))
