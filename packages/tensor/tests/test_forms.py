"""The written public functions are those that the declarations say."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import facula_tensor as ft
from facula_tensor import _forms

PACKAGE, FOLDER = Path(ft.__file__).parent, Path(_forms.__file__).parent


def write(*options, inside=None):
    paths = [str(inside)] * bool(inside) + [os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "facula_tensor._forms", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_written_functions_are_current():
    done = write("--check")
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: run python -m facula_tensor._forms"


def test_files_are_written_from_nothing(tmp_path):
    copy = tmp_path / "facula_tensor"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    wanted = {path.name: path.read_text() for path in FOLDER.glob("[!_]*.py")}
    names = sorted(wanted)
    for name in names[1:]:
        (copy / "_forms" / name).unlink()
    (copy / "_forms" / names[0]).write_text("def broken(")
    (copy / "_forms" / "stale.py").write_text("")
    done = write("--check", inside=tmp_path)
    assert done.returncode == 1 and done.stdout == f"different: {', '.join(sorted([*names, 'stale.py']))}\n"
    done = write(inside=tmp_path)
    assert done.returncode == 0 and "removed: stale.py" in done.stdout, done.stderr
    assert {path.name: path.read_text() for path in (copy / "_forms").glob("[!_]*.py")} == wanted


def test_functions_are_short():
    for path in FOLDER.glob("[!_]*.py"):
        for text in path.read_text().split("\n\n\n")[1:]:
            steps = text.rpartition('"""')[2].count("\n")
            assert steps < 30, f"{path.name}: {text.splitlines()[0]}"
