"""Format arrays as text: the format of numbers and the layout of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import Layout, cpu, float32

from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import no_record_ops
from ..ops.shape.joining import cat
from .print_options import Options

if TYPE_CHECKING:
    from .._core.types import Number

# outside these bounds, or with a larger ratio of magnitudes, numbers have exponents
LARGE, SMALL, SPREAD = 1e8, 1e-4, 1e3


BARE = "{:.0f}."


class Excerpt:
    """The displayed elements of a tensor: all, or the corners; `cut` contains for each dimension whether it is
    abbreviated.

    Only the displayed elements are copied to the host.
    """

    def __init__(self, tensor: Tensor, options: Options):
        layout = layout_of_tensor(tensor)
        self.options = options
        self.cut = (False,) * len(layout.shape)
        shown = tensor.detach()
        if layout.numel > options.threshold:
            self.cut = tuple([size > 2 * options.edgeitems for size in layout.shape])
            shown = _corners(shown, layout, self.cut, options.edgeitems)
        shown = no_record_ops.clone(shown)
        if shown.dtype.numpy is None:
            shown = no_record_ops.to(shown, (float32,))
        self.array = (shown if shown.device is cpu else no_record_ops.to_device(shown, (cpu, False))).numpy()
        self.write, self.width = writer(self.array, options)

    def texts(self) -> np.ndarray:
        """Return the text of each number, in the array's shape."""
        texts = np.empty(self.array.shape, object)
        for place in np.ndindex(self.array.shape):
            texts[place] = self.write(self.array[place])
        return texts


def _corners(shown: Tensor, layout: Layout, cut: tuple[bool, ...], edge: int) -> Tensor:
    """Select the first and last few elements along each long dimension, so that the cost depends only on the
    printed elements."""
    for dim, size in enumerate(layout.shape):
        if cut[dim]:
            ends = [no_record_ops.slice(shown, dim, 0, edge, 1), no_record_ops.slice(shown, dim, size - edge, size, 1)]
            shown = cat(ends, dim)
    return shown


def writer(array: np.ndarray, options: Options) -> tuple[Callable[[Number], str], int]:
    """Return a function that formats one element of `array`, and the width to pad to if there are dimensions."""
    if array.dtype.kind == "c":
        real, imaginary = _pattern(array.real, options), _pattern(array.imag, options)
        width, second_width = _width(array.real, real), _width(array.imag, imaginary)
        padding = width if array.ndim else 0

        def complex_number(value: Number) -> str:
            second = _format_number(value.imag, imaginary)
            return f"{_format_number(value.real, real).rjust(padding)}{'' if second.startswith('-') else '+'}{second}j"

        return complex_number, width + second_width + 1
    pattern = _pattern(array, options) if array.dtype.kind == "f" else None
    width = _width(array, pattern)
    padding = width if array.ndim else 0
    return lambda value: _format_number(value, pattern).rjust(padding), width


def _pattern(array: np.ndarray, options: Options) -> str:
    """Return the format of real numbers: with exponents, with a fraction, or, for whole numbers, with a bare
    point."""
    sizes = np.abs(array[np.isfinite(array)].astype(np.float64))
    whole = bool(np.array_equal(sizes, np.round(sizes)))
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return BARE
    exponents = options.sci_mode
    if exponents is None:
        exponents = bool(
            sizes.max() > LARGE or sizes.max() / sizes.min() > SPREAD or (not whole and sizes.min() < SMALL)
        )
    if exponents:
        return f"{{:.{options.precision}e}}"
    return BARE if whole else f"{{:.{options.precision}f}}"


def _format_number(value: Number, pattern: str | None) -> str:
    if pattern is None:
        return str(value)
    number = float(value)
    return pattern.format(number) if np.isfinite(number) else str(number)


def _width(array: np.ndarray, pattern: str | None) -> int:
    """Return the width of the widest element; for real numbers only among finite nonzero ones, as in PyTorch."""
    if pattern is not None:
        array = array[np.isfinite(array) & (array != 0)]
    return max([len(_format_number(value, pattern)) for value in array.ravel()], default=1)


def laid_out(excerpt: Excerpt, indent: int) -> str:
    """Format the excerpt in brackets: lines of at most `linewidth`, with empty lines between dimensions."""
    texts = excerpt.texts()
    if not texts.ndim:
        return texts.item()
    edge = excerpt.options.edgeitems
    room = excerpt.options.linewidth

    def lay(texts: np.ndarray, dim: int, indent: int) -> str:
        if texts.ndim == 1:
            row = list(texts)
            if excerpt.cut[dim]:
                row[edge:edge] = [" ..."]
            count = max(1, (room - indent) // (excerpt.width + 2))
            lines = [", ".join(row[start : start + count]) for start in range(0, len(row), count)]
            return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
        parts = [lay(text, dim + 1, indent + 1) for text in texts]
        if excerpt.cut[dim]:
            parts[edge:edge] = ["..."]
        return "[" + ("," + "\n" * (texts.ndim - 1) + " " * (indent + 1)).join(parts) + "]"

    return lay(texts, 0, indent)
