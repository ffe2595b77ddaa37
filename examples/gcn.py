"""A graph convolutional network: predicts the sides of the members of a club that split, from two members alone.

    python examples/gcn.py                      with PyTorch
    python -m facula run examples/gcn.py        with facula

The club is W. Zachary's (An information flow model for conflict and fission in small groups, 1977): 34 members, and who
met whom outside. The network is T. Kipf's and M. Welling's (2017), with messages gathered along edges and scattered
into their targets. It only knows the sides of the teacher and of the officer.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

FRIENDS = {
    0: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
    1: [2, 3, 7, 13, 17, 19, 21, 30],
    2: [3, 7, 8, 9, 13, 27, 28, 32],
    3: [7, 12, 13],
    4: [6, 10],
    5: [6, 10, 16],
    6: [16],
    8: [30, 32, 33],
    9: [33],
    13: [33],
    14: [32, 33],
    15: [32, 33],
    18: [32, 33],
    19: [33],
    20: [32, 33],
    22: [32, 33],
    23: [25, 27, 29, 32, 33],
    24: [25, 27, 31],
    25: [31],
    26: [29, 33],
    27: [33],
    28: [31, 33],
    29: [32, 33],
    30: [32, 33],
    31: [32, 33],
    32: [33],
}
TEACHER, OFFICER, MEMBERS = 0, 33, 34
OFFICERS = [9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33]  # who left with the officer


class Convolution(nn.Module):
    """Each node's mean of its neighbours' numbers and its own, weighted by their degrees, then a linear map."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, nodes, edges, strengths):
        sources, targets = edges
        messages = (nodes @ self.weight)[sources] * strengths[:, None]
        places = targets[:, None].expand_as(messages)
        return torch.zeros_like(messages[: len(nodes)]).scatter_add(0, places, messages) + self.bias


class GCN(nn.Module):
    """Scores of the two sides for each member of a graph: edges (2, count) to (members, 2)."""

    def __init__(self, edges, members: int, size: int) -> None:
        super().__init__()
        loops = torch.arange(members).expand(2, -1)
        edges = torch.cat([edges, edges.flip(0), loops], dim=1)  # both ways, and each node to itself
        degrees = torch.zeros(members).index_add(0, edges[1], torch.ones(edges.shape[1]))
        self.register_buffer("edges", edges)
        self.register_buffer("strengths", degrees[edges].rsqrt().prod(0))
        self.register_buffer("nodes", torch.eye(members))  # a member's only feature is its identity
        self.first = Convolution(members, size)
        self.second = Convolution(size, 2)

    def forward(self):
        hidden = torch.tanh(self.first(self.nodes, self.edges, self.strengths))
        return self.second(hidden, self.edges, self.strengths)


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all matrices from NumPy's generator, so that a seed means the same in every library."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                drawn = generator.standard_normal(tuple(parameter.shape)) * parameter.shape[0] ** -0.5
                parameter.copy_(torch.from_numpy(drawn))


def learn(model: GCN, optimizer: torch.optim.Optimizer, known, sides):
    """A step of training: the loss of the members whose side is known, and the scores of all."""
    scores = model()
    loss = F.cross_entropy(scores[known], sides[known])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach(), scores.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    edges = torch.tensor([(member, friend) for member, friends in FRIENDS.items() for friend in friends]).T
    sides = torch.zeros(MEMBERS, dtype=torch.int64)
    sides[OFFICERS] = 1
    known = torch.tensor([TEACHER, OFFICER])

    model = GCN(edges, MEMBERS, options.size)
    draw_weights(model, np.random.default_rng(options.seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)

    losses = []
    for step in range(options.steps):
        loss, scores = learn(model, optimizer, known, sides)
        losses.append(loss.item())
        if step % 20 == 0 or step == options.steps - 1:
            right = (scores.argmax(1) == sides).sum().item()
            print(f"step {step:4d}   loss {losses[-1]:.4f}   {right} of {MEMBERS} members where they went")
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=100, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=16, help="hidden numbers of a member (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights (%(default)s)")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    train(options)
