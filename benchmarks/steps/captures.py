"""Captured steps of the networks of networks.py, against eager and compiled steps of PyTorch, JAX and facula."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from ..libraries import Rows, facula, filled
from ..measure import Loop, own_code
from .jitted import agrees_with_jax, jitted
from .networks import BATCH, begin, begin_gpt, digits_network, narrow, perceptron, repeated, wide

rows = Rows()
Begin = Callable[[Any], tuple[Callable, Any, Any]]
RUNS = 5  # until a capture is settled, passes included


def replayed(begin: Begin, **options: Any) -> Loop:
    """Return the loop of a captured step on one batch."""
    step, inputs, targets = begin(facula)
    captured = facula.capture(step, on_break="error", **options)
    for _ in range(RUNS):
        captured(inputs, targets)

    def loop(times):
        for _ in times:
            captured(inputs, targets)

    return own_code(loop)


def compiled(begin: Begin) -> Loop:
    """Return the loop of PyTorch's compiled step on one batch."""
    step, inputs, targets = begin(torch)
    step = torch.compile(step)
    for _ in range(RUNS):
        step(inputs, targets)

    def loop(times):
        for _ in times:
            step(inputs, targets)

    return own_code(loop)


def language_model(F: Any) -> tuple[Callable, Any, Any]:
    """Return a training step of an LSTM on letters (batch 16, length 32)."""
    embedding, lstm, scores = F.nn.Embedding(65, 32), F.nn.LSTM(32, 64, batch_first=True), F.nn.Linear(64, 65)
    parameters = [p for module in (embedding, lstm, scores) for p in module.parameters()]
    with F.no_grad():
        for p in parameters:
            p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5))
    optimizer, letters = F.optim.Adam(parameters, lr=0.001), (filled(F, 16, 33) * 65).long()

    def step(inputs, targets):
        optimizer.zero_grad()
        found = scores(lstm(embedding(inputs))[0])
        loss = F.nn.functional.cross_entropy(found.reshape(-1, 65), targets.reshape(-1))
        loss.backward()
        optimizer.step()
        return loss

    return own_code(step), letters[:, :-1].clone(), letters[:, 1:].clone()


def written_out(F: Any, rows: int) -> tuple[Callable, Any, Any]:
    """Return a training step of one layer with activation, loss and update in elementwise operators."""
    weight = ((filled(F, 64, 64) - 0.5) / 8).requires_grad_()
    mean, square = F.zeros(64, 64), F.zeros(64, 64)

    def step(inputs, targets):
        weight.grad = None
        hidden = inputs @ weight
        error = 0.5 * hidden * (1 + (0.8 * (hidden + 0.045 * hidden * hidden * hidden)).tanh()) - targets
        loss = ((error * error + 1).sqrt() - 1).sum()
        loss.backward()
        with F.no_grad():
            mean.mul_(0.9).add_(weight.grad * 0.1)
            square.mul_(0.999).add_(weight.grad * weight.grad * 0.001)
            weight.sub_(0.001 * mean / (square.sqrt() + 1e-8))
        return loss.detach()

    return own_code(step), filled(F, rows, 64), filled(F, rows, 64)


STEPS: tuple[tuple[str, float | None, Begin], ...] = (
    ("MLP 16 wide, SGD", 0.02, partial(begin, make=narrow, kind="SGD", shape=(BATCH, 16))),
    ("MLP 16 wide, Adam", 0.02, partial(begin, make=narrow, kind="Adam", shape=(BATCH, 16))),
    ("MLP 64 wide, SGD", 0.08, partial(begin, make=wide, kind="SGD", shape=(BATCH, 64))),
    ("MLP 64 wide, Adam", 0.06, partial(begin, make=wide, kind="Adam", shape=(BATCH, 64))),
    ("digits network, AdamW", None, partial(begin, make=digits_network, kind="AdamW", shape=(64, 1, 8, 8))),
    ("LSTM, 64 wide, length 32, batch 16", None, language_model),
    ("GPT of 2 layers, 64 wide, length 64, batch 16", None, begin_gpt),
)
for name, target, one in STEPS:
    rows.row(f"{name}, captured", target, against=partial(repeated, one, torch))(lambda _, one=one: replayed(one))
for name, _, one in STEPS:
    rows.row(
        f"{name}, captured, other: our eager step", against=partial(repeated, one, facula), reference="facula, eager"
    )(lambda _, one=one: replayed(one))
for (name, _, one), target in zip(STEPS[:4:2], (0.05, 0.1), strict=True):
    rows.row(
        f"{name}, captured, other: torch.compile", target, against=partial(compiled, one), reference="torch.compile"
    )(lambda _, one=one: replayed(one))
for width, target in ((16, 0.5), (64, 0.5), (512, 0.75)):
    widths = (width, width, width, 10)
    make = partial(perceptron, widths=widths)
    for kind in ("SGD", "Adam"):
        one = partial(begin, make=make, kind=kind, shape=(BATCH, widths[0]))
        check = partial(agrees_with_jax, make, widths, kind, BATCH)
        against = partial(jitted, widths, kind, BATCH)
        name = f"MLP {widths[0]} wide, {kind}, captured, other: jax.jit"
        rows.row(name, target, against=against, check=check, reference="JAX, jit")(lambda _, one=one: replayed(one))


def answers(F: Any, *, captures: bool) -> Loop:
    """Return a loop that evaluates the narrow network on one sample, without gradients."""
    model, x = narrow(F).eval(), filled(F, 1, 16)

    @F.no_grad()
    def plain(x):
        return model(x)

    answer = facula.capture(plain, on_break="error") if captures else plain
    for _ in range(RUNS):
        answer(x)

    def loop(times):
        for _ in times:
            answer(x)

    return own_code(loop)


rows.row("MLP 16 wide, one sample, captured", against=partial(answers, torch, captures=False))(
    partial(answers, captures=True)
)
WRITTEN = [(f"a layer written out, batch {rows}", partial(written_out, rows=rows)) for rows in (16, 1024)]
for name, one in WRITTEN:
    rows.row(f"{name}, captured", against=partial(repeated, one, torch))(lambda _, one=one: replayed(one))
for name, one in [*WRITTEN, ("LSTM", language_model), ("GPT of 2 layers", begin_gpt)]:
    rows.row(f"{name}, captured, other: without passes", against=partial(replayed, one, passes=()))(
        lambda _, one=one: replayed(one)
    )
