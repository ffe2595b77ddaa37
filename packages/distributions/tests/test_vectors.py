"""Distributions of vectors and matrices: densities, moments and samples from definitions, sample gradients."""

import math

import numpy as np
import pytest

import facula_distributions as D
import facula_tensor as ft
from facula_errors.testing import raises

MEAN = np.array([1.0, -1.0, 0.5])
COVARIANCES = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.5]])
OTHER = np.array([[1.0, 0.1, 0.0], [0.1, 2.0, 0.4], [0.0, 0.4, 0.7]])


def tensor(array):
    return ft.tensor(array, dtype=ft.float64)


GIVEN = {
    "covariance_matrix": lambda: D.MultivariateNormal(tensor(MEAN), tensor(COVARIANCES)),
    "precision_matrix": lambda: D.MultivariateNormal(tensor(MEAN), precision_matrix=tensor(np.linalg.inv(COVARIANCES))),
    "scale_tril": lambda: D.MultivariateNormal(tensor(MEAN), scale_tril=tensor(np.linalg.cholesky(COVARIANCES))),
}


def log_density(x, mean, covariances):
    away = x - mean
    lengths = np.einsum("...i,ij,...j->...", away, np.linalg.inv(covariances), away)
    return -0.5 * (lengths + len(mean) * math.log(2 * math.pi) + np.linalg.slogdet(covariances)[1])


@pytest.mark.parametrize("given", GIVEN)
def test_multivariate_normal(given):
    ft.manual_seed(0)
    d = GIVEN[given]()
    x = np.random.default_rng(0).standard_normal((2, 5, 3))
    np.testing.assert_allclose(d.log_prob(tensor(x)).numpy(), log_density(x, MEAN, COVARIANCES), rtol=1e-10)
    np.testing.assert_allclose(d.covariance_matrix.numpy(), COVARIANCES, atol=1e-12)
    np.testing.assert_allclose(d.precision_matrix.numpy(), np.linalg.inv(COVARIANCES), atol=1e-12)
    np.testing.assert_allclose(d.scale_tril.numpy(), np.linalg.cholesky(COVARIANCES), atol=1e-12)
    np.testing.assert_allclose(d.variance.numpy(), COVARIANCES.diagonal(), atol=1e-12)
    wanted = 0.5 * np.linalg.slogdet(2 * math.pi * math.e * COVARIANCES)[1]
    assert d.entropy().item() == pytest.approx(wanted)
    drawn = d.sample((20_000,)).numpy()
    np.testing.assert_allclose(drawn.mean(0), MEAN, atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), COVARIANCES, atol=0.08)


def test_batches_of_multivariate_normals():
    """Values, means and matrices broadcast in all combinations."""
    matrices = np.stack([COVARIANCES, OTHER])
    x = np.random.default_rng(0).standard_normal((4, 5, 2, 3))
    d = D.MultivariateNormal(tensor(MEAN).expand(5, 1, 3), tensor(matrices))
    wanted = np.stack([log_density(x[:, :, i], MEAN, matrices[i]) for i in range(2)], -1)
    np.testing.assert_allclose(d.log_prob(tensor(x)).numpy(), wanted, rtol=1e-10)
    np.testing.assert_allclose(d.log_prob(tensor(x[0, :, :1])).numpy()[:, 0], wanted[0, :, 0], rtol=1e-10)
    np.testing.assert_allclose(d.expand((4, 5, 2)).log_prob(tensor(x)).numpy(), wanted, rtol=1e-10)
    assert d.sample((7,)).shape == (7, 5, 2, 3) and d.entropy().shape == (5, 2)


def test_gradients_of_multivariate_normals():
    loc, factor = tensor(MEAN), tensor(np.linalg.cholesky(COVARIANCES))
    x = tensor(np.array([[0.3, 0.2, -0.5]]))
    loc.requires_grad_()
    factor.requires_grad_()
    D.MultivariateNormal(loc, scale_tril=factor).log_prob(x).sum().backward()
    wanted = np.linalg.inv(COVARIANCES) @ (x.numpy()[0] - MEAN)
    np.testing.assert_allclose(loc.grad.numpy(), wanted, rtol=1e-9)
    drawn = D.MultivariateNormal(loc, scale_tril=factor).rsample((4,))
    loc.grad = factor.grad = None
    drawn.sum().backward()
    assert loc.grad.tolist() == [4, 4, 4] and (factor.grad.tril() == factor.grad.tril()).all()


def test_divergences_of_multivariate_normals():
    p = D.MultivariateNormal(tensor(MEAN), tensor(COVARIANCES))
    q = D.MultivariateNormal(tensor([0.0, 0.5, 0.0]), tensor(OTHER))
    inverse, away = np.linalg.inv(OTHER), np.array([0.0, 0.5, 0.0]) - MEAN
    logs = np.linalg.slogdet(OTHER)[1] - np.linalg.slogdet(COVARIANCES)[1]
    wanted = 0.5 * (np.trace(inverse @ COVARIANCES) + away @ inverse @ away - 3 + logs)
    assert D.kl_divergence(p, q).item() == pytest.approx(wanted)
    assert D.kl_divergence(p.expand((2, 4)), q).shape == (2, 4) and abs(D.kl_divergence(p, p).item()) < 1e-12


def test_dirichlet():
    given = np.array([0.5, 2.0, 3.0])
    d, total = D.Dirichlet(tensor(given)), given.sum()
    x = np.array([[0.2, 0.3, 0.5], [0.05, 0.9, 0.05]])
    norm = math.lgamma(total) - sum(map(math.lgamma, given))
    np.testing.assert_allclose(d.log_prob(tensor(x)).numpy(), norm + ((given - 1) * np.log(x)).sum(-1))
    share = given / total
    np.testing.assert_allclose(d.mean.numpy(), share)
    np.testing.assert_allclose(d.variance.numpy(), share * (1 - share) / (total + 1))
    np.testing.assert_allclose(d.mode.numpy(), [0, 1 / 3, 2 / 3])
    assert D.Dirichlet(tensor([0.2, 0.7])).mode.tolist() == [0, 1]
    ft.manual_seed(0)
    drawn = d.sample((40_000,))
    surprise = -d.log_prob(drawn)
    assert abs(d.entropy().item() - surprise.mean().item()) < 5 * surprise.std().item() / 200
    np.testing.assert_allclose(drawn.mean(0).numpy(), share, atol=0.01)
    q = D.Dirichlet(tensor([1.0, 1.5, 2.0]))
    ratio = d.log_prob(drawn) - q.log_prob(drawn)
    assert abs(D.kl_divergence(d, q).item() - ratio.mean().item()) < 5 * ratio.std().item() / 200
    assert abs(D.kl_divergence(d, d).item()) < 1e-12


def test_gradients_through_shares():
    """The derivatives of the mean are the means of the samples' derivatives."""
    ft.manual_seed(0)
    given = tensor([0.7, 2.0, 3.0]).requires_grad_()
    weights = tensor([1.0, 2.0, -1.0])
    (D.Dirichlet(given).rsample((40_000,)).mean(0) * weights).sum().backward()
    estimated, given.grad = given.grad.numpy(), None
    (D.Dirichlet(given).mean * weights).sum().backward()
    np.testing.assert_allclose(estimated, given.grad.numpy(), atol=0.01)


def test_multinomial():
    from itertools import product

    probs, n = np.array([0.2, 0.3, 0.5]), 5
    d = D.Multinomial(n, tensor(probs * 4))
    counts = np.array([one for one in product(range(n + 1), repeat=3) if sum(one) == n], dtype="f8")
    ways = [math.factorial(n) / math.prod(math.factorial(int(k)) for k in one) for one in counts]
    chances = np.array(ways) * (probs**counts).prod(-1)
    np.testing.assert_allclose(d.log_prob(tensor(counts)).exp().numpy(), chances, rtol=1e-10)
    assert d.entropy().item() == pytest.approx(-(chances * np.log(chances)).sum())
    np.testing.assert_allclose(d.mean.numpy(), n * probs)
    np.testing.assert_allclose(d.variance.numpy(), n * probs * (1 - probs))
    ft.manual_seed(0)
    drawn = d.sample((20_000,))
    assert (drawn.sum(-1) == n).all()
    np.testing.assert_allclose(drawn.mean(0).numpy(), n * probs, atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.numpy().T), n * (np.diag(probs) - np.outer(probs, probs)), atol=0.05)
    assert (D.Multinomial(9, tensor([0.0, 1.0, 0.0])).sample((4,)).numpy() == [0, 9, 0]).all()
    assert D.Multinomial(0, tensor(probs)).entropy().item() == 0


def test_low_rank_multivariate_normal():
    """Equal to `MultivariateNormal` with the same covariances."""
    ft.manual_seed(0)
    w, diagonal = np.random.default_rng(0).standard_normal((3, 2)), np.array([0.5, 1.0, 2.0])
    d = D.LowRankMultivariateNormal(tensor(MEAN), tensor(w), tensor(diagonal))
    same = D.MultivariateNormal(tensor(MEAN), tensor(w @ w.T + np.diag(diagonal)))
    x = tensor(np.random.default_rng(1).standard_normal((2, 5, 3)))
    np.testing.assert_allclose(d.log_prob(x).numpy(), same.log_prob(x).numpy(), rtol=1e-10)
    assert d.entropy().item() == pytest.approx(same.entropy().item())
    for name in ("mean", "mode", "variance", "covariance_matrix", "precision_matrix", "scale_tril"):
        np.testing.assert_allclose(getattr(d, name).numpy(), getattr(same, name).numpy(), atol=1e-12)
    np.testing.assert_allclose(np.cov(d.sample((20_000,)).numpy().T), same.covariance_matrix.numpy(), atol=0.2)
    assert d.expand((4, 2)).log_prob(x[0, 0]).shape == (4, 2)


def test_wishart():
    ft.manual_seed(0)
    df = 5.5
    makers = (
        lambda: D.Wishart(df, tensor(COVARIANCES)),
        lambda: D.Wishart(df, precision_matrix=tensor(np.linalg.inv(COVARIANCES))),
        lambda: D.Wishart(df, scale_tril=tensor(np.linalg.cholesky(COVARIANCES))),
    )
    x = OTHER * 4
    log_gamma = 1.5 * math.log(math.pi) + sum(math.lgamma((df - i) / 2) for i in range(3))
    wanted = (df - 4) / 2 * np.linalg.slogdet(x)[1] - np.trace(np.linalg.inv(COVARIANCES) @ x) / 2
    wanted -= df * 1.5 * math.log(2) + df / 2 * np.linalg.slogdet(COVARIANCES)[1] + log_gamma
    for make in makers:
        d = make()
        assert d.log_prob(tensor(x)).item() == pytest.approx(wanted)
        np.testing.assert_allclose(d.mean.numpy(), df * COVARIANCES)
        np.testing.assert_allclose(d.mode.numpy(), (df - 4) * COVARIANCES)
        np.testing.assert_allclose(d.precision_matrix.numpy(), np.linalg.inv(COVARIANCES), atol=1e-12)
    drawn = d.sample((20_000,))
    np.testing.assert_allclose(drawn.mean(0).numpy(), df * COVARIANCES, atol=0.15)
    np.testing.assert_allclose(drawn.numpy().var(0), d.variance.numpy(), rtol=0.08)
    surprise = -d.log_prob(drawn)
    assert abs(d.entropy().item() - surprise.mean().item()) < 5 * surprise.std().item() / 20_000**0.5
    factor = tensor(np.linalg.cholesky(COVARIANCES)).requires_grad_()
    D.Wishart(df, scale_tril=factor).rsample().sum().backward()
    assert factor.grad.isfinite().all()


@pytest.mark.parametrize(("size", "concentration"), [(2, 1.0), (3, 0.5), (4, 2.0)])
def test_correlations(size, concentration):
    """Each correlation has a beta marginal, and a density of two correlations integrates to 1."""
    ft.manual_seed(0)
    d = D.LKJCholesky(size, tensor(concentration))
    factors = d.sample((4000,))
    assert d.support.check(factors).all()
    correlations = (factors @ factors.transpose(-2, -1)).numpy()
    half = concentration - 1 + size / 2
    even = np.linspace(0, 1, 20_001)[1:-1]
    law = np.cumsum((even * (1 - even)) ** (half - 1))
    for place in ((0, 1), (0, size - 1), (size - 2, size - 1)):
        shares = np.sort(np.interp((correlations[:, place[0], place[1]] + 1) / 2, even, law / law[-1]))
        assert np.abs(shares - (np.arange(4000) + 0.5) / 4000).max() * 4000**0.5 < 1.95
    if size == 2:
        rows = np.linspace(-1, 1, 20_001)[1:-1]
        matrices = np.zeros((len(rows), 2, 2))
        matrices[:, 0, 0], matrices[:, 1, 0], matrices[:, 1, 1] = 1, rows, np.sqrt(1 - rows**2)
        assert d.log_prob(tensor(matrices)).exp().sum().item() * 1e-4 == pytest.approx(1, abs=1e-3)


def test_mixtures():
    ft.manual_seed(0)
    weights, places, widths = np.array([0.2, 0.8]), np.array([0.0, 3.0]), np.array([1.0, 0.5])
    d = D.MixtureSameFamily(D.Categorical(tensor(weights)), D.Normal(tensor(places), tensor(widths)))
    x = np.linspace(-2, 5, 9)
    parts = np.exp(-(((x[:, None] - places) / widths) ** 2) / 2) / (widths * math.sqrt(2 * math.pi))
    np.testing.assert_allclose(d.log_prob(tensor(x)).exp().numpy(), parts @ weights, rtol=1e-6)
    mean = weights @ places
    assert d.mean.item() == pytest.approx(mean)
    assert d.variance.item() == pytest.approx(weights @ (widths**2 + (places - mean) ** 2))
    shares = np.sort(d.cdf(d.sample((5000,))).numpy())
    assert np.abs(shares - (np.arange(5000) + 0.5) / 5000).max() * 5000**0.5 < 1.95
    components = D.Independent(D.Normal(ft.zeros(5, 3, 2), 1.0), 1)
    many = D.MixtureSameFamily(D.Categorical(ft.ones(3)), components)
    assert many.batch_shape == (5,) and many.event_shape == (2,)
    assert many.sample((4,)).shape == (4, 5, 2) and many.log_prob(many.sample((4,))).shape == (4, 5)
    assert many.mean.shape == many.variance.shape == (5, 2) and many.expand((6, 5)).sample().shape == (6, 5, 2)
    with raises(ValueError, "MixtureSameFamily", "expected the value to satisfy"):
        D.MixtureSameFamily(D.Categorical(ft.ones(2)), D.Exponential(ft.ones(2))).log_prob(ft.tensor(-1.0))
    with raises(TypeError, "MixtureSameFamily", "expected mixture_distribution to be a Categorical", value="Normal"):
        D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0))


def test_relaxations():
    """Their densities integrate to 1, and samples at low temperatures are close to one-hot."""
    ft.manual_seed(0)
    even = np.linspace(0, 1, 200_001)[1:-1]
    for temperature in (0.7, 2.0):
        d = D.RelaxedBernoulli(tensor(temperature), tensor(0.3))
        assert (d.log_prob(tensor(even)).exp().sum() * 5e-6).item() == pytest.approx(1, abs=2e-2)
        d = D.RelaxedOneHotCategorical(tensor(temperature), tensor([0.3, 0.7]))
        pairs = tensor(np.stack([even, 1 - even], -1))
        assert (d.log_prob(pairs).exp().sum() * 5e-6).item() == pytest.approx(1, abs=2e-2)
    probs = tensor([0.2, 0.3, 0.5]).requires_grad_()
    d = D.RelaxedOneHotCategorical(0.01, probs)
    drawn = d.rsample((4000,))
    np.testing.assert_allclose(drawn.mean(0).detach().numpy(), [0.2, 0.3, 0.5], atol=0.03)
    D.RelaxedOneHotCategorical(1.0, probs).rsample()[0].backward()
    assert (probs.grad != 0).any() and d.temperature.item() == pytest.approx(0.01)
    np.testing.assert_allclose(D.RelaxedBernoulli(0.01, tensor(0.3)).sample((4000,)).mean().item(), 0.3, atol=0.03)
    np.testing.assert_allclose(d.probs.detach().numpy(), [0.2, 0.3, 0.5])
    probs.grad = None
    hot = D.OneHotCategoricalStraightThrough(probs).rsample()
    assert sorted(hot.detach().round().tolist()) == [0, 0, 1]
    hot[1].backward()
    np.testing.assert_allclose(probs.grad.numpy(), [-0.3, 0.7, -0.3], atol=1e-12)


def test_logistic_normal():
    loc, scale = tensor([0.5]), tensor([1.3])
    d = D.LogisticNormal(loc, scale)
    even = np.linspace(0, 1, 20_001)[1:-1]
    logits = np.log(even / (1 - even))
    wanted = np.exp(-(((logits - 0.5) / 1.3) ** 2) / 2) / (1.3 * math.sqrt(2 * math.pi)) / (even * (1 - even))
    got = d.log_prob(tensor(np.stack([even, 1 - even], -1))).exp().numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-8)
    assert d.event_shape == (2,) and (d.loc == loc).all() and (d.scale == scale).all()
    assert D.LogisticNormal(0.0, 1.0).sample().shape == (2,)
