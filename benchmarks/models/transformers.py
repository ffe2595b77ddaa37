"""Transformers: a GPT on random tokens and a vision transformer on random images."""

from __future__ import annotations

from typing import Any

from .training import Training, classification, indices, pixels


def blocks(F: Any, count: int, width: int, heads: int, causal: bool) -> Any:
    """Return transformer blocks with normalization before attention and network, and one at the end."""
    nn = F.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

        def forward(self, x):
            batch, length, _ = x.shape
            shape = (batch, length, heads, width // heads)
            query, key, value = (part.view(shape).transpose(1, 2) for part in self.inputs(x).split(width, dim=2))
            mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
            return self.output(mixed.transpose(1, 2).reshape(batch, length, width))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm, self.attention = nn.LayerNorm(width), Attention()
            self.network_norm = nn.LayerNorm(width)
            self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            x = x + self.attention(self.attention_norm(x))
            return x + self.network(self.network_norm(x))

    return nn.Sequential(*(Block() for _ in range(count)), nn.LayerNorm(width))


def decaying(F: Any, model: Any, rate: float) -> Any:
    """Return AdamW that decays matrices only."""
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.ndim == 1], "weight_decay": 0.0},
    ]
    return F.optim.AdamW(groups, lr=rate)


def gpt(F: Any, *, batch=4, length=256, tokens=4096, width=384, layers=6, heads=6, rate=3e-4) -> Training:
    """GPT with learned positions and tied weights (Radford et al. 2019)."""
    nn = F.nn

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(length, width)
            for embedding in (self.tokens, self.places):
                nn.init.normal_(embedding.weight, std=0.02)
            self.blocks, self.scores = blocks(F, layers, width, heads, True), nn.Linear(width, tokens, bias=False)
            self.scores.weight = self.tokens.weight

        def forward(self, x):
            return self.scores(self.blocks(self.tokens(x) + self.places(F.arange(x.shape[1]))))

    model, text = GPT(), indices(F, tokens, batch, length + 1)
    optimizer = decaying(F, model, rate)
    return classification(F, model, optimizer, text[:, :-1].contiguous(), text[:, 1:].contiguous(), 1.0)


def vit(F: Any, *, batch=8, size=224, patch=16, width=384, layers=12, heads=6, classes=1000, rate=1e-4) -> Training:
    """ViT-small with a class token (Dosovitskiy et al. 2021; width and heads of DeiT-small)."""
    nn = F.nn

    class ViT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, patch)
            self.first = nn.Parameter(F.zeros(1, 1, width))
            self.places = nn.Parameter(0.02 * F.randn(1, (size // patch) ** 2 + 1, width))
            self.blocks, self.scores = blocks(F, layers, width, heads, False), nn.Linear(width, classes)

        def forward(self, x):
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = F.cat([self.first.expand(len(x), 1, width), x], dim=1) + self.places
            return self.scores(self.blocks(x)[:, 0])

    model = ViT()
    optimizer = decaying(F, model, rate)
    return classification(F, model, optimizer, pixels(F, batch, 3, size, size), indices(F, classes, batch), 1.0)
