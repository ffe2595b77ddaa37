"""The network: two convolutions and a linear layer, 6,186 numbers in all."""

from __future__ import annotations

import facula
from facula import nn


class Network(nn.Module):
    """A network that maps images of 8 by 8 pixels to scores of the ten classes: (count, 1, 8, 8) to (count, 10).

    >>> network = Network()
    >>> network(facula.zeros(5, 1, 8, 8)).shape
    facula.Size([5, 10])
    >>> sum(parameter.numel() for parameter in network.parameters())
    6186
    """

    def __init__(self) -> None:
        super().__init__()
        self.features: nn.Sequential = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier: nn.Sequential = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(32 * 2 * 2, 10))

    def forward(self, images: facula.Tensor) -> facula.Tensor:
        return self.classifier(self.features(images))

    def not_finite(self) -> str | None:
        """Return the name of a parameter or buffer that contains an infinite number or NaN; None if all are finite."""
        state = self.state_dict()
        return next((name for name in state if not state[name].isfinite().all()), None)
