"""Parsing of NumPy's `.npy` header from untrusted files."""

from __future__ import annotations

from typing import IO, NamedTuple

import numpy as np

from facula_errors import CorruptFileError

from ._local_file import LocalFile, MappedArray, count_of

MAGIC = b"\x93NUMPY"
HEADER = 1 << 16  # maximum bytes of a header: the names of a record's fields are its longest part
NOT_NPY = "write it with numpy.save(path, array, allow_pickle=False)"


class NpyLayout(NamedTuple):
    """The contents of a `.npy` header."""

    shape: tuple[int, ...]
    order: str
    dtype: np.dtype
    offset: int


def npy_layout(operation: str, path: str, file: IO[bytes]) -> NpyLayout:
    """Parse the header at the position of `file`.

    Raises:
        CorruptFileError: the header is invalid, or the dtype consists of Python objects, which only a pickle could
            contain.
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
    except Exception as error:  # the parser of the header raises many types, including SyntaxError and TokenError
        raise corrupt(f"expected the header of a .npy file; {error!s:.200}") from None
    shape, fortran, dtype = found
    if any(size < 0 for size in shape):
        raise corrupt(f"expected sizes of at least 0; got shape {shape}")
    if dtype.hasobject:
        raise corrupt(f"expected numbers; got {dtype}, which stores pickled Python objects")
    return NpyLayout(shape, "F" if fortran else "C", dtype, file.tell())


def mapped_npy(operation: str, path: str) -> MappedArray:
    """Map the array of a `.npy` file."""
    with open(LocalFile(operation, path).path, "rb") as file:
        layout = npy_layout(operation, path, file)
    return MappedArray(operation, path, layout.dtype, layout.shape, layout.offset, layout.order)


def npy_bytes(operation: str, path: str, file: IO[bytes], data: bytes) -> np.ndarray:
    """Return the array of a `.npy` file in memory; `file` must be at its beginning."""
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
