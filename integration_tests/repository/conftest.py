"""The repository as files: these checks read it without importing it, so they run before anything is built."""

import ast
import os
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEVER_TRACKED = {".git", ".nox", ".venv", "dist", "build", "results", "__pycache__"}
TRAINED = {"digits.png", "digits.safetensors"}  # created by the README's first command


@cache
def tracked_files() -> tuple[Path, ...]:
    """Return the paths that are or would be under version control; without git, all files except build products."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return tuple(Path(name) for name in sorted(listed.split("\0")) if name and (ROOT / name).is_file())
    found = []
    for parent, folders, files in os.walk(ROOT):
        folders[:] = [
            name for name in folders if name not in NEVER_TRACKED and not name.endswith((".egg-info", "_cache"))
        ]
        found += [Path(parent, name).relative_to(ROOT) for name in files if name not in TRAINED]
    return tuple(sorted(found))


class Package:
    """One folder of packages/: its name, its declarations and its Python sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name
        self.pyproject = tomllib.loads((folder / "pyproject.toml").read_text())
        self.project = self.pyproject["project"]
        self.module = self.project["name"].replace("-", "_")
        self.root = folder / "src" / self.module

    def __repr__(self) -> str:
        return self.name

    def sources(self) -> list[Path]:
        return sorted(self.root.rglob("*.py"))

    def parsed(self):
        for path in self.sources():
            yield path, ast.parse(path.read_text(), str(path))


PACKAGES = [Package(path.parent) for path in sorted(ROOT.glob("packages/*/pyproject.toml"))]


def pytest_generate_tests(metafunc):
    if "package" in metafunc.fixturenames:
        metafunc.parametrize("package", PACKAGES, ids=str)


@pytest.fixture(scope="session")
def packages():
    return PACKAGES


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def files():
    return tracked_files()
