"""Parameters after steps of optimizers, and rates that schedules set, for any library with these names.

The loss is a quartic with several minima, so that gradients change sign and size. Answers are the parameters after
every fifth step, and all of a schedule's rates.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

STEPS, EPOCHS = 25, 40
OPTIMIZERS = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1},
        {"momentum": 0.8, "nesterov": True, "weight_decay": 0.01},
        {"momentum": 0.5, "maximize": True, "lr": 0.0005},
    ],
    "Adam": [
        {},
        {"betas": [0.5, 0.9], "eps": 1e-3},
        {"weight_decay": 0.1, "amsgrad": True},
        {"maximize": True},
        {"decoupled_weight_decay": True, "weight_decay": 0.3},
    ],
    "AdamW": [{}, {"weight_decay": 0.5, "amsgrad": True}, {"betas": [0.0, 0.5], "maximize": True}],
}


def path(library, optim, name: str, options: dict, dtype: str) -> list[list[float]]:
    """Return all elements of two parameters after every fifth step; the second has no gradient in each third step."""
    generator = np.random.default_rng(5)
    parameters = [
        library.tensor(generator.standard_normal(shape).astype(dtype)).requires_grad_() for shape in [(3, 4), (5,)]
    ]
    optimizer = getattr(optim, name)(parameters, **{"lr": 0.02, **options})
    found = []
    for step in range(STEPS):
        optimizer.zero_grad()
        for number, p in enumerate(parameters):
            if number == 0 or step % 3:
                (((p * p - 1) ** 2).sum() + p.sum() * 0.3).backward()
        optimizer.step()
        if step % 5 == 4:
            found.append([value for p in parameters for value in p.detach().reshape(-1).tolist()])
    return found


def two_groups(library, optim):
    """Return an optimizer with a rate of 0.5 in one group, 1.5 in the other."""
    first, second = library.ones(1, requires_grad=True), library.ones(1, requires_grad=True)
    return optim.SGD([{"params": [first]}, {"params": [second], "lr": 1.5}], lr=0.5, momentum=0.9)


SCHEDULES = {
    "StepLR": lambda s, o: s.StepLR(o, 7, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 3, 20], 0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.25, 6),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.1, 0.7, 9),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.93),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 30, 1.7),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 12, 0.05),
    "CosineAnnealingLR to 0": lambda s, o: s.CosineAnnealingLR(o, 8),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.01),
    "CosineAnnealingWarmRestarts alike": lambda s, o: s.CosineAnnealingWarmRestarts(o, 6),
    "LambdaLR": lambda s, o: s.LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: math.exp(-e / 10)]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda e: 1 - 1 / (e + 5)),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, [1.0, 3.0], total_steps=EPOCHS + 1),
    "OneCycleLR in three": lambda s, o: s.OneCycleLR(
        o, 2.0, total_steps=50, three_phase=True, anneal_strategy="linear"
    ),
    "CyclicLR": lambda s, o: s.CyclicLR(o, [0.1, 0.2], [1.0, 0.8], 7, 4),
    "CyclicLR that halves": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 5, mode="triangular2"),
    "CyclicLR that fades": lambda s, o: s.CyclicLR(
        o, 0.1, 1.0, 3, 5, mode="exp_range", gamma=0.9, cycle_momentum=False
    ),
    "CyclicLR scaled": lambda s, o: s.CyclicLR(o, 0.1, 1.0, 4, scale_fn=lambda t: 1 / (t + 1), scale_mode="iterations"),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 15), s.ExponentialLR(o, 0.9)], [5, 20]
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.95)]),
}
METRICS = [1.0, 0.9, 0.9, 0.95, 0.89999, 0.5, 0.5, 0.6, 0.5, 0.4, 0.4, 0.41, 0.42, 0.39, 0.39, 0.39, 0.3, 0.3, 0.3, 0.3]
PLATEAUS = [
    {"patience": 1},
    {"patience": 2, "cooldown": 2, "factor": 0.5, "min_lr": [0.2, 0.1]},
    {"mode": "max", "threshold": 0.01, "threshold_mode": "abs", "patience": 3},
    {"threshold": 0.2, "patience": 0, "factor": 0.7},
]


def rates(optimizer, schedule, steps) -> list[list[float]]:
    """Return rates and momentum of both groups, initially and after each step; `steps` are the arguments of `step`."""

    def now():
        return [float(group[key]) for group in optimizer.param_groups for key in ("lr", "momentum")]

    found = [now()]
    for arguments in steps:
        optimizer.step()
        schedule.step(*arguments)
        found.append(now())
    return found


def answers(library) -> dict[str, list]:
    """Return paths under "SGD 0 float32" and the like, and rates under the schedule's name."""
    optim, schedulers = library.optim, library.optim.lr_scheduler
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, choices in OPTIMIZERS.items():
            for number, options in enumerate(choices):
                for dtype in ("float32", "float64"):
                    found[f"{name} {number} {dtype}"] = path(library, optim, name, options, dtype)
        for name, make in SCHEDULES.items():
            optimizer = two_groups(library, optim)
            found[name] = rates(optimizer, make(schedulers, optimizer), [()] * EPOCHS)
        for number, options in enumerate(PLATEAUS):
            optimizer = two_groups(library, optim)
            schedule = schedulers.ReduceLROnPlateau(optimizer, **options)
            found[f"ReduceLROnPlateau {number}"] = rates(optimizer, schedule, [(metric,) for metric in METRICS])
        optimizer = two_groups(library, optim)
        schedule = schedulers.CosineAnnealingWarmRestarts(optimizer, 3, 2, 0.1)
        found["fractions"] = rates(optimizer, schedule, [(epoch,) for epoch in (0.25, 1, 2.5, 3.75, 9, 20.5, None)])
    return found
