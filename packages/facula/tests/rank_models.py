"""Models, batches and the runners of ranks and of programs for tests of several processes."""

import subprocess

import facula
import facula.nn.functional as F
from facula import nn
from facula.utils.checkpoint import checkpoint
from facula_distributed.testing import TIMEOUT as TIMEOUT
from facula_distributed.testing import Program
from facula_distributed.testing import errors as errors
from facula_distributed.testing import run as run


def run_program(folder, text, options, *arguments):
    """Run a program with `python -m facula run` in a folder; return its output and its errors."""
    (folder / "program.py").write_text(text)
    begun = Program(
        ["facula", "run", *options, str(folder / "program.py"), *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        output, errors = begun.communicate(timeout=300)
    finally:
        begun.kill()  # its ranks end with it
    assert begun.returncode == 0, output + errors
    return output, errors


class Tied(nn.Module):
    """A language model whose embedding is also its last layer."""

    def __init__(self, checkpoints=False):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(23, 16), nn.LayerNorm(16)
        self.attention, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.head = nn.Linear(16, 23, bias=False)
        self.head.weight = self.embedding.weight
        self.checkpoints = checkpoints

    def block(self, x):
        q, k, v = (
            part.view(x.shape[0], -1, 2, 8).transpose(1, 2) for part in self.attention(self.norm(x)).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        return x + F.gelu(self.out(mixed))

    def forward(self, tokens):
        x = self.embedding(tokens)
        x = checkpoint(self.block, x, use_reentrant=False) if self.checkpoints else self.block(x)
        return self.head(x)


class Parts(nn.Module):
    """A model that uses the parts that a call names."""

    def __init__(self, count=3):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(4, 4) for _ in range(count)])

    def forward(self, x, which=(0, 1, 2)):
        for place in which:
            x = self.parts[place](x).tanh()
        return x


def images():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        nn.Linear(32, 5),
    )  # fmt: skip


def mlp():
    return nn.Sequential(nn.Linear(12, 40), nn.Tanh(), nn.Linear(40, 30), nn.Tanh(), nn.Linear(30, 5))


MODELS = {"mlp": mlp, "images": images, "tied": Tied, "checkpoints": lambda: Tied(checkpoints=True)}


def batch(kind, step, rank):
    generator = facula.Generator().manual_seed(1000 * step + rank)
    if kind in ("tied", "checkpoints"):
        tokens = facula.randint(0, 23, (3, 9), generator=generator)
        return tokens[:, :-1], tokens[:, 1:]
    shape = (4, 3, 6, 6) if kind == "images" else (4, 12)
    return facula.randn(*shape, generator=generator), facula.randint(0, 5, (4,), generator=generator)


def loss_of(model, pair):
    inputs, targets = pair
    return F.cross_entropy(model(inputs).flatten(0, -2), targets.flatten())


def gradients(model):
    return [None if one.grad is None else one.grad.flatten()[:2].tolist() for one in model.parameters()]
