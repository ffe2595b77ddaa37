"""Parts of a tensor by several indices, read and written, and methods that return a view under another name."""

from __future__ import annotations

from typing import Any

from ..libraries import Rows, filled
from ..measure import Loop

rows = Rows()


def _row(name: str, line: str, target: float, *shape: int) -> None:
    """Add a row of one line, in which `a` is a tensor and `b` one of 2×2."""

    def setup(F: Any) -> Loop:
        names: dict[str, Any] = {"a": filled(F, *shape), "b": filled(F, 2, 2)}
        exec(f"def loop(times):\n    for _ in times:\n        {line}", names)
        return names["loop"]

    rows.row(name, target)(setup)


for _line in ("a[1:3, ::2]", "a[::2]", "a[:, 1]", "a[..., 0]", "a[None]", "a[:, None, 1:]", "a[-1, ::2]", "a[1, 2]"):
    _row(_line, _line, 1.0, 4, 4)
for _line in ("a[1:3, ::2] = 1.0", "a[:, 1] = 1.0", "a[1] = 0.0", "a[1:3, 1:3] = b"):
    _row(_line, _line, 1.0, 4, 4)
for _line in ("a.narrow(0, 1, 2)", "a.flatten()", "a.chunk(2)", "a.split(2)", "a.unbind()", "list(a)", "a.detach()"):
    _row(_line, _line, 1.0, 4, 4)
