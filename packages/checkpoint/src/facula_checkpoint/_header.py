"""The safetensors header: eight bytes of length, JSON, then the bytes of all tensors without gaps.

Specified at https://huggingface.co/docs/safetensors: ``{"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
24]}, "__metadata__": {"key": "text"}}``, little-endian, with offsets relative to the header's end. This module rejects
everything that the format forbids before any bytes of a tensor are read.
"""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from facula_errors import InvalidTypeError, InvalidValueError
from facula_storage import (
    DType,
    Layout,
    bfloat16,
    bool_,
    complex64,
    complex128,
    contiguous,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

from ._errors import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LENGTH_BYTES = 8
MAX_HEADER = 100_000_000  # bytes; the limit of the format
MAX_DIMENSIONS = 64
METADATA = "__metadata__"
RESERVED = "facula."  # prefix of facula's own metadata keys
COMPLEX128 = RESERVED + "complex128"  # names of complex128 tensors, as a JSON list

_ALIGNMENT = 64  # of the first tensor in the file: a cache line, so that mapped memory is as fast as allocated memory
_MAX_SIZE = (1 << 63) - 1

_NAMES: dict[DType, str] = {
    bool_: "BOOL", uint8: "U8", int8: "I8", int16: "I16", int32: "I32", int64: "I64", float16: "F16",
    bfloat16: "BF16", float32: "F32", float64: "F64", complex64: "C64",
    uint16: "U16", uint32: "U32", uint64: "U64", float8_e4m3fn: "F8_E4M3", float8_e5m2: "F8_E5M2",
    float8_e8m0fnu: "F8_E8M0", float8_e4m3fnuz: "F8_E4M3FNUZ", float8_e5m2fnuz: "F8_E5M2FNUZ",
}  # fmt: skip
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
_UNSUPPORTED = frozenset({"F4", "F6_E2M3", "F6_E3M2"})


class Entry(NamedTuple):
    """One tensor of a file: its layout, and the range of its bytes in the data after the header."""

    layout: Layout
    begin: int
    end: int


class Header(NamedTuple):
    """The contents of a header: the tensors in the header's order, and all metadata."""

    entries: dict[str, Entry]
    metadata: dict[str, str]


# Writing -------------------------------------------------------------------------------------------------------------


def stored_as(layout: Layout, where: str) -> tuple[str, tuple[int, ...]]:
    """Return the format's dtype and shape for a layout; raise TypeError for dtypes that the format lacks.

    complex128 is written as pairs of float64 along a new last dimension.
    """
    if layout.dtype is complex128:
        return "F64", (*layout.shape, 2)
    name = _NAMES.get(layout.dtype)
    if name is None:
        known = ", ".join(dtype.name for dtype in (*_NAMES, complex128))
        raise InvalidTypeError(
            f"save: {where} is of dtype {layout.dtype.name}; safetensors can hold {known}; convert it first"
        )
    return name, layout.shape


def build_header(layouts: Mapping[str, Layout], metadata: Mapping[str, str]) -> tuple[bytes, list[str]]:
    """Build the header's bytes, including the length, and the order of the names in which the tensors' bytes follow.

    Tensors with large elements come first, so that each tensor is aligned to its element size; the header keeps the
    given order.
    """
    metadata = dict(metadata)
    pairs = [name for name, layout in layouts.items() if layout.dtype is complex128]
    if pairs:
        metadata[COMPLEX128] = json.dumps(pairs)
    order = sorted(layouts, key=lambda name: -min(layouts[name].dtype.itemsize, 8))
    offsets, position = {}, 0
    for name in order:
        offsets[name] = [position, position + layouts[name].nbytes]
        position += layouts[name].nbytes
    described: dict[str, object] = {METADATA: metadata} if metadata else {}
    for name, layout in layouts.items():
        dtype, shape = stored_as(layout, f"tensor {name!r}")
        described[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets[name]}
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + LENGTH_BYTES) % _ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise InvalidValueError(
            f"save: names, shapes and metadata take {len(text)} bytes; the format allows {MAX_HEADER}; "
            "save into several files"
        )
    return len(text).to_bytes(LENGTH_BYTES, "little") + text, order


# Reading -------------------------------------------------------------------------------------------------------------


def parse_header(path: str, text: bytes, data_bytes: int | None) -> Header:
    """Parse the header `text` and validate it against the `data_bytes` that follow; raise CheckpointError if invalid.

    If `data_bytes` is None, the data ends with the last tensor.
    """

    def refuse(reason: str) -> NoReturn:
        raise CheckpointError(path, reason)

    described = parse_json(path, "the header", text)
    if type(described) is not dict:
        refuse(f"the header is a JSON {type(described).__name__}; expected an object")
    metadata = described.pop(METADATA, {})
    if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
        refuse(f"{METADATA} is not an object of strings")
    most = _MAX_SIZE if data_bytes is None else data_bytes
    entries = {name: _entry(refuse, name, value, most) for name, value in described.items()}
    if data_bytes is None:
        data_bytes = max((entry.end for entry in entries.values()), default=0)
    _check_ranges(refuse, entries, data_bytes)
    for name in _complex_names(path, metadata):
        entry = entries.get(name)
        if entry is None or entry.layout.dtype is not float64 or entry.layout.shape[-1:] != (2,):
            refuse(f"its metadata call tensor {name!r:.200} complex128, but it is not stored as pairs of F64")
        entries[name] = entry._replace(layout=contiguous(entry.layout.shape[:-1], complex128))
    return Header(entries, metadata)


def parse_json(path: str, what: str, text: bytes | str) -> Any:
    """Parse strict JSON: UTF-8, no duplicate names in an object, no NaN; raise CheckpointError if invalid.

    Arguments:
        path: the file, for errors.
        what: the part of the file, for errors.
        text: the JSON.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except RecursionError:
        raise CheckpointError(path, f"{what} is nested too deeply") from None
    except ValueError as error:  # including UnicodeDecodeError, and integers of thousands of digits
        raise CheckpointError(path, f"{what} is not valid: {error}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InvalidValueError(f"the name {twice!r:.200} occurs twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidValueError(f"{name} is not a JSON number")


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MAX_SIZE


def _entry(refuse: Callable[[str], NoReturn], name: str, value: object, data_bytes: int) -> Entry:
    who = f"tensor {name!r:.200}"
    if type(value) is not dict or not value.keys() >= {"dtype", "shape", "data_offsets"}:
        refuse(f"{who} is not described by dtype, shape and data_offsets")
    dtype_name, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    dtype = _DTYPES.get(dtype_name) if type(dtype_name) is str else None
    if dtype is None:
        if type(dtype_name) is str and dtype_name in _UNSUPPORTED:
            refuse(
                f"{who} is of dtype {dtype_name}, which facula lacks; convert it with the program that wrote the file"
            )
        refuse(f"{who} is of unknown dtype {dtype_name!r:.100}; known are {', '.join(_DTYPES)}")
    if type(shape) is not list or len(shape) > MAX_DIMENSIONS or not all(map(_is_size, shape)):
        refuse(f"{who} has shape {shape!r:.200}; expected at most {MAX_DIMENSIONS} sizes from 0 to 2**63 - 1")
    if type(offsets) is not list or len(offsets) != 2 or not all(map(_is_size, offsets)) or offsets[0] > offsets[1]:
        refuse(f"{who} has data_offsets {offsets!r:.200}; expected [begin, end] with 0 <= begin <= end")
    begin, end = offsets
    if end > data_bytes:
        refuse(
            f"{who} ends at byte {end} of the data, of which there are {data_bytes}; the file is truncated or damaged"
        )
    nbytes = prod(shape) * dtype.itemsize
    if nbytes != end - begin:
        refuse(
            f"{who} of shape {shape!r:.200} and dtype {dtype_name} needs {nbytes} bytes, its range has {end - begin}"
        )
    try:
        return Entry(contiguous(tuple(shape), dtype), begin, end)
    except OverflowError:  # the tensor is empty, but the product of its other sizes exceeds 64 bits
        refuse(f"{who} has shape {shape!r:.200}, too large for 64 bits")


def _check_ranges(refuse: Callable[[str], NoReturn], entries: dict[str, Entry], data_bytes: int) -> None:
    """Check that every byte of the data belongs to exactly one tensor."""
    position, before = 0, ""
    for name, entry in sorted(entries.items(), key=lambda item: item[1][1:]):
        if entry.begin < position:
            refuse(f"tensors {before!r:.200} and {name!r:.200} overlap, at byte {entry.begin} of the data")
        if entry.begin > position:
            refuse(f"bytes {position} to {entry.begin} of the data belong to no tensor")
        position, before = entry.end, name
    if position != data_bytes:
        refuse(f"bytes {position} to {data_bytes} of the data belong to no tensor")


def _complex_names(path: str, metadata: dict[str, str]) -> list[str]:
    if COMPLEX128 not in metadata:
        return []
    names = parse_json(path, f"metadata {COMPLEX128}", metadata[COMPLEX128])
    if type(names) is not list or not all(type(name) is str for name in names) or len(set(names)) != len(names):
        raise CheckpointError(path, f"metadata {COMPLEX128} is not a list of different names")
    return names
