"""Pickles and archives composed of single opcodes and members."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

from facula_checkpoint import load

FILES = Path(__file__).with_name("pytorch_files")
PROTO, MARK, TUPLE, STOP = b"\x80\x02", b"(", b"t", b"."
FLOATS = struct.pack("<6f", *range(6))


def glob(name):
    """`collections OrderedDict` as the opcode that imports it."""
    return b"c" + name.replace(" ", "\n").encode() + b"\n"


def put(value):
    """The opcodes of a plain value; bytes are already opcodes."""
    if isinstance(value, bytes):
        return value
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(data)]) + data
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"X" + struct.pack("<I", len(value.encode())) + value.encode()
    if isinstance(value, tuple):
        return MARK + b"".join(map(put, value)) + TUPLE
    if isinstance(value, list):
        return b"](" + b"".join(map(put, value)) + b"e"
    if isinstance(value, dict):
        return b"}(" + b"".join(put(key) + put(item) for key, item in value.items()) + b"u"
    raise TypeError(value)


def raw(data):
    """A bytes object, as an opcode of protocol 3."""
    return b"B" + struct.pack("<I", len(data)) + data


def call(name, *arguments):
    return glob(name) + put(arguments) + b"R"


def storage(kind="torch FloatStorage", key="0", location="cpu", count=6, head="storage", more=()):
    return put((head, glob(kind), key, location, count, *more)) + b"Q"


def tensor(*, size=(2, 3), stride=(3, 1), offset=0, stored=None, requires_grad=False, hooks=None, more=()):
    hooks = call("collections OrderedDict") if hooks is None else hooks
    stored = storage() if stored is None else stored
    return call("torch._utils _rebuild_tensor_v2", stored, offset, size, stride, requires_grad, hooks, *more)


def archive(value, members=None, folder="archive", compression=zipfile.ZIP_STORED, extra=()):
    """A zip file with a pickle, storage "0" of six floats, and other members; None omits one."""
    contents = {"data.pkl": PROTO + put(value) + STOP, "byteorder": b"little", "data/0": FLOATS, "version": b"3\n"}
    contents |= members or {}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        for name, data in contents.items():
            if data is not None:
                made.writestr(f"{folder}/{name}", data)
        for name, data in extra:
            made.writestr(name, data)
    return file.getvalue()


def legacy(value, keys=("0",), counts=(6,), data=FLOATS, magic=0x1950A86A20F9469CFC6C, protocol=1001, little=True):
    """A file of the format before version 1.6."""
    parts = [magic, protocol, {"protocol_version": protocol, "little_endian": little}, value, list(keys)]
    pickles = b"".join(PROTO + put(part) + STOP for part in parts)
    return pickles + b"".join(struct.pack("<q", count) + data for count in counts)


def loaded(content, **how):
    return load(io.BytesIO(content), **how)
