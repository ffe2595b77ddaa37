"""The loss of a perceptron on the handwritten digits at each step, for any library with these names.

The same initial weights and batches give the same losses, up to rounding, in every library with the same operators:
64 pixels, 64 hidden units, 10 classes; plain gradient descent on batches of 32.
"""

from __future__ import annotations

import numpy as np

STEPS = 100
BATCH = 32
RATE = 0.1


def losses(library, dtype: str) -> list[float]:
    """Return the 100 losses, each before its step; `dtype` is "float32" or "float64"."""
    from sklearn.datasets import load_digits

    pixels, classes = load_digits(return_X_y=True)
    generator = np.random.default_rng(3)
    order = generator.permutation(len(pixels))
    pixels = (pixels[order] / 16.0).astype(dtype)
    answers = np.eye(10, dtype=dtype)[classes[order]]

    def weights(*shape):
        drawn = generator.standard_normal(shape) / np.sqrt(shape[0])
        return library.from_numpy(drawn.astype(dtype)).requires_grad_()

    parameters = weights(64, 64), weights(1, 64), weights(64, 10), weights(1, 10)
    found = []
    for step in range(STEPS):
        rows = slice(step * BATCH % 1760, step * BATCH % 1760 + BATCH)
        inputs, wanted = library.from_numpy(pixels[rows]), library.from_numpy(answers[rows])
        first, first_bias, second, second_bias = parameters
        hidden = (inputs @ first + first_bias).relu()
        logarithms = (hidden @ second + second_bias).log_softmax(1)
        loss = -(logarithms * wanted).sum() / BATCH
        loss.backward()
        with library.no_grad():
            for parameter in parameters:
                parameter.sub_(parameter.grad * RATE)
                parameter.grad = None
        found.append(loss.item())
    return found


def answers(library) -> dict[str, list[float]]:
    """Return the losses in both precisions."""
    return {dtype: losses(library, dtype) for dtype in ("float32", "float64")}
