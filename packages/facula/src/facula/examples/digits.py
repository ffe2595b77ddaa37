"""Train a two-layer perceptron on scikit-learn's handwritten digits: 8 by 8 pixels, ten classes.

    python -m facula.examples.digits [--epochs 30] [--batch 32] [--rate 0.1] [--hidden 64] [--seed 0]

Needs the extra `examples`. A fifth of the digits is held out; the last line says how many of those the network,
which never saw them, reads correctly.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import facula


class Digits(NamedTuple):
    """Pixels between 0 and 1, shape (count, 64), and classes, shape (count,), for training and held out."""

    pixels: facula.Tensor
    classes: facula.Tensor
    held_out_pixels: facula.Tensor
    held_out_classes: facula.Tensor


def load() -> Digits:
    """The 1,797 digits in an order drawn with facula's own generator; the last fifth is held out."""
    from sklearn.datasets import load_digits

    pixels, classes = load_digits(return_X_y=True)
    order = facula.randperm(len(pixels))
    shuffled = (facula.from_numpy(pixels).to(facula.float32) / 16.0)[order]
    labels = facula.from_numpy(classes).to(facula.int64)[order]
    kept = len(pixels) * 4 // 5
    return Digits(shuffled[:kept], labels[:kept], shuffled[kept:], labels[kept:])


class Perceptron:
    """Two layers with a ReLU between them; the parameters are plain tensors."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        self.first = (facula.randn(inputs, hidden) * (2.0 / inputs) ** 0.5).requires_grad_()
        self.first_bias = facula.zeros(hidden, requires_grad=True)
        self.second = (facula.randn(hidden, outputs) * (1.0 / hidden) ** 0.5).requires_grad_()
        self.second_bias = facula.zeros(outputs, requires_grad=True)

    def __call__(self, pixels: facula.Tensor) -> facula.Tensor:
        """Logarithms of the classes' probabilities, shape (count, 10)."""
        hidden = facula.relu(pixels @ self.first + self.first_bias)
        return (hidden @ self.second + self.second_bias).log_softmax(1)

    def parameters(self) -> tuple[facula.Tensor, ...]:
        return self.first, self.first_bias, self.second, self.second_bias


def negative_log_likelihood(logarithms: facula.Tensor, classes: facula.Tensor) -> facula.Tensor:
    """Mean of minus the logarithm that each row gives to its own class.

    logarithms: (count, classes), floating; classes: (count,), int64. Returns a scalar of the logarithms' dtype.

    >>> logarithms = facula.tensor([[0.5, 0.5], [0.25, 0.75]]).log()
    >>> round(negative_log_likelihood(logarithms, facula.tensor([0, 1])).item(), 4)  # -(log 0.5 + log 0.75) / 2
    0.4904
    """
    rows, width = logarithms.shape
    return -logarithms.reshape(rows * width)[facula.arange(rows) * width + classes].mean()


def accuracy(model: Perceptron, pixels: facula.Tensor, classes: facula.Tensor) -> float:
    """The fraction of digits that the model reads correctly."""
    with facula.no_grad():
        read = model(pixels).argmax(1)
        return (read == classes).to(facula.float32).mean().item()


def train(model: Perceptron, digits: Digits, epochs: int, batch: int, rate: float) -> None:
    """Plain gradient descent on shuffled batches, with a progress bar."""
    from tqdm import tqdm

    count = len(digits.pixels)
    bar = tqdm(total=epochs * count, unit=" digits", unit_scale=True, desc="training")
    for epoch in range(epochs):
        order = facula.randperm(count)
        for start in range(0, count, batch):
            chosen = order[start : start + batch]
            loss = negative_log_likelihood(model(digits.pixels[chosen]), digits.classes[chosen])
            loss.backward()
            with facula.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
                    parameter.grad = None
            bar.update(len(chosen))
        bar.set_postfix(epoch=epoch + 1, loss=f"{loss.item():.4f}")
    bar.close()


def main() -> None:
    """Load, train, and print the accuracy on the held-out digits."""
    parser = argparse.ArgumentParser(prog="python -m facula.examples.digits", description="Read handwritten digits.")
    parser.add_argument("--epochs", type=int, default=30, help="passes over the training digits")
    parser.add_argument("--batch", type=int, default=32, help="digits a step")
    parser.add_argument("--rate", type=float, default=0.1, help="learning rate")
    parser.add_argument("--hidden", type=int, default=64, help="width of the hidden layer")
    parser.add_argument("--seed", type=int, default=0, help="for weights, order and what is held out")
    options = parser.parse_args()

    facula.manual_seed(options.seed)
    digits = load()
    model = Perceptron(64, options.hidden, 10)
    started = time.perf_counter()
    train(model, digits, options.epochs, options.batch, options.rate)
    seconds = time.perf_counter() - started
    held_out = accuracy(model, digits.held_out_pixels, digits.held_out_classes)
    print(f"trained on {len(digits.pixels)} digits for {options.epochs} epochs in {seconds:.1f} s")
    print(f"held-out accuracy {100 * held_out:.1f} % ({len(digits.held_out_pixels)} digits)")


if __name__ == "__main__":
    main()
