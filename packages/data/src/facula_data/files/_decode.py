"""Decoders from the bytes of a file to arrays and text."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from facula_errors import CorruptFileError, InvalidValueError, MissingPackageError
from facula_errors.extend import boundary

from .. import _checks
from ._file_errors import Path, path_of
from ._npy import npy_bytes

if TYPE_CHECKING:
    from types import ModuleType

Layout: TypeAlias = Literal["CHW", "HWC"]
Source: TypeAlias = bytes | bytearray | memoryview | Path
Decoder: TypeAlias = Callable[..., Any]  # from bytes to part of a sample, of any type

# The formats that Pillow may detect. Some of its other readers start programs (EPS) or follow paths within the file.
FORMATS = ("BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "TGA", "TIFF", "WEBP")
MAX_PIXELS = 1 << 28
IN_MEMORY = "bytes in memory"


def pillow(operation: str) -> ModuleType:
    """Import the module PIL.Image.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingPackageError(
            f"{operation}: the package pillow is missing; install it, as with: pip install pillow"
        ) from error
    return Image


def check_layout(operation: str, layout: str) -> None:
    """Raise InvalidValueError unless `layout` is known."""
    if layout not in ("CHW", "HWC"):
        raise InvalidValueError(f"{operation}: expected layout to be 'CHW' or 'HWC'; got layout={layout!r}")


def whole_file(operation: str, path: str, limit: int) -> bytes:
    """Return the contents of a file of at most `limit` bytes."""
    with open(path_of(operation, path), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise CorruptFileError(
            operation, path, f"byte {limit}", f"expected at most {limit} bytes; got {os.path.getsize(path)}",
            "check that it is the right file",
        )  # fmt: skip
    return data


@boundary
def decode_image(
    source: Source, mode: str | None = "RGB", *, layout: Layout = "CHW", max_pixels: int = MAX_PIXELS
) -> np.ndarray:
    """Decode the pixels of an image with Pillow.

    Arguments:
        source: the bytes of the file, or its path. The format may be JPEG, PNG, WebP, TIFF, GIF, BMP, PPM, TGA or JPEG
            2000.
        mode: the mode to convert the pixels to: "RGB", "L", "RGBA" or another mode of Pillow; None keeps the file's
            mode.
        layout: "CHW" for (channels, height, width), "HWC" for (height, width, channels).
        max_pixels: the maximum number of pixels; larger images are rejected before their pixels are read.

    Returns:
        A new array, uint8 in most modes. An image with one channel has a dimension for it.

    Raises:
        ImportError: Pillow is not installed.
        CorruptFileError: the file is not such an image, truncated, or too large.
        OSError: the file does not exist.

    >>> decode_image(b"P6 3 2 255 " + bytes(range(18))).shape
    (3, 2, 3)
    """
    check_layout("decode_image", layout)
    _checks.whole_number("decode_image", "max_pixels", max_pixels, 1)
    image = pillow("decode_image")
    opened: str | BytesIO
    if isinstance(source, (bytes, bytearray, memoryview)):
        name, opened = IN_MEMORY, BytesIO(source)
    else:
        name = opened = path_of("decode_image", source)
    try:
        with image.open(opened, formats=FORMATS) as picture:
            width, height = picture.size
            if width * height > max_pixels:
                raise CorruptFileError(
                    "decode_image", name, "", f"expected at most {max_pixels} pixels; got {width} × {height}",
                    "pass max_pixels if this size is intended",
                )  # fmt: skip
            if mode is not None and picture.mode != mode:
                picture = picture.convert(mode)
            pixels = np.array(picture)
    except CorruptFileError:
        raise
    except (
        Exception
        # the exception depends on the format's reader: OSError, SyntaxError, ValueError, struct.error or zlib.error
    ) as error:
        raise CorruptFileError(
            "decode_image", name, "", f"expected a picture that Pillow reads; {type(error).__name__}: {error!s:.200}",
            "check that the file is complete, and of mode and format as expected",
        ) from None  # fmt: skip
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)) if layout == "CHW" else pixels


@boundary
def decode_npy(source: Source) -> np.ndarray:
    """Decode the array of a `.npy` file, given as bytes or path. Pickled objects are rejected.

    Raises:
        CorruptFileError: the header is invalid, or the file's size differs from the size in the header.

    >>> from io import BytesIO
    >>> import numpy as np
    >>> file = BytesIO()
    >>> np.save(file, np.arange(3))
    >>> decode_npy(file.getvalue())
    array([0, 1, 2])
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        name, data = IN_MEMORY, bytes(source)
    else:
        name = path_of("decode_npy", source)
        data = whole_file("decode_npy", name, os.path.getsize(name))
    return npy_bytes("decode_npy", name, BytesIO(data), data)


@boundary
def decode_text(source: bytes, encoding: str = "utf-8") -> str:
    """Decode bytes as text.

    Raises:
        CorruptFileError: the bytes are not valid in this encoding; the error names the position.

    >>> decode_text("Grüße".encode())
    'Grüße'
    """
    try:
        return bytes(source).decode(encoding)
    except UnicodeDecodeError as error:
        raise CorruptFileError(
            "decode_text", IN_MEMORY, f"byte {error.start}", f"expected text in {encoding}; {error.reason}",
            "pass the encoding of the file",
        ) from None  # fmt: skip
