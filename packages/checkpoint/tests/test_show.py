"""`python -m facula_checkpoint show` lists the contents of a file without building or running them."""

import subprocess
import sys

import numpy as np
import pytest
from checkpoint_testing import parts
from pickle_testing import FILES, archive, call, glob, put, storage, tensor

from facula_checkpoint import save_file
from facula_checkpoint.__main__ import main
from facula_checkpoint._show import members


def lines(capsys, *paths):
    assert main(["show", *map(str, paths)]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", ["values.pt", "legacy.pt", "protocol4.pt"])
def test_tensors_and_names(name, capsys):
    first, *rows, total, names = lines(capsys, FILES / name)
    kind = "PyTorch's format before version 1.6" if name == "legacy.pt" else "PyTorch's zip format"
    assert f"{name}: {kind}, {(FILES / name).stat().st_size} bytes, 64 of them in 4 storages" in first
    assert [row.split() for row in rows] == [
        ["whole", "float32", "(3,", "4)", "48", "bytes"],
        ["row", "float32", "(4,)", "16", "bytes"],
        ["turned", "float32", "(4,", "3)", "48", "bytes"],
        ["half", "bfloat16", "(3,)", "6", "bytes"],
        ["mask", "bool", "(2,)", "2", "bytes"],
        ["parameter", "float32", "(2,)", "8", "bytes,", "parameter"],
    ]
    assert total == "  6 tensors, 128 bytes" and "argparse.Namespace, collections.Counter" in names


def test_unsupported_contents_are_shown(tmp_path, capsys):
    """Classes of programs, other devices, keys that are tensors, and text that a terminal would interpret."""
    far = storage(location="cuda:3", key="\x1b[2J")
    state = put({"x\x1b]0;title\x07": tensor(stored=far), 7: [tensor()]})
    (tmp_path / "a.pt").write_bytes(archive(call("evil pkg") + state + b"b"))
    text = "\n".join(lines(capsys, tmp_path / "a.pt"))
    assert "\x1b" not in text and "\x07" not in text
    assert "x\\x1b]0;title\\x07" in text and "24 bytes, on cuda:3" in text and "  7.0  " in text
    assert "names: collections.OrderedDict, evil.pkg, torch.FloatStorage" in text
    key = put({"k": tensor()})[:-1] + tensor() + tensor() + b"u"
    (tmp_path / "a.pt").write_bytes(archive(call("os system", key, glob("pkg Class"))))
    assert any("<tensor_v2>" in line or "k  " in line for line in lines(capsys, tmp_path / "a.pt"))


def test_paths_are_bounded(tmp_path, capsys):
    """If each container is in the previous one, the paths to all of them would take quadratic time and memory."""
    depth = 5000
    nested = (call("collections defaultdict", glob("builtins dict")) + put("a")) * depth + tensor() + b"s" * depth
    (tmp_path / "a.pt").write_bytes(archive(nested))
    (row,) = [line for line in lines(capsys, tmp_path / "a.pt") if "float32" in line]
    assert row.startswith("  a.a.a.") and len(row) < 400
    assert max(len(name) for name, _ in members("a." * 149, {"b": 0, "long": 0})) == 300


def test_a_safetensors_file(tmp_path, capsys):
    save_file({"w": parts(np.zeros((2, 3)))}, tmp_path / "a", {"license": "CC0\n"})
    first, row, total, text = lines(capsys, tmp_path / "a")
    assert first.endswith(f"a: safetensors, {(tmp_path / 'a').stat().st_size} bytes")
    assert row.split() == ["w", "float64", "(2,", "3)", "48", "bytes"]
    assert total == "  1 tensors, 48 bytes" and text == "  license: CC0\\n"


def test_errors_and_help(tmp_path, capsys):
    assert main(["show", str(tmp_path / "none"), str(FILES / "script.pt")]) == 1
    said = capsys.readouterr()
    assert "No such file" in said.err and "TorchScript archive" in said.err and not said.out
    command = [sys.executable, "-m", "facula_checkpoint", "show", "--help"]
    assert "FILE" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
