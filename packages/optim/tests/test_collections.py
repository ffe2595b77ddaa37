"""Steps over many small parameters trigger no garbage collections."""

import gc

import pytest

import facula_tensor as ft
from facula_optim import ASGD, SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop, Rprop

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
    collections = []
    note = lambda phase, info: collections.append(info["generation"])
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(100, *before[1:])
    gc.callbacks.append(note)
    try:
        optimizer.step()
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)
    assert collections == []


def test_first_step_looks_up_the_line_once():
    """The recorded line of the modification is one object for all parameters and their state."""
    parameters = [ft.ones(2) for _ in range(3)]
    for p in parameters:
        p.grad = ft.ones(2)
    optimizer = AdamW(parameters, eps=0.125)
    optimizer.step()
    changed = [*parameters, *[kept for p in parameters for kept in optimizer.state[p].values()]]
    assert len(changed) == 12 and len({id(one._storage.mutator) for one in changed}) == 1
