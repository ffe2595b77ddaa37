"""Transforms compared with their inverses and derivatives; the registry; transformed distributions."""

import gc
import math
import pickle

import numpy as np
import pytest

import facula_distributions as D
import facula_tensor as ft
from facula_distributions import constraints
from facula_errors.testing import raises
from facula_tensor.derivatives import jacobian


def t(*values):
    return ft.tensor(values, dtype=ft.float64)


ELEMENTWISE = {
    "exp": (D.ExpTransform(), t(-2.0, 0.5, 3.0)),
    "sigmoid": (D.SigmoidTransform(), t(-2.0, 0.5, 3.0)),
    "softplus": (D.SoftplusTransform(), t(-2.0, 0.5, 30.0)),
    "tanh": (D.TanhTransform(), t(-2.0, 0.5, 3.0)),
    "power": (D.PowerTransform(2.5), t(0.5, 1.0, 3.0)),
    "powers": (D.PowerTransform(t(2.0, -1.0, 0.5)), t(0.5, 1.0, 3.0)),
    "affine": (D.AffineTransform(1.0, -2.0), t(-2.0, 0.5, 3.0)),
    "affine of tensors": (D.AffineTransform(t(1.0, 2.0, 3.0), t(0.5, -1.0, 2.0)), t(-2.0, 0.5, 3.0)),
    "normal cdf": (D.CumulativeDistributionTransform(D.Normal(t(0.5), t(2.0))), t(-2.0, 0.5, 3.0)),
    "composed": (D.ComposeTransform([D.AffineTransform(0.5, 0.3), D.ExpTransform(), D.TanhTransform()]), t(-2.0, 0.5)),
    "inverse": (D.ExpTransform().inv, t(0.5, 1.0, 3.0)),
    "none": (D.identity_transform, t(0.5, 1.0)),
    "stacked": (D.StackTransform([D.ExpTransform(), D.AffineTransform(0.0, 3.0)], 0), t(0.5, 1.0)),
    "side by side": (D.CatTransform([D.ExpTransform(), D.SigmoidTransform()], 0, [2, 1]), t(0.5, 1.0, -1.0)),
}
OF_EVENTS = {
    "stick breaking": (D.StickBreakingTransform(), t(0.5, -1.0, 0.3), lambda y: y[:-1]),
    "correlations": (D.CorrCholeskyTransform(), t(0.5, -1.0, 0.3), lambda y: D.utils.tril_matrix_to_vec(y, -1)),
    "affine": (D.AffineTransform(1.0, -2.0, event_dim=1), t(0.5, -1.0, 0.3), lambda y: y),
    "independent": (D.IndependentTransform(D.ExpTransform(), 1), t(0.5, -1.0, 0.3), lambda y: y),
    "reshaped": (D.ReshapeTransform((4,), (2, 2)), t(0.5, -1.0, 0.3, 2.0), lambda y: y.reshape(4)),
    "composed": (
        D.ComposeTransform([D.ExpTransform(), D.AffineTransform(0.0, 0.5), D.StickBreakingTransform()]),
        t(0.5, -1.0, 0.3),
        lambda y: y[:-1],
    ),
    "inverse": (D.StickBreakingTransform().inv, t(0.2, 0.1, 0.4, 0.3), None),
}
INTO = {
    "softmax": (D.SoftmaxTransform(), ft.randn(4, 3)),
    "lower Cholesky": (D.LowerCholeskyTransform(), ft.randn(4, 3, 3)),
    "positive definite": (D.PositiveDefiniteTransform(), ft.randn(4, 3, 3, dtype=ft.float64)),
    "absolute": (D.AbsTransform(), ft.randn(4)),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    f, x = ELEMENTWISE[name]
    y = f(x)
    np.testing.assert_allclose(f.inv(y).numpy(), x.numpy(), rtol=1e-9)
    assert f.inv.inv is f and f.bijective and f.inv.bijective
    assert f.domain.check(x).all() and f.codomain.check(y).all()
    slope = np.diagonal(jacobian(f, x).numpy())
    np.testing.assert_allclose(f.log_abs_det_jacobian(x, y).numpy(), np.log(np.abs(slope)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(f.inv.log_abs_det_jacobian(y, x).numpy(), -np.log(np.abs(slope)), rtol=1e-9, atol=1e-12)
    if name not in ("stacked", "side by side"):
        assert (np.broadcast_to(np.array(f.sign), slope.shape) == np.sign(slope)).all()
        assert f.forward_shape((4, *x.shape)) == (4, *x.shape)


@pytest.mark.parametrize("name", OF_EVENTS)
def test_event_transforms(name):
    f, x, free = OF_EVENTS[name]
    y = f(x)
    np.testing.assert_allclose(f.inv(y).numpy(), x.numpy(), rtol=1e-9)
    assert f.domain.check(x).all() and f.codomain.check(y).all()
    assert f.forward_shape(x.shape) == y.shape and f.inverse_shape(y.shape) == x.shape
    volume = f.log_abs_det_jacobian(x, y)
    assert volume.shape == ()
    if free is not None:
        slopes = jacobian(lambda x: free(f(x)), x).numpy()
        np.testing.assert_allclose(volume.item(), np.linalg.slogdet(slopes)[1], rtol=1e-9, atol=1e-12)
    many = x.expand((2, *x.shape))
    assert f(many).shape == (2, *y.shape) and f.log_abs_det_jacobian(many, f(many)).shape == (2,)


@pytest.mark.parametrize("name", INTO)
def test_registered_transforms_map_into_the_region(name):
    f, x = INTO[name]
    y = f(x)
    assert f.codomain.check(y).all() and f.domain.check(x).all()
    np.testing.assert_allclose(f(f.inv(y)).numpy(), y.numpy(), rtol=1e-5, atol=1e-6)
    assert not f.bijective


def test_equality_caches_and_lifetimes():
    assert D.ExpTransform() == D.ExpTransform() != D.TanhTransform()
    assert D.AffineTransform(0.0, 1.0) == D.AffineTransform(0.0, 1.0) != D.AffineTransform(0.0, 2.0)
    assert D.ComposeTransform([D.ExpTransform()]) == D.ComposeTransform([D.ExpTransform()])
    assert D.ExpTransform().inv == D.ExpTransform().inv
    for f in (
        D.ExpTransform(cache_size=1),
        D.SigmoidTransform().with_cache(),
        D.AffineTransform(0.0, 2.0).with_cache(1),
    ):
        x = ft.randn(3)
        assert f.inv(f(x)) is x and f.with_cache(1) is f
        again = pickle.loads(pickle.dumps(f))
        assert (again(x) == f(x)).all() and again.with_cache(0)._cache_size == 0
    import weakref

    f = D.ExpTransform()
    assert f.inv.inv is f
    gone = weakref.ref(f)
    gc.disable()
    try:
        del f
        assert gone() is None
    finally:
        gc.enable()


SPACES = [
    constraints.real,
    constraints.positive,
    constraints.nonnegative,
    constraints.greater_than(2.0),
    constraints.less_than(t(1.0, 2.0, 3.0)),
    constraints.unit_interval,
    constraints.interval(-1.0, 4.0),
    constraints.half_open_interval(-1.0, 4.0),
    constraints.simplex,
    constraints.real_vector,
    constraints.corr_cholesky,
    constraints.independent(constraints.positive, 1),
    constraints.stack([constraints.positive, constraints.real, constraints.unit_interval]),
    constraints.cat([constraints.positive, constraints.real], lengths=[1, 2]),
]
ONE_WAY = [constraints.lower_cholesky, constraints.positive_definite, constraints.positive_semidefinite]


@pytest.mark.parametrize("space", [*SPACES, *ONE_WAY], ids=repr)
def test_the_registry(space):
    square = space in ONE_WAY
    x = ft.randn(3, 3, dtype=ft.float64) if square else t(0.3, -0.5, 1.1)
    y = D.transform_to(space)(x)
    assert space.check(y).all()
    if not square:
        f = D.biject_to(space)
        assert f.bijective and space.check(f(x)).all()
        np.testing.assert_allclose(f.inv(f(x)).numpy(), x.numpy(), rtol=1e-9)
    else:
        with raises(NotImplementedError, "biject_to", "there is no transform to"):
            D.biject_to(space)


LONGER = {  # of [1, -2, 3, -4]; equal to PyTorch 2.13's
    "cat": (constraints.cat([constraints.positive, constraints.real], lengths=[1, 2]), [True, True, True]),
    "cat of single elements": (constraints.cat([constraints.positive, constraints.positive]), [True, False]),
    "stack": (constraints.stack([constraints.positive, constraints.real]), [True, True]),
    "longer stack": (constraints.stack([constraints.positive] * 6), [True, False, True, False]),
}


@pytest.mark.parametrize("name", LONGER)
def test_constraints_of_the_first_parts(name):
    space, expected = LONGER[name]
    assert space.check(t(1.0, -2.0, 3.0, -4.0)).tolist() == expected
    if name == "cat":
        with raises(ValueError, "narrow", "start 1 and length 2"):
            space.check(t(1.0))


def test_custom_transform():
    class even(constraints.Constraint):
        def check(self, value):
            return value % 2 == 0

    registry = D.constraint_registry.ConstraintRegistry()
    registry.register(even, lambda constraint: D.AffineTransform(0.0, 2.0))
    assert registry(even())(t(3.0)).item() == 6

    class Cube(D.Transform):
        bijective = True
        sign = 1

        def _call(self, x):
            return x**3

        def _inverse(self, y):
            return y.sign() * y.abs() ** (1 / 3)

        def log_abs_det_jacobian(self, x, y):
            return (3 * x * x).log()

    d = D.TransformedDistribution(D.Uniform(t(1.0), t(2.0)), [Cube(cache_size=1)])
    np.testing.assert_allclose(d.log_prob(t(8.0 - 1e-9)).exp().numpy(), 1 / 12, rtol=1e-6)
    assert d.cdf(t(3.375)).item() == pytest.approx(0.5) and d.icdf(t(0.5)).item() == pytest.approx(3.375)


def test_transformed_distributions():
    loc, scale = t(0.3, -0.2), t(0.5, 1.5)
    d = D.TransformedDistribution(D.Normal(loc, scale), [D.ExpTransform()])
    same = D.LogNormal(loc, scale)
    x = same.sample((5,))
    for ask in ("log_prob", "cdf"):
        np.testing.assert_allclose(getattr(d, ask)(x).numpy(), getattr(same, ask)(x).numpy(), rtol=1e-9)
    np.testing.assert_allclose(d.icdf(d.cdf(x)).numpy(), x.numpy(), rtol=1e-7)
    assert d.batch_shape == (2,) and d.event_shape == () and d.has_rsample and d.support is constraints.positive
    falling = D.TransformedDistribution(D.Exponential(t(2.0)), D.AffineTransform(1.0, -3.0))
    assert falling.cdf(t(-2.0)).item() == pytest.approx(math.exp(-2)) and falling.sample((9,)).max().item() <= 1
    np.testing.assert_allclose(falling.icdf(falling.cdf(t(-2.0, 0.5))).numpy(), [-2, 0.5])
    wide = d.expand((3, 2))
    assert wide.sample((4,)).shape == (4, 3, 2) and wide.log_prob(x[0]).shape == (3, 2)
    again = pickle.loads(pickle.dumps(d))
    assert (again.log_prob(x) == d.log_prob(x)).all() and repr(again) == repr(d)
    assert repr(d).startswith("TransformedDistribution(Normal(loc: facula.Size([2])")
    loc.requires_grad_()
    D.TransformedDistribution(D.Normal(loc, scale), [D.TanhTransform()]).rsample((3,)).sum().backward()
    assert (loc.grad > 0).all()


MADE = {
    "LogNormal": lambda: D.LogNormal(t(0.3, -0.5), t(0.5, 1.5)),
    "Gumbel": lambda: D.Gumbel(t(0.3, -0.5), t(0.5, 1.5)),
    "InverseGamma": lambda: D.InverseGamma(t(3.3, 2.5), t(0.5, 1.5)),
    "Pareto": lambda: D.Pareto(t(0.3, 2.5), t(0.5, 1.5)),
    "Weibull": lambda: D.Weibull(t(0.3, 2.5), t(0.5, 1.5)),
    "Kumaraswamy": lambda: D.Kumaraswamy(t(0.3, 2.5), t(0.5, 1.5)),
}


@pytest.mark.parametrize("name", MADE)
def test_base_distributions_and_transforms(name):
    d = MADE[name]()
    ft.manual_seed(0)
    x = d.sample((5,))
    same = D.TransformedDistribution(d.base_dist, d.transforms)
    np.testing.assert_allclose(same.log_prob(x).numpy(), d.log_prob(x).numpy(), rtol=1e-6)
    np.testing.assert_allclose(same.cdf(x).numpy(), d.cdf(x).numpy(), rtol=1e-6)
    assert same.support.check(x).all() and same.batch_shape == d.batch_shape


def test_half_distributions():
    for d in (D.HalfNormal(t(2.0)), D.HalfCauchy(t(2.0))):
        assert (D.TransformedDistribution(d.base_dist, d.transforms).sample((9,)) >= 0).all()


def test_transforms_of_event_dimensions():
    base = D.Normal(ft.zeros(4, 3), ft.ones(3))
    d = D.TransformedDistribution(base, [D.StickBreakingTransform()])
    assert d.batch_shape == (4,) and d.event_shape == (4,) and isinstance(d.base_dist, D.Independent)
    x = d.sample((2,))
    assert x.shape == (2, 4, 4) and d.log_prob(x).shape == (2, 4) and d.expand((5, 4)).sample().shape == (5, 4, 4)
    shaped = D.TransformedDistribution(D.Independent(base, 1), [D.ReshapeTransform((3,), (3, 1)), D.ExpTransform()])
    assert shaped.event_shape == (3, 1) and shaped.log_prob(shaped.sample()).shape == (4,)
    np.testing.assert_allclose(
        shaped.log_prob(ft.ones(4, 3, 1)).numpy(), D.Independent(base, 1).log_prob(ft.zeros(4, 3)).numpy(), rtol=1e-6
    )
    assert D.TransformedDistribution(D.Normal(0.0, 1.0), D.AffineTransform(ft.zeros(2), 1.0)).batch_shape == (2,)
    total = 0  # the density of the components depends on one of them, since their sum is 1
    shares = np.linspace(1e-4, 1 - 1e-4, 20001)
    two = D.TransformedDistribution(D.Normal(t(0.5), t(0.7)), [D.StickBreakingTransform()])
    total = two.log_prob(ft.tensor(np.stack([shares, 1 - shares], -1))).exp().numpy().sum() * (shares[1] - shares[0])
    assert total == pytest.approx(1, abs=1e-4)


REFUSED = [
    (lambda: D.ExpTransform(cache_size=2), "ExpTransform: expected cache_size 0 or 1; got 2"),
    (lambda: D.ReshapeTransform((2, 3), (5,)), "ReshapeTransform: equal numbers of elements; got"),
    (lambda: D.ReshapeTransform((2, 3), (6,))(ft.ones(3, 2)), "ReshapeTransform: last ... got shape (3, 2)"),
    (lambda: D.ComposeTransform([3]), "ComposeTransform: expected transforms; got 3"),
    (lambda: D.StackTransform([D.ExpTransform()])(ft.ones(2)), "StackTransform: 1 elements in dimension 0, one for"),
    (lambda: D.CatTransform([D.ExpTransform()])(ft.ones(2)), "CatTransform: expected 1 elements in dimension 0; got 2"),
    (lambda: D.CatTransform([D.ExpTransform()], 0, [1, 2]), "CatTransform: expected a length for each"),
    (lambda: D.CorrCholeskyTransform().forward_shape((4,)), "CorrCholeskyTransform: expected n (n - 1) / 2 numbers"),
    (lambda: D.utils.vec_to_tril_matrix(ft.ones(4)), "vec_to_tril_matrix: as many numbers as a square matrix has"),
    (
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [D.StickBreakingTransform()]),
        "TransformedDistribution: of at least 1 dimensions",
    ),
    (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 3), "TransformedDistribution: a ... got 3"),
    (
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()]).log_prob(t(-1.0)),
        "TransformedDistribution: satisfy GreaterThan",
    ),
    (lambda: D.biject_to.register(3, None), "biject_to.register: expected a constraint"),
    (
        lambda: D.StickBreakingTransform().event_dim and D.ReshapeTransform((4,), (2, 2)).event_dim,
        "ReshapeTransform.event_dim: got 1 and 2",
    ),
    (lambda: D.AbsTransform().sign, "AbsTransform.sign: not defined for this transform"),
]


@pytest.mark.parametrize(("action", "message"), REFUSED)
def test_invalid_arguments_are_rejected(action, message):
    with raises((ValueError, TypeError, NotImplementedError), message):
        result = action()
        result(lambda constraint: None)  # the call that the decorator makes


def test_transform_may_have_a_second_base():
    """Libraries define flows as modules: each base's constructor runs, and the cached pair has PyTorch's name."""

    class Other:
        def __init__(self):
            super().__init__()
            self.begun = True

    class Flow(D.transforms.Transform, Other):
        domain = codomain = constraints.real
        bijective = True

        def _call(self, x):
            return x * 2

        def _inverse(self, y):
            return y / 2

    flow = Flow(cache_size=1)
    x = ft.ones(2)
    y = flow(x)
    assert flow.begun and flow._cached_x_y[0] is x and flow._cached_x_y[1] is y


def test_expand_of_a_subclass():
    class Shifted(D.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

        def expand(self, batch_shape, _instance=None):
            return super().expand(batch_shape, self._get_checked_instance(Shifted, _instance))

    class Further(Shifted):
        def __init__(self):
            super().__init__(ft.zeros(()))

    found = Shifted(ft.zeros(())).expand((3,))
    assert type(found) is Shifted and found.batch_shape == (3,)
    with raises(NotImplementedError, "Further", "expand is not defined for a subclass of Shifted"):
        Further().expand((3,))
