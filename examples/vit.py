"""A vision transformer: cuts a handwritten digit into patches, lets them look at each other, and reads it.

    python examples/vit.py                      with PyTorch
    python -m facula run examples/vit.py        with facula

The digits are scikit-learn's: 1,797 images of 8 by 8 pixels, a fifth of which the training does not see.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

PIXELS, PATCH, BATCH = 8, 2, 64


class ViT(nn.Module):
    """Scores of the ten digits for images: (batch, 1, 8, 8) to (batch, 10)."""

    def __init__(self, size: int, layers: int = 2, heads: int = 4) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, size, kernel_size=PATCH, stride=PATCH)  # one vector a patch
        self.summary = nn.Parameter(torch.zeros(1, 1, size))  # a place more, in which the answer gathers
        self.places = nn.Parameter(torch.zeros(1, 1 + (PIXELS // PATCH) ** 2, size))
        layer = nn.TransformerEncoderLayer(
            size, heads, 2 * size, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, 10))

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.summary.expand(len(images), -1, -1), patches], dim=1)
        return self.head(self.encoder(tokens + self.places)[:, 0])


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all that is more than a vector from NumPy's generator: a seed means the same in every library."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                bound = (6.0 / (parameter.shape[0] + parameter[0].numel())) ** 0.5
                parameter.copy_(torch.from_numpy(generator.uniform(-bound, bound, tuple(parameter.shape))))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


def digits(generator: np.random.Generator) -> tuple[TensorDataset, TensorDataset]:
    """Images and labels: those to train on, and those that are held out."""
    pixels, classes = load_digits(return_X_y=True)
    order = torch.from_numpy(generator.permutation(len(pixels)))
    images = torch.from_numpy(pixels).to(torch.get_default_dtype()).view(-1, 1, PIXELS, PIXELS)[order] / 16
    classes = torch.from_numpy(classes).long()[order]
    kept = len(images) * 4 // 5
    return TensorDataset(images[:kept], classes[:kept]), TensorDataset(images[kept:], classes[kept:])


def batches(dataset: TensorDataset, generator: np.random.Generator):
    """Endless batches, with a new random order in each pass over the data."""
    while True:
        order = generator.permutation(len(dataset)).tolist()
        yield from DataLoader(dataset, batch_size=BATCH, sampler=order, drop_last=True)


@torch.no_grad()
def accuracy(model: nn.Module, dataset: TensorDataset) -> float:
    """The share of digits that are classified correctly."""
    model.eval()
    right = sum((model(images).argmax(1) == classes).sum().item() for images, classes in DataLoader(dataset, 256))
    model.train()
    return right / len(dataset)


def learn(model: ViT, optimizer: torch.optim.Optimizer, images, classes):
    """A step of training, and its loss."""
    loss = F.cross_entropy(model(images), classes, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    generator = np.random.default_rng(options.seed)
    training, held_out = digits(generator)

    model = ViT(options.size)
    draw_weights(model, generator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=options.steps + 1)

    losses = []
    for step, (images, classes) in zip(range(options.steps), batches(training, generator)):
        loss = learn(model, optimizer, images, classes)
        schedule.step()
        losses.append(loss.item())
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   loss {losses[-1]:.4f}")
    print(f"{100 * accuracy(model, held_out):.1f} % of {len(held_out)} digits that it has not seen are read rightly")
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=48, help="numbers that stand for a patch (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and order (%(default)s)")
    return parser


if __name__ == "__main__":
    train(arguments().parse_args())
