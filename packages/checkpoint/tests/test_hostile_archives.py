"""Handmade archives and legacy files: damaged, ambiguous and oversized contents are rejected completely."""

import io
import mmap
import re
import struct
import zipfile
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from pickle_testing import FLOATS, PROTO, STOP, archive, legacy, loaded, put, storage, tensor

from facula_checkpoint import CheckpointError, load
from facula_checkpoint.__main__ import main
from facula_checkpoint._pytorch import storages, writing, zip_directory
from facula_checkpoint._pytorch.sources import FileSource
from facula_errors.testing import raises


def changed(content, old, new, count=1):
    assert content.count(old) >= 1 and len(old) == len(new)
    return content.replace(old, new, count)


def central(content, number, offset, data):
    """Return `content` with bytes of the directory's entry `number` replaced."""
    at = -1
    for _ in range(number + 1):
        at = content.index(b"PK\1\2", at + 1)
    return content[: at + offset] + data + content[at + offset + len(data) :]


GOOD = archive(tensor())
LARGE_TEXT = b"\0" * (zip_directory.FREE_INFLATED + (8 << 20))
ARCHIVES = {
    "twice": (archive(1, extra=[("archive/data/0", FLOATS)]), "two members 'archive/data/0'"),
    "two objects": (archive(1, extra=[("other/data.pkl", b".")]), "2 members FOLDER/data.pkl"),
    "no object": (archive(1, {"data.pkl": None}), "0 members FOLDER/data.pkl"),
    "big-endian": (archive(1, {"byteorder": b"big"}), "big-endian machine"),
    "arrays": (archive(1, extra=[("x.npy", b"")]), "a NumPy .npz archive; load it with numpy.load"),
    "graphs": (archive(1, extra=[("graph.json", b"")]), "load it with facula.jit.load"),
    "programs": (archive(1, {"constants.pkl": b"", "code/x.py": b""}), "TorchScript"),
    "upwards": (archive(1, extra=[("archive/../../x", b"")]), "leads elsewhere"),
    "absolute": (archive(1, extra=[("/etc/x", b"")]), "leads elsewhere"),
    "backslashes": (archive(1, extra=[("archive/..\\x", b"")]), "leads elsewhere"),
    "another name": (changed(GOOD, b"archive/data/0", b"archive/data/1"), "another name in its header"),
    "prefix": (b"PK\3\4" + GOOD, "two sizes|does not precede|another name|missing"),
    "two archives": (GOOD + GOOD, "does not precede its end record"),
    "suffix": (GOOD + b"x", "zip directory is missing"),
    "encrypted": (central(GOOD, 0, 8, b"\1\0"), "is encrypted"),
    "other methods": (central(GOOD, 0, 10, b"\x0c\0"), "by another method than deflate"),
    "other methods in the header": (central(GOOD, 0, 10, b"\x08\0"), "described in two ways"),
    "other sizes": (central(GOOD, 0, 20, struct.pack("<2I", 3, 3)), "has two sizes"),
    "unequal sizes": (central(GOOD, 0, 24, struct.pack("<I", 3)), "and has two sizes"),
    "shared headers": (central(GOOD, 1, 42, struct.pack("<I", 0)), "another name in its header"),
    "far headers": (central(GOOD, 1, 42, struct.pack("<I", 1 << 30)), "another name in its header, or none"),
    "sizes elsewhere": (central(GOOD, 0, 20, b"\xff" * 8), "lacks a size|has two sizes"),
    "several disks": (central(GOOD, 0, 34, b"\1\0"), "encrypted, or"),
    "damaged directory": (central(GOOD, 1, 0, b"XX"), "zip directory is damaged"),
    "long names": (central(GOOD, 3, 28, b"\xff\xff"), "zip directory is damaged|truncated"),
    "members too many": (GOOD[:-14] + b"\xff\0\xff\0" + GOOD[-10:], "should have 255 members|truncated"),
    "members too few": (GOOD[:-14] + b"\1\0\1\0" + GOOD[-10:], "more bytes than members"),
    "directory elsewhere": (GOOD[:-6] + b"\1\0\0\0" + GOOD[-2:], "does not precede its end record"),
    "a bomb": (archive(1, {"data/1": LARGE_TEXT}, compression=8), "would take .* bytes, of a file of .*: a bomb"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_are_refused(name, tmp_path):
    content, message = ARCHIVES[name]
    (tmp_path / "a.pt").write_bytes(content)
    with raises(CheckpointError, ".../a.pt") as caught:
        load(tmp_path / "a.pt")
    assert re.search(message, str(caught.value))


def test_a_deflated_member_must_match_its_size():
    content = archive([1, "x" * 99], compression=8)
    size = content[content.index(b"PK\1\2") + 24 :][:4]
    for wrong in (1, 1000):
        other = struct.pack("<I", int.from_bytes(size, "little") + wrong)
        with raises(CheckpointError, "<BytesIO>", "another size than the directory says"):
            loaded(content.replace(size, other))


def flipped(content, part):
    at = content.index(part)
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def without_checksums(content):
    """An archive as PyTorch writes it after `set_crc32_options(False)`."""
    made = bytearray(content)
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        entry = opened.start_dir
        for member in opened.infolist():
            made[member.header_offset + 14 : member.header_offset + 18] = made[entry + 16 : entry + 20] = bytes(4)
            entry += 46 + len(member.filename)
    return bytes(made)


CHECKSUMS = {
    "a storage": (flipped(GOOD, FLOATS[4:8]), "storage '0'", "member 'archive/data/0'"),
    "a number in the pickle": (flipped(archive(1.5), struct.pack(">d", 1.5)), *["member 'archive/data.pkl'"] * 2),
    "a member that nothing uses": (flipped(archive(1), FLOATS), None, "member 'archive/data/0'"),
    "a good file": (GOOD, None, None),
    "a flipped storage without one": (without_checksums(flipped(GOOD, FLOATS[4:8])), None, None),
}


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksums(name, tmp_path, capsys):
    content, loading, checking = CHECKSUMS[name]
    path = tmp_path / "a.pt"
    path.write_bytes(content)
    damaged = raises(CheckpointError, ".../a.pt", f"its {loading} has another checksum")
    with damaged if loading else nullcontext():
        load(path)
    assert main(["check", str(path)]) == (checking is not None)
    said = capsys.readouterr()
    count = 4 if content[16 + content.index(b"PK\1\2") :][:4] != bytes(4) else 0
    expected = f"its {checking} has another checksum" if checking else f"{count} of 4 records have a checksum, all as"
    assert expected in said.err + said.out


def test_checksums_of_large_files_are_for_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(storages, "MAX_CHECKED", 100)
    loaded(CHECKSUMS["a storage"][0])
    (tmp_path / "a.pt").write_bytes(archive(tensor(), compression=8))
    (tmp_path / "b.pt").write_bytes(legacy(tensor()))
    assert main(["check", str(tmp_path / "a.pt"), str(tmp_path / "b.pt")]) == 1
    said = capsys.readouterr()
    assert "4 of 4 records" in said.out and "b.pt: it has no checksums, which only zip archives have" in said.err


def test_overlapping_members():
    """One member contains another: both headers match the directory."""
    inner = archive(1)
    content = archive(1, {"data/1": inner})
    at = content.index(inner)
    entry = content[content.index(b"PK\1\2") :][:46]
    name = b"archive/data.pkl"
    directory = content.rindex(b"PK\5\6")
    fake = entry[:42] + struct.pack("<I", at) + name.replace(b"archive", b"archivf")
    whole = content.replace(inner, inner.replace(name, name.replace(b"archive", b"archivf")))
    start = int.from_bytes(whole[directory + 16 : directory + 20], "little")
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 6, 6, directory - start + len(fake), start, 0)
    with raises(CheckpointError, "<BytesIO>", "members 'archive/data/1' and 'archivf/data.pkl' overlap"):
        loaded(whole[:directory] + fake + end)


LEGACY = {
    "magic": (legacy(1, magic=7), "a pickle that torch.save did not write"),
    "protocol": (legacy(tensor(), protocol=1002), "legacy format 1002; expected 1001"),
    "big-endian": (legacy(tensor(), little=False), "big-endian"),
    "more keys": (legacy(tensor(), keys=("0", "1")), "differs from that of its pickle"),
    "keys twice": (legacy(tensor(), keys=("0", "0")), "list of storages is damaged"),
    "other lengths": (legacy(tensor(), counts=(7,)), "should have 6 elements, and has 7"),
    "huge lengths": (legacy(tensor(), counts=(-1,)), "should have 6 elements"),
    "two sizes": (legacy([storage(count=3), storage()]), "a storage '0' in two sizes"),
    "plain pickles": (PROTO + put({"a": 1}) + STOP, "a pickle that torch.save did not write"),
}


@pytest.mark.parametrize("name", LEGACY)
def test_legacy_files_are_refused(name):
    content, message = LEGACY[name]
    with raises(CheckpointError, "<BytesIO>", message):
        loaded(content)


def test_archives_beyond_4_gigabytes(tmp_path, monkeypatch):
    """Sizes and offsets have 64 bits; the storage is a hole in the file."""
    size = 5 << 30
    monkeypatch.setattr(writing, "zlib", SimpleNamespace(crc32=lambda data, check: 0))
    hole = memoryview(mmap.mmap(-1, size))
    members = [("data.pkl", 4, [b"abcd"]), ("data/0", size, [hole]), ("version", 2, [b"3\n"])]
    with open(tmp_path / "large.pt", "wb") as file:
        for piece in writing.zip_pieces(members):
            file.seek(size, 1) if piece is hole else file.write(piece)
        source = FileSource("large.pt", file.fileno(), file.tell())
    with open(tmp_path / "large.pt", "rb") as file:
        source.file = file.fileno()
        directory = zip_directory.Directory(source)
        assert directory.read("archive/version", 9) == b"3\n" and directory.read("archive/data.pkl", 9) == b"abcd"
        place = directory.members["archive/data/0"]
        assert place.nbytes == size and place.begin % 64 == 0
        assert zip_directory.archive_end(source) == source.size
    with zipfile.ZipFile(tmp_path / "large.pt") as archive:
        sizes = {one.filename.partition("/")[2]: one.file_size for one in archive.infolist()}
    assert sizes == {"data.pkl": 4, "data/0": size, "version": 2}
