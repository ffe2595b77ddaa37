"""Arrays as text: how each number is written, and how many stand in a line."""

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

LARGE, SMALL, SPREAD = 1e8, 1e-4, 1e3  # beyond these, and in tensors of sizes further apart, numbers have exponents


BARE = "{:.0f}."


class Excerpt:
    """The elements of a tensor that are shown: all, or the corners; `cut` says of each dimension whether it is short.

    Only what is shown is copied to the host.
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
        self.array = (shown if shown.device is cpu else no_record_ops.to_device(shown, (cpu,))).numpy()
        self.write, self.width = writer(self.array, options)

    def texts(self) -> np.ndarray:
        """Each number's text, in the array's shape."""
        texts = np.empty(self.array.shape, object)
        for place in np.ndindex(self.array.shape):
            texts[place] = self.write(self.array[place])
        return texts


def _corners(shown: Tensor, layout: Layout, cut: tuple[bool, ...], edge: int) -> Tensor:
    """The first and last few elements along each long dimension, so that printing costs no more than it shows."""
    for dim, size in enumerate(layout.shape):
        if cut[dim]:
            ends = [no_record_ops.slice(shown, dim, 0, edge, 1), no_record_ops.slice(shown, dim, size - edge, size, 1)]
            shown = cat(ends, dim)
    return shown


def writer(array: np.ndarray, options: Options) -> tuple[Callable[[Number], str], int]:
    """A function that writes one element of `array`, and the width that it fills where there are dimensions."""
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
    """The pattern for real numbers: with exponents, with a fraction, or, where all are whole, with a bare point."""
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
    """The width of the widest element; of real numbers only of those that are finite and not 0, as PyTorch has it."""
    if pattern is not None:
        array = array[np.isfinite(array) & (array != 0)]
    return max([len(_format_number(value, pattern)) for value in array.ravel()], default=1)


def laid_out(excerpt: Excerpt, indent: int) -> str:
    """The excerpt in brackets: rows in lines of at most `linewidth`, dimensions apart by empty lines."""
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
        parts = [lay(one, dim + 1, indent + 1) for one in texts]
        if excerpt.cut[dim]:
            parts[edge:edge] = ["..."]
        return "[" + ("," + "\n" * (texts.ndim - 1) + " " * (indent + 1)).join(parts) + "]"

    return lay(texts, 0, indent)
