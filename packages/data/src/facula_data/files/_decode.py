"""From the bytes of a file to arrays and text."""

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
Decoder: TypeAlias = Callable[..., Any]  # from bytes to part of a sample: what that is, is the program's

# What Pillow may take a file for. Others of its readers start programs (EPS) or follow paths within the file.
FORMATS = ("BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "TGA", "TIFF", "WEBP")
MAX_PIXELS = 1 << 28
IN_MEMORY = "bytes in memory"


def pillow(operation: str) -> ModuleType:
    """The module PIL.Image.

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
    """Raise unless there is such a layout."""
    if layout not in ("CHW", "HWC"):
        raise InvalidValueError(f"{operation}: expected layout to be 'CHW' or 'HWC'; got layout={layout!r}")


def whole_file(operation: str, path: str, limit: int) -> bytes:
    """The contents of a file of at most `limit` bytes."""
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
    """The pixels of a picture, read by Pillow.

    Arguments:
        source: the bytes of the file, or its path. JPEG, PNG, WebP, TIFF, GIF, BMP, PPM, TGA or JPEG 2000.
        mode: what the pixels are converted to: "RGB", "L", "RGBA" or another mode of Pillow's; None leaves them.
        layout: "CHW" gives (channels, height, width), "HWC" (height, width, channels).
        max_pixels: a picture of more is refused before its pixels are read.

    Returns:
        An array of its own memory, uint8 in most modes. A picture of one channel has a dimension for it.

    Raises:
        ImportError: Pillow is not installed.
        CorruptFileError: it is no such picture, truncated, or too large.
        OSError: there is no such file.

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
                    "give max_pixels if it is meant to be as large",
                )  # fmt: skip
            if mode is not None and picture.mode != mode:
                picture = picture.convert(mode)
            pixels = np.array(picture)
    except CorruptFileError:
        raise
    except (
        Exception
    ) as error:  # OSError, SyntaxError, ValueError, struct.error, zlib.error, as the format's reader has it
        raise CorruptFileError(
            "decode_image", name, "", f"expected a picture that Pillow reads; {type(error).__name__}: {error!s:.200}",
            "check that the file is complete, and of mode and format as expected",
        ) from None  # fmt: skip
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)) if layout == "CHW" else pixels


@boundary
def decode_npy(source: Source) -> np.ndarray:
    """The array of a `.npy` file, given as its bytes or its path. Pickled objects are refused.

    Raises:
        CorruptFileError: the header is wrong, or the file shorter or longer than it says.

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
    """Bytes as text.

    Raises:
        CorruptFileError: they are no such text; it says where.

    >>> decode_text("Grüße".encode())
    'Grüße'
    """
    try:
        return bytes(source).decode(encoding)
    except UnicodeDecodeError as error:
        raise CorruptFileError(
            "decode_text", IN_MEMORY, f"byte {error.start}", f"expected text in {encoding}; {error.reason}",
            "give the encoding it was written in",
        ) from None  # fmt: skip
