"""Results of steps compared with NumPy in float64: all options, both dtypes, any memory layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optim_toys import (
    AdamReference,
    SGDReference,
    adadelta,
    adafactor,
    adagrad,
    adamax,
    asgd,
    assert_close,
    give,
    leaves,
    muon,
    nadam,
    radam,
    rmsprop,
    rprop,
    trained,
    values,
)

import facula_tensor as ft
from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises
from facula_optim import (
    ASGD,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)

rates = st.floats(0, 2)
shares = st.one_of(st.just(0), st.floats(0, 0.99))
flags = st.booleans()


@given(rates, shares, st.floats(-1, 1), shares, flags)
def test_sgd(lr, momentum, dampening, weight_decay, maximize):
    options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
    parameters = leaves(values(0))
    optimizer = SGD(parameters, maximize=maximize, **options)
    assert_close(parameters, trained(optimizer, parameters, SGDReference(maximize=maximize, **options)))


@given(rates, st.floats(0.01, 0.99), shares)
def test_nesterov(lr, momentum, weight_decay):
    options = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "nesterov": True}
    parameters = leaves(values(0))
    assert_close(parameters, trained(SGD(parameters, **options), parameters, SGDReference(**options)))


@given(rates, shares, shares, st.floats(1e-10, 1), shares, flags, flags, flags)
def test_adam(lr, beta1, beta2, eps, weight_decay, amsgrad, maximize, decoupled):
    options = {"lr": lr, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay}
    options |= {"amsgrad": amsgrad, "maximize": maximize}
    parameters = leaves(values(0))
    optimizer = (AdamW if decoupled else Adam)(parameters, **options)
    expected = trained(optimizer, parameters, AdamReference(decoupled=decoupled, **options))
    assert_close(parameters, expected, rtol=1e-10)


VARIANTS = {
    RMSprop: (
        rmsprop,
        {"alpha": st.floats(0.1, 0.999), "eps": st.floats(1e-3, 1), "momentum": shares, "centered": flags},
    ),
    Adadelta: (adadelta, {"rho": st.floats(0, 0.999), "eps": st.floats(1e-6, 1)}),
    Adagrad: (adagrad, {"lr_decay": shares, "initial_accumulator_value": shares, "eps": st.floats(1e-6, 1)}),
    Adamax: (adamax, {"betas": st.tuples(shares, shares), "eps": st.floats(1e-6, 1)}),
    NAdam: (nadam, {"betas": st.tuples(shares, shares), "eps": st.floats(1e-6, 1), "momentum_decay": shares}),
    RAdam: (radam, {"betas": st.tuples(shares, st.floats(0, 0.999)), "eps": st.floats(1e-6, 1)}),
    ASGD: (asgd, {"lambd": shares, "alpha": shares, "t0": st.integers(0, 9)}),
    Rprop: (rprop, {"etas": st.tuples(st.floats(0.1, 0.9), st.floats(1.1, 3)), "step_sizes": st.just((0.01, 1.5))}),
}


@pytest.mark.parametrize("kind", VARIANTS, ids=lambda kind: kind.__name__)
@given(lr=rates, decay=shares, maximize=flags, decoupled=flags, data=st.data())
def test_variants(kind, lr, decay, maximize, decoupled, data):
    reference, options = VARIANTS[kind]
    options = {name: data.draw(option, name) for name, option in options.items()}
    own = {} if kind is Rprop else {"weight_decay": decay}
    given, expected = {"maximize": maximize, **own}, {"maximize": maximize, **own}
    if decoupled and kind in (NAdam, RAdam):
        given["decoupled_weight_decay"], expected["decoupled_rate"] = True, lr
    parameters = leaves(values(0))
    optimizer = kind(parameters, lr=lr, **options, **given)
    right = trained(optimizer, parameters, reference(lr, **options, **expected))
    assert_close(parameters, right, rtol=1e-5 if kind in (ASGD, NAdam) else 1e-9)  # these keep float32 numbers


@given(rates, shares, st.floats(-1, -0.1), st.sampled_from([None, 1e-9]), st.floats(1, 3), flags)
def test_adafactor(lr, weight_decay, beta2_decay, smallest, d, maximize):
    options = {"beta2_decay": beta2_decay, "eps": (smallest, 1e-3), "d": d, "weight_decay": weight_decay}
    parameters = leaves(values(0))
    optimizer = Adafactor(parameters, lr, **options, maximize=maximize)
    expected = trained(optimizer, parameters, adafactor(lr, **options, maximize=maximize))
    assert_close(parameters, expected, rtol=1e-9)


@given(rates, shares, st.floats(0, 0.99), flags, st.sampled_from([None, "match_rms_adamw"]))
def test_muon(lr, weight_decay, momentum, nesterov, adjust_lr_fn):
    options = {"weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov, "adjust_lr_fn": adjust_lr_fn}
    parameters = leaves(values(0, [(3, 4), (4, 2), (3, 3), (1, 2)]))
    optimizer = Muon(parameters, lr, **options)
    assert_close(parameters, trained(optimizer, parameters, muon(lr, **options)), rtol=1e-9)
    again = Muon(parameters, lr)
    again.load_state_dict(optimizer.state_dict())
    assert again.state_dict()["param_groups"] == optimizer.state_dict()["param_groups"]


def test_asgd_averages_the_parameters():
    """ASGD averages from step t0 + 1 on."""
    (p,) = parameters = leaves([np.ones(2)])
    optimizer = ASGD(parameters, lr=0.5, lambd=0.0, t0=1)
    seen = []
    for gradient in (1.0, 2.0, -3.0, 4.0, 0.5):
        give(parameters, [np.full(2, gradient)])
        optimizer.step()
        seen.append(p.tolist())
    np.testing.assert_allclose(optimizer.state[p]["ax"].tolist(), np.mean(seen[2:], 0), rtol=1e-6)


@pytest.mark.parametrize("kind", VARIANTS, ids=lambda kind: kind.__name__)
def test_nan_gradients_propagate(kind):
    """A NaN in one element affects only this element, permanently."""
    (p,) = parameters = leaves([np.ones(40)])
    optimizer = kind(parameters)
    for _ in range(2):
        give(parameters, [np.where(np.arange(40) == 3, np.nan, 0.5)])
        optimizer.step()
    assert np.isnan(p.detach().numpy()).nonzero()[0].tolist() == [3]


@pytest.mark.parametrize(
    ("make", "reference"),
    [
        (lambda p: RMSprop(p, lr=0.1), lambda: rmsprop(0.1)),
        (lambda p: RMSprop(p, lr=0.1, momentum=0.5, eps=0.1), lambda: rmsprop(0.1, momentum=0.5, eps=0.1)),
        (
            lambda p: RMSprop(p, lr=0.1, momentum=0.5, centered=True, eps=0.1),
            lambda: rmsprop(0.1, momentum=0.5, centered=True, eps=0.1),
        ),
        (lambda p: Adadelta(p), lambda: adadelta(1.0)),
        (lambda p: Adagrad(p, lr=0.1, initial_accumulator_value=1), lambda: adagrad(0.1, 0, 1)),
        (lambda p: Adamax(p, lr=0.1), lambda: adamax(0.1)),
        (lambda p: NAdam(p, lr=0.1), lambda: nadam(0.1)),
        (lambda p: RAdam(p, lr=0.1, betas=(0.9, 0.9)), lambda: radam(0.1, betas=(0.9, 0.9))),
        (lambda p: ASGD(p, lr=0.1), lambda: asgd(0.1)),
        (lambda p: Rprop(p, lr=0.1), lambda: rprop(0.1)),
        (lambda p: Adafactor(p, lr=0.1, eps=(1e-6, 0.1)), lambda: adafactor(0.1, eps=(1e-6, 0.1))),
        (lambda p: SGD(p, lr=0.1), lambda: SGDReference(0.1)),
        (lambda p: SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1), lambda: SGDReference(0.1, 0.9, 0, 0.1)),
        (lambda p: Adam(p, lr=0.1, amsgrad=True), lambda: AdamReference(0.1, amsgrad=True)),
        (lambda p: AdamW(p, lr=0.1), lambda: AdamReference(0.1, weight_decay=0.01, decoupled=True)),
    ],
)
class TestMemory:
    def test_float32(self, make, reference):
        parameters = leaves(values(0), ft.float32)
        assert_close(parameters, trained(make(parameters), parameters, reference()), rtol=5e-6)

    def test_both_dtypes_in_one_group(self, make, reference):
        first, second = leaves(values(0)), leaves(values(1), ft.float32)
        both = [one for pair in zip(first, second, strict=True) for one in pair]
        assert_close(both, trained(make(both), both, reference()), rtol=5e-6)

    def test_strided_parameters(self, make, reference):
        """A transposed matrix, every second element of a vector, and a contiguous parameter."""
        base = ft.tensor(values(0, [(4, 6)])[0])
        line = ft.tensor(values(0, [(9,)])[0])
        between = line[1::2].clone()
        views = [base.t().detach(), line[::2].detach(), *leaves(values(2, [(3,)]))]
        for view in views:
            view.requires_grad_()
        expected = trained(make(views), views, reference())
        assert_close(views, expected, rtol=1e-6)
        np.testing.assert_array_equal(base.numpy(), views[0].detach().numpy().T)
        assert (line[1::2] == between).all()

    def test_strided_gradients(self, make, reference):
        (p,) = parameters = leaves(values(0, [(3, 4)]))
        g = values(1, [(4, 3)])[0]
        p.grad = ft.tensor(g).t()
        expected = reference().step(0, p.detach().numpy().copy(), g.T)
        make(parameters).step()
        assert_close(parameters, [expected], rtol=1e-6)

    def test_gradients_with_history_and_none(self, make, reference):
        parameters = leaves(values(0))
        before = [p.detach().numpy().copy() for p in parameters]
        x = ft.ones(3, 4, dtype=ft.float64, requires_grad=True)
        parameters[0].grad = x * 2
        make(parameters).step()
        expected = reference().step(0, before[0], np.full((3, 4), 2.0))
        assert_close(parameters, [expected, *before[1:]], rtol=1e-6)
        assert parameters[0].is_leaf and parameters[0].requires_grad

    def test_large_tensors_on_any_number_of_threads(self, make, reference):
        """Work is split inside tensors, and small tensors are placed between large ones."""
        shapes = [(70_000,), (3,), (0,), (501, 401), (1,), (90_001,)]
        outcomes = []
        before = get_num_threads()
        for threads in (1, 2, 3):
            set_num_threads(threads)
            parameters = leaves(values(0, shapes), ft.float32)
            optimizer = make(parameters)
            for step in range(2):
                give(parameters, values(step + 5, shapes))
                optimizer.step()
            outcomes.append([p.detach().numpy().copy() for p in parameters])
        set_num_threads(before)
        for outcome in outcomes[1:]:
            for a, b in zip(outcome, outcomes[0], strict=True):
                np.testing.assert_array_equal(a, b)
        reference = reference()
        fresh = [v.astype(np.float32).astype(np.float64) for v in values(0, shapes)]
        for step in range(2):
            for number, g in enumerate(values(step + 5, shapes)):
                fresh[number] = reference.step(number, fresh[number], g)
        for a, e in zip(outcomes[0], fresh, strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-6)

    def test_versions_and_what_was_saved(self, make, reference):
        """A graph that saved a parameter before the step raises an error that explains the modification."""
        p = ft.tensor([1.0, 2.0], requires_grad=True)
        loss = (p * p).sum()
        p.grad = ft.ones(2)
        version = p._version
        make([p]).step()
        assert p._version > version
        with raises(RuntimeError, "backward of mul", "at", "test_numbers.py"):
            loss.backward()


@settings(max_examples=10)
@given(st.integers(1, 40))
def test_any_number_of_parameters_in_a_launch(count):
    parameters = leaves(values(0, [(3,)] * count))
    assert_close(parameters, trained(Adam(parameters, lr=0.1), parameters, AdamReference(0.1)), rtol=1e-10)


def test_changing_rates_create_no_plans():
    from facula_tensor.extend.optimizers import adam_step

    (p,) = parameters = leaves(values(0, [(7, 3)]))
    optimizer = Adam(parameters)
    table = adam_step.table
    p.grad = ft.ones(7, 3, dtype=ft.float64)
    optimizer.step()
    plans = len(table.by_key)
    for rate in range(20):
        optimizer.param_groups[0]["lr"] = rate / 100
        optimizer.step()
    assert len(table.by_key) == plans


def test_infinite_parameters_without_decay():
    (p,) = parameters = leaves([np.array([np.inf, 1.0])])
    p.grad = ft.ones(2, dtype=ft.float64)
    SGD(parameters, lr=0.5).step()
    assert p.tolist() == [float("inf"), 0.5]


def test_parameters_without_elements_only():
    (p,) = parameters = leaves([np.zeros((0, 3))])
    p.grad = ft.zeros(0, 3, dtype=ft.float64)
    optimizer = Adam(parameters)
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 1
