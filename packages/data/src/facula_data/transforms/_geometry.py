"""Cropping, padding and flipping of images."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .. import _checks
from .._sampling.sample_rng import sample_rng
from ._shapes import (
    Layout,
    Size,
    below,
    chance,
    checked_image,
    checked_layout,
    height_and_width,
    part,
    sides,
    two_sizes,
)

PaddingMode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric"]
MODES = ("constant", "edge", "reflect", "symmetric")


def pad(
    operation: str, image: np.ndarray, layout: Layout, border: tuple[int, int, int, int], mode: PaddingMode, fill: float
) -> np.ndarray:
    """Return `image` with a border of (left, top, right, bottom)."""
    left, top, right, bottom = border
    height, width = height_and_width(image, layout)
    if mode == "reflect" and (max(left, right) >= max(width, 1) or max(top, bottom) >= max(height, 1)):
        raise InvalidValueError(
            f"{operation}: expected padding smaller than the picture, {height} × {width}, as it is mirrored; got "
            f"(left, top, right, bottom) {border}; pad in mode 'symmetric' or 'edge'"
        )
    if mode != "constant" and not (height and width):
        raise InvalidValueError(f"{operation}: expected a picture with pixels; got shape {image.shape}")
    widths = [(0, 0)] * image.ndim
    start = 0 if layout == "HWC" else image.ndim - 2
    widths[start], widths[start + 1] = (top, bottom), (left, right)
    if mode == "constant":
        return np.pad(image, widths, constant_values=np.asarray(fill).astype(image.dtype))
    return np.pad(image, widths, mode)


def checked_mode(operation: str, mode: PaddingMode) -> PaddingMode:
    """Return `mode` after checking that it is known."""
    if mode not in MODES:
        raise InvalidValueError(
            f"{operation}: expected padding_mode among {', '.join(MODES)}; got padding_mode={mode!r}"
        )
    return mode


@boundary
class Pad:
    """Add a border to an image.

    Arguments:
        padding: the width of the border in pixels for all sides; or (left and right, top and bottom), or (left, top,
            right, bottom).
        fill: the value of the border, in mode "constant".
        padding_mode: "constant"; "edge" repeats the last pixel, "reflect" mirrors without it, "symmetric" with it.
        layout: "CHW" or "HWC".

    >>> Pad((1, 0), fill=7)(np.array([[1, 2]])).tolist()
    [[7, 1, 2, 7]]

    Source: torchvision.transforms.Pad.
    """

    thread_safe = True

    padding: tuple[int, int, int, int]

    def __init__(
        self, padding: Size, fill: float = 0, padding_mode: PaddingMode = "constant", *, layout: Layout = "CHW"
    ) -> None:
        self.padding, self.fill = sides("Pad", padding), fill
        self.padding_mode, self.layout = checked_mode("Pad", padding_mode), checked_layout("Pad", layout)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        checked_image("Pad", image, self.layout)
        return pad("Pad", image, self.layout, self.padding, self.padding_mode, self.fill)

    def __repr__(self) -> str:
        return f"Pad({self.padding}, fill={self.fill}, padding_mode={self.padding_mode!r})"


@boundary
class CenterCrop:
    """Crop the center of an image, as a view; a smaller image is first padded with zeros.

    Arguments:
        size: (height, width), or one number for both.
        layout: "CHW" or "HWC".

    >>> CenterCrop(2)(np.arange(16).reshape(4, 4)).tolist()
    [[5, 6], [9, 10]]

    Source: torchvision.transforms.CenterCrop.
    """

    thread_safe = True

    size: tuple[int, int]

    def __init__(self, size: Size, *, layout: Layout = "CHW") -> None:
        self.size, self.layout = two_sizes("CenterCrop", size), checked_layout("CenterCrop", layout)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        checked_image("CenterCrop", image, self.layout)
        tall, wide = self.size
        height, width = height_and_width(image, self.layout)
        if height < tall or width < wide:
            across, down = max(wide - width, 0), max(tall - height, 0)
            border = (across // 2, down // 2, (across + 1) // 2, (down + 1) // 2)
            image = pad("CenterCrop", image, self.layout, border, "constant", 0)
            height, width = height_and_width(image, self.layout)
        top, left = round((height - tall) / 2), round((width - wide) / 2)
        return part(image, self.layout, slice(top, top + tall), slice(left, left + wide))

    def __repr__(self) -> str:
        return f"CenterCrop({self.size})"


@boundary
class RandomCrop:
    """Crop an image at a random position to a fixed size, as a view.

    Arguments:
        size: (height, width), or one number for both.
        padding: the border that is added first, as in `Pad`; none by default.
        pad_if_needed: whether to pad an image smaller than `size` by the missing pixels on both sides; otherwise it is
            an error.
        fill: the value of the border, in mode "constant".
        padding_mode: as in `Pad`.
        layout: "CHW" or "HWC".

    Calls accept `rng`, a numpy.random.Generator; by default the generator of the sample, or of this thread.

    Raises:
        ValueError: the image is smaller than `size`.

    >>> RandomCrop(2)(np.arange(9).reshape(3, 3), rng=np.random.default_rng(0)).tolist()
    [[3, 4], [6, 7]]

    Source: torchvision.transforms.RandomCrop.
    """

    thread_safe = True

    size: tuple[int, int]
    padding: tuple[int, int, int, int] | None
    pad_if_needed: bool

    def __init__(
        self,
        size: Size,
        padding: Size | None = None,
        pad_if_needed: bool = False,
        fill: float = 0,
        padding_mode: PaddingMode = "constant",
        *,
        layout: Layout = "CHW",
    ) -> None:
        self.size = two_sizes("RandomCrop", size)
        self.padding = None if padding is None else sides("RandomCrop", padding)
        self.pad_if_needed = _checks.truth("RandomCrop", "pad_if_needed", pad_if_needed)
        self.fill, self.padding_mode = fill, checked_mode("RandomCrop", padding_mode)
        self.layout = checked_layout("RandomCrop", layout)

    def _padded(self, image: np.ndarray, border: tuple[int, int, int, int]) -> np.ndarray:
        return pad("RandomCrop", image, self.layout, border, self.padding_mode, self.fill)

    def __call__(self, image: np.ndarray, *, rng: np.random.Generator | None = None) -> np.ndarray:
        checked_image("RandomCrop", image, self.layout)
        if self.padding is not None:
            image = self._padded(image, self.padding)
        tall, wide = self.size
        height, width = height_and_width(image, self.layout)
        if self.pad_if_needed and (height < tall or width < wide):
            across, down = max(wide - width, 0), max(tall - height, 0)
            image = self._padded(image, (across, down, across, down))
            height, width = height_and_width(image, self.layout)
        if height < tall or width < wide:
            raise InvalidValueError(
                f"RandomCrop: expected a picture of at least {tall} × {wide}; got {height} × {width}; pass padding or "
                "pad_if_needed=True"
            )
        if (height, width) == self.size:
            return image
        rng = sample_rng() if rng is None else rng
        top, left = below(rng, height - tall + 1), below(rng, width - wide + 1)
        return part(image, self.layout, slice(top, top + tall), slice(left, left + wide))

    def __repr__(self) -> str:
        return f"RandomCrop({self.size}, padding={self.padding})"


class _RandomFlip:
    """Flip an image with probability `p`."""

    thread_safe = True

    p: float

    def __init__(self, p: float = 0.5, *, layout: Layout = "CHW") -> None:
        name = type(self).__name__
        self.p, self.layout = chance(name, "p", p), checked_layout(name, layout)

    def _flipped(self, image: np.ndarray) -> np.ndarray:
        return image

    def __call__(self, image: np.ndarray, *, rng: np.random.Generator | None = None) -> np.ndarray:
        checked_image(type(self).__name__, image, self.layout)
        rng = sample_rng() if rng is None else rng
        return self._flipped(image) if rng.random() < self.p else image

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


@boundary
class RandomHorizontalFlip(_RandomFlip):
    """Flip an image horizontally with probability `p`, as a view. Calls accept `rng`, like those of `RandomCrop`.

    Arguments:
        p: the probability.
        layout: "CHW" or "HWC".

    >>> RandomHorizontalFlip(p=1)(np.array([[1, 2, 3]])).tolist()
    [[3, 2, 1]]

    Source: torchvision.transforms.RandomHorizontalFlip.
    """

    def _flipped(self, image: np.ndarray) -> np.ndarray:
        return part(image, self.layout, slice(None), slice(None, None, -1))


@boundary
class RandomVerticalFlip(_RandomFlip):
    """Flip an image vertically with probability `p`, as a view. Calls accept `rng`, like those of `RandomCrop`.

    Arguments:
        p: the probability.
        layout: "CHW" or "HWC".

    Source: torchvision.transforms.RandomVerticalFlip.
    """

    def _flipped(self, image: np.ndarray) -> np.ndarray:
        return part(image, self.layout, slice(None, None, -1), slice(None))
