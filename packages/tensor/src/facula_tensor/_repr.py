"""How tensors print: as NumPy lays arrays out, with PyTorch's frame."""

from __future__ import annotations

import numpy as np

from facula_autograd.extend import LEAF
from facula_storage import bool_, cpu, int64

from ._operator import raw
from ._promotion import get_default_dtype
from ._tensor import Parameter, Tensor, method, snapshot
from ._values import MOST_DIMS, _host

THRESHOLD, EDGE, PRECISION, WIDTH = 1000, 3, 4, 80


@method("__repr__")
def represent(self: Tensor) -> str:
    """The elements (the corners of large tensors), and what is not to be guessed from them."""
    now = snapshot(self)
    layout = now._layout
    name = "Parameter containing:\n" if isinstance(self, Parameter) else ""
    notes = []
    if layout.device.type == "meta":
        notes.append("...")
        notes.append(f"device='{layout.device}'")
        notes.append(f"size={tuple(layout.shape)}")
    else:
        notes.append(_elements(now) if len(layout.shape) <= MOST_DIMS else "...")
        if layout.device is not cpu:
            notes.append(f"device='{layout.device}'")
        if (not layout.numel and layout.shape != (0,)) or len(layout.shape) > MOST_DIMS:
            notes.append(f"size={tuple(layout.shape)}")
    default = {int64, bool_, get_default_dtype(), get_default_dtype().to_complex()}
    if layout.dtype not in default or (not layout.numel and layout.dtype is not get_default_dtype()):
        notes.append(f"dtype={layout.dtype}")
    node = self.node
    if node is LEAF:
        notes.append("requires_grad=True")
    elif node is not None:
        notes.append(f"grad_fn=<{node.name()}>")
    return f"{name}tensor({', '.join(notes)})"


def _elements(self: Tensor) -> str:
    if not self.numel():
        return "[]"
    shown = self.detach()
    if self.numel() > THRESHOLD:
        shown = _corners(shown)
    array = _host(raw.clone(shown)).numpy()
    formatter = {}
    if array.dtype.kind == "f":
        formatter = {"float_kind": _float_format(array)}
    text = np.array2string(
        array, separator=", ", prefix="tensor(", max_line_width=WIDTH, formatter=formatter or None, threshold=10**9,
        precision=PRECISION,
    )  # fmt: skip
    return text if self.numel() <= THRESHOLD else _with_dots(self)


def _float_format(array: np.ndarray):  # type: ignore[no-untyped-def]
    """Four decimals; none where all are whole; exponents where they would not fit."""
    finite = array[np.isfinite(array)].astype(np.float64)
    sizes = np.abs(finite[finite != 0])
    if sizes.size and (
        sizes.max() >= 1e8 or (sizes.max() / sizes.min() > 1e3 and sizes.min() < 1e-4) or sizes.min() < 1e-4
    ):
        pattern = "{:.4e}"
    elif np.array_equal(finite, np.round(finite)):
        pattern = "{:.0f}."
    else:
        pattern = "{:.4f}"
    texts = [_one(value, pattern) for value in array.ravel()]
    width = max(map(len, texts))
    return lambda value: _one(value, pattern).rjust(width)


def _one(value: float, pattern: str) -> str:
    return pattern.format(value) if np.isfinite(value) else str(float(value))


def _corners(shown: Tensor) -> Tensor:
    """The first and last few elements along each long dimension, so that printing costs no more than looks."""
    from .ops.join import cat

    for dim, size in enumerate(shown.shape):
        if size > 2 * EDGE + 1:
            first = raw.slice(shown, dim, 0, EDGE + 1, 1)
            last = raw.slice(shown, dim, size - EDGE, size, 1)
            shown = cat([first, last], dim)
    return shown


def _with_dots(self: Tensor) -> str:
    """Corners, with dots where elements are left out. NumPy summarises when told there are too many."""
    small = _host(raw.clone(_corners(self.detach()))).numpy()
    formatter = {"float_kind": _float_format(small)} if small.dtype.kind == "f" else None
    return np.array2string(
        small, separator=", ", prefix="tensor(", max_line_width=WIDTH, formatter=formatter, threshold=1, edgeitems=EDGE
    )
