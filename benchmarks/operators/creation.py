"""New tensors of 4×4 or a few numbers, and conversion back to a Python number."""

from __future__ import annotations

from typing import Any

from ..libraries import Rows, filled
from ..measure import Loop

rows = Rows()


def _row(line: str, target: float) -> None:
    """Add a row of one line with `F` for the library, `a`, a tensor, and `one` and `whole`, tensors of one element."""

    def setup(F: Any) -> Loop:
        names = {"F": F, "a": filled(F, 4, 4), "one": F.ones(()), "whole": F.ones(1, dtype=F.int64)}
        exec(f"def loop(times):\n    for _ in times:\n        {line}", names)
        return names["loop"]

    rows.row(line, target)(setup)


for _line in (
    "F.zeros(4, 4)", "F.ones((4, 4))", "F.empty(4, 4)", "F.full((4, 4), 2.0)", "F.rand(4, 4)", "F.randn(4, 4)",
    "F.randint(10, (4, 4))", "F.rand_like(a)", "F.randn_like(a)", "a.uniform_()", "a.normal_()",
    "F.arange(10)", "F.eye(4)", "F.linspace(0, 1, 10)", "F.tensor([1.0, 2.0])", "F.tensor([[1, 2], [3, 4]])",
    "F.tensor(1.5)", "F.zeros_like(a)", "F.ones_like(a)", "F.empty_like(a)", "F.full_like(a, 2.0)",
    "a.new_zeros(4, 4)", "a.new_empty((4, 4))",
):  # fmt: skip
    _row(_line, 0.8)
for _line in ("one.item()", "whole.item()", "float(one)", "int(whole)", "bool(one)"):
    _row(_line, 1.2)
