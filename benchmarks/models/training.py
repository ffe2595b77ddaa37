"""A model in training: what each family of models builds, and the step that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SEED = 34


class Training(NamedTuple):
    """A model with its optimizer, its loss as a function of a batch, and a batch of tensors.

    The norm of all gradients is limited to `clip`, if that is not None.
    """

    model: Any
    optimizer: Any
    loss: Callable[..., Any]
    batch: tuple[Any, ...]
    clip: float | None = None


def step_of(F: Any, training: Training) -> Callable[..., Any]:
    """Return the training step, a function of the batch that returns the loss."""
    model, optimizer, loss_of, _, clip = training

    def step(*batch):
        optimizer.zero_grad()
        loss = loss_of(*batch)
        loss.backward()
        if clip is not None:
            F.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss.detach()

    return step


def classification(
    F: Any, model: Any, optimizer: Any, inputs: Any, targets: Any, clip: float | None = None
) -> Training:
    """Return the training of a classifier: scores of (..., classes), and targets of (...)."""

    def loss(inputs, targets):
        scores = model(inputs)
        return F.nn.functional.cross_entropy(scores.flatten(0, -2), targets.flatten())

    return Training(model, optimizer, loss, (inputs, targets), clip)


def pixels(F: Any, *shape: int) -> Any:
    """Return normally distributed float32 numbers, the same for the same shape."""
    return F.from_numpy(np.random.default_rng(SEED).standard_normal(shape, np.float32))


def indices(F: Any, count: int, *shape: int, seed: int = SEED) -> Any:
    """Return int64 indices below `count`, the same for the same arguments."""
    return F.from_numpy(np.random.default_rng(seed).integers(0, count, shape))


def save_weights(model: Any, path: str) -> None:
    """Write all parameters as NumPy arrays."""
    np.savez(path, **{name: p.detach().numpy() for name, p in model.named_parameters()})


def load_weights(F: Any, model: Any, path: str) -> None:
    """Replace all parameters by those in a file of `save_weights`."""
    with np.load(path) as arrays, F.no_grad():
        for name, p in model.named_parameters():
            p.copy_(F.from_numpy(arrays[name]))
