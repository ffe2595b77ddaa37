"""A GPT with GPT-2's parameter names: a small one learns to write nonsense verse, or GPT-2 continues a text.

    python examples/gpt.py                                                 with PyTorch
    python -m facula run examples/gpt.py                                   with facula
    python -m facula run examples/gpt.py --weights model.safetensors --tokens 15496 11 616 1438 318

It is trained like larger ones: tied weights, AdamW that decays only matrices, a warm-up and a cosine schedule,
gradients accumulated over micro-batches and clipped, and sampling among the most likely letters. With `--weights` the
program loads a .pth or .safetensors file of GPT-2, and continues the tokens, which a library such as tiktoken makes
from a text.
"""

from __future__ import annotations

import argparse
import math
from importlib.util import find_spec
from pathlib import Path

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


class Conv1D(nn.Module):
    """A linear layer whose weight is (inputs, outputs), as in GPT-2's files."""

    def __init__(self, outputs: int, inputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(nn.Module):
    """Causal self-attention: each position attends to itself and to earlier ones."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = Conv1D(3 * size, size)
        self.c_proj = Conv1D(size, size)

    def forward(self, x):
        batch, length, size = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, size // self.heads).transpose(1, 2)
            for part in self.c_attn(x).split(size, dim=2)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, length, size))


class MLP(nn.Module):
    """A small network at each position."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.c_fc = Conv1D(4 * size, size)
        self.c_proj = Conv1D(size, 4 * size)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    """Attention, then a small network at each position; each result is added to the input."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(size)
        self.attn = Attention(size, heads)
        self.ln_2 = nn.LayerNorm(size)
        self.mlp = MLP(size)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Scores of the next token at each position: (batch, length) to (batch, length, tokens)."""

    def __init__(self, tokens: int = 50257, size: int = 768, layers: int = 12, heads: int = 12, length: int = 1024):
        super().__init__()
        self.length = length
        self.wte = nn.Embedding(tokens, size)
        self.wpe = nn.Embedding(length, size)
        self.h = nn.ModuleList(Block(size, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(size)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)  # one matrix for the input and the scores

    @torch.no_grad()
    def extend(self, tokens: list[int], count: int, likeliest: int) -> list[int]:
        """Return the tokens and `count` more, each drawn from the `likeliest` most likely ones."""
        written = torch.tensor([tokens])
        for _ in range(count):
            best, found = self(written[:, -self.length :])[:, -1].topk(likeliest)
            chosen = torch.multinomial(best.softmax(-1), 1)
            written = torch.cat([written, found.gather(1, chosen)], dim=1)
        return written[0].tolist()


def for_letters(size: int) -> GPT:
    """Return a small network for letters."""
    return GPT(len(LETTERS), size, layers=2, heads=4, length=LENGTH)


def read(path: str) -> dict[str, torch.Tensor]:
    """Return the tensors of a .pth or .safetensors file; facula's `load` reads both."""
    try:
        if path.endswith(".safetensors") and find_spec("safetensors"):
            from safetensors.torch import load_file

            return load_file(path)
        state = torch.load(path)
    except Exception as error:  # the libraries raise different ones
        raise SystemExit(f"expected a .pth or .safetensors file; got {path}: {error}") from None
    if isinstance(state, dict) and all(isinstance(value, torch.Tensor) for value in state.values()):
        return state
    found = f"a dict of {', '.join(map(str, state))}" if isinstance(state, dict) else type(state).__name__
    raise SystemExit(f"{path}: expected a state dict: a dict of tensors; got {found}; save model.state_dict() alone")


def pretrained(path: str) -> GPT:
    """Return a network with the weights, and the sizes, of a file; heads have 64 numbers.

    Files may also contain the masks of attention, a prefix, and the scores' matrix, which is `wte.weight`.
    """
    unused = (".attn.bias", ".attn.masked_bias", "lm_head.weight")
    weights = {name.removeprefix("transformer."): value for name, value in read(path).items()}
    weights = {name: value for name, value in weights.items() if not name.endswith(unused)}
    try:
        tokens, size = weights["wte.weight"].shape
        layers, length = sum(name.endswith("ln_1.bias") for name in weights), len(weights["wpe.weight"])
    except (KeyError, ValueError):  # not such a file: `load_state_dict` lists the differences to GPT-2
        model = GPT()
    else:
        model = GPT(tokens, size, layers, max(1, size // 64), length)
    model.load_state_dict(weights)
    return model.eval()


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Draw all matrices from NumPy's generator: the same ones for a seed in every library; biases are 0."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                drawn = generator.standard_normal(tuple(parameter.shape))
                inputs = parameter.shape[1] if name.startswith("w") else parameter.shape[0]
                parameter.copy_(torch.from_numpy(drawn) * inputs**-0.5)
            elif name.endswith("bias"):
                parameter.zero_()


def make_optimizer(model: nn.Module) -> torch.optim.Optimizer:
    """Return an AdamW that decays matrices, and neither biases nor the scales of norms."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    vectors = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))


def rate_at(step: int, steps: int, warmup: int = 10) -> float:
    """Return the factor of the learning rate: linear warm-up, then a cosine down to a tenth."""
    if step < warmup:
        return (step + 1) / warmup
    passed = (step - warmup) / max(1, steps - warmup)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * passed))


def learn(model: GPT, letters):
    """Add the gradients of a micro-batch, and return its part of the loss."""
    scores = model(letters[:, :-1])
    loss = F.cross_entropy(scores.reshape(-1, len(LETTERS)), letters[:, 1:].reshape(-1)) / MICRO_BATCHES
    loss.backward()  # adds to the gradients of earlier micro-batches
    return loss.detach()


def update(model: GPT, optimizer: torch.optim.Optimizer) -> None:
    """Take a step along the accumulated gradients, and reset them."""
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def train(options: argparse.Namespace) -> list[float]:
    """Train, print the progress, and return the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    torch.manual_seed(options.seed)
    generator = np.random.default_rng(options.seed)
    text = torch.tensor([LETTERS.index(letter) for letter in TEXT])

    model = for_letters(options.size)
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
    written = model.extend([LETTERS.index(letter) for letter in "'Twas "], 200, likeliest=3)
    print("".join(LETTERS[letter] for letter in written))
    return losses


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=64, help="numbers per letter (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and batches (%(default)s)")
    parser.add_argument("--weights", metavar="FILE", help="load these weights and continue tokens instead")
    parser.add_argument("--tokens", type=int, nargs="+", metavar="TOKEN", help="the tokens")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    if options.size % 4:
        parser.error(f"expected --size to be a multiple of 4, the number of heads; got {options.size}")
    if bool(options.weights) != bool(options.tokens):
        parser.error("expected --weights and --tokens together")
    if options.weights:
        if not Path(options.weights).is_file():
            parser.error(f"expected a file for --weights; got {options.weights}")
        try:
            model = pretrained(options.weights)
        except RuntimeError as error:  # tensors of another network
            parser.error(f"--weights {options.weights}: {error}")
        if not all(0 <= token < model.wte.num_embeddings for token in options.tokens):
            parser.error(f"expected --tokens from 0 to {model.wte.num_embeddings - 1}; got {options.tokens}")
        print(*model.extend(options.tokens, 20, likeliest=1))
    else:
        train(options)
