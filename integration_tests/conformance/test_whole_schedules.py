"""Complete schedules in PyTorch's files, both ways: they continue, with PyTorch's attributes."""

import io

import pytest
import torch

import facula

SCHEDULES = {
    "StepLR": lambda s, o: s.StepLR(o, 2),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 4]),
    "ConstantLR": lambda s, o: s.ConstantLR(o),
    "LinearLR": lambda s, o: s.LinearLR(o),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 5),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 2),
    "triangular": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3),
    "triangular2": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, mode="triangular2"),
    "exp_range": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, mode="exp_range", gamma=0.9),
    "scale_fn": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, scale_fn=float),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.1, 20),
    "three phases": lambda s, o: s.OneCycleLR(o, 0.1, 20, anneal_strategy="linear", three_phase=True),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=1),
    "LambdaLR": lambda s, o: s.LambdaLR(o, float),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, float),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o), s.ExponentialLR(o, 0.9)], [3]),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o), s.ExponentialLR(o, 0.9)]),
    "SWALR": lambda s, o: s.SWALR(o, 0.05, 2),
    "linear SWALR": lambda s, o: s.SWALR(o, 0.05, 4, "linear"),
}


def made(name, library):
    """Return a schedule after two steps."""
    optimizer = library.optim.SGD([library.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)
    module = library.optim.swa_utils if "SWALR" in name else library.optim.lr_scheduler
    schedule = SCHEDULES[name](module, optimizer)
    steps(schedule, 2)
    return schedule


def steps(schedule, count):
    """Return the rates and momenta of the next steps."""
    found = []
    for _ in range(count):
        schedule.optimizer.step()
        schedule.step(*[1.0] * ("Plateau" in type(schedule).__name__))
        group = schedule.optimizer.param_groups[0]
        found.append((pytest.approx(group["lr"]), pytest.approx(group["momentum"])))
    return found


@pytest.mark.parametrize("library", [torch, facula], ids=["from PyTorch", "to PyTorch"])
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_go_on(name, library):
    other = facula if library is torch else torch
    file = io.BytesIO()
    library.save(made(name, library), file)
    file.seek(0)
    found, own = other.load(file, weights_only=False), made(name, other)
    assert type(found) is type(own) and sorted(vars(found)) == sorted(vars(own))
    assert [(lr.expected, momentum.expected) for lr, momentum in steps(found, 8)] == steps(own, 8)
