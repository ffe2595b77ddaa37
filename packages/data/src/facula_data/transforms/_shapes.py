"""Layouts of images: the dimensions of height and width, and checks of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError

from .. import _checks

Layout: TypeAlias = Literal["CHW", "HWC"]
Size: TypeAlias = int | Sequence[int]


def checked_layout(operation: str, layout: str) -> Layout:
    """Return `layout` after checking that it is known."""
    if layout == "CHW":
        return "CHW"
    if layout == "HWC":
        return "HWC"
    raise InvalidValueError(f"{operation}: expected layout to be 'CHW' or 'HWC'; got layout={layout!r}")


def checked_image(operation: str, image: object, layout: Layout) -> np.ndarray:
    """Return `image` after checking that it is an array with a height and a width."""
    if not isinstance(image, np.ndarray):
        remedy = "numpy.asarray(...) converts an image of Pillow"
        raise InvalidTypeError(f"{operation}: expected a NumPy array; got {type(image).__name__}; {remedy}")
    if image.ndim < 2 or (layout == "HWC" and image.ndim > 3):
        expected = "(..., height, width)" if layout == "CHW" else "(height, width, channels) or (height, width)"
        raise InvalidValueError(f"{operation}: expected a picture of shape {expected}; got shape {image.shape}")
    return image


def height_and_width(image: np.ndarray, layout: Layout) -> tuple[int, int]:
    """Return the height and width."""
    start = 0 if layout == "HWC" else image.ndim - 2
    return image.shape[start], image.shape[start + 1]


def part(image: np.ndarray, layout: Layout, rows: slice, columns: slice) -> np.ndarray:
    """Return a rectangle of the image, as a view."""
    return image[rows, columns] if layout == "HWC" else image[..., rows, columns]


def two_sizes(operation: str, size: Size) -> tuple[int, int]:
    """Return (height, width); an integer is used for both."""
    sizes = size if isinstance(size, (tuple, list)) else (size,)
    if len(sizes) not in (1, 2):
        raise InvalidValueError(f"{operation}: expected size to be an integer or (height, width); got size={size!r}")
    found = [_checks.whole_number(operation, "size", extent, 1) for extent in sizes]
    return found[0], found[-1]


def sides(operation: str, padding: Size) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) from one number, (left and right, top and bottom), or all four."""
    given = padding if isinstance(padding, (tuple, list)) else (padding,)
    if len(given) not in (1, 2, 4):
        expected = "an integer, (left and right, top and bottom) or (left, top, right, bottom)"
        raise InvalidValueError(f"{operation}: expected padding to be {expected}; got padding={padding!r}")
    found = [_checks.whole_number(operation, "padding", extent, 0) for extent in given]
    left, top, right, bottom = (found * (4 // len(found)))[:4]
    return left, top, right, bottom


def chance(operation: str, name: str, value: float) -> float:
    """Return `value` after checking that it is a probability."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise InvalidValueError(f"{operation}: expected {name} to be a number from 0 to 1; got {name}={value!r}")
    return float(value)


def below(rng: np.random.Generator, count: int) -> int:
    """Draw an integer from 0 to count - 1 from one `random()`, because NumPy may change how it draws integers."""
    return min(int(rng.random() * count), count - 1)
