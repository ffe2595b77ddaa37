"""Steps over many small parameters trigger no garbage collections."""

import gc

import pytest

import facula_tensor as ft
from facula_optim import (
    ASGD,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
    swa_utils,
)

COUNT = 2000
MAKERS = {
    "SGD": SGD,
    "SGD-momentum": lambda parameters: SGD(parameters, momentum=0.9),
    "Adam": Adam,
    "Adam-amsgrad": lambda parameters: Adam(parameters, amsgrad=True),
    "RMSprop-centered": lambda parameters: RMSprop(parameters, centered=True, momentum=0.9),
    **{kind.__name__: kind for kind in (ASGD, Adadelta, Adafactor, Adagrad, Adamax, AdamW, NAdam, RAdam, Rprop)},
}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
def test_step_allocates_no_objects_per_parameter(maker):
    """Tracked objects trigger collections: a step over 2,000 parameters may leave fewer than 100."""
    parameters = [ft.ones(2) for _ in range(COUNT)]
    for p in parameters:
        p.grad = ft.ones(2)
    optimizer = maker(parameters)
    for _ in range(2):
        optimizer.step()
    assert collections_in(optimizer.step, 100) == []


@pytest.mark.parametrize("average", [swa_utils.get_ema_multi_avg_fn(0.9), swa_utils.get_swa_multi_avg_fn()])
def test_averages_allocate_no_objects_per_parameter(average):
    old, new = [ft.ones(2) for _ in range(COUNT)], [ft.zeros(2) for _ in range(COUNT)]
    average(old, new, ft.tensor(1))
    assert collections_in(lambda: average(old, new, ft.tensor(2)), 100) == []


def collections_in(call, threshold):
    """Return the generations of the garbage collections during a call, one for every `threshold` tracked objects."""
    collections = []
    note = lambda phase, info: collections.append(info["generation"])
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(threshold, *before[1:])
    gc.callbacks.append(note)
    try:
        call()
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)
    return collections


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
def test_first_step_checks_each_layout_once(maker, monkeypatch):
    """The first step over parameters of one layout launches without checks and snapshots of each of them."""
    for check in ("snapshots_of", "check_overlap"):
        monkeypatch.setattr(f"facula_tensor.ops.optimizers.steps.{check}", None)
    parameters = [ft.ones(3, 2) for _ in range(7)]
    for p in parameters:
        p.grad = ft.ones(3, 2)
    maker(parameters).step()
    assert all((p != 1).all() for p in parameters)


def test_first_step_looks_up_the_line_once():
    """The recorded line of the modification is one object for all parameters and their state."""
    parameters = [ft.ones(2) for _ in range(3)]
    for p in parameters:
        p.grad = ft.ones(2)
    optimizer = AdamW(parameters, eps=0.125)
    optimizer.step()
    changed = [*parameters, *[kept for p in parameters for kept in optimizer.state[p].values()]]
    assert len(changed) == 12 and len({id(one._storage.mutator) for one in changed}) == 1
