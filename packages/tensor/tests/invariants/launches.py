"""Record the launches of every differentiable operator, forward and backward. Run as a program, it writes the table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fake_backend import FakeBackend, fake
from samples import SAMPLES, differentiable

import facula_tensor as ft
from facula_autograd import grad
from facula_tensor.extend import operators

TABLE = Path(__file__).with_name("launches.txt")
COMMAND = "python packages/tensor/tests/invariants/launches.py"
HEADER = f"""\
# The launches of each differentiable operator: forward / backward, by kernel, from its sample with float32 operands
# that all require gradients. `2 mul` are two launches. Written by `{COMMAND}`.
"""


@contextmanager
def queued(backend: FakeBackend) -> Iterator[list[str]]:
    """Collect the names of the launches in the block."""
    names: list[str] = []
    put = backend._put

    def collecting(operator: str, *arguments: Any) -> None:
        names.append(operator)
        put(operator, *arguments)

    backend._put = collecting  # type: ignore[method-assign]
    try:
        yield names
    finally:
        backend._put = put  # type: ignore[method-assign]
        backend.synchronize()


def launches_of(name: str) -> tuple[list[str], list[str]] | None:
    """Return the launches of an operator's sample, forward and backward. None without a sample that has a gradient."""
    backend = fake()
    try:
        sample = SAMPLES[name]
    except AssertionError:  # test_samples reports it
        return None
    if not sample.case.gradient:
        return None
    leaves = sample.leaves("fake", narrow=True)
    for _ in range(2):  # the second call has its plans
        ft.manual_seed(0)
        with queued(backend) as forward:
            result = sample(*leaves)
        if not differentiable(result):
            return None
        g = ft.ones_like(result.detach())
        backend.synchronize()
        with queued(backend) as backward:
            grad(result, leaves, g, allow_unused=True)
    return forward, backward


def line_of(forward: list[str], backward: list[str]) -> str:
    """Return an operator's entry: launches by kernel, with their numbers unless 1."""
    both = [
        ", ".join([f"{count} {kernel}" if count > 1 else kernel for kernel, count in Counter(names).items()]) or "none"
        for names in (forward, backward)
    ]
    return " / ".join(both)


def table(launches: Callable[[str], tuple[list[str], list[str]] | None] = launches_of) -> dict[str, str]:
    """Return the entry of each differentiable operator."""
    found = {name: launches(name) for name in SAMPLES if operators[name].recorded}
    return {name: line_of(*both) for name, both in found.items() if both is not None}


def written() -> dict[str, str]:
    """Return the entries in the file."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return dict([line.split(": ", 1) for line in lines])  # type: ignore[misc]


if __name__ == "__main__":
    entries = table()
    TABLE.write_text(HEADER + "".join([f"{name}: {entry}\n" for name, entry in entries.items()]))
    sys.stdout.write(f"{TABLE}: {len(entries)} operators\n")
