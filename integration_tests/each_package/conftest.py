"""The package that the checks of this folder examine: the session sets FACULA_PACKAGE to its folder name."""

import os
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest


def pytest_configure(config):
    if "FACULA_PACKAGE" not in os.environ:
        raise pytest.UsageError("these checks run on a package's wheel: nox -s 'package_tests(NAME)'")


@pytest.fixture(scope="session")
def place() -> Path:
    """Return the folder with copies of the package's README.md, CHANGELOG.md and pyproject.toml."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project(place) -> dict:
    """Return the `[project]` table."""
    return tomllib.loads((place / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="session")
def module_name(project) -> str:
    """Return the import name, `facula_storage` for `facula-storage`."""
    return project["name"].replace("-", "_")


def requirement_name(requirement: str) -> str:
    """Return the name in a requirement: `facula-storage>=0.1,<0.2` -> `facula-storage`."""
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower()


def is_sibling(name: str) -> bool:
    return name == "facula" or name.startswith("facula-")


@pytest.fixture(scope="session")
def declared_siblings(project) -> set[str]:
    """Return the package and the siblings that it requires, directly, indirectly or in its test extra."""
    pending = [project["name"]]
    pending += map(requirement_name, project.get("optional-dependencies", {}).get("test", []))
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if is_sibling(name) and name not in found:
            found.add(name)
            required = [r for r in metadata.requires(name) or [] if "extra ==" not in r]
            pending += map(requirement_name, required)
    return found


@pytest.fixture(scope="session")
def installed_siblings() -> set[str]:
    """Return every facula distribution that this interpreter finds."""
    names = {distribution.metadata["Name"].lower() for distribution in metadata.distributions()}
    return {name for name in names if is_sibling(name)}
