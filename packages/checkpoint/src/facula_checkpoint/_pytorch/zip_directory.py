"""The directory of a zip archive, validated against the file and the members' headers.

The format is specified at https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. If two programs can read one
archive differently (by its directory, or by its members' headers), the difference can hide data, so both must agree.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from .sources import PIECE
from .storages import Place, compare, inflated
from .tables import refuse

if TYPE_CHECKING:
    from .sources import Source

MAX_MEMBERS = 1 << 20
FREE_INFLATED = 64 << 20  # bytes that deflated members may expand to, in addition to `MAX_RATIO` times the file size
MAX_RATIO = 20

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_MEMBER = struct.Struct("<4s6H3L5H2L")
_HEADER = struct.Struct("<4s5H3L2H")
_STORED, _DEFLATED = 0, 8
_FULL, _FULL_SHORT = 0xFFFFFFFF, 0xFFFF  # the number is stored in a larger field elsewhere
_LATER = 0x8  # flag: sizes follow the member's data
_FLAGS = _LATER | 0x800 | 0x6  # also UTF-8 names, and compression levels


class Directory:
    """The members of an archive by name, and the archive's end in its file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        # Data after an archive in a separate file is rejected, because other programs would read it as the archive.
        self.end = archive_end(source) if source.open else source.size
        self.members = read_members(source, self.end)

    def read(self, name: str, limit: int) -> bytes:
        """Return a member's bytes; raise PickleError if it is missing, or larger than `limit`."""
        place = self.members.get(name)
        if place is None:
            refuse(f"it has no member {name!r:.200}")
        if place.nbytes > limit:
            refuse(f"its member {name!r:.200} has {place.nbytes} bytes; expected at most {limit}")
        if place.deflated:
            data = inflated(self.source, place)
        else:
            data = self.source.read(place.begin, place.nbytes)
        if len(data) != place.nbytes:
            refuse(f"its member {name!r:.200} is truncated")
        compare(f"member {name!r:.200}", zlib.crc32(data), place)
        return data

    def check(self) -> int:
        """Verify the checksums of all members and return the number of checksums; raise PickleError for a mismatch."""
        for name, place in self.members.items():
            checksum = 0
            if place.deflated:
                self.read(name, place.nbytes)
                continue
            for start in range(place.begin, place.begin + place.nbytes, PIECE):
                checksum = zlib.crc32(self.source.read(start, min(PIECE, place.begin + place.nbytes - start)), checksum)
            compare(f"member {name!r:.200}", checksum, place)
        return sum([place.checksum != 0 for place in self.members.values()])


def archive_end(source: Source) -> int:
    """Return the end of an archive that begins at byte 0, from its headers if they contain sizes, else the file's end.

    This allows several archives of this package to be concatenated in one file.
    """
    position, steps = 0, 0
    while steps < 2 * MAX_MEMBERS:
        steps += 1
        head = source.read(position, 46)
        kind = head[:4]
        if kind == b"PK\3\4" and len(head) >= 30:
            _, _, flags, _, _, _, _, packed, size, name, extra = _HEADER.unpack_from(head)
            if flags & _LATER:
                break
            if packed == _FULL or size == _FULL:
                _, packed = _large(source.read(position + 30 + name, extra), size, packed, 0)[:2]
            position += 30 + name + extra + packed
        elif kind == b"PK\1\2" and len(head) >= 46:
            fields = _MEMBER.unpack_from(head)
            position += 46 + fields[10] + fields[11] + fields[12]
        elif kind == b"PK\6\6":
            position += 12 + int.from_bytes(head[4:12], "little")
        elif kind == b"PK\6\7":
            position += _LOCATOR.size
        elif kind == b"PK\5\6" and len(head) >= 22:
            position += 22 + _END.unpack_from(head)[7]
            return position if position <= source.size else source.size
        else:
            break
    return source.size


def read_members(source: Source, end: int) -> dict[str, Place]:
    """Return the members by name after validating them."""
    begin, size, count = _directory(source, end)
    if count > MAX_MEMBERS or size < count * _MEMBER.size:
        refuse(f"its zip directory of {size} bytes should have {count} members; expected at most {MAX_MEMBERS}")
    directory = source.read(begin, size)
    members: dict[str, Place] = {}
    position = inflated_bytes = 0
    for _ in range(count):
        if size - position < _MEMBER.size:
            refuse("its zip directory is truncated")
        (kind, _, _, flags, method, _, _, checksum, packed, unpacked, name_size, extra_size, comment_size, disk, _, _,
         header) = _MEMBER.unpack_from(directory, position)  # fmt: skip
        position += _MEMBER.size
        raw = directory[position : position + name_size]
        extra = directory[position + name_size : position + name_size + extra_size]
        position += name_size + extra_size + comment_size
        if kind != b"PK\1\2" or position > size:
            refuse("its zip directory is damaged")
        name = member_name(raw)
        if name in members:
            refuse(f"it has two members {name!r:.200}")
        if flags & ~_FLAGS or method not in (_STORED, _DEFLATED) or disk:
            refuse(f"its member {name!r:.200} is encrypted, or compressed by another method than deflate")
        unpacked, packed, header = _large(extra, unpacked, packed, header)
        if method == _STORED and packed != unpacked:
            refuse(f"its member {name!r:.200} is not compressed and has two sizes, {packed} and {unpacked}")
        inflated_bytes += unpacked if method == _DEFLATED else 0
        data = _data_begin(source, begin, header, raw, (flags, method, packed, unpacked))
        members[name] = Place(data, packed, unpacked, method == _DEFLATED, checksum, header)
    if position != size:
        refuse("its zip directory has more bytes than members")
    if inflated_bytes > FREE_INFLATED + MAX_RATIO * end:
        refuse(f"its compressed members would take {inflated_bytes} bytes, of a file of {end}: a bomb")
    _check_overlaps(members, begin)
    return members


def _directory(source: Source, end: int) -> tuple[int, int, int]:
    """Return the start of the directory, its size, and its number of members."""
    tail_begin = max(0, end - _END.size - 0xFFFF)
    tail = source.read(tail_begin, end - tail_begin)
    at = tail.rfind(b"PK\5\6")
    while at >= 0 and at + _END.size + int.from_bytes(tail[at + 20 : at + 22], "little") != len(tail):
        at = tail.rfind(b"PK\5\6", 0, at)
    if at < 0:
        refuse("its zip directory is missing: the file is truncated")
    record = tail_begin + at
    _, disk, first, here, count, size, begin, _ = _END.unpack_from(tail, at)
    last = record  # the required end of the directory
    locator = source.read(record - _LOCATOR.size, _LOCATOR.size) if record >= _LOCATOR.size else b""
    if locator[:4] == b"PK\6\7":
        _, _, last, _ = _LOCATOR.unpack(locator)
        large = source.read(last, _END_64.size)
        if len(large) != _END_64.size or large[:4] != b"PK\6\6" or last + _END_64.size > record - _LOCATOR.size:
            refuse("its zip directory is damaged")
        _, _, _, _, disk_64, first_64, here_64, count_64, size_64, begin_64 = _END_64.unpack(large)
        for short, full, long in (
            (disk, _FULL_SHORT, disk_64), (first, _FULL_SHORT, first_64), (here, _FULL_SHORT, here_64),
            (count, _FULL_SHORT, count_64), (size, _FULL, size_64), (begin, _FULL, begin_64),
        ):  # fmt: skip
            if short not in (full, long):
                refuse("its zip directory has two sizes")
        disk, first, here, count, size, begin = disk_64, first_64, here_64, count_64, size_64, begin_64
    if disk or first or here != count or begin + size != last:
        refuse("its zip directory does not precede its end record: the file is damaged, or data was inserted before it")
    return begin, size, count


def _large(extra: bytes, unpacked: int, packed: int, header: int) -> tuple[int, int, int]:
    """Return sizes and offset, replaced by 64-bit numbers from the extra field if they exceed their own fields."""
    values = [unpacked, packed, header]
    if _FULL not in values:
        return unpacked, packed, header
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind == 1:
            field = extra[position + 4 : position + 4 + length]
            for place, value in enumerate(values):
                if value == _FULL:
                    if len(field) < 8:
                        refuse("its zip directory lacks a size")
                    values[place], field = int.from_bytes(field[:8], "little"), field[8:]
            break
        position += 4 + length
    return values[0], values[1], values[2]


def member_name(raw: bytes) -> str:
    """Decode a member's name; raise PickleError for a path that leads out of the folder."""
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        refuse(f"it has a member whose name {raw[:60]!r} is not UTF-8")
    if not name or name[0] == "/" or "\\" in name or "\0" in name or ".." in name.split("/") or ":" in name[:2]:
        refuse(f"it has a member {name!r:.200}, a name that leads elsewhere")
    return name


def _data_begin(source: Source, directory: int, header: int, raw: bytes, expected: tuple[int, int, int, int]) -> int:
    """Return the start of a member's data after its header, which must match the directory."""
    head = source.read(header, _HEADER.size + len(raw))
    flags, method, packed, unpacked = expected
    if len(head) != _HEADER.size + len(raw) or head[_HEADER.size :] != raw:
        refuse(f"its member {raw[:100]!r} has another name in its header, or none: the file is damaged")
    kind, _, own_flags, own_method, _, _, _, own_packed, own_unpacked, name_size, extra_size = _HEADER.unpack_from(head)
    begin = header + _HEADER.size + name_size + extra_size
    if kind != b"PK\3\4" or name_size != len(raw) or own_method != method or own_flags != flags:
        refuse(f"its member {raw[:100]!r} is described in two ways: the file is damaged")
    if not flags & _LATER:
        extra = source.read(header + _HEADER.size + name_size, extra_size) if own_packed == _FULL else b""
        if _large(extra, own_unpacked, own_packed, 0)[:2] != (unpacked, packed):
            refuse(f"its member {raw[:100]!r} has two sizes: the file is damaged")
    if begin + packed > directory:
        refuse(f"its member {raw[:100]!r} ends at byte {begin + packed}, behind the directory at byte {directory}")
    return begin


def _check_overlaps(members: dict[str, Place], end: int) -> None:
    """Check that no byte belongs to two members."""
    before, position = "", 0
    for name, member in sorted(members.items(), key=lambda item: item[1].header):
        if member.header < position:
            refuse(f"its members {before!r:.200} and {name!r:.200} overlap")
        before, position = name, member.begin + member.packed
    if position > end:
        refuse(f"its member {before!r:.200} overlaps the directory")
