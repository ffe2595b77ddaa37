"""A training step of a small perceptron: forward, backward and update, batch 32."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from ..libraries import Rows, facula, filled
from ..measure import Loop, own_code
from .perceptron import Step, plain_step, torch_step

rows = Rows()
WIDTHS, BATCH = (64, 64, 64, 10), 32
CLASSES = np.arange(BATCH) % WIDTHS[-1]


def data(F: Any) -> tuple[Any, Any]:
    """Return pixels, and the classes as one-hot rows."""
    return filled(F, BATCH, WIDTHS[0]), F.from_numpy(np.eye(WIDTHS[-1], dtype=np.float32)[CLASSES])


def repeated(step: Step, pixels: Any, targets: Any) -> Loop:
    """Return the loop of a step on one batch."""
    step = own_code(step)

    def loop(times):
        for _ in times:
            step(pixels, targets)

    return own_code(loop)


def plain(F: Any) -> Loop:
    """Return the step in plain operators."""
    return repeated(plain_step(F, WIDTHS), *data(F))


def idiomatic(**options: Any) -> Loop:
    """Return the step in idiomatic PyTorch."""
    return repeated(torch_step(WIDTHS, **options), data(torch)[0], torch.from_numpy(CLASSES))


def losses_agree() -> None:
    """Raise ValueError if the three versions of the step train differently."""
    ours, theirs, idiom = plain_step(facula, WIDTHS), plain_step(torch, WIDTHS), torch_step(WIDTHS)
    (pixels, targets), (torch_pixels, torch_targets) = data(facula), data(torch)
    for number in range(5):
        loss = ours(pixels, targets).item()
        expected = theirs(torch_pixels, torch_targets).item()
        same = idiom(torch_pixels, torch.from_numpy(CLASSES)).item()
        if not abs(loss - expected) + abs(same - expected) < 1e-4 * expected:
            raise ValueError(f"perceptron: losses of step {number}: {loss} facula, {expected} and {same} PyTorch")


for name, target, other in (
    ("perceptron's step, other: nn.Linear, cross_entropy, SGD", 0.6, idiomatic),
    ("perceptron's step, other: that with SGD(fused=True)", None, partial(idiomatic, fused=True)),
    ("perceptron's step, other: the same lines", None, None),
):
    rows.row(name, target, against=other, check=losses_agree)(plain)
