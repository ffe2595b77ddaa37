"""Densities, moments, quantiles and divergences compared with sums and integrals from their definitions."""

import math

import numpy as np
import pytest

import facula_distributions as D
import facula_tensor as ft


def t(*values):
    return ft.tensor(list(values), dtype=ft.float64)


CONTINUOUS = {
    "Normal": (lambda: D.Normal(t(-0.5, 2.0), t(0.7, 1.3)), -20, 20),
    "LogNormal": (lambda: D.LogNormal(t(-0.5, 0.2), t(0.3, 0.4)), 1e-12, 40),
    "HalfNormal": (lambda: D.HalfNormal(t(0.7, 1.5)), 0, 30),
    "Laplace": (lambda: D.Laplace(t(-0.5, 2.0), t(0.7, 1.3)), -60, 60),
    "Gumbel": (lambda: D.Gumbel(t(-0.5, 2.0), t(0.7, 1.3)), -20, 80),
    "Uniform": (lambda: D.Uniform(t(-1.0, 0.5), t(2.0, 1.5)), -2, 3),
    "Exponential": (lambda: D.Exponential(t(0.5, 3.0)), 0, 120),
    "Gamma": (lambda: D.Gamma(t(1.5, 4.0), t(0.7, 2.0)), 0, 60),
    "Chi2": (lambda: D.Chi2(t(3.0, 5.0)), 0, 90),
    "InverseGamma": (lambda: D.InverseGamma(t(6.0, 9.0), t(3.0, 2.0)), 1e-3, 200),
    "Beta": (lambda: D.Beta(t(2.5, 3.0), t(1.5, 7.0)), 0, 1),
    "StudentT": (lambda: D.StudentT(t(6.0, 9.0), t(0.5, -1.0), t(0.7, 1.5)), -200, 200),
    "FisherSnedecor": (lambda: D.FisherSnedecor(t(4.0, 6.0), t(14.0, 18.0)), 0, 300),
    "Pareto": (lambda: D.Pareto(t(1.5, 1.5), t(6.0, 9.0)), 1.5, 200),
    "GeneralizedPareto": (lambda: D.GeneralizedPareto(t(0.5, 0.5), t(0.7, 1.5), t(0.1, 0.0)), 0.5, 200),
    "Weibull": (lambda: D.Weibull(t(0.7, 1.3), t(1.5, 3.0)), 0, 20),
    "Kumaraswamy": (lambda: D.Kumaraswamy(t(2.5, 3.0), t(1.5, 7.0)), 0, 1),
}
# Distributions without a mode, or with separately tested moments.
FURTHER = {
    "Cauchy": (lambda: D.Cauchy(t(0.5, -1.0), t(0.7, 1.5)), -5, 5),
    "HalfCauchy": (lambda: D.HalfCauchy(t(0.7, 1.5)), 0, 9),
    "GeneralizedPareto with an end": (lambda: D.GeneralizedPareto(t(0.5, 0.5), t(0.7, 1.5), t(-0.2, -0.3)), 0.5, 3),
    "ContinuousBernoulli": (lambda: D.ContinuousBernoulli(t(0.2, 0.97)), 0, 1),
    "ContinuousBernoulli near even": (lambda: D.ContinuousBernoulli(t(0.5, 0.6224)), 0, 1),
    "ContinuousBernoulli of logits": (lambda: D.ContinuousBernoulli(logits=t(-0.4999, 1e-5)), 0, 1),
}
DISCRETE = {
    "Bernoulli": (lambda: D.Bernoulli(t(0.25, 0.9)), 2),
    "Bernoulli of logits": (lambda: D.Bernoulli(logits=t(-1.0, 2.0)), 2),
    "Geometric": (lambda: D.Geometric(t(0.25, 0.9)), 400),
    "Geometric of logits": (lambda: D.Geometric(logits=t(-1.0, 2.0)), 400),
    "Poisson": (lambda: D.Poisson(t(0.8, 4.5)), 100),
    "Binomial": (lambda: D.Binomial(7, t(0.3, 0.9)), 8),
    "Binomial of logits": (lambda: D.Binomial(7, logits=t(-1.0, 2.0)), 8),
    "NegativeBinomial": (lambda: D.NegativeBinomial(t(2.0, 3.5), t(0.25, 0.6)), 400),
    "NegativeBinomial of logits": (lambda: D.NegativeBinomial(t(2.0, 3.5), logits=t(-1.0, 0.5)), 400),
}
CATEGORIES = {
    "Categorical": lambda: D.Categorical(ft.tensor([[1.0, 3.0, 4.0], [1.0, 0.0, 1.0]], dtype=ft.float64)),
    "Categorical of logits": lambda: D.Categorical(logits=ft.tensor([[1.0, 3.0, 4.0], [1.0, 0.0, 1.0]])),
}
SAMPLED = {**{name: make for name, (make, *_) in (CONTINUOUS | DISCRETE).items()}, **CATEGORIES}
HEAVY = ("FisherSnedecor", "Pareto")  # sample deviations are far from the true ones


def densities(d, xs):
    """Return probabilities or densities at each of `xs`, one column per distribution of the batch."""
    d = d.expand(d.batch_shape)
    d._validate_args = False
    return d.log_prob(ft.tensor(xs, dtype=ft.float64).unsqueeze(-1)).exp().numpy()


def weighted(d, low, high):
    """Return points, and the mass around each by the trapezoidal rule."""
    xs = np.linspace(low, high, 400_001)
    mass = densities(d, xs) * (xs[1] - xs[0])
    mass[[0, -1]] /= 2
    return xs[:, None], mass


@pytest.mark.parametrize("name", ["Uniform", *(name for name in FURTHER if "Bernoulli" in name)])
def test_shares_outside_the_support_without_checks(name):
    d = (CONTINUOUS | FURTHER)[name][0]()
    d._validate_args = False
    assert d.cdf(ft.tensor([[-9.0], [9.0]])).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name):
    make, low, high = CONTINUOUS[name]
    d = make()
    xs, mass = weighted(d, low, high)
    close = {"rtol": 1e-4, "atol": 1e-5}
    mean = (xs * mass).sum(0)
    np.testing.assert_allclose(mass.sum(0), 1, **close)
    np.testing.assert_allclose(d.mean.numpy(), mean, **close)
    np.testing.assert_allclose(d.variance.numpy(), ((xs - mean) ** 2 * mass).sum(0), **close)
    np.testing.assert_allclose(d.stddev.numpy(), d.variance.numpy() ** 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where(mass > 0, -np.log(mass / (xs[1] - xs[0])) * mass, 0).sum(0)
    has_entropy = type(d).entropy is not D.Distribution.entropy
    if name != "Uniform" and has_entropy:
        assert (densities(d, d.mode.numpy()).diagonal() >= densities(d, xs[::1000, 0]).max(0) * (1 - 1e-9)).all()
        np.testing.assert_allclose(d.entropy().numpy(), surprise, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(d.perplexity().numpy(), np.exp(d.entropy().numpy()))
    if type(d).cdf is not D.Distribution.cdf:
        at = xs[:: len(xs) // 50, 0]
        d._validate_args = False
        shares = mass.cumsum(0) - mass / 2
        np.testing.assert_allclose(
            d.cdf(ft.tensor(at).unsqueeze(-1))[1:].numpy(), shares[:: len(xs) // 50][1:], rtol=2e-3, atol=2e-3
        )
    for share in (0.01, 0.3, 0.5, 0.9) if type(d).icdf is not D.Distribution.icdf else ():
        where = d.icdf(t(share, share))
        np.testing.assert_allclose(d.cdf(where).numpy(), share, rtol=1e-9)
        np.testing.assert_allclose((mass * (xs <= where.numpy())).sum(0), share, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", FURTHER)
def test_densities_quantiles_and_samples_match_the_cdf(name):
    """Densities are slopes of the CDF, quantiles its inverse, entropies means over quantiles; samples are uniform."""
    make, low, high = FURTHER[name]
    d = make()
    xs = np.linspace(low, high, 202)[1:-1]
    points, shares = ft.tensor(xs).unsqueeze(-1), (np.arange(200_000) + 0.5) / 200_000
    slope = (d.cdf(points + 1e-6) - d.cdf(points - 1e-6)).numpy() / 2e-6
    np.testing.assert_allclose(d.log_prob(points).exp().numpy(), slope, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(d.icdf(d.cdf(points)).numpy(), points.expand(200, 2).numpy(), rtol=1e-7, atol=1e-8)
    values = d.icdf(ft.tensor(shares).unsqueeze(-1))
    surprise = -d.log_prob(values).numpy()
    np.testing.assert_allclose(d.entropy().numpy(), surprise.mean(0), rtol=1e-3, atol=1e-4)
    if "Pareto" in name:
        np.testing.assert_allclose(d.log_cdf(points).exp().numpy(), d.cdf(points).numpy())
        np.testing.assert_allclose(d.log_survival_function(points).exp().numpy(), 1 - d.cdf(points).numpy())
    if "Cauchy" in name:
        assert not d.mean.isfinite().any() and (d.variance == math.inf).all()
    else:
        np.testing.assert_allclose(d.mean.numpy(), values.numpy().mean(0), rtol=1e-5)
        np.testing.assert_allclose(d.variance.numpy(), values.numpy().var(0), rtol=1e-3)
    ft.manual_seed(0)
    drawn = np.sort(d.cdf(d.sample((5000,))).numpy(), 0)
    assert (np.abs(drawn - (np.arange(5000)[:, None] + 0.5) / 5000) * 5000**0.5 < 1.95).all()


@pytest.mark.parametrize("concentration", [1e-6, 0.3, 4.0, 300.0])
def test_von_mises(concentration):
    d = D.VonMises(t(0.5), t(concentration))
    xs = np.linspace(-math.pi, math.pi, 100_001)
    mass = d.log_prob(ft.tensor(xs)).exp().numpy() * (xs[1] - xs[0])
    mass[0] = 0
    assert mass.sum() == pytest.approx(1, abs=1e-9) and d.mean.item() == d.mode.item() == 0.5
    assert d.variance.item() == pytest.approx(1 - (mass * np.cos(xs - 0.5)).sum(), abs=1e-9)
    assert d.entropy().item() == pytest.approx(-(mass * d.log_prob(ft.tensor(xs)).numpy()).sum(), abs=1e-9)
    ft.manual_seed(0)
    shares = np.sort(np.interp(d.sample((5000,)).numpy()[:, 0], xs, mass.cumsum()))
    assert np.abs(shares - (np.arange(5000) + 0.5) / 5000).max() * 5000**0.5 < 1.95
    k = t(concentration).requires_grad_()
    D.VonMises(0.5, k).log_prob(t(1.0)).sum().backward()
    assert k.grad.item() == pytest.approx(math.cos(0.5) - 1 + d.variance.item(), abs=1e-9)


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name):
    make, count = DISCRETE[name]
    d = make()
    xs = np.arange(count)[:, None]
    mass = densities(d, np.arange(count))
    mean = (xs * mass).sum(0)
    np.testing.assert_allclose(mass.sum(0), 1, rtol=1e-9)
    np.testing.assert_allclose(d.mean.numpy(), mean, rtol=1e-9)
    np.testing.assert_allclose(d.variance.numpy(), ((xs - mean) ** 2 * mass).sum(0), rtol=1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where(mass > 0, -mass * np.log(mass), 0).sum(0)
    if type(d).entropy is not D.Distribution.entropy:
        np.testing.assert_allclose(d.entropy().numpy(), surprise, rtol=1e-6)
    np.testing.assert_array_equal(d.mode.numpy(), mass.argmax(0))


def test_categories():
    probs = np.array([[0.125, 0.375, 0.5], [0.5, 0.0, 0.5]])
    given = ft.tensor(probs * 3)
    d, hot = D.Categorical(given), D.OneHotCategorical(given)
    for number in range(3):
        wanted = probs[:, number]
        np.testing.assert_allclose(d.log_prob(ft.tensor(number)).exp().numpy(), wanted, atol=1e-12)
        np.testing.assert_allclose(hot.log_prob(ft.eye(3, dtype=ft.float64)[number]).exp().numpy(), wanted, atol=1e-12)
    entropy = [-(p[p > 0] * np.log(p[p > 0])).sum() for p in probs]
    for kind in (D.Categorical, D.OneHotCategorical):
        for one in (kind(given), kind(logits=given.log())):  # one of the logits is minus infinity
            np.testing.assert_allclose(one.entropy().numpy(), entropy)
    assert d.mode.tolist() == [2, 0] and hot.mode.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert d.log_prob(ft.tensor([[0], [2]])).shape == (2, 2)
    np.testing.assert_allclose(D.Categorical(logits=given.log()).probs.numpy(), probs, rtol=1e-12)
    np.testing.assert_allclose(hot.variance.numpy(), probs * (1 - probs))
    assert d.enumerate_support().tolist() == [[0, 0], [1, 1], [2, 2]] and hot.enumerate_support(False).shape == (
        3,
        1,
        3,
    )


@pytest.mark.parametrize("name", SAMPLED)
def test_samples(name):
    """Samples have the dtype and shape; means and variances are within five standard errors."""
    ft.manual_seed(3)
    d = SAMPLED[name]()
    count = 40_000
    drawn = d.sample((count,))
    assert drawn.shape == (count, 2) and not drawn.requires_grad
    assert (d.log_prob(drawn).numpy() > -np.inf).all()
    values = drawn.numpy().astype("f8")
    if name in CATEGORIES:
        shares = np.stack([(values == number).mean(0) for number in range(3)], -1)
        np.testing.assert_allclose(shares, d.probs.numpy(), atol=5 / count**0.5)
        assert drawn.dtype is ft.int64
        return
    spread = d.stddev.numpy()
    assert drawn.dtype is ft.float64
    assert (np.abs(values.mean(0) - d.mean.numpy()) < 5 * spread / count**0.5).all()
    np.testing.assert_allclose(values.std(0), spread, rtol=0.2 if name in HEAVY else 0.1)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_gradients_through_samples(name):
    """The derivative of the mean by each parameter is the mean of the samples' derivatives."""
    ft.manual_seed(1)
    d = CONTINUOUS[name][0]()
    given = {key: getattr(d, key).clone().requires_grad_() for key in d.arg_constraints}
    d = type(d)(**given)
    drawn = d.rsample((40_000,))
    drawn.mean(0).sum().backward()
    estimated = [p.grad.clone() for p in given.values()]
    for p in given.values():
        p.grad = None
    (d.mean + 0 * sum(given.values())).sum().backward()
    for one, p in zip(estimated, given.values(), strict=True):
        np.testing.assert_allclose(one.numpy(), p.grad.numpy(), rtol=0.05, atol=0.05)


EXTREME = {
    "LogNormal": lambda x: D.LogNormal(x(0.5), x(1e-4)),
    "Gumbel": lambda x: D.Gumbel(x(0.0), x(1e-5)),
    "Bernoulli": lambda x: D.Bernoulli(logits=x(-20.0)),
    "Binomial": lambda x: D.Binomial(100, logits=x(-18.0)),
    "NegativeBinomial": lambda x: D.NegativeBinomial(x(5.0), logits=x(-18.0)),
    "Geometric": lambda x: D.Geometric(x(1e-5)),
    "Beta": lambda x: D.Beta(x(1e-3), x(2e-3)),
    "Weibull": lambda x: D.Weibull(x(1.0), x(50.0)),
    "InverseGamma": lambda x: D.InverseGamma(x(1e4), x(1e4)),
    "StudentT": lambda x: D.StudentT(x(1e5)),
    "Pareto": lambda x: D.Pareto(x(1.0), x(1e4)),
    "GeneralizedPareto": lambda x: D.GeneralizedPareto(x(0.0), x(1.0), x(1e-5)),
    "Poisson": lambda x: D.Poisson(x(1e-6)),
}


@pytest.mark.parametrize("name", EXTREME)
def test_moments_in_single_precision(name):
    """No cancellation: single precision agrees with double precision to four digits."""
    single = EXTREME[name](lambda value: ft.tensor(value, dtype=ft.float32))
    double = EXTREME[name](lambda value: ft.tensor(value, dtype=ft.float32).double())
    for moment in ("mean", "variance"):
        np.testing.assert_allclose(getattr(single, moment).numpy(), getattr(double, moment).numpy(), rtol=1e-4)


PAIRS = [
    (D.Normal(t(0.0), t(1.0)), D.Normal(t(0.5), t(2.0)), -20, 20),
    (D.LogNormal(t(0.0), t(0.3)), D.LogNormal(t(0.1), t(0.4)), 1e-9, 20),
    (D.HalfNormal(t(1.0)), D.HalfNormal(t(2.0)), 0, 20),
    (D.Laplace(t(0.0), t(1.0)), D.Laplace(t(0.5), t(2.0)), -50, 50),
    (D.Exponential(t(1.0)), D.Exponential(t(3.0)), 0, 60),
    (D.Uniform(t(0.0), t(1.0)), D.Uniform(t(-1.0), t(2.0)), 0, 1),
    (D.Gamma(t(3.0), t(2.0)), D.Gamma(t(2.0), t(0.5)), 1e-9, 40),
    (D.Beta(t(2.0), t(3.0)), D.Beta(t(1.5), t(2.5)), 1e-9, 1 - 1e-9),
]


@pytest.mark.parametrize(("p", "q", "low", "high"), PAIRS, ids=lambda one: type(one).__name__)
def test_divergences(p, q, low, high):
    xs, mass = weighted(p, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(densities(p, xs[:, 0]) / densities(q, xs[:, 0]))
        wanted = np.where(mass > 0, mass * ratio, 0).sum(0)
    np.testing.assert_allclose(D.kl_divergence(p, q).numpy(), wanted, rtol=1e-3)
    np.testing.assert_allclose(D.kl_divergence(p, p).numpy(), 0, atol=1e-12)


def test_divergences_of_discrete_distributions():
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    wanted = (p * np.log(p / q)).sum()
    for kind in (D.Categorical, D.OneHotCategorical):
        assert D.kl_divergence(kind(ft.tensor(p)), kind(ft.tensor(q))).item() == pytest.approx(wanted)
    assert D.kl_divergence(D.Bernoulli(t(0.25)), D.Bernoulli(t(0.5))).item() == pytest.approx(wanted)
    first, second = D.Geometric(t(0.25)), D.Geometric(t(0.5))
    numbers = ft.arange(300).double()
    ratio = first.log_prob(numbers) - second.log_prob(numbers)
    wanted = (first.log_prob(numbers).exp() * ratio).sum().item()
    assert D.kl_divergence(first, second).item() == pytest.approx(wanted)


def test_divergences_of_counts():
    numbers = ft.arange(200).double()
    for p, q, count in (
        (D.Poisson(t(3.0)), D.Poisson(t(5.0)), 200),
        (D.Binomial(9, t(0.3)), D.Binomial(9, t(0.6)), 10),
    ):
        first, second = p.log_prob(numbers[:count]), q.log_prob(numbers[:count])
        wanted = (first.exp() * (first - second)).sum().item()
        assert D.kl_divergence(p, q).item() == pytest.approx(wanted)
    assert D.kl_divergence(D.Binomial(3, t(0.5)), D.Binomial(2, t(0.5))).item() == math.inf


def test_divergences_of_counts_of_different_trials():
    """Each pair of a batch has its own value, of any two numbers of trials, and probabilities of 0 and 1."""
    n, m = t(0.0, 2.0, 3.0, 3.0, 2.0, 2.0, 4.0, 2.0), t(3.0, 3.0, 3.0, 2.0, 5.0, 5.0, 6.0, 3.0)
    first, second = t(0.3, 0.3, 0.5, 0.5, 0.0, 1.0, 0.7, 0.5), t(0.5, 0.6, 0.2, 0.5, 0.4, 0.4, 0.0, 1.0)
    wanted = [
        sum(
            0 if not x else math.inf if not y else x * math.log(x / y)
            for x, y in ((trials(n, p, k), trials(m, q, k)) for k in range(int(n) + 1))
        )
        for n, m, p, q in zip(n.tolist(), m.tolist(), first.tolist(), second.tolist(), strict=True)
    ]
    first.requires_grad_()
    second.requires_grad_()
    made = D.kl_divergence(D.Binomial(n, first), D.Binomial(m, second))
    assert made.tolist() == pytest.approx(wanted)
    assert [place for place, one in enumerate(wanted) if one == math.inf] == [3, 6, 7]
    made[:3].sum().backward()
    assert first.grad[:3].isfinite().all() and second.grad[:3].isfinite().all()
    rows = D.kl_divergence(D.Binomial(t(1.0, 2.0).unsqueeze(1), t(0.5)), D.Binomial(t(2.0, 1.0, 3.0), t(0.25)))
    assert rows.shape == (2, 3) and rows.isinf().tolist() == [[False] * 3, [False, True, False]]


def trials(n, p, k):
    """The probability of k successes in n trials; 0 if k is greater than n."""
    return math.comb(int(n), k) * p**k * (1 - p) ** (n - k) if k <= n else 0


def test_infinite_and_zero_divergences():
    certain, even = ft.tensor([1.0, 0.0]), ft.tensor([0.5, 0.5])
    assert D.kl_divergence(D.Categorical(certain), D.Categorical(even)).item() == pytest.approx(math.log(2))
    assert D.kl_divergence(D.Categorical(even), D.Categorical(certain)).item() == math.inf
    assert D.kl_divergence(D.Bernoulli(0.5), D.Bernoulli(0.0)).item() == math.inf
    assert D.kl_divergence(D.Uniform(0.0, 2.0), D.Uniform(0.0, 1.0)).item() == math.inf
    assert D.kl_divergence(D.Bernoulli(1.0), D.Bernoulli(1.0)).item() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("drawn_from", "value", "wanted"),
    [
        (lambda: D.Geometric(t(0.25)), t(0.0), [math.log(0.75)]),
        (lambda: D.Geometric(logits=t(0.0)), t(0.0), [math.log(0.5)]),
        (lambda: D.OneHotCategorical(t(0.25, 0.75)), t(0.0, 1.0), [math.log(0.25), math.log(0.75)]),
    ],
)
def test_gradient_at_zero(drawn_from, value, wanted):
    value.requires_grad_()
    drawn_from().log_prob(value).sum().backward()
    assert value.grad.tolist() == pytest.approx(wanted)
    # digamma(total + 1) - digamma(count + 1) + log(probs) for counts 0 and 1
    counts = t(0.0, 1.0).requires_grad_()
    D.Multinomial(1, t(0.25, 0.75)).log_prob(counts).backward()
    assert counts.grad.tolist() == pytest.approx([1 + math.log(0.25), math.log(0.75)])


def test_impossible_unobserved_outcomes_have_finite_gradients():
    for made, value in (
        (lambda p: D.OneHotCategorical(p), t(1.0, 0.0)),
        (lambda p: D.Multinomial(2, p), t(2.0, 0.0)),
    ):
        probs = t(1.0, 0.0)
        assert made(probs).log_prob(value).item() == pytest.approx(0, abs=1e-6)
    certain = t(1.0).requires_grad_()
    density = D.Geometric(certain).log_prob(t(0.0))
    density.sum().backward()
    assert density.item() == 0 and certain.grad.item() == 1
