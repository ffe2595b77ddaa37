"""The header of NumPy's `.npy` format, read without trust."""

from __future__ import annotations

from typing import IO, NamedTuple

import numpy as np

from facula_errors import CorruptFileError

from ._local_file import LocalFile, MappedArray, count_of

MAGIC = b"\x93NUMPY"
HEADER = 1 << 16  # the most bytes of a header: names of a record's fields are its longest part
NOT_NPY = "write it with numpy.save(path, array, allow_pickle=False)"


class NpyLayout(NamedTuple):
    """What a `.npy` header says."""

    shape: tuple[int, ...]
    order: str
    dtype: np.dtype
    offset: int


def npy_layout(operation: str, path: str, file: IO[bytes]) -> NpyLayout:
    """The layout of the array whose header `file` is at.

    Raises:
        CorruptFileError: it is no header, or one of Python's objects, which only a pickle could hold.
    """

    def corrupt(problem: str) -> CorruptFileError:
        return CorruptFileError(operation, path, "byte 0", problem, NOT_NPY)

    try:
        version = np.lib.format.read_magic(file)  # type: ignore[no-untyped-call]
        if version == (1, 0):
            found = np.lib.format.read_array_header_1_0(file, max_header_size=HEADER)  # type: ignore[no-untyped-call]
        elif version == (2, 0):
            found = np.lib.format.read_array_header_2_0(file, max_header_size=HEADER)  # type: ignore[no-untyped-call]
        else:
            raise corrupt(f"expected version 1.0 or 2.0 of the .npy format; got {version}")
    except CorruptFileError:
        raise
    except Exception as error:  # what parses the header raises much, SyntaxError and TokenError among it
        raise corrupt(f"expected the header of a .npy file; {error!s:.200}") from None
    shape, fortran, dtype = found
    if any(size < 0 for size in shape):
        raise corrupt(f"expected sizes of at least 0; got shape {shape}")
    if dtype.hasobject:
        raise corrupt(f"expected numbers; got {dtype}, which is Python's objects in a pickle")
    return NpyLayout(shape, "F" if fortran else "C", dtype, file.tell())


def mapped_npy(operation: str, path: str) -> MappedArray:
    """The array of a `.npy` file, mapped."""
    with open(LocalFile(operation, path).path, "rb") as file:
        layout = npy_layout(operation, path, file)
    return MappedArray(operation, path, layout.dtype, layout.shape, layout.offset, layout.order)


def npy_bytes(operation: str, path: str, file: IO[bytes], data: bytes) -> np.ndarray:
    """The array of a `.npy` file that is in memory; `file` is at its beginning."""
    layout = npy_layout(operation, path, file)
    wanted, got = count_of(layout.shape) * layout.dtype.itemsize, len(data) - layout.offset
    if wanted != got:
        raise CorruptFileError(
            operation, path, f"byte {layout.offset}",
            f"expected {wanted} bytes for {layout.dtype} {layout.shape}; got {got}", "copy or write the file again",
        )  # fmt: skip
    array = np.frombuffer(data, layout.dtype, count_of(layout.shape), layout.offset) if wanted else np.empty(0)
    if not wanted:
        return np.empty(layout.shape, layout.dtype)
    return array.reshape(layout.shape, order="F" if layout.order == "F" else "C").copy(order="C")
