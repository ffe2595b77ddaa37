"""The safetensors header: eight bytes of length, JSON, then all tensors' bytes without a gap.

https://huggingface.co/docs/safetensors describes it: ``{"name": {"dtype": "F32", "shape": [2, 3], "data_offsets":
[0, 24]}, "__metadata__": {"key": "text"}}``, little-endian, offsets from the header's end. What the format forbids is
refused here, before a byte of a tensor is looked at.
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
LARGEST_HEADER = 100_000_000  # bytes; the format's own limit
MOST_DIMENSIONS = 64
METADATA = "__metadata__"
RESERVED = "facula."  # metadata keys that begin so are ours
COMPLEX128 = RESERVED + "complex128"  # names of complex128 tensors, as a JSON list

_ALIGNMENT = 64  # of the first tensor in the file: a cache line, so that mapped memory is as good as allocated
_LARGEST = (1 << 63) - 1

_NAMES: dict[DType, str] = {
    bool_: "BOOL", uint8: "U8", int8: "I8", int16: "I16", int32: "I32", int64: "I64", float16: "F16",
    bfloat16: "BF16", float32: "F32", float64: "F64", complex64: "C64",
    uint16: "U16", uint32: "U32", uint64: "U64", float8_e4m3fn: "F8_E4M3", float8_e5m2: "F8_E5M2",
    float8_e8m0fnu: "F8_E8M0", float8_e4m3fnuz: "F8_E4M3FNUZ", float8_e5m2fnuz: "F8_E5M2FNUZ",
}  # fmt: skip
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
_NOT_HERE = frozenset({"F4", "F6_E2M3", "F6_E3M2"})


class Entry(NamedTuple):
    """One tensor of a file: what it looks like, and its bytes in the data that follows the header."""

    layout: Layout
    begin: int
    end: int


class Header(NamedTuple):
    """What a header says: tensors in the order in which it lists them, and all metadata."""

    entries: dict[str, Entry]
    metadata: dict[str, str]


# Writing -------------------------------------------------------------------------------------------------------------


def stored_as(layout: Layout, where: str) -> tuple[str, tuple[int, ...]]:
    """The format's dtype and shape for a layout; TypeError for dtypes that it has no name for.

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
    """The header's bytes, length included, and the names in the order in which the tensors' bytes follow.

    Large elements come first, so each tensor is aligned to its element; the header keeps the given order.
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
    if len(text) > LARGEST_HEADER:
        raise InvalidValueError(
            f"save: names, shapes and metadata take {len(text)} bytes; the format allows {LARGEST_HEADER}; "
            "save into several files"
        )
    return len(text).to_bytes(LENGTH_BYTES, "little") + text, order


# Reading -------------------------------------------------------------------------------------------------------------


def parse_header(path: str, text: bytes, data_bytes: int | None) -> Header:
    """What the header `text` says, checked against the `data_bytes` that follow it; CheckpointError otherwise.

    None where it is not known how many follow: they end with the last tensor.
    """

    def refuse(reason: str) -> NoReturn:
        raise CheckpointError(path, reason)

    described = parse_json(path, "the header", text)
    if type(described) is not dict:
        refuse(f"the header is a JSON {type(described).__name__}; expected an object")
    metadata = described.pop(METADATA, {})
    if type(metadata) is not dict or not all(type(value) is str for value in metadata.values()):
        refuse(f"{METADATA} is not an object of strings")
    most = _LARGEST if data_bytes is None else data_bytes
    entries = {name: _entry(refuse, name, value, most) for name, value in described.items()}
    if data_bytes is None:
        data_bytes = max((entry.end for entry in entries.values()), default=0)
    _check_ranges(refuse, entries, data_bytes)
    for name in _complex_names(path, metadata):
        entry = entries.get(name)
        if entry is None or entry.layout.dtype is not float64 or entry.layout.shape[-1:] != (2,):
            refuse(f"its metadata call tensor {name!r:.200} complex128, but it is not there as pairs of F64")
        entries[name] = entry._replace(layout=contiguous(entry.layout.shape[:-1], complex128))
    return Header(entries, metadata)


def parse_json(path: str, what: str, text: bytes | str) -> Any:
    """Strict JSON: UTF-8, no name twice in an object, no NaN; CheckpointError otherwise.

    Arguments:
        path: the file, for the error.
        what: what of the file this is, for the error.
        text: the JSON.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise CheckpointError(path, f"{what} is nested too deeply") from None
    except ValueError as error:  # also UnicodeDecodeError, and integers of thousands of digits
        raise CheckpointError(path, f"{what} is not valid: {error}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InvalidValueError(f"the name {twice!r:.200} is there twice")
    return made


def _constant(name: str) -> NoReturn:
    raise InvalidValueError(f"{name} is no JSON number")


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _entry(refuse: Callable[[str], NoReturn], name: str, value: object, data_bytes: int) -> Entry:
    who = f"tensor {name!r:.200}"
    if type(value) is not dict or not value.keys() >= {"dtype", "shape", "data_offsets"}:
        refuse(f"{who} is not described by dtype, shape and data_offsets")
    dtype_name, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    dtype = _DTYPES.get(dtype_name) if type(dtype_name) is str else None
    if dtype is None:
        if type(dtype_name) is str and dtype_name in _NOT_HERE:
            refuse(f"{who} is of dtype {dtype_name}, which facula does not have; convert it with what wrote the file")
        refuse(f"{who} is of unknown dtype {dtype_name!r:.100}; known are {', '.join(_DTYPES)}")
    if type(shape) is not list or len(shape) > MOST_DIMENSIONS or not all(map(_is_size, shape)):
        refuse(f"{who} has shape {shape!r:.200}; expected at most {MOST_DIMENSIONS} sizes from 0 to 2**63 - 1")
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
    except OverflowError:  # no elements, but the sizes' product is beyond 64 bits
        refuse(f"{who} has shape {shape!r:.200}, too large for 64 bits")


def _check_ranges(refuse: Callable[[str], NoReturn], entries: dict[str, Entry], data_bytes: int) -> None:
    """Every byte of the data belongs to exactly one tensor."""
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
