"""Trains networks on a simulated CUDA device; prints what each step after the third asks of the driver, as JSON."""

import json
from functools import partial

from cuda_models import Recurrent, Residual

import facula
import facula_cuda
from facula import nn
from facula_cuda.testing import driver_calls, simulate

simulate()
F = nn.functional


class Block(nn.Module):
    """A block of GPT-2, whose queries attend to the tokens before them."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norms = heads, nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        batch, length, width = x.shape
        made = self.into(self.norms[0](x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = made.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.inner(self.norms[1](x))


class Language(nn.Module):
    def __init__(self, tokens=20, width=16):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(8, width)
        self.register_buffer("numbers", facula.arange(8))
        self.blocks = nn.Sequential(nn.Dropout(0.1), Block(width, 2), Block(width, 2), nn.LayerNorm(width))
        self.head = nn.Linear(width, tokens, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, x):
        return self.head(self.blocks(self.tokens(x) + self.places(self.numbers[: x.shape[1]]))).flatten(0, 1)


def dense():
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1), nn.Linear(32, 5))
    return model, facula.randn(8, 16), facula.randint(0, 5, (8,))


def language():
    return Language(), facula.randint(0, 20, (2, 8)), facula.randint(0, 20, (16,))


def recurrent():
    return Recurrent(dropout=0.1), facula.randn(4, 6, 8), facula.randint(0, 5, (4,))


def residual():
    body = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(8, 16)
    model = nn.Sequential(*body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return model, facula.randn(4, 3, 16, 16), facula.randint(0, 5, (4,))


def steps(make, make_optimizer, clips=False):
    model, x, y = (made.cuda() for made in make())
    optimizer = make_optimizer(model.parameters())
    found = []
    for number in range(6):
        calls, waits = driver_calls(), facula_cuda.waits()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        if clips:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if number >= 3:
            found.append({"calls": dict(driver_calls() - calls), "waits": facula_cuda.waits() - waits})
    return found


adam, sgd = partial(facula.optim.AdamW, lr=0.01), partial(facula.optim.SGD, lr=0.1, momentum=0.9)
found = {
    "MLP": steps(dense, adam),
    "GPT": steps(language, adam, clips=True),
    "LSTM": steps(recurrent, adam, clips=True),
    "ResNet": steps(residual, sgd),
}
print(json.dumps({"steps": found, "fallbacks": facula_cuda.fallbacks()}))
