"""mypy and pyright accept correct users' programs with the installed wheels, and find the mistakes of wrong ones.

`correct.py` is a user's program; each line of `mistakes.py` that ends in `# expect: error` has a mistake.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOTS = (
    "facula", "facula_allocator", "facula_autograd", "facula_checkpoint", "facula_cpu", "facula_cuda", "facula_data",
    "facula_distributed", "facula_distributions", "facula_jit", "facula_multiprocessing", "facula_nn", "facula_optim",
    "facula_profiler", "facula_storage", "facula_tensor",
)  # fmt: skip
COMMANDS = {
    "mypy": ("mypy", "--strict", "--no-incremental", "--config-file="),
    "pyright": ("pyright", "--pythonpath", sys.executable),
}
ERROR = re.compile(r"(\w+\.py):(\d+)(?::\d+)?(?: -|:) error:? (.*)")
MARK = "# expect: error"


def public_modules() -> list[str]:
    """Return all modules without an underscore in their path, except examples and programs."""
    found = list(ROOTS)
    for root in ROOTS:
        top = Path(importlib.import_module(root).__file__).parent
        files = [
            path.relative_to(top.parent).with_suffix("").parts for path in top.rglob("*.py*") if path.suffix != ".pyc"
        ]
        names = {".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in files}  # stubs have no file
        for name in sorted(names - {root}):
            if not any(part.startswith("_") or part in ("as_torch", "examples") for part in name.split(".")):
                found.append(name)
    return found


def every_name(modules: list[str], header: str = "") -> str:
    """Return a program that imports each public name from its public module."""
    text = header
    for module in modules:
        for name in getattr(importlib.import_module(module), "__all__", ()):
            text += f"from {module} import {name} as {module.replace('.', '__')}__{name}\n"
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the programs, without facula's sources."""
    folder = tmp_path_factory.mktemp("programs")
    for name in ("correct.py", "mistakes.py"):
        shutil.copy(HERE / name, folder)
    (folder / "strict.py").write_text("# pyright: strict\n" + (HERE / "correct.py").read_text())
    modules = public_modules()
    inner = [name for name in modules if name.endswith(".extend") or ".ops" in name]  # used by siblings only
    users = [name for name in modules if name not in inner]
    (folder / "names.py").write_text(every_name(users, "# pyright: strict, reportUnusedImport=false\n"))
    (folder / "siblings.py").write_text(every_name(inner))
    return folder


@pytest.fixture(scope="module", params=COMMANDS)
def errors(request, folder):
    """Return each type checker's messages from one run, for each program: line -> message."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MYPYPATH")}
    env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    programs = sorted(path.name for path in folder.glob("*.py"))
    command = [sys.executable, "-m", *COMMANDS[request.param], *programs]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    found: dict[str, dict[int, str]] = {name: {} for name in programs}
    for name, line, message in ERROR.findall(done.stdout):
        found[name].setdefault(int(line), message)
    assert found["mistakes.py"], done.stdout + done.stderr
    return found


def test_a_correct_program_is_accepted(errors):
    assert errors["correct.py"] == {}
    assert errors["strict.py"] == {}


def test_every_public_name_is_seen(errors):
    """Check that no public name has an unknown type."""
    assert errors["names.py"] == {}
    assert errors["siblings.py"] == {}


def test_each_mistake_is_found(errors):
    lines = (HERE / "mistakes.py").read_text().splitlines()
    wanted = {number for number, line in enumerate(lines, 1) if line.endswith(MARK)}
    assert len(wanted) >= 100
    missed = [f"{number}: {lines[number - 1]}" for number in sorted(wanted - errors["mistakes.py"].keys())]
    surplus = {number: message for number, message in errors["mistakes.py"].items() if number not in wanted}
    assert not missed and not surplus, (missed, surplus)


def test_the_correct_program_runs(tmp_path):
    subprocess.run([sys.executable, str(HERE / "correct.py")], cwd=tmp_path, check=True, capture_output=True)
