"""The loss of the digits network at each step, for any library with these names.

The network of `facula.examples.digits` without its dropout, since generators differ: two convolutions with batch norm
and pooling, and a linear layer. The same initial weights and the same batches give the same losses, up to rounding.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

STEPS = 100
BATCH = 32
RATE = 0.01


def build(library):
    """Build the network, in the library's dtype by default."""
    nn = import_module(f"{library.__name__}.nn")
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10),
    )


def weights(library, network, dtype: str, generator) -> dict:
    """Return a state that NumPy draws for each parameter; buffers do not change."""
    state = dict(network.state_dict())
    for name, parameter in network.named_parameters():
        drawn = generator.standard_normal(tuple(parameter.shape)) / np.sqrt(np.prod(parameter.shape[1:]) or 1.0)
        drawn += name.endswith("weight") and parameter.ndim == 1  # the scales of batch norm, around 1
        state[name] = library.from_numpy(drawn.astype(dtype))
    return state


def losses(library, dtype: str) -> list[float]:
    """Return the 100 losses, each before its step; `dtype` is "float32" or "float64"."""
    from sklearn.datasets import load_digits

    functional = import_module(f"{library.__name__}.nn.functional")
    optim = import_module(f"{library.__name__}.optim")
    pixels, classes = load_digits(return_X_y=True)
    generator = np.random.default_rng(3)
    order = generator.permutation(len(pixels))
    pixels = (pixels[order] / 16.0).astype(dtype).reshape(-1, 1, 8, 8)
    classes = classes[order].astype("int64")
    network = build(library).to(getattr(library, dtype))
    network.load_state_dict(weights(library, network, dtype, generator))
    optimizer = optim.SGD(network.parameters(), lr=RATE, momentum=0.9)
    found = []
    for step in range(STEPS):
        rows = slice(step * BATCH % 1760, step * BATCH % 1760 + BATCH)
        loss = functional.cross_entropy(network(library.from_numpy(pixels[rows])), library.from_numpy(classes[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def answers(library) -> dict[str, list[float]]:
    """Return the losses in both precisions."""
    return {dtype: losses(library, dtype) for dtype in ("float32", "float64")}
