"""Averages of parameters, and their learning rate scheduler."""

import math

import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_optim import SGD, swa_utils
from facula_optim.lr_scheduler import ExponentialLR


def optimizer_of(*rates):
    return SGD([{"params": [ft.ones(1)], "lr": rate} for rate in rates])


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 5])
def test_rates_anneal_to_swa_lr(strategy, epochs):
    optimizer = optimizer_of(1.0, 0.25)
    schedule = swa_utils.SWALR(optimizer, [0.5, 0.75], epochs, strategy)
    for step in range(1, 8):
        optimizer.step()
        schedule.step()
        share = min(1.0, step / max(1, epochs))
        share = (1 - math.cos(math.pi * share)) / 2 if strategy == "cos" else share
        assert schedule.get_last_lr() == pytest.approx([1 - 0.5 * share, 0.25 + 0.5 * share])
    other = optimizer_of(1.0, 0.25)
    again = swa_utils.SWALR(other, 0.5)
    other.load_state_dict(optimizer.state_dict())
    again.load_state_dict(schedule.state_dict())
    assert again.state_dict() == schedule.state_dict()


def test_annealing_continues_from_rates_of_another_scheduler():
    optimizer = optimizer_of(1.0)
    falling = ExponentialLR(optimizer, 0.5)
    schedule = swa_utils.SWALR(optimizer, 0.0, 4, "linear")
    seen = []
    for _ in range(4):
        optimizer.step()
        falling.step()
        schedule.step()
        seen.append(schedule.get_last_lr()[0])
    assert seen == pytest.approx([0.5 * 3 / 4, 0.25 * 2 / 4, 0.125 * 1 / 4, 0.0])


def test_averages_of_one_and_several_parameters():
    seen = [ft.tensor([1.0, 4.0]), ft.tensor([2.0, 0.0]), ft.tensor([6.0, 2.0])]
    one, many, counts = seen[0].clone(), seen[0].clone(), ft.tensor([7])
    mean, mean_of_all = swa_utils.get_swa_avg_fn(), swa_utils.get_swa_multi_avg_fn()
    for number, value in enumerate(seen[1:], 1):
        one = mean(one, value, ft.tensor(number))
        mean_of_all([many, counts], [value, ft.tensor([number])], ft.tensor(number) if number > 1 else number)
    assert one.tolist() == many.tolist() == [3.0, 2.0] and counts.tolist() == [2]
    fading = ft.tensor([4.0])
    swa_utils.get_ema_multi_avg_fn(0.5)([fading], [ft.tensor([8.0])], 1)
    assert fading.tolist() == [6.0] == swa_utils.get_ema_avg_fn(0.5)(ft.tensor([4.0]), ft.tensor([8.0]), 1).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: swa_utils.SWALR(optimizer_of(1.0), 0.5, 3, "square"), "SWALR: 'cos' or 'linear'; got 'square'"),
        (lambda: swa_utils.SWALR(optimizer_of(1.0), 0.5, -1), "SWALR: anneal_epochs to be an int of 0 or more; got -1"),
        (lambda: swa_utils.SWALR(optimizer_of(1.0), 0.5, 1.5), "SWALR: anneal_epochs ... got 1.5"),
        (lambda: swa_utils.SWALR(optimizer_of(1.0, 2.0), [0.5]), "SWALR: swa_lr for each of 2 parameter groups; got 1"),
        (lambda: swa_utils.get_ema_avg_fn(1.5), "get_ema_avg_fn: expected decay from 0 to 1; got 1.5"),
        (lambda: swa_utils.get_ema_multi_avg_fn(-1), "get_ema_multi_avg_fn: expected decay from 0 to 1; got -1"),
    ],
)
def test_invalid_options_are_rejected(make, message):
    with raises(ValueError, message):
        make()
