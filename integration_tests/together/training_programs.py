"""Components of training programs that run twice, eagerly and captured."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import facula
import facula.nn as nn
import facula.nn.functional as F


@dataclass
class Program:
    """A program: `step(number, last)` makes a step and returns results; `parts` have a `state_dict()`."""

    step: Callable[[int, Any], Any]
    parts: list[Any]
    between: Callable[[int], object] = lambda number: None
    more: Callable[[], list[facula.Tensor]] = field(default=list)  # tensors in addition to those of `parts`


def draws(number):
    return np.random.default_rng(number)


def normal(number, *shape):
    """Return numbers of the default dtype that are determined by `number`."""
    return facula.from_numpy(draws(number).standard_normal(shape)).to(facula.get_default_dtype())


def integers(number, most, *shape):
    return facula.from_numpy(draws(number).integers(0, most, shape))


def batch(number, size=6):
    return normal(number, size, 12), integers(number, 4, size)


def perceptron(*, dropout=0.2):
    return nn.Sequential(
        nn.Linear(12, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4)
    )


def trained(model, optimizer, *, set_to_none=True, clip=None):
    """The usual step."""

    def learn(x, y):
        optimizer.zero_grad(set_to_none=set_to_none)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        if clip is not None:
            clip(model.parameters())
        optimizer.step()
        return loss.detach()

    return learn


def every(steps, changes):
    """Return a function of the step number that makes one of the changes, in rotation, every `steps` steps."""
    return lambda number: changes[number // steps % len(changes)]() if number % steps == steps - 1 else None
