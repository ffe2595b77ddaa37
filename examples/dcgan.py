"""A DCGAN: one network draws handwritten digits, another tells them from real ones, and each learns from the other.

    python examples/dcgan.py                    with PyTorch
    python -m facula run examples/dcgan.py      with facula

The real digits are scikit-learn's, of 8 by 8 pixels.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits  # pip install scikit-learn

NOISE, BATCH = 16, 64
SHADES = " .:-=+*#%@"


def make_generator(size: int) -> nn.Module:
    """Draws images of noise: (batch, 16, 1, 1) to (batch, 1, 8, 8), with pixels between -1 and 1."""
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 2 * size, kernel_size=2, bias=False),
        nn.BatchNorm2d(2 * size),
        nn.ReLU(inplace=True),
        nn.ConvTranspose2d(2 * size, size, kernel_size=4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(size),
        nn.ReLU(inplace=True),
        nn.ConvTranspose2d(size, 1, kernel_size=4, stride=2, padding=1),
        nn.Tanh(),
    )


def make_discriminator(size: int) -> nn.Module:
    """A score of each image, high where it seems real: (batch, 1, 8, 8) to (batch,)."""
    return nn.Sequential(
        nn.Conv2d(1, size, kernel_size=4, stride=2, padding=1),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(size, 2 * size, kernel_size=4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(2 * size),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(2 * size, 1, kernel_size=2),
        nn.Flatten(0),
    )


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all kernels from NumPy's generator, so that a seed means the same in every library."""

    def fill(module):
        if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
            drawn = 0.1 * generator.standard_normal(tuple(module.weight.shape))
            module.weight.data.copy_(torch.from_numpy(drawn))
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    model.apply(fill)


def show(images) -> str:
    """Images of 8 by 8 pixels side by side, in letters."""
    rows = torch.cat(list(images.squeeze(1)), dim=1)
    shades = ((rows + 1) / 2 * (len(SHADES) - 1)).round().long()
    return "\n".join("".join(2 * SHADES[shade] for shade in row) for row in shades.tolist())


def learn(generator: nn.Module, discriminator: nn.Module, generating, telling, images, noise):
    """A step of both networks, with an optimizer each: the discriminator's loss, and the generator's."""
    criterion = nn.BCEWithLogitsLoss()
    real, drawn = torch.ones(len(images)), torch.zeros(len(images))
    fakes = generator(noise)

    telling.zero_grad()
    told = criterion(discriminator(images), real) + criterion(discriminator(fakes.detach()), drawn)
    told.backward()
    telling.step()

    generating.zero_grad()
    fooled = criterion(discriminator(fakes), real)
    fooled.backward()
    generating.step()
    return told.detach(), fooled.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give both networks' losses: the discriminator's, the generator's, and so on."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    draws = np.random.default_rng(options.seed)
    pixels = torch.from_numpy(load_digits(return_X_y=True)[0]).to(torch.get_default_dtype())
    digits = pixels.reshape(-1, 1, 8, 8) / 8 - 1

    generator, discriminator = make_generator(options.size), make_discriminator(options.size)
    draw_weights(generator, draws)
    draw_weights(discriminator, draws)
    generating = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    telling = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))

    def noise(count):
        return torch.from_numpy(draws.standard_normal((count, NOISE, 1, 1))).to(digits.dtype)

    losses = []
    for step in range(options.steps):
        images = digits[torch.from_numpy(draws.integers(0, len(digits), BATCH))]
        told, fooled = learn(generator, discriminator, generating, telling, images, noise(BATCH))
        losses += [told.item(), fooled.item()]
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   discriminator {losses[-2]:.4f}   generator {losses[-1]:.4f}")
    with torch.no_grad():
        print(show(generator.eval()(noise(4))))
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=400, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=16, help="channels of the widest images (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, noise and batches (%(default)s)")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    train(options)
