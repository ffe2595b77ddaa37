"""Formulas between univariate distributions compared with integrals, or infinite if q lacks part of p's support."""

import math

import numpy as np
import pytest

import facula_distributions as D
import facula_tensor as ft
from facula_autograd import grad
from facula_distributions.kl import FORMULAS
from facula_errors.testing import raises
from facula_tensor.functional import logsigmoid


def t(value):
    return ft.tensor(value, dtype=ft.float64)


MAKERS = {
    D.Beta: lambda: (D.Beta(t(2.0), t(3.0)), D.Beta(t(1.5), t(2.5))),
    D.Cauchy: lambda: (D.Cauchy(t(0.3), t(1.2)), D.Cauchy(t(-0.5), t(0.7))),
    D.ContinuousBernoulli: lambda: (D.ContinuousBernoulli(t(0.3)), D.ContinuousBernoulli(t(0.9))),
    D.Exponential: lambda: (D.Exponential(t(1.3)), D.Exponential(t(0.6))),
    D.Gamma: lambda: (D.Gamma(t(2.5), t(1.5)), D.Gamma(t(1.7), t(0.9))),
    D.Gumbel: lambda: (D.Gumbel(t(0.3), t(0.6)), D.Gumbel(t(-0.5), t(0.7))),
    D.HalfCauchy: lambda: (D.HalfCauchy(t(1.2)), D.HalfCauchy(t(0.7))),
    D.InverseGamma: lambda: (D.InverseGamma(t(6.0), t(3.0)), D.InverseGamma(t(5.0), t(2.0))),
    D.Laplace: lambda: (D.Laplace(t(0.3), t(0.6)), D.Laplace(t(-0.5), t(0.7))),
    D.Normal: lambda: (D.Normal(t(0.3), t(0.6)), D.Normal(t(-0.5), t(0.7))),
    D.Pareto: lambda: (D.Pareto(t(1.0), t(5.0)), D.Pareto(t(0.6), t(6.0))),
    D.Uniform: lambda: (D.Uniform(t(0.2), t(0.9)), D.Uniform(t(0.0), t(1.0))),
}
OF_NUMBERS = [pair for pair in FORMULAS if set(pair) <= set(MAKERS)]
POINTS = (np.arange(1_000_000) + 0.5) / 1_000_000


def log_density(d, x):
    """Return the log density, -inf outside the support."""
    d = d.expand(d.batch_shape)
    d._validate_args = False
    support = d.support
    with np.errstate(all="ignore"):
        inside = support.check(x).numpy()
        return np.where(inside, d.log_prob(x).numpy(), -np.inf)


def quantiles(d):
    """Return quantiles at evenly spaced probabilities."""
    if type(d).icdf is not D.Distribution.icdf:
        return d.icdf(ft.tensor(POINTS))
    xs = np.linspace(0, 1 if isinstance(d, D.Beta) else 40, 4_000_001)[1:]
    shares = np.cumsum(np.exp(log_density(d, ft.tensor(xs))))
    return ft.tensor(np.interp(POINTS, shares / shares[-1], xs))


@pytest.mark.parametrize("pair", OF_NUMBERS, ids=lambda pair: f"{pair[0].__name__} {pair[1].__name__}")
def test_divergence_is_the_mean_log_ratio(pair):
    p, q = MAKERS[pair[0]]()[0], MAKERS[pair[1]]()[1]
    x = quantiles(p)
    wanted = (log_density(p, x) - log_density(q, x)).mean()
    got = D.kl_divergence(p, q)
    assert got.shape == ()
    assert got.item() == pytest.approx(wanted, rel=1e-3, abs=1e-3)
    assert D.kl_divergence(p.expand((2, 3)), q).shape == (2, 3)


def test_divergences_beyond_the_support():
    """The parameters determine whether the divergence is infinite."""
    wide, narrow = D.Uniform(t(-1.0), t(2.0)), D.Uniform(t(0.25), t(0.75))
    shares = (D.Beta(t(2.0), t(3.0)), D.ContinuousBernoulli(t(0.3)))
    for q in (*shares, D.Exponential(t(1.0)), D.Gamma(t(2.0), t(1.0)), D.Pareto(t(0.5), t(2.0))):
        assert D.kl_divergence(wide, q).item() == math.inf
        if not isinstance(q, D.Pareto):
            assert math.isfinite(D.kl_divergence(narrow, q).item())
    for p in shares:
        assert D.kl_divergence(p, narrow).item() == math.inf
    assert math.isfinite(D.kl_divergence(D.Uniform(t(0.6), t(0.7)), D.Pareto(t(0.5), t(2.0))).item())
    assert D.kl_divergence(D.Pareto(t(0.5), t(2.0)), D.Pareto(t(0.6), t(2.0))).item() == math.inf


def test_counts():
    numbers = ft.arange(2).double()
    p, q = D.Bernoulli(t(0.3)), D.Poisson(t(2.0))
    wanted = (p.log_prob(numbers).exp() * (p.log_prob(numbers) - q.log_prob(numbers))).sum().item()
    assert D.kl_divergence(p, q).item() == pytest.approx(wanted)
    assert D.kl_divergence(q, p).item() == D.kl_divergence(q, D.Binomial(3, t(0.5))).item() == math.inf


def test_vectors():
    """Low-rank covariances give the same results as full ones."""
    generator = np.random.default_rng(0)
    low, full = [], []
    for _ in range(2):
        mean, w = t(generator.standard_normal(4)), t(generator.standard_normal((4, 2)))
        low.append(D.LowRankMultivariateNormal(mean, w, t(generator.random(4) + 0.2)))
        full.append(D.MultivariateNormal(mean, low[-1].covariance_matrix))
    wanted = D.kl_divergence(full[0], full[1]).item()
    for p in (low[0], full[0]):
        for q in (low[1], full[1]):
            assert D.kl_divergence(p, q).item() == pytest.approx(wanted)


def test_transformed():
    first, second = D.Normal(t([0.0, 1.0]), t([1.0, 2.0])), D.Normal(t([0.5, 0.0]), t([1.5, 1.0]))
    p, q = (D.TransformedDistribution(one, [D.TanhTransform()]) for one in (first, second))
    assert D.kl_divergence(p, q).tolist() == D.kl_divergence(first, second).tolist()
    p, q = (D.TransformedDistribution(one, [D.StickBreakingTransform()]) for one in (first, second))
    assert D.kl_divergence(p, q).item() == pytest.approx(D.kl_divergence(first, second).sum().item())
    with raises(NotImplementedError, "kl_divergence", "different transforms"):
        D.kl_divergence(p, D.TransformedDistribution(second, [D.ExpTransform()]))


def test_custom_exponential_family():
    class Waiting(D.ExponentialFamily):
        """The exponential distribution."""

        arg_constraints = {"rate": D.constraints.positive}  # noqa: RUF012
        support = D.constraints.nonnegative

        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape)

        _natural_params = property(lambda self: (-self.rate,))
        _mean_carrier_measure = 0

        def _log_normalizer(self, natural):
            return -(-natural).log()

    rates = t([0.5, 2.0]).requires_grad_()
    p, q = Waiting(rates), Waiting(t([1.0, 1.0]))
    same, other = D.Exponential(rates.detach()), D.Exponential(t([1.0, 1.0]))
    np.testing.assert_allclose(p.entropy().detach().numpy(), same.entropy().numpy())
    np.testing.assert_allclose(D.kl_divergence(p, q).detach().numpy(), D.kl_divergence(same, other).numpy())
    p.entropy().sum().backward()
    np.testing.assert_allclose(rates.grad.numpy(), [-2, -0.5])

    class Coin(D.ExponentialFamily):
        """A Bernoulli trial."""

        _mean_carrier_measure = 0

        def __init__(self, logits):
            self.logits = logits
            super().__init__(logits.shape)

        _natural_params = property(lambda self: (self.logits,))

        def _log_normalizer(self, natural):
            return -logsigmoid(-natural)

    coin = Coin(t([0.3, -1.0]))
    np.testing.assert_allclose(coin.entropy().numpy(), D.Bernoulli(logits=coin.logits).entropy().numpy())
    with raises(NotImplementedError, "kl_divergence", "no formula for Waiting and Coin"):
        D.kl_divergence(p, coin)


SHARES = [0.0, 0.5, 1.0]


@pytest.mark.parametrize("given", ["probs", "logits"])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize("kind", [D.Bernoulli, lambda **of: D.Binomial(4, **of)], ids=["Bernoulli", "Binomial"])
def test_certain_outcomes_have_gradients(kind, dtype, given):
    """Outcomes with p = 0 add nothing, also to gradients; p's gradient at 0 is that of the other outcome."""
    numbers = SHARES if given == "probs" else [-math.inf, 0.0, math.inf]
    p, q = (ft.tensor(numbers, dtype=dtype, requires_grad=True) for _ in range(2))
    trials = 1 if kind is D.Bernoulli else 4
    divergence = D.kl_divergence(
        kind(**{given: p[:, None]}, validate_args=False), kind(**{given: q}, validate_args=False)
    )
    half = math.log(2) * trials
    expected = [[0, half, math.inf], [math.inf, 0, math.inf], [math.inf, half, 0]]
    np.testing.assert_allclose(divergence.detach().numpy(), expected, atol=1e-6)
    slopes = grad(divergence.sum(), (p, q), create_graph=True)
    assert all(slope.isfinite().all() for slope in slopes)
    if given == "probs":
        wanted = [-half, 0.0, half]  # PyTorch's results for the finite ones
        (of_finite,) = grad(divergence[:, 1].sum(), p, retain_graph=True)
        np.testing.assert_allclose(of_finite.numpy(), wanted, rtol=1e-6, atol=1e-6)
    bends = grad(sum(slope.sum() for slope in slopes), (p, q))
    assert all(bend.isfinite().all() for bend in bends)
