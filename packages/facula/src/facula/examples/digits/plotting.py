"""The plot of a training run: its loss, and the held-out digits that the network misreads."""

from __future__ import annotations

import os
from contextlib import suppress
from io import BytesIO
from math import ceil, sqrt
from typing import TYPE_CHECKING

from .training import Run, read

if TYPE_CHECKING:
    from .data import Digits

MOST = 4  # rows and columns of misread digits


def draw(run: Run, digits: Digits, path: str) -> None:
    """Write a PNG (or another format, by the path's suffix) with the loss of each step and the misread digits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), dpi=100, layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(5, 4))[0]
    axes = left.subplots()
    steps = len(run.losses) // run.epochs
    means = [sum(run.losses[at : at + steps]) / steps for at in range(0, steps * run.epochs, steps)]
    passed = [(step + 1) / steps for step in range(len(run.losses))]
    axes.semilogy(passed, run.losses, color="0.75", linewidth=0.7, label="each step")
    axes.semilogy([epoch + 0.5 for epoch in range(run.epochs)], means, color="C0", label="mean of an epoch")
    axes.set(title="loss", xlabel="epochs")
    axes.legend(frameon=False)

    found, wanted = read(run.network, digits.held_out)
    misread = [place for place in range(len(found)) if found[place] != wanted[place]]
    right.suptitle(f"misread: {len(misread)} of {len(found)} held out")
    side = min(MOST, max(2, ceil(sqrt(len(misread)))))
    for place, frame in zip(misread, right.subplots(side, side).flat, strict=False):
        frame.imshow(digits.held_out[place][0][0].numpy(), cmap="gray_r", vmin=0.0, vmax=1.0)
        frame.set_title(f"{wanted[place]} read as {found[place]}", fontsize=8)
    for frame in right.axes:
        frame.axis("off")
    drawn = BytesIO()
    figure.savefig(drawn, format=os.path.splitext(path)[1][1:].lower() or "png")
    replace(path, drawn.getvalue())


def replace(path: str, content: bytes) -> None:
    """Replace the file at `path` by `content`, completely or not at all. Devices and pipes are written to directly."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:
            device.write(content)
        return
    part = f"{target}.part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
