"""Distributions of vectors and matrices: densities, moments and draws by their definitions, gradients through draws."""

import math

import numpy as np
import pytest

import facula_distributions as D
import facula_tensor as ft

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
    """Values, means and matrices broadcast in every way."""
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
    """The mean's derivatives are the mean of the draws'."""
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
