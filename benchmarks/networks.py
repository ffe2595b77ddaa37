"""Modules, optimizers and loaders: the same lines with both libraries, as people write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from .libraries import Rows, facula, filled
from .measure import Loop, own_code

rows = Rows()
DIGITS, BATCH = 1797, 32


def perceptron(F: Any, widths: tuple[int, ...]) -> Any:
    """Linear layers with relu between them."""
    layers: list[Any] = []
    for inputs, outputs in pairwise(widths):
        layers += [F.nn.Linear(inputs, outputs), F.nn.ReLU()]
    return F.nn.Sequential(*layers[:-1])


def digits_network(F: Any, dropout: float = 0.5) -> Any:
    """The network of facula.examples.digits, for images of (count, 1, 8, 8)."""
    nn = F.nn
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(dropout), nn.Linear(32 * 2 * 2, 10),
    )  # fmt: skip


def begin(F: Any, make: Callable[[Any], Any], kind: str, shape: tuple[int, ...]) -> tuple[Callable, Any, Any]:
    """A step of training, and a batch of this shape with its classes. Weights are the same in both libraries."""
    model = make(F)
    with F.no_grad():
        for p in model.parameters():
            p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5))
    optimizer = getattr(F.optim, kind)(model.parameters(), lr=0.001)
    cross_entropy = F.nn.functional.cross_entropy

    def step(pixels, targets):
        optimizer.zero_grad()
        loss = cross_entropy(model(pixels), targets)
        loss.backward()
        optimizer.step()
        return loss

    return own_code(step), filled(F, *shape), F.from_numpy(np.arange(shape[0]) % 10)


def trained(F: Any, make: Callable[[Any], Any], kind: str, shape: tuple[int, ...]) -> Loop:
    """The loop of a step on one batch."""
    step, pixels, targets = begin(F, make, kind, shape)

    def loop(times):
        for _ in times:
            step(pixels, targets)

    return own_code(loop)


def losses_agree(make: Callable[[Any], Any], kind: str, shape: tuple[int, ...]) -> None:
    """ValueError where the two libraries do not train alike."""
    ours, theirs = begin(facula, make, kind, shape), begin(torch, make, kind, shape)
    for number in range(5):
        loss, expected = (step(pixels, targets).item() for step, pixels, targets in (ours, theirs))
        if not abs(loss - expected) < 1e-4 * expected:
            raise ValueError(f"networks: losses of step {number}: {loss} facula, {expected} PyTorch")


wide, narrow = partial(perceptron, widths=(64, 64, 64, 10)), partial(perceptron, widths=(16, 16, 16, 10))
for name, target, kind, make, same, shape in (
    ("MLP 64-64-64-10, batch 32, SGD", 0.5, "SGD", wide, wide, (BATCH, 64)),
    ("MLP 64-64-64-10, batch 32, Adam", 0.35, "Adam", wide, wide, (BATCH, 64)),
    ("MLP 16-16-16-10, batch 32, SGD", 0.3, "SGD", narrow, narrow, (BATCH, 16)),
    ("digits network, batch 64, AdamW", 1.5, "AdamW", digits_network, partial(digits_network, dropout=0),
     (64, 1, 8, 8)),
):  # fmt: skip
    check = partial(losses_agree, same, kind, shape)  # generators differ, so without dropout
    rows.row(name, target, check=check)(partial(trained, make=make, kind=kind, shape=shape))


def stepped(F: Any, kind: str) -> Loop:
    """Steps of an optimizer over 100 small parameters, whose gradients stay the same."""
    parameters = [filled(F, 10, 10).requires_grad_() for _ in range(100)]
    for p in parameters:
        p.grad = filled(F, 10, 10)
    optimizer = getattr(F.optim, kind)(parameters, lr=0.001)

    def loop(times):
        for _ in times:
            optimizer.step()

    return own_code(loop)


for kind in ("Adadelta", "Adagrad", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop"):
    rows.row(f"{kind}.step of 100 parameters of 10 x 10", 0.35)(partial(stepped, kind=kind))


def recurrent(F: Any, kind: str, shape: tuple[int, ...]) -> Loop:
    """A layer over sequences of (steps, batch, features), as many features out, and its gradients."""
    layer, x = getattr(F.nn, kind)(shape[-1], shape[-1]), filled(F, *shape)

    def loop(times):
        for _ in times:
            layer(x)[0].sum().backward()

    return own_code(loop)


for kind, targets in (("LSTM", (0.7, 0.45)), ("GRU", (0.7, 0.45)), ("RNN", (0.7, 0.45))):
    for shape, target in zip(((64, 32, 128), (10, 4, 32)), targets, strict=True):
        rows.row(f"{kind} forward and backward, {shape}", target)(partial(recurrent, kind=kind, shape=shape))


@rows.row("module(x), forward returns x", 0.6)
def called(F: Any) -> Loop:
    """What a module costs by itself."""

    class Same(F.nn.Module):
        def forward(self, x):
            return x

    module, x = Same(), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            module(x)

    return loop


@rows.row(f"DataLoader over {DIGITS} digits, batch {BATCH}, shuffled", 0.6)
def loaded(F: Any) -> Loop:
    """One pass over a TensorDataset of pixels and classes."""
    data = F.utils.data
    digits = data.TensorDataset(filled(F, DIGITS, 64), F.from_numpy(np.arange(DIGITS) % 10))
    loader = data.DataLoader(digits, batch_size=BATCH, shuffle=True)

    def loop(times):
        for _ in times:
            for _pixels, _targets in loader:
                pass

    return loop
