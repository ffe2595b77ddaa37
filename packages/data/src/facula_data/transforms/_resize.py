"""Resizing of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .. import _checks
from .._sampling.sample_rng import sample_rng
from ._shapes import Layout, Size, below, checked_image, checked_layout, height_and_width, part, two_sizes

Interpolation: TypeAlias = Literal["bilinear", "nearest", "nearest-exact"]
INTERPOLATIONS = ("bilinear", "nearest", "nearest-exact")


@lru_cache(maxsize=256)
def _weights(source: int, target: int, antialias: bool) -> np.ndarray:
    """Return the weight of each of `source` pixels in each of `target`, float64 (target, source); rows sum to 1.

    The kernel is a triangle around the center of each new pixel. Its width is the larger of the new and the old pixel
    size, so that every old pixel contributes, as in Pillow and `torch.nn.functional.interpolate(antialias=True)`.
    """
    scale = source / target
    middles = (np.arange(target) + 0.5) * scale
    if not antialias:
        places = np.clip(middles - 0.5, 0, source - 1)
        low = np.floor(places).astype(np.int64)
        high = np.minimum(low + 1, source - 1)
        weights = np.zeros((target, source))
        rows = np.arange(target)
        np.add.at(weights, (rows, low), 1 - (places - low))
        np.add.at(weights, (rows, high), places - low)
    else:
        width = max(scale, 1.0)
        distance = np.abs(np.arange(source) + 0.5 - middles[:, np.newaxis]) / width
        weights = np.maximum(1 - distance, 0)
        weights /= weights.sum(axis=1, keepdims=True)
    weights.flags.writeable = False
    return weights


def _places(source: int, target: int, exact: bool) -> np.ndarray:
    """Return the old pixel of each new one: the one at its upper left corner, or with `exact` the one at its center."""
    return (2 * np.arange(target) + exact) * source // (2 * target)


def resized(
    image: np.ndarray, layout: Layout, size: tuple[int, int], interpolation: Interpolation, antialias: bool
) -> np.ndarray:
    """Return `image` with another height and width; integers are rounded."""
    height, width = height_and_width(image, layout)
    if (height, width) == size:
        return image
    if interpolation != "bilinear":
        exact = interpolation == "nearest-exact"
        rows, columns = _places(height, size[0], exact), _places(width, size[1], exact)
        if layout == "HWC":
            return image[rows[:, np.newaxis], columns]
        return image[..., rows[:, np.newaxis], columns]
    dtype = np.dtype(np.float32) if image.dtype.itemsize <= 2 or image.dtype == np.float32 else np.dtype(np.float64)
    across, down = (_weights(*pair, antialias).astype(dtype) for pair in ((width, size[1]), (height, size[0])))
    planes = np.moveaxis(image, -1, 0) if layout == "HWC" and image.ndim == 3 else image
    planes = np.ascontiguousarray(planes, dtype=dtype)
    made = down @ (planes @ across.T)
    if image.dtype.kind in "iu":
        limits = np.iinfo(image.dtype)
        made = np.clip(np.rint(made), limits.min, limits.max)
    made = made.astype(image.dtype, copy=False)
    return np.ascontiguousarray(np.moveaxis(made, 0, -1)) if layout == "HWC" and image.ndim == 3 else made


def _checked_interpolation(operation: str, interpolation: Interpolation) -> Interpolation:
    if interpolation not in INTERPOLATIONS:
        expected = ", ".join(INTERPOLATIONS)
        raise InvalidValueError(f"{operation}: expected interpolation among {expected}; got {interpolation!r}")
    return interpolation


def _checked_pixels(operation: str, image: np.ndarray, layout: Layout) -> None:
    checked_image(operation, image, layout)
    if image.dtype.kind not in "iuf":
        raise InvalidTypeError(f"{operation}: expected integers or floats; got dtype {image.dtype}")
    if not all(height_and_width(image, layout)):
        raise InvalidValueError(f"{operation}: expected a picture with pixels; got shape {image.shape}")


@boundary
class Resize:
    """Resize an image with NumPy.

    Arguments:
        size: (height, width); one number is the size of the shorter side, and preserves the aspect ratio.
        interpolation: "bilinear"; "nearest" selects the old pixel at the upper left of each new one, like torchvision's
            NEAREST, and "nearest-exact" the one at its center, like Pillow.
        antialias: whether each new pixel of a smaller image is a mean over all pixels that it covers; for "bilinear".
        layout: "CHW" or "HWC".

    Integers are rounded once at the end; Pillow also rounds between its two passes, so results may differ by one.

    >>> Resize((1, 2))(np.array([[0, 10, 20, 30]], dtype="uint8")).tolist()
    [[7, 23]]

    Source: torchvision.transforms.Resize.
    """

    thread_safe = True

    antialias: bool

    def __init__(
        self,
        size: Size,
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        *,
        layout: Layout = "CHW",
    ) -> None:
        self.size: tuple[int, int] | int = (
            two_sizes("Resize", size)
            if isinstance(size, (tuple, list)) and len(size) == 2
            else two_sizes("Resize", size)[0]
        )
        self.interpolation = _checked_interpolation("Resize", interpolation)
        self.antialias = _checks.truth("Resize", "antialias", antialias)
        self.layout = checked_layout("Resize", layout)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        _checked_pixels("Resize", image, self.layout)
        size = self.size
        if isinstance(size, int):
            height, width = height_and_width(image, self.layout)
            longer = max(int(size * max(height, width) / min(height, width)), 1)
            size = (size, longer) if height <= width else (longer, size)
        return resized(image, self.layout, size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        return f"Resize({self.size}, interpolation={self.interpolation!r}, antialias={self.antialias})"


@boundary
class RandomResizedCrop:
    """Crop a random part of an image, of random size, aspect ratio and position, and resize it.

    Arguments:
        size: (height, width) of the result, or one number for both.
        scale: the minimum and maximum of the crop's share of the image's area.
        ratio: the minimum and maximum of the crop's width divided by its height.
        interpolation: as in `Resize`.
        antialias: as in `Resize`.
        layout: "CHW" or "HWC".

    Up to ten crops are drawn; if none fits into the image, its center is used. Calls accept `rng`, like those of
    `RandomCrop`.

    >>> RandomResizedCrop(8)(np.zeros((3, 20, 30), dtype="uint8")).shape
    (3, 8, 8)

    Source: torchvision.transforms.RandomResizedCrop.
    """

    thread_safe = True

    size: tuple[int, int]
    scale: tuple[float, float]
    ratio: tuple[float, float]
    antialias: bool

    def __init__(
        self,
        size: Size,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3 / 4, 4 / 3),
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        *,
        layout: Layout = "CHW",
    ) -> None:
        name = "RandomResizedCrop"
        self.size, self.scale, self.ratio = two_sizes(name, size), _span("scale", scale), _span("ratio", ratio)
        self.interpolation = _checked_interpolation(name, interpolation)
        self.antialias = _checks.truth(name, "antialias", antialias)
        self.layout = checked_layout(name, layout)

    def _part(self, height: int, width: int, rng: np.random.Generator) -> tuple[int, int, int, int]:
        """Return top, left, height and width."""
        low, high = (math.log(bound) for bound in self.ratio)
        for _ in range(10):
            area = height * width * (self.scale[0] + rng.random() * (self.scale[1] - self.scale[0]))
            ratio = math.exp(low + rng.random() * (high - low))
            wide, tall = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < wide <= width and 0 < tall <= height:
                return below(rng, height - tall + 1), below(rng, width - wide + 1), tall, wide
        tall, wide = height, width
        if width / height < self.ratio[0]:
            tall = max(round(width / self.ratio[0]), 1)
        elif width / height > self.ratio[1]:
            wide = max(round(height * self.ratio[1]), 1)
        return (height - tall) // 2, (width - wide) // 2, tall, wide

    def __call__(self, image: np.ndarray, *, rng: np.random.Generator | None = None) -> np.ndarray:
        _checked_pixels("RandomResizedCrop", image, self.layout)
        rng = sample_rng() if rng is None else rng
        top, left, tall, wide = self._part(*height_and_width(image, self.layout), rng)
        cut = part(image, self.layout, slice(top, top + tall), slice(left, left + wide))
        return resized(cut, self.layout, self.size, self.interpolation, self.antialias)

    def __repr__(self) -> str:
        return f"RandomResizedCrop({self.size}, scale={self.scale}, ratio={self.ratio})"


def _span(name: str, value: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in value)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not 0 < low <= high < math.inf:
        expected = f"two numbers above 0 as {name}, the smaller first"
        raise InvalidValueError(f"RandomResizedCrop: expected {expected}; got {name}={value!r}")
    return low, high
