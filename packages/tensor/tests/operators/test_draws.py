"""Draws with tensor parameters and further distributions: distributions, gradients, errors."""

import math

import numpy as np
import pytest
from elements import values_of

import facula_tensor as ft
from facula_autograd import grad, gradcheck
from facula_cpu import get_num_threads, set_num_threads
from facula_errors import UnsupportedError
from facula_errors.testing import raises
from facula_tensor import extend
from facula_tensor.extend import recorded_ops, sample_dirichlet, standard_gamma
from facula_tensor.extend.sampling import state_pair

COUNT = 6_000
FLOATS = [ft.float16, ft.bfloat16, ft.float32, ft.float64]


def seeded(seed=7):
    return ft.Generator().manual_seed(seed)


DRAWS = {
    "poisson": lambda n, g: ft.poisson(ft.full((n,), 3.5), generator=g),
    "poisson of large rates": lambda n, g: ft.poisson(ft.full((n,), 50.0), generator=g),
    "binomial": lambda n, g: ft.binomial(ft.full((n,), 9.0), ft.tensor(0.5), generator=g),
    "standard_gamma": lambda n, g: standard_gamma(ft.full((n,), 0.5), generator=g),
    "sample_dirichlet": lambda n, g: sample_dirichlet(ft.full((n // 2, 2), 0.5), generator=g),
    "bernoulli_": lambda n, g: ft.empty(n).bernoulli_(0.3, generator=g),
    "exponential_": lambda n, g: ft.empty(n).exponential_(generator=g),
    "geometric_": lambda n, g: ft.empty(n).geometric_(0.1, generator=g),
    "cauchy_": lambda n, g: ft.empty(n).cauchy_(generator=g),
    "log_normal_": lambda n, g: ft.empty(n).log_normal_(generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_depends_on_its_seed_and_its_number(name):
    draw, generator = DRAWS[name], seeded()
    first = values_of(draw(64, generator))
    assert state_pair(generator) == (7, 64)
    assert not np.array_equal(first, values_of(draw(64, generator)))
    assert np.array_equal(first, values_of(draw(64, seeded())))
    assert not np.array_equal(first, values_of(draw(64, seeded(8))))
    if name != "log_normal_":  # a pair uses the words of both
        assert np.array_equal(values_of(draw(32, seeded())).ravel(), first.ravel()[:32])


@pytest.mark.parametrize("name", DRAWS)
def test_draws_do_not_depend_on_threads(name):
    before = get_num_threads()
    try:
        set_num_threads(1)
        one = values_of(DRAWS[name](30_000, seeded()))
        set_num_threads(2)
        assert np.array_equal(one, values_of(DRAWS[name](30_000, seeded())))
    finally:
        set_num_threads(before)


def furthest(shares):
    """Return the Kolmogorov-Smirnov distance from the uniform distribution, times the root of the sample count."""
    shares, n = np.sort(shares), len(shares)
    steps = np.arange(n + 1) / n
    return max((shares - steps[:-1]).max(), (steps[1:] - shares).max()) * math.sqrt(n)


def gamma_share(shape, x):
    """Compute the gamma distribution's function by its series (DLMF 8.11.4)."""
    terms = np.stack([n * np.log(x) - math.lgamma(shape + n + 1) for n in range(400)])
    return (np.exp(terms - x + shape * np.log(x))).sum(0)


def beta_share(first, second, x):
    """Compute the beta distribution's function by its series (DLMF 8.17.7), for x not near 1."""
    factor, total = 1.0, 0.0
    for n in range(2000):
        total = total + factor * x**n / (first + n)
        factor *= (n + 1 - second) / (n + 1)
    norm = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    return np.exp(norm + first * np.log(x)) * total


@pytest.mark.parametrize("shape", [0.3, 1.0, 2.5, 40.0])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_gamma_draws(shape, dtype):
    drawn = standard_gamma(ft.full((COUNT,), shape, dtype=dtype), generator=seeded())
    assert drawn.dtype is dtype
    assert furthest(gamma_share(shape, values_of(drawn).astype("f8"))) < 1.95


@pytest.mark.parametrize(("first", "second"), [(0.3, 1.2), (2.0, 5.0), (0.7, 0.7)])
def test_dirichlet_draws(first, second):
    drawn = sample_dirichlet(ft.tensor([first, second], dtype=ft.float64).expand(COUNT, 2), generator=seeded())
    x = drawn.numpy()
    np.testing.assert_allclose(x.sum(-1), 1)
    smaller = x[:, 0] < 0.9
    shares = beta_share(first, second, x[smaller, 0]) / beta_share(first, second, np.array([0.9]))
    assert furthest(shares) < 1.95
    three = sample_dirichlet(ft.tensor([1.0, 2.0, 5.0]).expand(COUNT, 3), generator=seeded()).numpy()
    np.testing.assert_allclose(three.mean(0), [1 / 8, 2 / 8, 5 / 8], atol=0.015)


def spread_evenly(drawn, chances):
    """Return values that are uniform if `drawn` has these probabilities."""
    before = np.concatenate([[0], np.cumsum(chances)])
    at = drawn.astype(int)
    return before[at] + np.random.default_rng(0).random(len(drawn)) * chances[at]


@pytest.mark.parametrize("rate", [0.3, 9.5, 10.5, 200.0])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_poisson_draws(rate, dtype):
    drawn = values_of(ft.poisson(ft.full((COUNT,), rate, dtype=dtype), generator=seeded(1)))
    chances = np.array([math.exp(k * math.log(rate) - rate - math.lgamma(k + 1)) for k in range(500)])
    assert furthest(spread_evenly(drawn, chances)) < 1.95


@pytest.mark.parametrize("rate", [1e7, 1e13])
def test_poisson_draws_of_large_rates(rate):
    drawn = (values_of(ft.poisson(ft.full((COUNT,), rate, dtype=ft.float64), generator=seeded())) - rate) / rate**0.5
    assert furthest(np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in drawn])) < 1.95


@pytest.mark.parametrize(("count", "p"), [(7, 0.4), (50, 0.05), (50, 0.6), (400, 0.97), (400, 0.3)])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_binomial_draws(count, p, dtype):
    drawn = ft.binomial(ft.full((COUNT,), count, dtype=dtype), ft.tensor(p, dtype=dtype), generator=seeded())
    chances = np.array([math.comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(count + 1)])
    assert furthest(spread_evenly(values_of(drawn), chances)) < 1.95


def test_fills():
    def law(name, share, *arguments):
        drawn = getattr(ft.empty(COUNT, dtype=ft.float64), name)(*arguments, generator=seeded()).numpy()
        assert furthest(share(drawn)) < 1.95, name

    law("exponential_", lambda x: 1 - np.exp(-2 * x), 2.0)
    law("cauchy_", lambda x: 0.5 + np.arctan((x - 1) / 3) / math.pi, 1.0, 3.0)
    law("log_normal_", lambda x: np.array([0.5 * math.erfc(-(math.log(number) - 1) / math.sqrt(8)) for number in x]))
    chances = np.concatenate([[0], 0.3 * 0.7 ** np.arange(200)])
    for dtype in (ft.float32, ft.int64, ft.uint8):
        drawn = ft.empty(COUNT, dtype=dtype).geometric_(0.3, generator=seeded())
        assert drawn.dtype is dtype and furthest(spread_evenly(drawn.numpy(), chances)) < 1.95
    for dtype in (ft.bool, ft.int8, ft.float16, ft.float64):
        drawn = ft.empty(100, 200, dtype=dtype).t().bernoulli_(0.2, generator=seeded())
        assert abs(values_of(drawn.double()).mean() - 0.2) < 0.02
    for chance in (0.0, 1.0, 0.3, 1e-7, 1 - 2.0**-25, 0.5):  # as rand() < p, which has steps of 2^-24
        drawn = ft.empty(1001, dtype=ft.int16).bernoulli_(chance, generator=seeded())
        assert drawn.tolist() == (ft.rand(1001, generator=seeded()) < chance).tolist()
        assert ft.bernoulli(ft.empty(1001), chance, generator=seeded()).tolist() == drawn.tolist()
    assert 0 < ft.empty(1001, dtype=ft.complex64).bernoulli_(0.5, generator=seeded()).real.sum() < 1001
    p = ft.tensor([0.0, 1.0, 0.5])
    drawn = ft.empty(1000, 3, dtype=ft.int32).bernoulli_(p, generator=seeded()).numpy()
    assert (drawn[:, :2] == [0, 1]).all() and 400 < drawn[:, 2].sum() < 600


@pytest.mark.parametrize("dtype", FLOATS)
def test_half_precisions_and_edges(dtype):
    def tensor(*values):
        return ft.tensor(values, dtype=dtype)

    assert ft.poisson(tensor(0.0, 0.0)).tolist() == [0, 0] and math.isnan(ft.poisson(tensor(math.nan)).item())
    assert ft.binomial(tensor(4.0, 0.0, 4.0), tensor(1.0, 1.0, 0.0)).tolist() == [4, 0, 0]
    assert standard_gamma(tensor(1.0, 2.0)).dtype is dtype and standard_gamma(tensor(math.inf)).item() == math.inf
    assert math.isnan(standard_gamma(tensor(-1.0)).item())
    assert (ft.empty(1000, dtype=dtype).exponential_() > 0).all()
    shares = sample_dirichlet(tensor(1e-3, 1e-3).expand(500, 2))
    assert shares.dtype is dtype and not shares.isnan().any() and ((shares >= 0) & (shares <= 1)).all()
    for shape in ((), (0,), (2, 0, 3)):
        rates = ft.ones(shape, dtype=dtype)
        assert ft.poisson(rates).shape == shape and ft.binomial(rates, rates).shape == shape
        assert standard_gamma(rates).shape == shape and ft.empty(shape).exponential_().shape == shape


def test_draws_do_not_depend_on_strides():
    rates = ft.rand(6, 4, generator=seeded()) * 20
    for draw in (ft.poisson, standard_gamma, sample_dirichlet):
        turned = draw(rates.t().contiguous().t(), generator=seeded())
        assert np.array_equal(values_of(draw(rates, generator=seeded())), values_of(turned))


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 3.7, 30.0])
def test_gradients_of_gamma_draws(shape):
    """Compared with differences of the distribution's function."""
    shapes = ft.full((300,), shape, dtype=ft.float64, requires_grad=True)
    drawn = standard_gamma(shapes, generator=seeded())
    drawn.backward(ft.ones(300, dtype=ft.float64))
    x, step = drawn.detach().numpy(), shape * 1e-4
    by_shape = (gamma_share(shape + step, x) - gamma_share(shape - step, x)) / (2 * step)
    density = np.exp((shape - 1) * np.log(x) - x - math.lgamma(shape))
    common = density > 1e-3
    np.testing.assert_allclose(shapes.grad.numpy()[common], (-by_shape / density)[common], rtol=1e-5)


def test_gradients_of_gamma_draws_with_large_shapes():
    """A different formula applies above about 10,000."""
    x = ft.tensor([9600.0, 9900.0, 10000.0, 10300.0], dtype=ft.float64)
    below, above = (ft.full((4,), shape, dtype=ft.float64) for shape in (9999.999999, 10000.0))
    no_record_ops = extend.no_record_ops
    np.testing.assert_allclose(
        no_record_ops.standard_gamma_grad(below, x).numpy(),
        no_record_ops.standard_gamma_grad(above, x).numpy(),
        rtol=1e-8,
    )
    assert no_record_ops.standard_gamma_grad(ft.tensor(1e6), ft.tensor(1e6 + 1e3)).item() == pytest.approx(
        1.0005, abs=1e-6
    )


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_the_gamma_distributions_function(dtype):
    for shape in (0.05, 1.0, 9.9, 10.5, 40.0):
        x = np.linspace(0, 2 * shape + 4, 50)[1:]
        got = extend.gamma_share(ft.tensor(shape, dtype=dtype), ft.tensor(x, dtype=dtype))
        np.testing.assert_allclose(got.numpy(), gamma_share(shape, x), rtol=1e-5 if dtype is ft.float32 else 1e-11)
    below, above = (ft.tensor(shape, dtype=ft.float64) for shape in (10_000 - 1e-9, 10_000.0))
    x = ft.tensor([9300.0, 9900.0, 10_000.0, 10_300.0, 10_800.0], dtype=ft.float64)
    left, right = extend.gamma_share(below, x).numpy(), extend.gamma_share(above, x).numpy()
    np.testing.assert_allclose(left, right, rtol=1e-7)
    edges = extend.gamma_share(ft.tensor([0.0, 1.0, 1.0, -1.0, 2.0]), ft.tensor([1.0, math.inf, 0.0, 1.0, math.nan]))
    assert edges.tolist()[:3] == [1, 1, 0] and edges[3:].isnan().all()
    shapes = ft.tensor([0.5, 2.0, 30.0], dtype=ft.float64, requires_grad=True)
    assert gradcheck(extend.gamma_share, (shapes, ft.tensor([0.3, 3.0, 28.0], dtype=ft.float64, requires_grad=True)))


@pytest.mark.parametrize(("first", "second"), [(0.3, 1.2), (2.0, 5.0), (3.0, 4.5)])
def test_gradients_of_beta_draws(first, second):
    given = ft.tensor([first, second], dtype=ft.float64).expand(200, 2).clone().requires_grad_()
    drawn = sample_dirichlet(given, generator=seeded())
    drawn[:, 0].sum().backward()
    x = drawn.detach().numpy()[:, 0]
    norm = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    density = np.exp(norm + (first - 1) * np.log(x) + (second - 1) * np.log1p(-x))
    common = (x < 0.85) & (density > 1e-3)
    for place, (one, other) in enumerate(((1e-5, 0), (0, 1e-5))):
        difference = beta_share(first + one, second + other, x) - beta_share(first - one, second - other, x)
        wanted = -difference / 2e-5 / density
        np.testing.assert_allclose(given.grad.numpy()[common, place], wanted[common], rtol=1e-4, atol=1e-9)


def test_gradients_of_counts_are_0():
    rates = ft.tensor([1.0, 5.0], requires_grad=True)
    ft.poisson(rates).sum().backward()
    assert rates.grad.tolist() == [0, 0]
    p = ft.tensor(0.5, requires_grad=True)
    (ft.binomial(ft.tensor([3.0, 4.0]), p) * 2).sum().backward()
    assert p.grad.item() == 0
    assert ft.poisson(ft.ones(2, device="meta")).shape == (2,)


REFUSED = [
    (lambda: ft.poisson(ft.tensor([1.0, -2.0])), "poisson: expected rates of 0 or more; got -2 at [1]"),
    (lambda: ft.poisson(ft.arange(3)), "poisson: expected rates in a floating dtype; got int64"),
    (lambda: ft.binomial(ft.tensor([-1.0]), ft.tensor([0.5])), "binomial: expected count from 0 ... got -1 at [0]"),
    (lambda: ft.binomial(ft.ones(2), ft.tensor(1.5)), "binomial: expected prob from 0 to 1; got 1.5"),
    (lambda: ft.binomial(ft.ones(2), ft.ones(2).double()), "binomial: one dtype; got float32 and float64"),
    (lambda: ft.binomial(ft.ones(2), ft.ones(3)), "binomial"),
    (lambda: sample_dirichlet(ft.tensor(1.0)), "sample_dirichlet: along a dimension; got shape ()"),
    (lambda: ft.poisson(ft.ones(2), generator=3), "poisson: expected generator to be a Generator, or None; got int 3"),
    (lambda: ft.empty(2).exponential_(0), "exponential_: expected lambd above 0; got 0"),
    (lambda: ft.empty(2).geometric_(1.0), "geometric_: expected a probability p above 0 and below 1; got 1.0"),
    (lambda: ft.empty(2).cauchy_(0.0, -1.0), "cauchy_: expected sigma above 0; got -1.0"),
    (lambda: ft.empty(2).log_normal_(0.0, 0.0), "log_normal_: expected std above 0; got 0.0"),
    (lambda: ft.empty(2).bernoulli_(1.5), "bernoulli_: expected a probability p from 0 to 1; got 1.5"),
    (lambda: ft.arange(3).exponential_(), "exponential_: expected a floating tensor; got int64"),
    (lambda: ft.zeros(3, dtype=ft.bool).geometric_(0.5), "geometric_: expected a floating or integer tensor; got bool"),
    (lambda: ft.zeros(2, requires_grad=True).exponential_(), "exponential_: this tensor is a leaf"),
    (lambda: ft.zeros(1).expand(3).cauchy_(), "cauchy_"),
    (lambda: ft.zeros(1).expand(3).bernoulli_(), "bernoulli_"),
]


@pytest.mark.parametrize(("action", "message"), REFUSED)
def test_errors_precede_changes_of_the_generator(action, message):
    ft.manual_seed(0)
    with raises((ValueError, TypeError, RuntimeError), message):
        action()
    assert state_pair(ft.default_generator) == (0, 0)


def test_second_derivatives_of_gamma_draws_are_right_or_errors():
    shape, x = [ft.tensor(value, dtype=ft.float64, requires_grad=True) for value in (1.5, 2.0)]
    by_shape, by_x = grad(extend.gamma_share(shape, x), (shape, x), create_graph=True)
    assert by_shape.item() == pytest.approx(-0.27743356420871, abs=1e-12)
    assert grad(by_x, (shape, x), retain_graph=True)[0].item() == pytest.approx(0.1418142290047, abs=1e-12)
    with raises(UnsupportedError, "standard_gamma", "no second derivatives with respect to their parameters"):
        grad(by_shape, shape, retain_graph=True)
    slope = recorded_ops.standard_gamma_grad(shape.detach(), x)
    assert grad(slope, x)[0].item() == pytest.approx(0.3068149564225, abs=1e-9)
    (drawn,) = grad(sample_dirichlet(shape * ft.ones(3).double())[0], shape, create_graph=True)
    with raises(UnsupportedError, "beta_grad", "no second derivatives with respect to their parameters"):
        grad(drawn, shape)
