"""Divergences between different families: the mean of -log q, from p's moments, minus p's entropy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_tensor import Tensor, digamma, lgamma, where, xlogy

from ._continuous.continuous_bernoulli import ContinuousBernoulli
from ._continuous.gamma import Gamma
from ._continuous.inverse_cdf import EULER, Exponential, Gumbel, Laplace, Uniform
from ._continuous.normal import HALF_LOG_TWO_PI, Normal
from ._continuous.powers import Pareto
from ._discrete.counts import Binomial, Poisson
from ._discrete.trials import Bernoulli
from ._multivariate.dirichlet import Beta
from ._multivariate.low_rank_normal import LowRankMultivariateNormal
from ._multivariate.multivariate_normal import MultivariateNormal, half_log_det
from .kl import kl_divergence, register_kl

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ._distribution import Distribution
    from .kl import Formula

    F = TypeVar("F", bound=Formula)

WHOLE_LINE = (Gumbel, Laplace, Normal)  # distributions p with support on the whole real line
FROM_ZERO = (Exponential, Gamma)
SHARES = (Beta, ContinuousBernoulli)


def _pairs(first: tuple[type, ...], *second: type) -> Callable[[F], F]:
    """Decorate a formula of (p, q) for p of the first classes and q of the second."""

    def decorated(formula: F) -> F:
        for p in first:
            for q in second:
                register_kl(p, q)(formula)
        return formula

    return decorated


@_pairs((*WHOLE_LINE, *FROM_ZERO, Pareto), Beta, ContinuousBernoulli, Uniform)
@_pairs(WHOLE_LINE, Exponential, Gamma, Pareto)
@_pairs((*FROM_ZERO, *SHARES), Pareto)
@_pairs((Poisson,), Bernoulli, Binomial)
def _infinite(p: Distribution, q: Distribution) -> Tensor:
    """Return infinity: the support of p is not within that of q."""
    return (p.mean.detach() + q.mean.detach()) * 0 + math.inf


def _logarithm(p: Distribution) -> Tensor:
    """Return the mean of log(x)."""
    if isinstance(p, Beta):
        return digamma(p.concentration1) - digamma(p.concentration1 + p.concentration0)
    if isinstance(p, Exponential):
        return -EULER - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + 1 / p.alpha
    return _mean_logarithm(p.low, p.high)  # type: ignore[attr-defined]  # Uniform


def _mean_logarithm(low: Tensor, high: Tensor) -> Tensor:
    """Return the mean of log(x) for uniform x from low, at least 0, to high."""
    return (xlogy(high, high) - xlogy(low, low)) / (high - low) - 1


@_pairs((Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform), Normal)
def _and_normal(p: Distribution, q: Normal) -> Tensor:
    away = p.mean - q.loc
    return (p.variance + away * away) / (2 * q.scale * q.scale) + q.scale.log() + HALF_LOG_TWO_PI - p.entropy()


@_pairs((Beta, ContinuousBernoulli, Gamma, Pareto), Exponential)
def _and_exponential(p: Distribution, q: Exponential) -> Tensor:
    return q.rate * p.mean - q.rate.log() - p.entropy()


@register_kl(Uniform, Exponential)
def _uniform_and_exponential(p: Uniform, q: Exponential) -> Tensor:
    return where(p.low < 0, math.inf, _and_exponential(p, q))


@_pairs((Beta, Exponential, Pareto), Gamma)
def _and_gamma(p: Distribution, q: Gamma) -> Tensor:
    shape = q.concentration
    norm = lgamma(shape) - shape * q.rate.log()
    return norm + q.rate * p.mean - (shape - 1) * _logarithm(p) - p.entropy()


@register_kl(Uniform, Gamma)
def _uniform_and_gamma(p: Uniform, q: Gamma) -> Tensor:
    inside = Uniform(p.low.clamp(min=0), p.high.clamp(min=1e-30), validate_args=False)
    return where(p.low < 0, math.inf, _and_gamma(inside, q))


@_pairs((Exponential, Gamma, Normal, Uniform), Gumbel)
@register_kl(Gumbel, Gumbel)
def _and_gumbel(p: Distribution, q: Gumbel) -> Tensor:
    """Use the mean of exp(-x / scale), which follows from the moment generating function of p."""
    steep = 1 / q.scale
    if isinstance(p, Exponential):
        mean = -(steep / p.rate).log1p()
    elif isinstance(p, Gamma):
        mean = -p.concentration * (steep / p.rate).log1p()
    elif isinstance(p, Normal):
        mean = steep * (steep * p.variance / 2 - p.loc)
    elif isinstance(p, Gumbel):
        mean = lgamma(1 + p.scale * steep) - p.loc * steep
    else:
        width = (p.high - p.low) * steep  # type: ignore[attr-defined]
        mean = (-(-width).expm1() / width).log() - p.low * steep  # type: ignore[attr-defined]
    return q.scale.log() + (p.mean - q.loc) * steep + (mean + q.loc * steep).exp() - p.entropy()


@register_kl(Normal, Laplace)
def _normal_and_laplace(p: Normal, q: Laplace) -> Tensor:
    away = (p.loc - q.loc) / p.scale
    distance = math.sqrt(2 / math.pi) * (-away * away / 2).exp() + away * (away / math.sqrt(2)).erf()
    return p.scale * distance / q.scale + (2 * q.scale).log() - p.entropy()


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _share_and_uniform(p: Distribution, q: Uniform) -> Tensor:
    return where((q.low > 0) | (q.high < 1), math.inf, (q.high - q.low).log() - p.entropy())


@register_kl(Uniform, Beta)
def _uniform_and_beta(p: Uniform, q: Beta) -> Tensor:
    outside = (p.low < 0) | (p.high > 1)
    low, high = where(outside, 0.0, p.low), where(outside, 1.0, p.high)
    logs = (q.concentration1 - 1) * _mean_logarithm(low, high)
    logs = logs + (q.concentration0 - 1) * _mean_logarithm(1 - high, 1 - low)
    return where(outside, math.inf, q._norm() - logs - p.entropy())


@_pairs((Beta,), ContinuousBernoulli)
@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _and_continuous_bernoulli(p: Distribution, q: ContinuousBernoulli) -> Tensor:
    return q._log_norm() - q.logits * p.mean - p.entropy()


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_and_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    return where((p.low < 0) | (p.high > 1), math.inf, _and_continuous_bernoulli(p, q))


@register_kl(Uniform, Pareto)
def _uniform_and_pareto(p: Uniform, q: Pareto) -> Tensor:
    outside = p.low < q.scale
    low, high = where(outside, 1.0, p.low), where(outside, 2.0, p.high)
    norm = q.alpha.log() + q.alpha * q.scale.log()
    return where(outside, math.inf, (q.alpha + 1) * _mean_logarithm(low, high) - norm - p.entropy())


@register_kl(Bernoulli, Poisson)
def _bernoulli_and_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return q.rate - xlogy(p.probs, q.rate) - p.entropy()


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _and_low_rank(p: MultivariateNormal | LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    """Compute the trace of q's inverse covariance times p's covariance by Woodbury's identity."""
    factor, less = (p.cov_factor if isinstance(p, LowRankMultivariateNormal) else p.scale_tril), q._woodbury_factor()
    across = less @ factor
    trace = (factor * factor / q.cov_diag.unsqueeze(-1)).sum((-2, -1)) - (across * across).sum((-2, -1))
    if isinstance(p, LowRankMultivariateNormal):
        trace = trace + (p.cov_diag * (1 / q.cov_diag - (less * less).sum(-2))).sum(-1)
    logs = q._log_det() - (p._log_det() if isinstance(p, LowRankMultivariateNormal) else 2 * half_log_det(p.scale_tril))
    return 0.5 * (logs + trace + q._squared_length(q.loc - p.loc) - q.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_and_normal(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    return kl_divergence(MultivariateNormal(p.loc, scale_tril=p.scale_tril, validate_args=False), q)
