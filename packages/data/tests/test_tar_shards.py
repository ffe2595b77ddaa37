"""Samples from tar archives: grouping, decoding, sharding, and damaged or malicious archives."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import re
import tarfile
import warnings

import numpy as np
import pytest
from file_helpers import ppm, tar_bytes

from facula_data import CorruptFileError, DataLoader
from facula_data.files import TarShards
from facula_data.files import _shards as shards_module
from facula_errors.testing import raises

MEMBERS = [(f"train/{number}.{ending}", f"{ending}{number}".encode()) for number in range(6) for ending in ("a", "b.c")]
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def written(path, data):
    path.write_bytes(data)
    return path


def numbered(tmp_path, archives, each):
    """Return archives of samples that are consecutive numbers."""
    paths = []
    for archive in range(archives):
        members = [(f"{number}.cls", str(number).encode()) for number in range(archive * each, (archive + 1) * each)]
        paths.append(written(tmp_path / f"{archive}.tar", tar_bytes(members)))
    return paths


def numbers(dataset):
    return [sample["cls"] for sample in dataset]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("form", FORMATS)
def test_files_of_one_stem_are_one_sample(tmp_path, pack, form):
    path = written(tmp_path / "x", pack(tar_bytes(MEMBERS, format=FORMATS[form])))
    expected = [
        {"__key__": f"train/{n}", "__url__": str(path), "a": f"a{n}".encode(), "b.c": f"b.c{n}".encode()}
        for n in range(6)
    ]
    data = TarShards(path)
    assert list(data) == expected
    assert list(data) == expected
    assert list(pickle.loads(pickle.dumps(data))) == expected


@pytest.mark.parametrize("form", ["gnu", "pax"])
def test_long_and_foreign_names(tmp_path, form):
    names = ["d/" + "x" * 150 + ".a", "ü" * 120 + ".a", "plain.a", "x" * 99 + ".a"]
    path = written(tmp_path / "x.tar", tar_bytes([(name, b"1") for name in names], format=FORMATS[form]))
    assert [sample["__key__"] + ".a" for sample in TarShards(path)] == names


def test_members_that_are_not_files_are_skipped(tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "c"}) as archive:
        for kind, name in (
            (tarfile.DIRTYPE, "d"),
            (tarfile.SYMTYPE, "d/l.a"),
            (tarfile.LNKTYPE, "d/h.a"),
            (tarfile.FIFOTYPE, "p.a"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.mtime = kind, "elsewhere" * 30, 1.5
            archive.addfile(info)
        info = tarfile.TarInfo("d/1.a")
        info.size = 600
        archive.addfile(info, io.BytesIO(bytes(600)))
        archive.addfile(tarfile.TarInfo("d/README"))
    (sample,) = TarShards(written(tmp_path / "x.tar", stream.getvalue()))
    assert (sample["__key__"], sample["a"]) == ("d/1", bytes(600))


def test_parts_are_decoded_by_their_ending(tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.arange(3))
    members = [
        ("0.npy", stream.getvalue()),
        ("0.json", b'{"k": [1]}'),
        ("0.txt", "ü".encode()),
        ("0.cls", b"7\n"),
        ("0.bin", b"?"),
    ]
    path = written(tmp_path / "x.tar", tar_bytes(members))
    (sample,) = TarShards(path)
    assert sample["npy"].tolist() == [0, 1, 2]
    assert (sample["json"], sample["txt"], sample["cls"], sample["bin"]) == ({"k": [1]}, "ü", 7, b"?")
    (sample,) = TarShards(path, None)
    assert sample["cls"] == b"7\n"
    (sample,) = TarShards(path, {"JSON": json.loads, "bin": len})
    assert (sample["json"], sample["bin"], sample["cls"]) == ({"k": [1]}, 1, b"7\n")


def test_pictures(tmp_path):
    pytest.importorskip("PIL")
    path = written(
        tmp_path / "x.tar", tar_bytes([("0.seg.PPM", ppm(np.full((2, 3, 3), 9, np.uint8))), ("0.cls", b"1")])
    )
    batch = next(iter(DataLoader(TarShards(path), batch_size=1)))
    assert batch["seg.ppm"].shape == (1, 3, 2, 3)
    assert batch["cls"].tolist() == [1]


@pytest.mark.parametrize("archives", [1, 3, 7])
@pytest.mark.parametrize("world", [1, 2, 3, 5])
def test_ranks_and_workers_read_every_sample_once(tmp_path, archives, world, monkeypatch):
    paths = numbered(tmp_path, archives, 4)
    found = []
    for rank in range(world):
        for worker in range(2):
            monkeypatch.setattr(shards_module, "_worker", lambda worker=worker: (worker, 2))
            found += numbers(TarShards(paths, shard=(rank, world)))
    assert sorted(found) == list(range(archives * 4))


def test_whole_archives_are_distributed_if_there_are_enough(tmp_path):
    paths = numbered(tmp_path, 4, 2)
    assert numbers(TarShards(paths, shard=(1, 2))) == [2, 3, 6, 7]
    assert numbers(TarShards(paths[:1], shard=(1, 2))) == [1]


WHOLE = tar_bytes([("0.cls", b"0"), ("1.cls", b"1"), ("2.cls", b"2")])
CHANGED = bytearray(WHOLE)
CHANGED[1024 + 3] ^= 1  # in the second header, whose checksum then mismatches
HUGE = bytearray(WHOLE)
HUGE[1024 + 124 : 1024 + 136] = b"\x80" + bytes(4) + b"\x7f" * 7
HUGE[1024 + 148 : 1024 + 156] = b" " * 8
HUGE[1024 + 148 : 1024 + 156] = b"%06o\0 " % sum(HUGE[1024:1536])
DAMAGED = {
    "cut in a header": (WHOLE[: 1024 + 100], "header of 512 bytes; got 100; at byte 1124 of", []),
    "cut in a file": (WHOLE[: 2 * 1024 - 300], r"bytes more; the archive ends", []),
    "cut between": (WHOLE[:2048], "two blocks of zeros", [0]),
    "checksum": (bytes(CHANGED), "bad checksum; at byte 1024 of", []),
    "size": (bytes(HUGE), "files of at most", []),
    "empty": (b"", "the file is empty", []),
    "another format": (b"<html>" * 200, "header of a member", []),
    "cut gzip": (gzip.compress(WHOLE)[:-30], "expected a complete archive", []),
    "changed gzip": (
        gzip.compress(WHOLE)[:20] + b"??????" + gzip.compress(WHOLE)[26:],
        "expected a complete archive|header|checksum",
        [],
    ),
    "cut xz": (lzma.compress(WHOLE)[:-30], "expected a complete archive", [0, 1]),
    "changed bzip2": (bz2.compress(WHOLE)[:30] + b"???" + bz2.compress(WHOLE)[33:], "expected a complete archive", []),
    "no number": (
        tar_bytes([("0.cls", b"0"), ("1.cls", b"x"), ("2.cls", b"2")]),
        r"invalid literal.*'1\.cls' \(byte 1024\)",
        [0, 2],
    ),
    "twice": (tar_bytes([("0.cls", b"0"), ("0.CLS", b"1"), ("2.cls", b"2")]), r"got '0\.CLS' twice", [0, 2]),
    "outside": (
        tar_bytes([("0.cls", b"0"), ("../../1.cls", b"1"), ("2.cls", b"2")]),
        r"within the archive; got '\.\./\.\./1",
        [0, 2],
    ),
    "absolute": (tar_bytes([("0.cls", b"0"), ("/etc/1.cls", b"1"), ("2.cls", b"2")]), "within the archive", [0, 2]),
}


def test_errors_end_at_the_line_of_the_program(tmp_path):
    with pytest.raises(CorruptFileError) as caught:
        next(iter(TarShards(written(tmp_path / "short.tar", b"short"))))
    assert len(caught.traceback) == 1


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_archives(tmp_path, kind):
    data, message, left = DAMAGED[kind]
    path = written(tmp_path / "shard-7.tar", data)
    with raises(CorruptFileError, "TarShards") as caught:
        list(TarShards(path))
    assert re.search(message, str(caught.value))
    assert caught.value.path == str(path)
    good = numbered(tmp_path, 1, 2)[0]
    with pytest.warns(UserWarning, match=r"skipped a sample that cannot be read.*shard-7"):
        found = numbers(TarShards([path, good], on_error="skip"))
    assert found == [*left, 0, 1]
    seen = []
    assert numbers(TarShards([path, good], on_error=lambda error: seen.append(error) or True))[-2:] == [0, 1]
    assert [type(error) for error in seen] == [CorruptFileError]
    with pytest.raises(CorruptFileError):
        list(TarShards(path, on_error=lambda error: False))


def test_it_warns_once_in_a_pass(tmp_path):
    path = written(tmp_path / "x.tar", tar_bytes([(f"{n}.cls", b"x") for n in range(5)]))
    data = TarShards(path, on_error="skip")
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert list(data) == []
        assert len(caught) == 1
        assert caught[0].filename == __file__


def test_large_files_and_names_are_rejected_before_reading(tmp_path):
    path = written(tmp_path / "x.tgz", gzip.compress(tar_bytes([("0.bin", bytes(1 << 22))])))
    assert path.stat().st_size < 1 << 15
    with raises(CorruptFileError, "TarShards", "at most 1000000 bytes", "max_member_bytes", value="'0.bin' of 4194304"):
        list(TarShards(path, max_member_bytes=10**6))
    path = written(tmp_path / "y.tar", tar_bytes([("x" * (1 << 21), b"1")], format=tarfile.GNU_FORMAT))
    with raises(CorruptFileError, "TarShards", "a name of at most 1048576 bytes"):
        list(TarShards(path))


def test_errors_of_the_program_propagate(tmp_path):
    path = numbered(tmp_path, 1, 3)[0]

    def broken(data):
        raise KeyError(data)

    with pytest.raises(KeyError):
        list(TarShards(path, {"cls": broken}))
    with pytest.warns(UserWarning, match="KeyError|b'0'"):
        assert list(TarShards(path, {"cls": broken}, on_error="skip")) == []


def test_arguments(tmp_path):
    with raises(FileNotFoundError, "TarShards"):
        list(TarShards(tmp_path / "none.tar"))
    with raises(ValueError, "TarShards", value="'ignore'"):
        TarShards("x.tar", on_error="ignore")
    with raises(ValueError, "TarShards", "rank below world", value="shard=(2, 2)"):
        TarShards("x.tar", shard=(2, 2))
    with raises(TypeError, "TarShards", value="shard=3"):
        TarShards("x.tar", shard=3)
    with raises(ValueError, "TarShards", "at least one archive"):
        TarShards([])
    with raises(TypeError, "TarShards", "decoders to be callable"):
        TarShards("x.tar", {"a": 1})
