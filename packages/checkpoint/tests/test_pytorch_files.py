"""Files written by PyTorch, read without it: tensors as triples, and plain values as Python objects."""

import argparse
import collections
import io
import os

import numpy as np
import pytest
from pickle_testing import FILES, FLOATS, archive, call, glob, legacy, loaded, put, raw, storage, tensor

import facula_storage as st
from facula_checkpoint import CheckpointError, load
from facula_checkpoint._pytorch import storages as _storages
from facula_checkpoint.extend import Memory
from facula_errors.testing import raises

PATHS = [FILES / name for name in ("values.pt", "legacy.pt", "protocol4.pt")]


def array(parts):
    return st.to_numpy(*parts)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("lazy", [True, False])
def test_values(path, opened, lazy):
    found = load(io.BytesIO(path.read_bytes()) if opened else path, lazy=lazy and not opened, copy=True)
    assert array(found["whole"]).tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert array(found["row"]).tolist() == [4.0, 5.0, 6.0, 7.0]
    assert found["turned"][1] is st.layout_of((4, 3), (1, 4), st.float32)
    assert found["half"][1].dtype is st.bfloat16 and array(found["mask"]).tolist() == [True, False]
    array(found["whole"])[1, 0] = -1
    assert array(found["row"])[0] == array(found["turned"])[0, 1] == -1, "one memory, as it was"
    assert found["dtype"] is st.float16 and found["size"] == (1, 2)
    assert found["array"].tolist() == [[0, 1, 2], [3, 4, 5]] and found["array"].dtype == "u2"
    assert type(found["number"]) is np.float32 and found["number"] == 0.5
    assert found["set"] == {1, 2} and found["bytes"] == b"\x00\xff"
    assert found["options"] == argparse.Namespace(lr=0.1) and found["counter"] == collections.Counter("aab")


def test_mapped_files_are_read_only_unless_they_are_copied(tmp_path):
    content = PATHS[0].read_bytes()
    (tmp_path / "values.pt").write_bytes(content)
    with pytest.raises(ValueError, match="read-only"):
        array(load(tmp_path / "values.pt", lazy=True)["whole"])[0, 0] = 9
    array(load(tmp_path / "values.pt", lazy=True, copy=True)["whole"])[0, 0] = 9
    assert (tmp_path / "values.pt").read_bytes() == content


def test_values_do_not_need_a_seekable_file():
    read, write = os.pipe()
    os.write(write, PATHS[0].read_bytes())
    os.close(write)
    with open(read, "rb", buffering=0) as file:
        assert load(file)["size"] == (1, 2)


def test_concatenated_archives():
    """If headers contain sizes, an archive ends where its directory does."""
    file = io.BytesIO(b"before" + archive(1) + archive([2]) + b"after")
    file.seek(6)
    assert [load(file), load(file)] == [1, [2]] and file.read() == b"after"
    file = io.BytesIO(legacy([1]) + legacy(tensor()))
    with raises(CheckpointError, "<BytesIO>", "list of storages"):
        load(file)
    file = io.BytesIO(legacy(tensor()) + legacy(tensor()))
    assert [load(file)[1].shape, load(file)[1].shape] == [(2, 3), (2, 3)]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("quantized", "quantized tensors are not loaded; save x.dequantize()"),
        ("sparse", "_rebuild_sparse_tensor: sparse tensors are not loaded"),
        ("script", "a TorchScript archive, a program; load it with torch.jit.load"),
    ],
)
def test_unsupported_names_are_rejected(name, reason):
    with raises(CheckpointError, f".../{name}.pt", reason):
        load(FILES / f"{name}.pt")


@pytest.mark.parametrize("make", [archive, legacy])
def test_storages_are_relocated(make):
    """Each storage is relocated once, and read on demand."""
    asked = []

    def relocate(fetch, nbytes, location):
        asked.append((nbytes, location))
        return fetch() if location == "cpu" else Memory(st.from_numpy(np.ones(nbytes, "u1"))[0], nbytes, st.cpu)

    content = make([tensor(), tensor(size=(2,), stride=(1,))])
    assert array(loaded(content, relocate=relocate)[1]).tolist() == [0.0, 1.0] and asked == [(24, "cpu")]
    far = storage(location="cuda:1")
    content = make(tensor(stored=far))
    assert array(loaded(content, relocate=relocate)).view("u1").tolist() == [[1] * 12] * 2


def test_older_names():
    """Names from Python 2, from NumPy before version 2, and classes with their source code."""
    dtype = call("numpy dtype", "f4", 0, 1) + put((3, "<", None, None, None, -1, -1, 0)) + b"b"
    scalar = call("numpy.core.multiarray scalar", dtype, raw(FLOATS[4:8]))
    old = call("torch._utils _rebuild_tensor", storage(kind="torch.cuda FloatStorage"), 0, (2,), (1,))
    source = put(("module", glob("builtins int"), "file.py", "class int: ...")) + b"Q"
    text = b"U\x02\xc3\xa4"
    found = loaded(archive([scalar, call("__builtin__ set", [1]), glob("__builtin__ long"), old, source, text]))
    assert found[:3] == [1.0, {1}, int] and found[3][1].shape == (2,) and found[4:] == [int, "ä"]
    assert loaded(legacy([source, old]))[0] is int


def test_a_list_may_contain_itself():
    found = loaded(archive(b"]q\x00h\x00a"))
    assert found[0] is found


def test_deflated_members_are_read():
    import zipfile

    content = archive([tensor(), "x" * 5000], compression=zipfile.ZIP_DEFLATED)
    assert len(content) < 2500
    assert array(loaded(content)[0]).tolist() == [[0, 1, 2], [3, 4, 5]] and loaded(content)[1] == "x" * 5000


def test_large_storages_are_read_by_threads(tmp_path):
    count = 9 << 20
    values = np.arange(count, dtype="f4")
    stored = storage(count=count)
    content = archive(tensor(size=(count,), stride=(1,), stored=stored), {"data/0": values.tobytes()})
    (tmp_path / "large.pt").write_bytes(content)
    assert np.array_equal(array(load(tmp_path / "large.pt")), values)


def test_bytes_of_many_bool_tensors_are_read_once(monkeypatch):
    read, real = [], _storages.to_numpy
    monkeypatch.setattr(
        _storages, "to_numpy", lambda storage, layout, begin: read.append(layout.numel) or real(storage, layout, begin)
    )
    flags, others = (st.from_numpy(np.ones(count, bool))[0] for count in (1000, 3))
    spans = [(flags, start, 1000 - start) for start in range(900)] + [(flags, start, 50) for start in range(900)]
    _storages.check_bools(
        [(one, st.contiguous((count,), st.bool_), start) for one, start, count in [*spans, (others, 0, 3)]]
    )
    assert sum(read) == 1003
