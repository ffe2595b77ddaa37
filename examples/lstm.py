"""A character-level LSTM: learns a sonnet by heart, a letter at a time, and then recites.

    python examples/lstm.py                     with PyTorch
    python -m facula run examples/lstm.py       with facula

Batches are consecutive pieces of several streams of text, so the recurrent state of one batch is the start of the
next (truncated backpropagation through time).
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = """\
Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance or nature's changing course untrimm'd;
But thy eternal summer shall not fade
Nor lose possession of that fair thou owest;
Nor shall Death brag thou wander'st in his shade,
When in eternal lines to time thou growest:
So long as men can breathe or eyes can see,
So long lives this and this gives life to thee.
"""
LETTERS = sorted(set(TEXT))
STREAMS, LENGTH = 8, 24  # texts read side by side, and letters of each in a batch


class Reader(nn.Module):
    """Scores of the next letter, for each letter of a batch: (streams, length) to (streams, length, letters)."""

    def __init__(self, letters: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, size)
        self.lstm = nn.LSTM(size, size, num_layers=2, batch_first=True)
        self.scores = nn.Linear(size, letters)

    def forward(self, letters, state=None):
        hidden, state = self.lstm(self.embedding(letters), state)
        return self.scores(hidden), state


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all parameters from NumPy's generator, so that a seed means the same in every library."""
    with torch.no_grad():
        for parameter in model.parameters():
            bound = parameter.shape[-1] ** -0.5
            parameter.copy_(torch.from_numpy(generator.uniform(-bound, bound, tuple(parameter.shape))))


def recite(model: Reader, opening: str, count: int) -> str:
    """The opening and `count` letters more, each the likeliest after all before it."""
    written = [LETTERS.index(letter) for letter in opening]
    with torch.no_grad():
        scores, state = model(torch.tensor([written]))
        for _ in range(count):
            written.append(scores[0, -1].argmax().item())
            scores, state = model(torch.tensor([written[-1:]]), state)
    return "".join(LETTERS[letter] for letter in written)


def learn(model: Reader, optimizer: torch.optim.Optimizer, letters, state):
    """A step of training: the loss, the scores, and the state in which the next batch begins."""
    scores, state = model(letters[:, :-1], state)
    loss = F.cross_entropy(scores.flatten(0, 1), letters[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach(), scores.detach(), tuple(part.detach() for part in state)


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    text = torch.tensor([LETTERS.index(letter) for letter in TEXT])
    streams = torch.stack([text.roll(-start) for start in range(0, len(text), len(text) // STREAMS)][:STREAMS])

    model = Reader(len(LETTERS), options.size)
    draw_weights(model, np.random.default_rng(options.seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    losses, state = [], None
    for step in range(options.steps):
        places = torch.arange(step * LENGTH, step * LENGTH + LENGTH + 1) % len(text)
        letters = streams[:, places]
        loss, scores, state = learn(model, optimizer, letters, state)
        losses.append(loss.item())
        if step % 20 == 0 or step == options.steps - 1:
            right = (scores.argmax(-1) == letters[:, 1:]).double().mean().item()
            print(f"step {step:4d}   loss {losses[-1]:.4f}   {100 * right:5.1f} % of the letters right")
    print(recite(model, "Shall I ", 150))
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=400, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=96, help="hidden units of a layer (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights (%(default)s)")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    train(options)
