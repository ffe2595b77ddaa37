"""Transforms of an image's values, and of the order of its dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._shapes import Layout, checked_image, checked_layout


@boundary
class ToFloat:
    """Convert integers to float32 from 0 to 1, dividing by the maximum of the dtype (255 for uint8). Floats are cast.

    >>> ToFloat()(np.array([[0, 51, 255]], dtype="uint8")).tolist()
    [[0.0, 0.20000000298023224, 1.0]]

    Source: torchvision.transforms.ConvertImageDtype(torch.float32).
    """

    thread_safe = True

    def __call__(self, image: np.ndarray) -> np.ndarray:
        if not isinstance(image, np.ndarray) or image.dtype.kind not in "uif":
            got = f"dtype {image.dtype}" if isinstance(image, np.ndarray) else type(image).__name__
            raise InvalidTypeError(f"ToFloat: expected an array of integers or floats; got {got}")
        if image.dtype.kind == "f":
            return image.astype(np.float32)
        largest = np.iinfo(image.dtype).max
        # the dtype represents every such integer exactly
        exact = np.float32 if image.dtype.itemsize < 3 else np.float64
        return np.divide(image, exact(largest), dtype=exact).astype(np.float32, copy=False)

    def __repr__(self) -> str:
        return "ToFloat()"


@boundary
class Normalize:
    """Compute `(image - mean) / std` per channel, in the image's dtype.

    Arguments:
        mean: a number for each channel, or one for all.
        std: a nonzero number for each channel, or one for all.
        layout: "CHW" or "HWC", the position of the channels. A two-dimensional image has one channel.

    Raises:
        TypeError: the image is not of floats; use `ToFloat` first.
        ValueError: the number of values differs from the number of channels, or a `std` is 0.

    >>> Normalize([1.0, 2.0], [1.0, 4.0])(np.ones((2, 1, 1))).ravel().tolist()
    [0.0, -0.25]

    Source: torchvision.transforms.Normalize.
    """

    thread_safe = True

    mean: np.ndarray
    std: np.ndarray

    def __init__(self, mean: float | Sequence[float], std: float | Sequence[float], *, layout: Layout = "CHW") -> None:
        self.layout = checked_layout("Normalize", layout)
        self.mean, self.std = _channels("mean", mean), _channels("std", std)
        if not self.std.all():
            raise InvalidValueError(f"Normalize: expected std without zeros; got std={self.std.tolist()}")

    def __call__(self, image: np.ndarray) -> np.ndarray:
        checked_image("Normalize", image, self.layout)
        if image.dtype.kind != "f":
            raise InvalidTypeError(f"Normalize: expected floats; got dtype {image.dtype}; apply ToFloat() before")
        channels = 1 if image.ndim == 2 else image.shape[-1 if self.layout == "HWC" else -3]
        for name, numbers in (("mean", self.mean), ("std", self.std)):
            if len(numbers) not in (1, channels):
                got = f"{name}={numbers.tolist()} for shape {image.shape}"
                raise InvalidValueError(
                    f"Normalize: expected one {name}, or one for each of {channels} channels; got {got}"
                )
        tail = (1, 1) if self.layout == "CHW" and image.ndim > 2 else ()
        shape = (-1, *tail)
        made = image - self.mean.astype(image.dtype).reshape(shape)
        made /= self.std.astype(image.dtype).reshape(shape)
        return made

    def __repr__(self) -> str:
        return f"Normalize(mean={self.mean.tolist()}, std={self.std.tolist()})"


def _channels(name: str, value: float | Sequence[float]) -> np.ndarray:
    try:
        found = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        found = np.empty((0, 0))
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise InvalidTypeError(
            f"Normalize: expected {name} to be a number, or one for each channel; got {name}={value!r}"
        )
    return found


@boundary
class ToCHW:
    """Transpose an image from (height, width, channels) or (height, width) to (channels, height, width), as a copy.

    >>> ToCHW()(np.zeros((4, 5, 3))).shape, ToCHW()(np.zeros((4, 5))).shape
    ((3, 4, 5), (1, 4, 5))
    """

    thread_safe = True

    def __call__(self, image: np.ndarray) -> np.ndarray:
        checked_image("ToCHW", image, "HWC")
        return np.array(image[np.newaxis] if image.ndim == 2 else image.transpose(2, 0, 1), order="C")

    def __repr__(self) -> str:
        return "ToCHW()"
