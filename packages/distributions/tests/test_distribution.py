"""Shapes, expansion, validation and its errors, and user-defined distributions."""

import math
import pickle
from typing import ClassVar

import pytest

import facula_distributions as D
import facula_tensor as ft
from facula_distributions import constraints, utils
from facula_distributions.kl import FORMULAS
from facula_errors.testing import raises
from facula_tensor import func

MAKERS = [
    lambda: D.Normal(ft.zeros(3, 1), ft.ones(2)),
    lambda: D.LogNormal(ft.zeros(3, 1), ft.ones(2)),
    lambda: D.HalfNormal(ft.ones(3, 2)),
    lambda: D.Laplace(0.0, ft.ones(3, 2)),
    lambda: D.Gumbel(ft.zeros(3, 2), 1.0),
    lambda: D.Uniform(ft.zeros(3, 1), ft.ones(2)),
    lambda: D.Exponential(ft.ones(3, 2)),
    lambda: D.Bernoulli(ft.full((3, 2), 0.5)),
    lambda: D.Bernoulli(logits=ft.zeros(3, 2)),
    lambda: D.Geometric(ft.full((3, 2), 0.5)),
    lambda: D.Categorical(ft.ones(3, 2, 4)),
    lambda: D.Categorical(logits=ft.ones(3, 2, 4)),
    lambda: D.OneHotCategorical(ft.ones(3, 2, 4)),
    lambda: D.Independent(D.Normal(ft.zeros(3, 2, 4), 1.0), 1),
    lambda: D.Gamma(ft.ones(3, 1), ft.ones(2)),
    lambda: D.Chi2(ft.ones(3, 2)),
    lambda: D.InverseGamma(ft.ones(3, 2), 2.0),
    lambda: D.Beta(ft.ones(3, 1), ft.ones(2)),
    lambda: D.Dirichlet(ft.ones(3, 2, 4)),
    lambda: D.Poisson(ft.ones(3, 2)),
    lambda: D.Binomial(5, ft.full((3, 2), 0.5)),
    lambda: D.Binomial(ft.full((3, 1), 5), logits=ft.zeros(2)),
    lambda: D.NegativeBinomial(5.0, ft.full((3, 2), 0.5)),
    lambda: D.Multinomial(5, ft.ones(3, 2, 4)),
    lambda: D.MultivariateNormal(ft.zeros(3, 1, 4), ft.eye(4).expand(2, 4, 4)),
    lambda: D.MultivariateNormal(ft.zeros(3, 2, 4), scale_tril=ft.eye(4)),
    lambda: D.StudentT(ft.ones(3, 1), ft.zeros(2)),
    lambda: D.FisherSnedecor(ft.ones(3, 2), 2.0),
    lambda: D.Cauchy(ft.zeros(3, 2), 2.0),
    lambda: D.HalfCauchy(ft.ones(3, 2)),
    lambda: D.Pareto(ft.ones(3, 2), 2.0),
    lambda: D.GeneralizedPareto(ft.ones(3, 2), 2.0, 0.1),
    lambda: D.Weibull(ft.ones(3, 2), 2.0),
    lambda: D.Kumaraswamy(ft.ones(3, 2), 2.0),
    lambda: D.VonMises(ft.ones(3, 2), 2.0),
    lambda: D.ContinuousBernoulli(ft.full((3, 2), 0.4)),
    lambda: D.RelaxedBernoulli(0.5, ft.full((3, 2), 0.4)),
    lambda: D.RelaxedOneHotCategorical(0.5, ft.ones(3, 2, 4)),
    lambda: D.OneHotCategoricalStraightThrough(ft.ones(3, 2, 4)),
    lambda: D.LogisticNormal(ft.zeros(3, 2, 3), 1.0),
    lambda: D.LowRankMultivariateNormal(ft.zeros(3, 1, 4), ft.ones(2, 4, 1), ft.ones(4)),
    lambda: D.MixtureSameFamily(D.Categorical(ft.ones(5)), D.Normal(ft.zeros(3, 2, 5), 1.0)),
    lambda: D.LKJCholesky(4, ft.ones(3, 2)),
    lambda: D.Wishart(ft.full((3, 1), 5.0), ft.eye(4).expand(2, 4, 4)),
    lambda: D.TransformedDistribution(D.Normal(ft.zeros(3, 2), 1.0), [D.ExpTransform()]),
]


@pytest.mark.parametrize("make", MAKERS)
def test_shapes(make):
    d = make()
    event = tuple(d.event_shape)
    assert d.batch_shape == (3, 2) and event in ((), (4,), (4, 4))
    for sample_shape in ((), (5,), (2, 0)):
        drawn = d.sample(sample_shape)
        assert drawn.shape == (*sample_shape, 3, 2, *event)
        assert d.log_prob(drawn).shape == (*sample_shape, 3, 2)
    has_entropy = type(d).entropy is not D.Distribution.entropy
    assert not has_entropy or d.entropy().shape == (3, 2)
    assert d.sample_n(4).shape == (4, 3, 2, *event)
    wide = d.expand((7, 3, 2))
    assert type(wide) is type(d) and wide.batch_shape == (7, 3, 2) and tuple(wide.event_shape) == event
    assert wide.sample((2,)).shape == (2, 7, 3, 2, *event)
    assert wide.log_prob(d.sample()).shape == (7, 3, 2)
    if has_entropy:
        assert ((wide.entropy()[1] - d.entropy()).abs() < 1e-6).all()
    again = pickle.loads(pickle.dumps(d))
    assert repr(again) == repr(d) and again.batch_shape == d.batch_shape


def test_numeric_parameters_add_no_dimensions():
    d = D.Normal(0.0, 1)
    assert d.batch_shape == () and d.sample().shape == () and d.loc.dtype is ft.get_default_dtype()
    assert D.Normal(ft.zeros(2, dtype=ft.float64), 1.0).scale.dtype is ft.float64
    assert repr(d) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(D.Normal(ft.zeros(1), 1.0)) == "Normal(loc: tensor([0.]), scale: tensor([1.]))"
    assert repr(D.RelaxedBernoulli(ft.tensor(0.5), 0.5)).startswith("RelaxedBernoulli(")
    mixture = D.MixtureSameFamily(D.Categorical(ft.ones(2)), D.Normal(ft.zeros(2), 1.0))
    assert [line[:14] for line in repr(mixture).splitlines()] == ["MixtureSameFam", "  Categorical(", "  Normal(loc: "]
    assert repr(D.Independent(D.Normal(ft.zeros(2), 1.0), 1)).startswith("Independent(Normal(loc: facula.Size([2])")


REFUSED = [
    (lambda: D.Normal(0.0, -1.0), "Normal: expected parameter scale to satisfy GreaterThan ... got -1.0"),
    (lambda: D.Normal(ft.tensor([0.0, math.nan]), 1.0), "Normal: loc to satisfy Real(); got nan ... shape (2,)"),
    (lambda: D.Normal(ft.zeros(2), ft.ones(3)), "Normal: expected parameters of shapes that broadcast"),
    (lambda: D.Uniform(1.0, 1.0), "Uniform: expected low below high"),
    (lambda: D.Exponential(ft.tensor([1.0, 0.0])), "Exponential: parameter rate to satisfy GreaterThan ... got 0.0"),
    (lambda: D.Bernoulli(1.5), "Bernoulli: parameter probs to satisfy Interval ... got 1.5"),
    (lambda: D.Bernoulli(0.5, 0.5), "Bernoulli: expected either probs or logits; got both"),
    (lambda: D.Geometric(0.0), "Geometric: parameter probs to satisfy GreaterThan"),
    (lambda: D.Categorical(), "Categorical: expected either probs or logits; got neither"),
    (lambda: D.Categorical(ft.tensor(1.0)), "Categorical: categories along its last dimension"),
    (lambda: D.Categorical(ft.tensor([2.0, -1.0])), "Categorical: probs to satisfy Simplex(); got [2.0, -1.0]"),
    (lambda: D.Independent(D.Normal(0.0, 1.0), 1), "Independent: reinterpreted_batch_ndims ... got 1"),
    (lambda: D.Normal(0.0, 1.0).log_prob(0.5), "Normal: expected the value to be a Tensor; got float"),
    (lambda: D.Normal(ft.zeros(2), 1.0).log_prob(ft.ones(3)), "Normal: value to broadcast with shape (2,); got (3,)"),
    (lambda: D.Exponential(1.0).cdf(ft.tensor(-1.0)), "Exponential: value to satisfy GreaterThanEq ... got -1.0"),
    (lambda: D.Exponential(1.0).icdf(ft.tensor(1.5)), "Exponential: value to satisfy Interval ... got 1.5"),
    (lambda: D.Bernoulli(0.5).log_prob(ft.tensor(0.5)), "Bernoulli: value to satisfy Boolean(); got 0.5"),
    (lambda: D.Categorical(ft.ones(3)).log_prob(ft.tensor(3)), "Categorical: value ... got 3"),
    (lambda: D.OneHotCategorical(ft.ones(3)).log_prob(ft.ones(3)), "OneHotCategorical: got [1.0, 1.0, 1.0]"),
    (lambda: D.OneHotCategorical(ft.ones(3)).log_prob(ft.ones(2)), "OneHotCategorical: to ... got shape (2,)"),
    (lambda: D.Distribution.set_default_validate_args(3), "set_default_validate_args: expected True or False; got 3"),
    (lambda: D.Gamma(0.0, 1.0), "Gamma: expected parameter concentration to satisfy GreaterThan ... got 0.0"),
    (lambda: D.Beta(1.0, 1.0).log_prob(ft.tensor(1.5)), "Beta: expected the value to satisfy Interval ... got 1.5"),
    (lambda: D.Dirichlet(ft.tensor(1.0)), "Dirichlet: expected concentration to be a tensor of one dimension"),
    (lambda: D.Dirichlet(ft.ones(2)).log_prob(ft.ones(2)), "Dirichlet: expected the value to satisfy Simplex()"),
    (lambda: D.Poisson(-1.0), "Poisson: expected parameter rate to satisfy GreaterThanEq ... got -1.0"),
    (lambda: D.Binomial(-1, ft.tensor(0.5)), "Binomial: total_count to satisfy IntegerGreaterThan ... got -1.0"),
    (lambda: D.Binomial(3, ft.tensor(0.5)).log_prob(ft.tensor(4.0)), "Binomial: value ... got 4.0"),
    (lambda: D.Binomial(ft.tensor([1, 2]), ft.tensor(0.5)).entropy(), "Binomial: one total_count to enumerate"),
    (lambda: D.Multinomial(1.5, ft.ones(2)), "Multinomial: total_count to be an integer of at least 0; got 1.5"),
    (
        lambda: D.Multinomial(2, ft.ones(2)).log_prob(ft.tensor([2.0, 1.0])),
        "Multinomial: expected the value to satisfy",
    ),
    (lambda: D.MultivariateNormal(ft.zeros(2)), "MultivariateNormal: precision_matrix, scale_tril; got none"),
    (lambda: D.MultivariateNormal(ft.zeros(2), ft.eye(2), ft.eye(2)), "MultivariateNormal: got covariance_matrix and"),
    (lambda: D.MultivariateNormal(ft.zeros(2), ft.eye(3)), "MultivariateNormal: covariance_matrix ... got (3, 3)"),
    (lambda: D.MultivariateNormal(ft.zeros(2), -ft.eye(2)), "MultivariateNormal: covariance_matrix to satisfy"),
    (lambda: D.MultivariateNormal(ft.tensor(0.0), ft.eye(1)), "MultivariateNormal: loc to be a tensor of vectors"),
    (lambda: D.StudentT(-1.0), "StudentT: expected parameter df to satisfy GreaterThan ... got -1.0"),
    (
        lambda: D.Pareto(1.0, 2.0).log_prob(ft.tensor(0.5)),
        "Pareto: expected the value to satisfy GreaterThanEq",
    ),
    (lambda: D.GeneralizedPareto(0.0, 1.0, -0.5).cdf(ft.tensor(3.0)), "GeneralizedPareto: value ... got 3.0"),
    (lambda: D.ContinuousBernoulli(), "ContinuousBernoulli: expected either probs or logits; got neither"),
    (
        lambda: D.MixtureSameFamily(D.Categorical(ft.ones(2)), D.Normal(ft.zeros(3), 1.0)),
        "MixtureSameFamily: expected 2 components ... got batch shape (3,)",
    ),
    (lambda: D.LKJCholesky(1), "LKJCholesky: expected dim to be an integer of at least 2; got 1"),
    (lambda: D.Wishart(1.0, ft.eye(3)), "Wishart: expected parameter df to satisfy GreaterThan ... got 1.0"),
    (lambda: D.Wishart(3.0), "Wishart: expected one of covariance_matrix, precision_matrix, scale_tril; got none"),
    (
        lambda: D.LowRankMultivariateNormal(ft.zeros(3), ft.ones(2, 1), ft.ones(3)),
        "LowRankMultivariateNormal: expected cov_factor (..., 3",
    ),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_invalid_arguments_are_rejected(make, message):
    with raises(ValueError, message):
        make()


def test_undefined_methods_raise():
    for ask, message in (
        (lambda: D.Bernoulli(0.5).rsample(), "Bernoulli.rsample: not defined for this distribution"),
        (lambda: D.Normal(0.0, 1.0).enumerate_support(), "Normal.enumerate_support"),
        (lambda: D.Categorical(ft.ones(2)).cdf(ft.tensor(0)), "Categorical.cdf"),
        (lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Bernoulli(0.5)), "kl_divergence: no formula for Normal and"),
    ):
        with raises(NotImplementedError, message):
            ask()
    with raises(TypeError, "Normal", "expected loc to be a number or a Tensor", value="'a'"):
        D.Normal("a", 1.0)
    with raises(TypeError, "broadcast_all", "expected numbers and tensors", value="'a'"):
        utils.broadcast_all("a", 1.0)
    with raises(TypeError, "register_kl", "expected two classes", value="'Normal'"):
        D.register_kl("Normal", D.Normal)


def test_validation_can_be_disabled():
    assert math.isnan(D.Normal(0.0, -1.0, validate_args=False).log_prob(ft.tensor(0.0)).item())
    with raises(IndexError, "Categorical.log_prob", "expected categories from 0 to 2"):
        D.Categorical(ft.ones(2, 3), validate_args=False).log_prob(ft.tensor([3, 0]))
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
        with raises(ValueError, "Normal", "scale"):
            D.Normal(0.0, -1.0, validate_args=True)
    finally:
        D.Distribution.set_default_validate_args(True)


def test_gradients_of_log_probabilities():
    """The gradient of a policy, with respect to the logits of the selected actions."""
    logits = ft.tensor([[0.5, -1.0, 2.0], [0.0, 0.0, 0.0]], dtype=ft.float64, requires_grad=True)
    D.Categorical(logits=logits).log_prob(ft.tensor([2, 0])).sum().backward()
    probs = logits.detach().exp() / logits.detach().exp().sum(-1, keepdim=True)
    chosen = ft.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], dtype=ft.float64)
    assert ((logits.grad - (chosen - probs)).abs() < 1e-12).all()


def test_probabilities_and_logits_are_converted():
    p = ft.tensor([0.2, 0.5, 0.75], dtype=ft.float64, requires_grad=True)
    d = D.Bernoulli(p)
    assert d.logits is d.logits and d.logits.requires_grad
    assert d.logits.tolist() == pytest.approx([math.log(x / (1 - x)) for x in p.tolist()])
    assert D.Bernoulli(logits=d.logits).probs.tolist() == pytest.approx(p.tolist())
    assert utils.probs_to_logits(ft.tensor([0.0, 1.0]), is_binary=True).isfinite().all()


def test_custom_distribution():
    class Fair(D.Distribution):
        arg_constraints: ClassVar = {}
        support = constraints.boolean

        def sample(self, sample_shape=()):
            return ft.ones(self._extended_shape(sample_shape))

        def log_prob(self, value):
            self._validate_sample(value)
            return value * 0 - math.log(2)

    class Fairer(Fair):
        pass

    @D.register_kl(Fair, Fair)
    def divergence(p, q):
        return ft.zeros(p.batch_shape)

    d = Fairer((2,))
    assert d.sample((3,)).shape == (3, 2) and d.expand((4, 2)).batch_shape == (4, 2)
    assert D.kl_divergence(d, Fair((2,))).tolist() == [0, 0]
    with raises(ValueError, "Fairer", "expected the value to satisfy Boolean"):
        d.log_prob(ft.full((2,), 0.5))


def test_independent_sums():
    base = D.Normal(ft.zeros(2, 3), ft.ones(2, 3))
    for dims in range(3):
        d = D.Independent(base, dims)
        value = ft.ones(2, 3)
        wanted = base.log_prob(value)
        for _ in range(dims):
            wanted = wanted.sum(-1)
        assert (d.log_prob(value) == wanted).all() and d.entropy().shape == (2, 3)[: 2 - dims]
        assert d.has_rsample and d.support.event_dim == dims
        other = D.Independent(D.Normal(ft.ones(2, 3), 1.0), dims)
        assert (
            D.kl_divergence(d, other).tolist()
            == (ft.full((2, 3)[: 2 - dims], 0.5 * 3 ** (dims > 0) * 2 ** (dims > 1))).tolist()
        )
    with raises(ValueError, "kl_divergence", "equal reinterpreted_batch_ndims", value="1 and 2"):
        D.kl_divergence(D.Independent(base, 1), D.Independent(base, 2))


CHECKS = [
    (constraints.real, [0.0, math.nan, math.inf], [True, False, True]),
    (constraints.positive, [0.0, 1.0], [False, True]),
    (constraints.nonnegative, [0.0, -1.0], [True, False]),
    (constraints.unit_interval, [0.0, 1.0, 1.5], [True, True, False]),
    (constraints.half_open_interval(0.0, 1.0), [0.0, 1.0], [True, False]),
    (constraints.less_than(1.0), [0.0, 1.0], [True, False]),
    (constraints.boolean, [0.0, 1.0, 2.0], [True, True, False]),
    (constraints.nonnegative_integer, [0.0, 0.5, -1.0], [True, False, False]),
    (constraints.positive_integer, [0.0, 3.0], [False, True]),
    (constraints.integer_interval(1, 2), [1.0, 1.5, 3.0], [True, False, False]),
    (constraints.simplex, [[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]], [True, False, False]),
    (constraints.one_hot, [[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]], [True, False, False]),
    (constraints.real_vector, [[0.0, 1.0], [math.nan, 1.0]], [True, False]),
    (constraints._IntegerLessThan(1), [1.0, 0.5, 2.0], [True, False, False]),
    # Norms of rows that differ from 1 by 16 and by 32 times the machine epsilon; 20 are tolerated.
    (
        constraints.corr_cholesky,
        [[[1.0, 0.0], [0.0, 1 + 16 * 2.0**-23]], [[1.0, 0.0], [0.0, 1 + 32 * 2.0**-23]]],
        [True, False],
    ),
]


@pytest.mark.parametrize(("constraint", "values", "inside"), CHECKS, ids=repr)
def test_constraints(constraint, values, inside):
    assert constraint.check(ft.tensor(values)).tolist() == inside


def test_constraint_attributes():
    assert repr(constraints.interval(0.0, 1.0)) == "Interval(lower_bound=0.0, upper_bound=1.0)"
    assert constraints.is_dependent(D.Uniform.support) and not constraints.is_dependent(D.Normal.support)
    assert D.Categorical.support.is_discrete and constraints.simplex.event_dim == 1
    with raises(ValueError, "constraints.dependent", "depends on parameters"):
        constraints.dependent.check(ft.ones(2))
    with raises(ValueError, "independent.check", "expected a value of at least 1 dimension(s)", value=0):
        constraints.real_vector.check(ft.tensor(1.0))
    with raises(TypeError, "eps_of", "expected a floating dtype", "convert", value="facula.int64"):
        D.LKJCholesky(3).log_prob(ft.eye(3, dtype=ft.int64))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: D.Laplace(ft.zeros(2), ft.ones(3)), "Laplace: broadcast; got loc (2,), scale (3,)"),
        (lambda: D.Binomial(ft.ones(2), ft.ones(3)), "Binomial: got total_count (2,), probs (3,)"),
        (lambda: D.Gamma(ft.ones(2), "1"), "Gamma: expected rate to be a number or a Tensor; got '1'"),
    ],
)
def test_mismatched_parameters_are_named(made, said):
    with raises((ValueError, TypeError), said):
        made()


@pytest.mark.parametrize(
    "made",
    [
        lambda: D.Normal(0.0, 1.0),
        lambda: D.Categorical(ft.ones(3)),
        lambda: D.OneHotCategorical(ft.ones(3)),
        lambda: D.Poisson(1.0),
        lambda: D.LKJCholesky(3),
    ],
)
def test_a_sample_shape_is_a_sequence_of_lengths_from_0(made):
    name = type(made()).__name__
    with raises(TypeError, name, "sample_shape to be a sequence of lengths, such as (3,)", value=3):
        made().sample(3)
    with raises(ValueError, name, "sample_shape of lengths from 0", value=(-1,)):
        made().sample((-1,))
    assert made().sample([2]).shape[0] == 2


@pytest.mark.parametrize(
    "made",
    [
        lambda a: D.Normal(a, a.exp()),
        lambda a: D.Uniform(a - 1, a + 2),
        lambda a: D.Gamma(a.exp(), 2.0),
        lambda a: D.Binomial(3, logits=a),
        lambda a: D.Categorical(logits=ft.stack([a, a * a])),
        lambda a: D.MultivariateNormal(ft.stack([a, a * a]), ft.eye(2, dtype=ft.float64)),
        lambda a: D.TransformedDistribution(D.Normal(a, 1.0), [D.ExpTransform()]),
    ],
)
def test_batches_of_distributions(made):
    """Probabilities and their derivatives under `vmap` equal those of a loop; validation covers the whole batch."""
    points = ft.tensor([-0.3, 0.2, 0.8], dtype=ft.float64)

    def log_prob(a):
        return made(a).log_prob(ft.ones(made(a).event_shape, dtype=ft.float64))

    for function in (log_prob, func.grad(log_prob)):
        assert ft.allclose(func.vmap(function)(points), ft.stack([function(a) for a in points]))
    draws = func.vmap(lambda a: made(a).sample(), randomness="different")(points)
    assert draws.shape == (3, *made(points[0]).event_shape)


@pytest.mark.parametrize("made", [lambda a: D.Normal(0.0, a), lambda a: D.Uniform(0.0, a)])
def test_one_invalid_parameter_in_a_batch_is_rejected(made):
    with raises(ValueError, type(made(1.0)).__name__, "expected"):
        func.vmap(lambda a: made(a).mean)(ft.tensor([1.0, -1.0]))


def test_validation_reads_no_values(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a value was read")

    with monkeypatch.context() as patched:
        for name in "item tolist numpy __array__ __bool__ __float__ __int__ __index__ __buffer__".split():
            patched.setattr(ft.Tensor, name, refuse)
        for one in (D.Normal(ft.zeros(3), ft.ones(3)), D.Categorical(ft.ones(3, 4)), D.Bernoulli(logits=ft.zeros(3))):
            one.log_prob(one.sample())
    with raises(ValueError, "Normal", "parameter scale to satisfy", value="-1.0 in a tensor of shape (2,)"):
        D.Normal(0.0, ft.tensor([1.0, -1.0]))


def test_divergences_of_any_classes():
    class Counted:
        """A mixin for distributions that is not a distribution."""

    class First(Counted, D.Normal):
        pass

    class Second(D.Normal, Counted):
        pass

    @D.register_kl(Counted, object)
    def counted(p, q):
        return ft.tensor(7.0)

    try:
        assert D.kl_divergence(First(0.0, 1.0), D.Exponential(1.0)) == 7
        assert D.kl_divergence(Second(0.0, 1.0), D.Normal(0.0, 1.0)) == 0  # Normal is more specific
    finally:
        del FORMULAS[Counted, object]
