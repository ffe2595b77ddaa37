"""Graphs in open files, together with a user's own files."""

import copy
import io
import pickle

from jit_toys import called, same, saved

from facula_errors import OperationError
from facula_errors.testing import raises
from facula_jit import GraphFileError, load, save
from facula_tensor import ones, randn, tensor

A = randn(6, 5)


def test_open_files_and_user_files(tmp_path):
    captured = called(lambda x: x * A, ones(6, 5))
    buffer = io.BytesIO()
    buffer.write(b"before")
    save(captured, buffer, _extra_files={"labels/names.txt": "cat", "version": b"7"})
    save(captured, tmp_path / "graph", _extra_files={"labels/names.txt": "cat", "version": b"7"})
    assert buffer.getvalue()[6:] == (tmp_path / "graph").read_bytes()
    buffer.seek(6)
    extra = {"version": "", "labels/names.txt": "", "none": ""}
    again = load(buffer, "cpu", _extra_files=extra)
    assert extra == {"version": b"7", "labels/names.txt": b"cat", "none": b""} and buffer.read() == b""
    assert same(again(x := randn(6, 5)), x * A)
    again.save(tmp_path / "again")
    with open(tmp_path / "again", "rb", buffering=0) as file:
        load(file, _extra_files=extra)
    assert extra["version"] == b"7"

    class Slow:
        def __init__(self, contents):
            self.file = io.BytesIO(contents)

        def read(self, count):
            return self.file.read(min(count, 100))

    assert same(load(Slow(buffer.getvalue()[6:]))(x), x * A)
    for file, said in (
        (Slow(buffer.getvalue()[6:500]), "<Slow>: not a graph"),
        (io.BytesIO(buffer.getvalue()), "<BytesIO>: a graph begins at byte 6, and the file is at 0"),
    ):
        with raises(GraphFileError, said):
            load(file)
    with raises(TypeError, "load", "open in text mode", "open it with mode 'rb'"):
        load(io.StringIO())
    with raises(TypeError, "save", "path or a file opened with mode 'wb'", value="int"):
        save(captured, 3)
    with raises(OperationError, "load", "map_location='cuda'"):
        load(buffer, "cuda")
    for extra, kind in (({"../x": b""}, ValueError), ({"x": 3}, TypeError), ({"x" * 200: b""}, ValueError)):
        with raises(kind, "save", "_extra_files"):
            save(captured, buffer, _extra_files=extra)


def test_copies_and_pickles_are_independent(tmp_path):
    total = tensor(0.0)

    def count(x):
        total.add_(x.sum())
        return total.clone()

    first = saved(called(count, ones(2)), tmp_path)
    for second in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert second(ones(2)).item() == 8 and same(second.forward(ones(2)), tensor(10.0))
    assert first(ones(2)).item() == 8 and "total + t0" in first.code
    assert first.to("cpu", non_blocking=True) is first.cpu() is first.train() is first.eval() is first
    for args in ((tensor(1).dtype,), ("cuda",), (None, ones(1).dtype)):
        with raises(OperationError, "to", "runs on the CPU in the dtypes that it was captured with"):
            first.to(*args)
