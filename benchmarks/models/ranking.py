"""Recommendations from embeddings: neural collaborative filtering on random pairs of users and items."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .training import Training, indices


def ncf(
    F: Any, *, batch=4096, users=138_493, items=26_744, factors=64, widths=(256, 256, 128, 64), rate=1e-3
) -> Training:
    """NeuMF of MLPerf with the users and items of MovieLens 20M (He et al. 2017): products and a perceptron."""
    nn = F.nn

    class NeuMF(nn.Module):
        def __init__(self):
            super().__init__()
            counts = (users, factors), (items, factors), (users, widths[0] // 2), (items, widths[0] // 2)
            self.embeddings = nn.ModuleList(nn.Embedding(*count) for count in counts)
            for embedding in self.embeddings:
                nn.init.normal_(embedding.weight, std=0.01)
            layers = [layer for sizes in pairwise(widths) for layer in (nn.Linear(*sizes), nn.ReLU())]
            self.perceptron, self.score = nn.Sequential(*layers), nn.Linear(factors + widths[-1], 1)

        def forward(self, user, item):
            first, second, third, fourth = (
                embedding(which) for embedding, which in zip(self.embeddings, (user, item, user, item))
            )
            deep = self.perceptron(F.cat([third, fourth], dim=1))
            return self.score(F.cat([first * second, deep], dim=1)).squeeze(1)

    model = NeuMF()
    optimizer = F.optim.Adam(model.parameters(), lr=rate)
    user, item = indices(F, users, batch), indices(F, items, batch, seed=1)
    clicked = indices(F, 2, batch, seed=2).float()

    def loss(user, item, clicked):
        return F.nn.functional.binary_cross_entropy_with_logits(model(user, item), clicked)

    return Training(model, optimizer, loss, (user, item, clicked))
