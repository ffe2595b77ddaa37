"""Training, and its saved results."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import facula
from facula import optim
from facula.nn import functional as F
from facula.utils.data import DataLoader, Subset

from .network import Network

if TYPE_CHECKING:
    from .data import Digits


@dataclass
class Run:
    """A network and its training history; `accuracy` is the fraction of held-out digits that it reads correctly."""

    network: Network
    losses: list[float] = field(default_factory=list)
    epochs: int = 0
    accuracy: float = 0.0

    def save(self, path: str) -> None:
        """Replace the checkpoint at `path`, atomically. Before that, ValueError as described in `diverged`."""
        if self.network.not_finite():
            raise self.diverged()
        kept = {"network": self.network.state_dict(), "epochs": self.epochs, "accuracy": self.accuracy}
        facula.save(kept, path)

    def diverged(self) -> ValueError:
        """Return the error to raise if training has produced numbers that are not finite."""
        return ValueError(
            f"training went astray: after {len(self.losses):,} steps the network's numbers are no longer finite; "
            "choose a smaller --rate"
        )


def read(network: Network, digits: Subset[tuple[facula.Tensor, ...]]) -> tuple[list[int], list[int]]:
    """Return the classes that the network reads, and the true ones, in the order of the digits."""
    network.eval()
    images, classes = next(iter(DataLoader(digits, batch_size=len(digits))))
    with facula.no_grad():
        return network(images).argmax(1).tolist(), classes.tolist()


def accuracy(network: Network, digits: Subset[tuple[facula.Tensor, ...]]) -> float:
    """Return the fraction of the digits that the network reads correctly."""
    pairs = list(zip(*read(network, digits), strict=True))
    return sum(found == wanted for found, wanted in pairs) / len(pairs)


def learn(network: Network, optimizer: optim.Optimizer, images: facula.Tensor, classes: facula.Tensor) -> facula.Tensor:
    """Run one training step, and return its loss."""
    loss = F.cross_entropy(network(images), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(run: Run, digits: Digits, epochs: int, batch: int, rate: float, checkpoint: str) -> None:
    """Train with AdamW on shuffled batches, with a cosine-decayed learning rate and a progress bar.

    After each epoch the run is saved at `checkpoint`, so the last complete epoch survives an interruption. ValueError
    as soon as the loss is not finite.
    """
    from tqdm import tqdm

    network, losses = run.network, run.losses
    loader = DataLoader(digits.training, batch_size=batch, shuffle=True)
    optimizer = optim.AdamW(network.parameters(), lr=rate)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loader))
    digits_in_all = epochs * len(digits.training)
    watched = sys.stderr is not None and sys.stderr.isatty()  # it is None after a daemon has closed it
    seldom = 0.1 if watched else 2.0  # seconds between two updates of the bar; a log needs few
    with tqdm(total=digits_in_all, desc="training", unit=" digits", unit_scale=True, mininterval=seldom) as bar:
        for _ in range(epochs):
            network.train()
            for images, classes in loader:
                losses.append(learn(network, optimizer, images, classes).item())
                if not isfinite(losses[-1]):
                    raise run.diverged()
                schedule.step()
                bar.set_postfix_str(f"epoch {run.epochs + 1}, loss {losses[-1]:.4f}", refresh=False)
                bar.update(len(classes))
            run.epochs += 1
            run.accuracy = accuracy(network, digits.held_out)
            run.save(checkpoint)
