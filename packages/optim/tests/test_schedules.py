"""Schedulers: rates by formula, state, order, groups, invalid options.

The repository's integration tests compare rates with PyTorch's.
"""

import copy
import gc
import math
import pickle
import warnings
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_errors.testing import raises
from facula_optim import SGD, Adam
from facula_optim import lr_scheduler as schedules
from facula_optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)


def optimizer_of(*rates, kind=SGD):
    return kind([{"params": [ft.ones(1, requires_grad=True)], "lr": rate} for rate in rates or (1.0,)])


def rates(schedule, epochs):
    """Return the first group's rate at epochs 0, 1, ..."""
    found = [schedule.get_last_lr()[0]]
    for _ in range(epochs):
        schedule.optimizer.step()
        schedule.step()
        found.append(schedule.get_last_lr()[0])
    return found


def cyclic(optimizer, *sizes, **options):
    return CyclicLR(optimizer, 0.2, 1.0, *sizes, **options)


def height(t, up, down):
    """Return a triangle that rises for `up` steps and falls for `down` steps."""
    t %= up + down
    return t / up if t < up else (up + down - t) / down


CURVES = {
    "step": (lambda o: StepLR(o, 3, 0.5), lambda t: 0.5 ** (t // 3)),
    "milestones": (lambda o: MultiStepLR(o, [2, 5, 5], 0.5), lambda t: 0.5 ** ((t >= 2) + 2 * (t >= 5))),
    "constant": (lambda o: ConstantLR(o, 0.25, 4), lambda t: 0.25 if t < 4 else 1),
    "constant 0": (lambda o: ConstantLR(o, 0, 4), lambda t: 0 if t < 4 else 1),
    "linear": (lambda o: LinearLR(o, 0.2, 0.6, 4), lambda t: 0.2 + 0.4 * min(t, 4) / 4),
    "exponential": (lambda o: ExponentialLR(o, 0.9), lambda t: 0.9**t),
    "polynomial": (lambda o: PolynomialLR(o, 7, 2), lambda t: (1 - min(t, 7) / 7) ** 2),
    "cosine": (lambda o: CosineAnnealingLR(o, 5, 0.2), lambda t: 0.2 + 0.4 * (1 + math.cos(math.pi * t / 5))),
    "cosine to 0": (lambda o: CosineAnnealingLR(o, 3), lambda t: 0.5 * (1 + math.cos(math.pi * t / 3))),
    "restarts": (
        lambda o: CosineAnnealingWarmRestarts(o, 4, 1, 0.2),
        lambda t: 0.2 + 0.4 * (1 + math.cos(math.pi * (t % 4) / 4)),
    ),
    "cycles": (lambda o: cyclic(o, 4, 2), lambda t: 0.2 + 0.8 * height(t, 4, 2)),
    "cycles that halve": (
        lambda o: cyclic(o, 3, mode="triangular2"),
        lambda t: 0.2 + 0.8 * height(t, 3, 3) / 2 ** (t // 6),
    ),
    "cycles that fade": (
        lambda o: cyclic(o, 3, mode="exp_range", gamma=0.9),
        lambda t: 0.2 + 0.8 * height(t, 3, 3) * 0.9**t,
    ),
    "cycles scaled": (
        lambda o: cyclic(o, 3, scale_fn=lambda cycle: 1 / cycle),
        lambda t: 0.2 + 0.8 * height(t, 3, 3) / (t // 6 + 1),
    ),
    "function": (lambda o: LambdaLR(o, lambda t: 1 / (1 + t)), lambda t: 1 / (1 + t)),
    "factors": (lambda o: MultiplicativeLR(o, lambda t: t), math.factorial),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves(name):
    make, curve = CURVES[name]
    assert rates(make(optimizer_of()), 15) == pytest.approx([curve(t) for t in range(16)], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", CURVES)
def test_resuming_from_state_dicts(name):
    """The optimizer's state contains the rates, the scheduler's the epoch: five epochs, five more after loading."""
    make, _ = CURVES[name]
    expected = rates(make(optimizer_of()), 10)
    before = make(optimizer_of())
    rates(before, 5)
    saved = pickle.dumps((before.optimizer.state_dict(), before.state_dict()))
    optimizer = optimizer_of()
    after = make(optimizer)
    state, schedule_state = pickle.loads(saved)
    optimizer.load_state_dict(state)
    after.load_state_dict(schedule_state)
    assert rates(after, 5) == pytest.approx(expected[5:], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", [name for name in CURVES if name not in ("restarts", "factors")])
def test_step_to_an_epoch(name):
    make, curve = CURVES[name]
    schedule = make(optimizer_of())
    schedule.optimizer.step()
    for epoch in (7, 2, 11):
        schedule.step(epoch)
        assert schedule.get_last_lr() == pytest.approx([curve(epoch)])
        assert schedule.last_epoch == epoch


@pytest.mark.parametrize("make", [lambda o, e: StepLR(o, 2, 0.5, e), lambda o, e: CosineAnnealingLR(o, 9, 0.1, e)])
def test_new_scheduler_resumes_from_last_epoch(make):
    """With last_epoch, and rates that the groups already have."""
    first = make(optimizer_of(), -1)
    expected = rates(first, 8)
    second = make(optimizer_of(), -1)
    rates(second, 4)
    optimizer = second.optimizer
    again = make(optimizer, 3)
    assert again.last_epoch == 4
    assert rates(again, 4) == pytest.approx(expected[4:])


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.integers(1, 12), st.integers(0, 20))
def test_two_schedulers_of_one_optimizer_multiply(gamma, start, total, epochs):
    optimizer = optimizer_of(2.0)
    both = ChainedScheduler([ExponentialLR(optimizer, gamma), LinearLR(optimizer, start, total_iters=total)])
    last = rates(both, epochs)[-1]
    linear = start + (1 - start) * min(epochs, total) / total
    assert last == pytest.approx(2 * gamma**epochs * linear, rel=1e-9)


def test_growing_restarts_and_fractional_epochs():
    schedule = CosineAnnealingWarmRestarts(optimizer_of(), 2, 3)
    found = rates(schedule, 9)
    assert [round(rate, 6) for rate in found[:3]] == [1, 0.5, 1]
    assert found[8] == 1 and found[5] == pytest.approx(0.5)
    schedule.step(1.5)
    assert schedule.get_last_lr()[0] == pytest.approx(0.5 * (1 + math.cos(math.pi * 0.75)))
    with raises(ValueError, "CosineAnnealingWarmRestarts.step", "expected epoch of 0 or more", value=-1):
        schedule.step(-1)


def test_one_cycle():
    optimizer = optimizer_of(kind=Adam)
    schedule = OneCycleLR(optimizer, 1.0, total_steps=11, pct_start=0.5, anneal_strategy="linear", final_div_factor=100)
    assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)
    found = rates(schedule, 10)
    assert found[0] == 0.04 and found[10] == pytest.approx(0.0004)
    assert max(found) == found[5] < 1  # the peak is between two steps
    assert optimizer.param_groups[0]["betas"] == (pytest.approx(0.95), 0.999)
    schedule.step()
    with raises(ValueError, "OneCycleLR.step", "at most total_steps=11", value="step 12"):
        schedule.step()


def test_sequential_starts_each_scheduler_at_its_epoch_0():
    optimizer = optimizer_of()
    parts = [ConstantLR(optimizer, 0.5, 100), ExponentialLR(optimizer, 0.5), LambdaLR(optimizer, lambda t: 10 + t)]
    schedule = SequentialLR(optimizer, parts, [2, 5])
    assert rates(schedule, 7) == [0.5, 0.5, 1, 0.5, 0.25, 10, 11, 12]


def test_plateau():
    schedule = ReduceLROnPlateau(optimizer_of(), factor=0.5, patience=1, cooldown=1, min_lr=0.2)
    found = []
    for metric in [1.0, ft.tensor(0.5), 0.5, 0.5, 0.6, 0.7, float("nan"), 0.5, 0.5, 0.5]:
        schedule.optimizer.step()
        schedule.step(metric)
        found.append(schedule.get_last_lr()[0])
    assert found == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2]
    again = ReduceLROnPlateau(optimizer_of(), factor=0.5, patience=1, cooldown=1, min_lr=0.2)
    again.load_state_dict(pickle.loads(pickle.dumps(schedule.state_dict())))
    assert again.state_dict() == schedule.state_dict() and again.best == 0.5


@pytest.mark.parametrize(("eps", "rates"), [(0.3, [1, 0.5, 0.5]), (0.1, [1, 0.5, 0.25]), (0.5, [1, 1, 1])])
def test_plateau_skips_changes_below_eps(eps, rates):
    schedule = ReduceLROnPlateau(optimizer_of(), factor=0.5, patience=0, eps=eps)
    found = []
    for _ in rates:
        schedule.optimizer.step()
        schedule.step(1.0)
        found.append(schedule.get_last_lr()[0])
    assert found == rates


def test_tensor_rate_is_modified_in_place():
    p = ft.ones(2, requires_grad=True)
    rate = ft.tensor(1.0)
    optimizer = SGD([p], lr=rate)
    schedule = ExponentialLR(optimizer, 0.5)
    optimizer.step()
    schedule.step()
    assert rate.item() == 0.5 and optimizer.param_groups[0]["lr"] is rate


def test_later_group_is_scheduled():
    optimizer = optimizer_of()
    schedule = ExponentialLR(optimizer, 0.5)
    optimizer.add_param_group({"params": [ft.ones(1)], "lr": 8.0})
    rates(schedule, 1)
    assert schedule.get_last_lr() == [0.5, 4.0]


def test_rates_per_group():
    optimizer = optimizer_of(1.0, 2.0)
    schedule = LambdaLR(optimizer, [lambda t: 0.5**t, lambda t: 0.1**t])
    rates(schedule, 1)
    assert [group["lr"] for group in optimizer.param_groups] == schedule.get_last_lr() == [0.5, 0.2]


def test_scheduler_step_before_optimizer_step_warns():
    optimizer = optimizer_of()
    schedule = StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match=r"StepLR\.step: called before optimizer\.step\(\)") as caught:
        schedule.step()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule.step()
        other = StepLR(optimizer_of(), 2)
        other.optimizer.step()
        other.step()


def test_custom_scheduler():
    class Rooted(LRScheduler):
        def get_lr(self):
            return [rate / math.sqrt(self.last_epoch + 1) for rate in self.base_lrs]

    assert rates(Rooted(optimizer_of()), 3) == pytest.approx([1, 2**-0.5, 3**-0.5, 0.5])
    with raises(NotImplementedError, "LRScheduler.get_lr", "define get_lr"):
        LRScheduler(optimizer_of())


class Falling:
    """A factor with state: a power of `by`."""

    def __init__(self, by):
        self.by = by

    def __call__(self, step):
        return self.by**step


def test_functions_and_their_state():
    schedule = LambdaLR(optimizer_of(1.0, 1.0), [Falling(0.5), lambda t: 1])
    state = schedule.state_dict()
    assert state["lr_lambdas"] == [{"by": 0.5}, None]
    other = LambdaLR(optimizer_of(1.0, 1.0), [Falling(0.1), lambda t: 2])
    other.load_state_dict(copy.deepcopy(state))
    assert other.lr_lambdas[0].by == 0.5 and other.lr_lambdas[1](0) == 2


def test_momentum_is_cycled_inversely():
    for kind, momentum in ((SGD, lambda group: group["momentum"]), (Adam, lambda group: group["betas"][0])):
        schedule = CyclicLR(optimizer_of(0.5, 0.5, kind=kind), [0.1, 0.2], 1.0, 2, max_momentum=[0.9, 0.95])
        found = []
        for _ in range(5):
            found.append([round(momentum(group), 6) for group in schedule.optimizer.param_groups])
            schedule.optimizer.step()
            schedule.step()
        assert found == [[0.9, 0.95], [0.85, 0.875], [0.8, 0.8], [0.85, 0.875], [0.9, 0.95]]
    assert [group["base_momentum"] for group in schedule.optimizer.param_groups] == [0.8, 0.8]
    still = CyclicLR(optimizer_of(0.5), 0.1, 1.0, cycle_momentum=False)
    assert still.optimizer.param_groups[0]["momentum"] == 0
    assert not {"base_momentums", "max_momentums", "use_beta1"} & set(still.state_dict())


def test_cyclic_after_one_cycle_keeps_the_initial_rate():
    optimizer = optimizer_of(0.5, kind=Adam)
    OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    schedule = CyclicLR(optimizer, 0.2, 0.8, step_size_up=4)
    (group,) = optimizer.param_groups
    assert (group["lr"], group["initial_lr"], schedule.base_lrs) == (0.04, 0.04, [0.2])
    optimizer.step()
    schedule.step()
    assert group["lr"] == pytest.approx(0.35) and group["initial_lr"] == 0.04


def test_state_of_scale_fn():
    schedule = cyclic(optimizer_of(), 2, scale_fn=Falling(0.5), scale_mode="iterations")
    assert rates(schedule, 2)[1:] == pytest.approx([0.2 + 0.8 * 0.5 * 0.5, 0.2 + 0.8 * 0.25])
    other = cyclic(optimizer_of(), 2, scale_fn=Falling(0.1), scale_mode="iterations")
    other.load_state_dict(pickle.loads(pickle.dumps(schedule.state_dict())))
    assert other._scale_fn_custom.by == 0.5 and other.last_epoch == 2


@pytest.mark.parametrize(
    ("make", "rates"),
    [
        (lambda o: StepLR(o, 1.0, 0.5), [1.0, 0.5, 0.25, 0.125]),
        (lambda o: PolynomialLR(o, 2.0), [1.0, 0.5, 0.0, 0.0]),
        (lambda o: CosineAnnealingLR(o, 1.5), [1.0, 0.25, 0.25, 1.0]),
        (lambda o: CyclicLR(o, 0.0, 3.0, 1.5), [0.0, 2.0, 2.0, 0.0]),
    ],
)
def test_periods_may_be_any_numeric_type(make, rates):
    """A number of batches is often a quotient."""
    optimizer = optimizer_of()
    schedule = make(optimizer)
    for rate in rates:
        assert schedule.get_last_lr() == [pytest.approx(rate, abs=1e-12)]
        optimizer.step()
        schedule.step()


REFUSED = [
    (lambda o: StepLR(3, 2), TypeError, "StepLR: expected optimizer to be an Optimizer; got int"),
    (lambda o: LambdaLR(None, abs), TypeError, "LambdaLR: got NoneType"),
    (lambda o: StepLR(o, 0), ValueError, "StepLR: step_size to be a whole number of 1 or more; got 0"),
    (lambda o: StepLR(o, 2.5), ValueError, "StepLR: step_size to be a whole number of 1 or more; got 2.5"),
    (lambda o: PolynomialLR(o, 3.5), ValueError, "PolynomialLR: total_iters ... got 3.5"),
    (lambda o: StepLR(o, 2, last_epoch=4), KeyError, "StepLR: expected 'initial_lr' in param_groups"),
    (lambda o: CosineAnnealingLR(o, 0.0), ValueError, "CosineAnnealingLR: T_max ... got 0.0"),
    (lambda o: CosineAnnealingWarmRestarts(o, 0), ValueError, "CosineAnnealingWarmRestarts: T_0 to be an int of 1 or"),
    (lambda o: ConstantLR(o, 1.5), ValueError, "ConstantLR: factor from 0 to 1; got 1.5"),
    (lambda o: LinearLR(o, 0), ValueError, "LinearLR: start_factor above 0 and up to 1; got 0"),
    (lambda o: LinearLR(o, 1, 2), ValueError, "LinearLR: end_factor from 0 to 1; got 2"),
    (lambda o: LambdaLR(o, 3), TypeError, "LambdaLR: lr_lambda to be callable; got int"),
    (lambda o: LambdaLR(o, [abs, abs]), ValueError, "LambdaLR: lr_lambda for each of 1 parameter groups; got 2"),
    (lambda o: OneCycleLR(o, 1.0), ValueError, "OneCycleLR: expected total_steps, or epochs and steps_per_epoch"),
    (lambda o: OneCycleLR(o, 1.0, epochs=3, steps_per_epoch=0), ValueError, "OneCycleLR: steps_per_epoch to be an int"),
    (lambda o: OneCycleLR(o, 1.0, 10, pct_start=2), ValueError, "OneCycleLR: pct_start from 0 to 1; got 2"),
    (lambda o: OneCycleLR(o, 1.0, 10, anneal_strategy="log"), ValueError, "OneCycleLR: 'cos' or 'linear'; got 'log'"),
    (lambda o: OneCycleLR(o, [1.0, 2.0], 10), ValueError, "OneCycleLR: max_lr for each of 1 parameter groups; got 2"),
    (lambda o: CyclicLR(o, 0.1, 1.0, 0), ValueError, "CyclicLR: step_size_up to be a finite number above 0; got 0"),
    (lambda o: CyclicLR(o, 0.1, 1.0, 2, -0.5), ValueError, "CyclicLR: step_size_down ... got -0.5"),
    (lambda o: CyclicLR(o, 0.1, 1.0, mode="square"), ValueError, "CyclicLR: one of triangular ... got 'square'"),
    (lambda o: CyclicLR(o, 0.1, 1.0, scale_fn=2), TypeError, "CyclicLR: scale_fn to be callable; got int"),
    (lambda o: CyclicLR(o, 0.1, 1.0, scale_mode="step"), ValueError, "CyclicLR: 'cycle' or 'iterations'; got 'step'"),
    (lambda o: CyclicLR(o, [0.1, 0.2], 1.0), ValueError, "CyclicLR: base_lr for each of 1 parameter groups; got 2"),
    (lambda o: ReduceLROnPlateau(o, "least"), ValueError, "ReduceLROnPlateau: 'min' or 'max'; got 'least'"),
    (lambda o: ReduceLROnPlateau(o, factor=1.0), ValueError, "ReduceLROnPlateau: factor below 1; got 1.0"),
    (lambda o: ReduceLROnPlateau(o, threshold_mode="x"), ValueError, "ReduceLROnPlateau: 'rel' or 'abs'; got 'x'"),
    (lambda o: SequentialLR(o, [], []), ValueError, "SequentialLR: at least one schedule; got none"),
    (lambda o: SequentialLR(o, [StepLR(o, 1)], [1]), ValueError, "SequentialLR: expected 0 milestone"),
    (lambda o: SequentialLR(o, [StepLR(o, 1) for _ in range(3)], [3, 1]), ValueError, "SequentialLR: ascending order"),
    (lambda o: SequentialLR(o, [StepLR(optimizer_of(), 1)], []), ValueError, "SequentialLR: schedule 0 is of another"),
    (lambda o: ChainedScheduler([ReduceLROnPlateau(o)]), TypeError, "ChainedScheduler: needs a metric at each step"),
    (lambda o: ChainedScheduler([3]), TypeError, "ChainedScheduler: schedule 0 to be an LRScheduler; got int"),
]


@pytest.mark.parametrize(("make", "error", "message"), REFUSED)
def test_invalid_options_are_rejected(make, error, message):
    optimizer = optimizer_of()
    with raises(error, message):
        make(optimizer)
    assert optimizer.param_groups[0]["lr"] == 1.0


def test_state_of_another_scheduler_is_rejected():
    schedule = StepLR(optimizer_of(), 2)
    with raises(KeyError, "StepLR.load_state_dict", "step_size not in the state"):
        schedule.load_state_dict(ExponentialLR(optimizer_of(), 0.5).state_dict())
    optimizer = optimizer_of()
    chained = ChainedScheduler([StepLR(optimizer, 2)])
    with raises(ValueError, "ChainedScheduler.load_state_dict", "the states of 1 schedules", value=0):
        chained.load_state_dict({"_last_lr": [1.0], "_schedulers": []})


def test_every_scheduler_is_tested():
    assert {name for name in schedules.__all__ if name not in globals()} == set()


def test_no_reference_cycles():
    gc.collect()
    gc.disable()
    try:
        optimizer = optimizer_of()
        parts = [LinearLR(optimizer, 0.1, total_iters=5), CosineAnnealingLR(optimizer, 15)]
        several = [SequentialLR(optimizer, parts, [5]), OneCycleLR(optimizer, 1.0, 10), ReduceLROnPlateau(optimizer)]
        optimizer.step()
        several[0].step()
        gone = [weakref.ref(one) for one in (optimizer, *parts, *several)]
        del optimizer, parts, several
        assert [one() for one in gone] == [None] * len(gone)
    finally:
        gc.enable()
