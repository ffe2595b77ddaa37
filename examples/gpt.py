"""A small GPT: a transformer that learns to write nonsense verse, a letter at a time.

    python examples/gpt.py                      with PyTorch
    python -m facula run examples/gpt.py        with facula

It is trained like larger ones: tied weights, AdamW that decays matrices alone, a warm-up and a cosine
schedule, gradients accumulated over micro-batches and clipped, and sampling among the likeliest letters.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = """\
'Twas brillig, and the slithy toves
Did gyre and gimble in the wabe;
All mimsy were the borogoves,
And the mome raths outgrabe.

"Beware the Jabberwock, my son!
The jaws that bite, the claws that catch!
Beware the Jubjub bird, and shun
The frumious Bandersnatch!"

He took his vorpal sword in hand:
Long time the manxome foe he sought--
So rested he by the Tumtum tree,
And stood awhile in thought.

And as in uffish thought he stood,
The Jabberwock, with eyes of flame,
Came whiffling through the tulgey wood,
And burbled as it came!

One, two! One, two! And through and through
The vorpal blade went snicker-snack!
He left it dead, and with its head
He went galumphing back.

"And hast thou slain the Jabberwock?
Come to my arms, my beamish boy!
O frabjous day! Callooh! Callay!"
He chortled in his joy.
"""
LETTERS = sorted(set(TEXT))
LENGTH, BATCH, MICRO_BATCHES = 32, 8, 2


class Attention(nn.Module):
    """Causal self-attention: each place looks at itself and at those before it."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.inputs = nn.Linear(size, 3 * size)
        self.output = nn.Linear(size, size)

    def forward(self, x):
        batch, length, size = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
            for part in self.inputs(x).split(size, dim=2)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, size))


class Block(nn.Module):
    """Attention, then a small network at each place; each adds to its input."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(size)
        self.attention = Attention(size, heads)
        self.network_norm = nn.LayerNorm(size)
        self.network = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.network(self.network_norm(x))


class GPT(nn.Module):
    """Scores of the next letter at each place: (batch, length) to (batch, length, letters)."""

    def __init__(self, letters: int, size: int, layers: int = 2, heads: int = 4) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, size)
        self.places = nn.Embedding(LENGTH, size)
        self.blocks = nn.ModuleList(Block(size, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        self.scores = nn.Linear(size, letters, bias=False)
        self.scores.weight = self.letters.weight  # one matrix reads and writes letters

    def forward(self, letters):
        x = self.letters(letters) + self.places(torch.arange(letters.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))

    @torch.no_grad()
    def write(self, opening: str, count: int, likeliest: int = 3) -> str:
        """The opening and `count` letters more, each drawn among the likeliest ones."""
        written = torch.tensor([[LETTERS.index(letter) for letter in opening]])
        for _ in range(count):
            best, letters = self(written[:, -LENGTH:])[:, -1].topk(likeliest)
            chosen = torch.multinomial(best.softmax(-1), 1)
            written = torch.cat([written, letters.gather(1, chosen)], dim=1)
        return "".join(LETTERS[letter] for letter in written[0].tolist())


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all matrices from NumPy's generator, so that a seed means the same in every library; biases are 0."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                drawn = generator.standard_normal(tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(drawn) * parameter.shape[1] ** -0.5)
            elif name.endswith("bias"):
                parameter.zero_()


def make_optimizer(model: nn.Module) -> torch.optim.Optimizer:
    """AdamW that decays matrices, and neither biases nor the scales of norms."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    vectors = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))


def rate_at(step: int, steps: int, warmup: int = 10) -> float:
    """A factor of the learning rate: up in a straight line, then down a cosine to a tenth."""
    if step < warmup:
        return (step + 1) / warmup
    passed = (step - warmup) / max(1, steps - warmup)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * passed))


def learn(model: GPT, letters):
    """Add to the gradients those of a micro-batch; its share of the loss."""
    scores = model(letters[:, :-1])
    loss = F.cross_entropy(scores.reshape(-1, len(LETTERS)), letters[:, 1:].reshape(-1)) / MICRO_BATCHES
    loss.backward()  # adds to the gradients of the micro-batches before
    return loss.detach()


def update(model: GPT, optimizer: torch.optim.Optimizer) -> None:
    """Take a step along the accumulated gradients, and reset them."""
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    torch.manual_seed(options.seed)
    generator = np.random.default_rng(options.seed)
    text = torch.tensor([LETTERS.index(letter) for letter in TEXT])

    model = GPT(len(LETTERS), options.size)
    draw_weights(model, generator)
    optimizer = make_optimizer(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, options.steps))
    print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters")

    losses = []
    for step in range(options.steps):
        total = 0.0
        for _ in range(MICRO_BATCHES):
            starts = torch.from_numpy(generator.integers(0, len(text) - LENGTH, (BATCH, 1)))
            letters = text[starts + torch.arange(LENGTH + 1)]
            total += learn(model, letters).item()
        update(model, optimizer)
        schedule.step()

        losses.append(total)
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   loss {total:.4f}   rate {schedule.get_last_lr()[0]:.5f}")
    print(model.write("'Twas ", 200))
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=64, help="numbers that stand for a letter (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and batches (%(default)s)")
    return parser


if __name__ == "__main__":
    train(arguments().parse_args())
