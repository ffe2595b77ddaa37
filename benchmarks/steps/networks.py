"""Modules, optimizers and loaders: the same lines with both libraries, as people write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from ..libraries import Rows, facula, filled
from ..measure import Loop, own_code

rows = Rows()
DIGITS, BATCH = 1797, 32


def perceptron(F: Any, widths: tuple[int, ...]) -> Any:
    """Linear layers with relu between them."""
    layers: list[Any] = []
    for inputs, outputs in pairwise(widths):
        layers += [F.nn.Linear(inputs, outputs), F.nn.ReLU()]
    return F.nn.Sequential(*layers[:-1])


def digits_network(F: Any, dropout: float = 0.5) -> Any:
    """Return the network of facula.examples.digits, for images of (count, 1, 8, 8)."""
    nn = F.nn
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(dropout), nn.Linear(32 * 2 * 2, 10),
    )  # fmt: skip


def begin(F: Any, make: Callable[[Any], Any], kind: str, shape: tuple[int, ...]) -> tuple[Callable, Any, Any]:
    """Return a training step, and a batch of this shape with its classes. Both libraries get the same weights."""
    model = make(F)
    with F.no_grad():
        for p in model.parameters():
            p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5))
    optimizer = getattr(F.optim, kind)(model.parameters(), lr=0.001)
    cross_entropy = F.nn.functional.cross_entropy

    def step(pixels, targets):
        optimizer.zero_grad()
        loss = cross_entropy(model(pixels), targets)
        loss.backward()
        optimizer.step()
        return loss

    return own_code(step), filled(F, *shape), F.from_numpy(np.arange(shape[0]) % 10)


def repeated(begin: Callable[[Any], tuple[Callable, Any, Any]], F: Any) -> Loop:
    """Return the loop of a step on one batch."""
    step, inputs, targets = begin(F)

    def loop(times):
        for _ in times:
            step(inputs, targets)

    return own_code(loop)


def steps_agree(begin: Callable[[Any], tuple[Callable, Any, Any]], tolerance: float = 1e-4) -> None:
    """Raise ValueError if the two libraries train differently."""
    ours, theirs = begin(facula), begin(torch)
    for number in range(5):
        loss, expected = (step(inputs, targets).item() for step, inputs, targets in (ours, theirs))
        if not abs(loss - expected) < tolerance * expected:
            raise ValueError(f"networks: losses of step {number}: {loss} facula, {expected} PyTorch")


wide, narrow = partial(perceptron, widths=(64, 64, 64, 10)), partial(perceptron, widths=(16, 16, 16, 10))
for name, target, kind, make, same, shape in (
    ("MLP 64-64-64-10, batch 32, SGD", 0.5, "SGD", wide, wide, (BATCH, 64)),
    ("MLP 64-64-64-10, batch 32, Adam", 0.35, "Adam", wide, wide, (BATCH, 64)),
    ("MLP 16-16-16-10, batch 32, SGD", 0.3, "SGD", narrow, narrow, (BATCH, 16)),
    ("digits network, batch 64, AdamW", 1.5, "AdamW", digits_network, partial(digits_network, dropout=0),
     (64, 1, 8, 8)),
):  # fmt: skip
    check = partial(steps_agree, partial(begin, make=same, kind=kind, shape=shape))  # generators differ: no dropout
    rows.row(name, target, check=check)(partial(repeated, partial(begin, make=make, kind=kind, shape=shape)))


def begin_lower(F: Any, widths: tuple[int, ...], batch: int, enabled: bool = True) -> tuple[Callable, Any, Any]:
    """Return a training step of a perceptron under autocast to bfloat16, and a batch, as `begin` does."""
    model = perceptron(F, widths)
    with F.no_grad():
        for p in model.parameters():
            p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5))
    optimizer = F.optim.SGD(model.parameters(), lr=0.001)

    def step(inputs, targets):
        optimizer.zero_grad()
        with F.autocast("cpu", dtype=F.bfloat16, enabled=enabled):
            loss = F.nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return own_code(step), filled(F, batch, widths[0]), F.from_numpy(np.arange(batch) % 10)


if hasattr(facula, "autocast"):
    for widths, batch, target, gain in (
        ((1024, 2048, 2048, 1024), 256, 1.0, 0.65),
        ((511, 1023, 333, 10), 129, 1.0, 0.75),
        ((64, 64, 64, 10), BATCH, 0.5, None),
    ):
        lower = partial(begin_lower, widths=widths, batch=batch)
        text = f"MLP {'-'.join(map(str, widths))}, batch {batch}, bfloat16 autocast"
        rows.row(text, target, check=partial(steps_agree, lower, 1e-2))(partial(repeated, lower))
        if gain:
            whole = partial(repeated, partial(lower, enabled=False), facula)
            rows.row(f"{text}, against float32", gain, against=whole, reference="facula, float32")(
                partial(repeated, lower)
            )

GPT = {"letters": 65, "size": 64, "length": 64, "heads": 4, "layers": 2}


def gpt(F: Any) -> Any:
    """Return a small GPT, as in examples/gpt.py: letters (batch, length) to scores of the next letter."""
    nn = F.nn
    letters, size, length, heads, layers = GPT.values()

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.inputs, self.output = nn.Linear(size, 3 * size), nn.Linear(size, size)

        def forward(self, x):
            batch, length, _ = x.shape
            shape = (batch, length, heads, size // heads)
            query, key, value = (part.view(shape).transpose(1, 2) for part in self.inputs(x).split(size, dim=2))
            mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            return self.output(mixed.transpose(1, 2).reshape(batch, length, size))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm, self.attention = nn.LayerNorm(size), Attention()
            self.network_norm = nn.LayerNorm(size)
            self.network = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

        def forward(self, x):
            x = x + self.attention(self.attention_norm(x))
            return x + self.network(self.network_norm(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.letters, self.places = nn.Embedding(letters, size), nn.Embedding(length, size)
            self.blocks, self.norm = nn.Sequential(*(Block() for _ in range(layers))), nn.LayerNorm(size)
            self.scores = nn.Linear(size, letters, bias=False)
            self.scores.weight = self.letters.weight

        def forward(self, x):
            x = self.letters(x) + self.places(F.arange(x.shape[1]))
            return self.scores(self.norm(self.blocks(x)))

    return Model()


def begin_gpt(F: Any, batch: int = 16) -> tuple[Callable, Any, Any]:
    """Return a GPT training step with AdamW and clipped gradients, and a batch; both libraries get the same weights."""
    model = gpt(F)
    with F.no_grad():
        for name, p in model.named_parameters():
            if p.ndim > 1:
                p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5))
            elif name.endswith("bias"):
                p.zero_()
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = F.optim.AdamW(groups, lr=0.001)
    letters = F.from_numpy(np.random.default_rng(1).integers(0, GPT["letters"], (batch, GPT["length"] + 1)))

    def step(inputs, targets):
        scores = model(inputs)
        loss = F.nn.functional.cross_entropy(scores.view(-1, scores.shape[-1]), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        F.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return own_code(step), letters[:, :-1].clone(), letters[:, 1:].clone()


rows.row("GPT of 2 layers, 64 wide, length 64, batch 16, AdamW", 0.85, check=partial(steps_agree, begin_gpt))(
    partial(repeated, begin_gpt)
)


def stepped(F: Any, kind: str) -> Loop:
    """Return a loop of optimizer steps over 100 small parameters, with constant gradients."""
    parameters = [filled(F, 10, 10).requires_grad_() for _ in range(100)]
    for p in parameters:
        p.grad = filled(F, 10, 10)
    optimizer = getattr(F.optim, kind)(parameters, lr=0.001)

    def loop(times):
        for _ in times:
            optimizer.step()

    return own_code(loop)


KINDS = (
    "SGD",
    "Adam",
    "AdamW",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adamax",
    "ASGD",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Rprop",
)
for kind in KINDS:
    rows.row(f"{kind}.step of 100 parameters of 10 x 10", 0.35)(partial(stepped, kind=kind))


def recurrent(F: Any, kind: str, shape: tuple[int, ...]) -> Loop:
    """Return a loop of a layer over (steps, batch, features), with as many output features, and its gradients."""
    layer, x = getattr(F.nn, kind)(shape[-1], shape[-1]), filled(F, *shape)

    def loop(times):
        for _ in times:
            layer(x)[0].sum().backward()

    return own_code(loop)


for kind, targets in (("LSTM", (0.7, 0.45)), ("GRU", (0.7, 0.45)), ("RNN", (0.7, 0.45))):
    for shape, target in zip(((64, 32, 128), (10, 4, 32)), targets, strict=True):
        rows.row(f"{kind} forward and backward, {shape}", target)(partial(recurrent, kind=kind, shape=shape))


def convolved(F: Any, kind: str, channels: int, filters: int, shape: tuple[int, ...], options: dict[str, int]) -> Loop:
    """Return a loop of a convolution of (batch, channels, ...), and its gradients."""
    layer = getattr(F.nn, kind)(channels, filters, padding=options["kernel_size"] // 2, **options)
    x = filled(F, *shape, grad=True)
    g = filled(F, *layer(x).shape)

    def loop(times):
        for _ in times:
            layer(x).backward(g)

    return own_code(loop)


CONVOLUTIONS: tuple[tuple[str, int, int, int, tuple[int, ...], dict[str, int], float], ...] = (
    ("Conv2d", 1, 16, 64, (28, 28), {"kernel_size": 3}, 0.7),
    ("Conv2d", 3, 32, 8, (32, 32), {"kernel_size": 3}, 0.7),
    ("Conv2d", 8, 16, 1, (28, 28), {"kernel_size": 3}, 0.7),
    ("Conv2d", 8, 16, 64, (28, 28), {"kernel_size": 3}, 1.0),
    ("Conv2d", 16, 32, 8, (14, 14), {"kernel_size": 3}, 0.6),
    ("Conv2d", 16, 32, 8, (32, 32), {"kernel_size": 3, "stride": 2}, 1.0),
    ("Conv2d", 8, 8, 8, (32, 32), {"kernel_size": 7}, 0.9),
    ("Conv2d", 32, 32, 8, (28, 28), {"kernel_size": 3, "groups": 8}, 0.7),
    ("Conv1d", 4, 16, 8, (1000,), {"kernel_size": 9}, 0.7),
)
for kind, channels, filters, batch, size, options, target in CONVOLUTIONS:
    images = (batch, channels, *size)
    named = "".join(f", {key} {value}" for key, value in options.items())
    rows.row(f"{kind} to {filters} channels, {images}{named}", target)(
        partial(convolved, kind=kind, channels=channels, filters=filters, shape=images, options=options)
    )


def aligned(F: Any, shape: tuple[int, int, int], longest: int) -> Loop:
    """Return a loop of the CTC loss of (steps, batch, classes) with targets of this length, and its gradient."""
    steps, batch, classes = shape
    loss, x = F.nn.CTCLoss(), filled(F, *shape, grad=True)
    targets = F.from_numpy(np.random.default_rng(2).integers(1, classes, (batch, longest)))
    lengths = [steps] * batch, [longest] * batch

    def loop(times):
        for _ in times:
            loss(x.log_softmax(2), targets, *lengths).backward()

    return own_code(loop)


for shape, longest, target in (((100, 16, 40), 20, 0.7), ((20, 4, 10), 5, 0.8)):
    rows.row(f"CTC loss forward and backward, {shape}, {longest} targets", target)(
        partial(aligned, shape=shape, longest=longest)
    )


@rows.row("module(x), forward returns x", 0.6)
def called(F: Any) -> Loop:
    """Return a loop of calls of a module that returns its input."""

    class Same(F.nn.Module):
        def forward(self, x):
            return x

    module, x = Same(), filled(F, 4, 4)

    def loop(times):
        for _ in times:
            module(x)

    return loop


@rows.row(f"DataLoader over {DIGITS} digits, batch {BATCH}, shuffled", 0.6)
def loaded(F: Any) -> Loop:
    """Return a loop of passes over a TensorDataset of pixels and classes."""
    data = F.utils.data
    digits = data.TensorDataset(filled(F, DIGITS, 64), F.from_numpy(np.arange(DIGITS) % 10))
    loader = data.DataLoader(digits, batch_size=BATCH, shuffle=True)

    def loop(times):
        for _ in times:
            for _pixels, _targets in loader:
                pass

    return loop
