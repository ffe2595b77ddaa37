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


where = ["cpu"]  # the device of programs and their data


def draws(number):
    return np.random.default_rng(number)


def normal(number, *shape):
    """Return numbers of the default dtype that are determined by `number`."""
    return facula.from_numpy(draws(number).standard_normal(shape)).to(where[0], facula.get_default_dtype())


def integers(number, most, *shape):
    return facula.from_numpy(draws(number).integers(0, most, shape)).to(where[0])


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


def bits(value):
    """Convert a value to a comparable one with all bits of its tensors."""
    if isinstance(value, facula.Tensor):
        flat = value.detach().contiguous().reshape(-1).view(facula.uint8).cpu()
        return str(value.dtype), tuple(value.shape), value.requires_grad, flat.numpy().tobytes()
    if isinstance(value, dict):
        return {bits(name): bits(one) for name, one in value.items()}
    return list(map(bits, value)) if isinstance(value, (list, tuple)) else repr(value)


def everything(program, result):
    """Return a program's state: parameters, buffers, gradients, state dicts, generators, and a step's results."""
    found = {"result": bits(result), "generator": bits(facula.get_rng_state()), "more": bits(program.more())}
    for place, one in enumerate(program.parts):
        found[f"state of {place}"] = bits(one.state_dict())
        if isinstance(one, facula.nn.Module):
            found[f"gradients of {place}"] = {name: bits(p.grad) for name, p in one.named_parameters()}
    return found


def captured_functions(program, wrap, dtype, steps):
    """Run a program eagerly and captured, compare all numbers after each step, and return the captured functions."""
    captured, programs, results = [], [], [None, None]

    def wrapping(function):
        captured.append(wrap(function))
        return captured[-1]

    facula.set_default_dtype(dtype)
    try:
        for one in (lambda function: function, wrapping):
            facula.manual_seed(0)
            with facula.device(where[0]):
                programs.append(program(one))
        for number in range(steps):
            found = []
            for place, program in enumerate(programs):
                facula.manual_seed(1000 + number)
                results[place] = program.step(number, results[place])
                program.between(number)
                found.append(everything(program, results[place]))
            for part in found[0]:
                assert found[0][part] == found[1][part], (number, part)
    finally:
        facula.set_default_dtype(facula.float32)
    return captured
