"""Shared fixtures: the wheels that `build` made, the environment that contains all of them, and operator cases."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def dist() -> Path:
    """Return the folder with the wheels and constraints.txt."""
    return ROOT / "dist"


@pytest.fixture(scope="session")
def wheels(dist) -> dict[str, Path]:
    """Return each distribution's wheel, from constraints.txt."""
    lines = (dist / "constraints.txt").read_text().splitlines()
    addresses = dict(line.split(" @ file://") for line in lines)
    return {name: dist / Path(address).name for name, address in addresses.items()}


@pytest.fixture(scope="module")
def cases(root):
    """Return the cases of the operators' tests."""
    folder = str(root / "packages" / "tensor" / "tests" / "operators")
    sys.path.insert(0, folder)
    try:
        from cases import CASES, COMPOSED
    finally:
        sys.path.remove(folder)
    return [*CASES, *COMPOSED]
