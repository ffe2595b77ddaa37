"""Models for steps, in either library: ResNet-18 and GPT-2 small, with sizes for little work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def residual_block(library: Any, width: int, wider: int, stride: int) -> Any:
    """Return a basic block of ResNet."""
    nn = library.nn
    base: Any = nn.Module

    class Block(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(width, wider, 3, stride=stride, padding=1, bias=False)
            self.second = nn.Conv2d(wider, wider, 3, padding=1, bias=False)
            self.first_norm, self.second_norm = nn.BatchNorm2d(wider), nn.BatchNorm2d(wider)
            self.skip = nn.Identity()
            if stride != 1 or width != wider:
                self.skip = nn.Sequential(nn.Conv2d(width, wider, 1, stride=stride, bias=False), nn.BatchNorm2d(wider))

        def forward(self, x: Any) -> Any:
            inner = nn.functional.relu(self.first_norm(self.first(x)))
            return nn.functional.relu(self.second_norm(self.second(inner)) + self.skip(x))

    return Block()


def resnet18(library: Any, small: bool) -> tuple[Any, Callable[[], tuple[Any, Any]]]:
    """Return ResNet-18, and a function that draws images and classes."""
    nn = library.nn
    widths = (4, 4, 8) if small else (64, 64, 128, 256, 512)
    blocks, width = [], widths[0]
    for stage, wider in enumerate(widths[1:]):
        blocks += [residual_block(library, width, wider, 2 if stage else 1)]
        blocks += [residual_block(library, wider, wider, 1)] * (not small)
        width = wider
    model = nn.Sequential(
        nn.Conv2d(3, widths[0], 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(),
        nn.MaxPool2d(3, 2, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10 if small else 1000),
    )  # fmt: skip
    batch, side = (2, 24) if small else (64, 224)
    classes = 10 if small else 1000
    return model, lambda: (library.randn(batch, 3, side, side), library.randint(0, classes, (batch,)))


def gpt_block(library: Any, width: int, heads: int) -> Any:
    """Return a block of GPT-2."""
    nn = library.nn
    base: Any = nn.Module

    class Block(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.attention_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
            self.inputs, self.outputs = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wider, self.narrower = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            batch, length, _ = x.shape
            parts = self.inputs(self.attention_norm(x)).view(batch, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
            x = x + self.outputs(mixed.transpose(1, 2).reshape(batch, length, width))
            return x + self.narrower(nn.functional.gelu(self.wider(self.norm(x))))

    return Block()


def gpt2(library: Any, small: bool) -> tuple[Any, Callable[[], tuple[Any, Any]]]:
    """Return GPT-2 small with tied weights, and a function that draws tokens and the tokens to predict."""
    nn = library.nn
    width, heads, depth, words, length, batch = (16, 2, 1, 40, 8, 2) if small else (768, 12, 12, 50257, 1024, 4)

    base: Any = nn.Module

    class Model(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[gpt_block(library, width, heads) for _ in range(depth)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
            nn.init.normal_(self.tokens.weight, 0.0, 0.02)
            self.head.weight = self.tokens.weight

        def forward(self, x: Any) -> Any:
            places = self.places(library.arange(x.shape[1], device=x.device))
            return self.head(self.norm(self.blocks(self.tokens(x) + places))).view(-1, words)

    def draw() -> tuple[Any, Any]:
        tokens = library.randint(0, words, (batch, length))
        return tokens, tokens.roll(-1, 1).view(-1)

    return Model(), draw
