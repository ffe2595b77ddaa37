"""The stubs say what the functions are, and a type checker that reads them finds mistakes."""

from pathlib import Path

import pytest

import facula_tensor as ft
from facula_tensor._stubs import STUBS


@pytest.mark.parametrize("name", STUBS)
def test_the_stubs_are_current(name):
    written = (Path(ft.__file__).parent / name).read_text()
    assert written == STUBS[name](), f"{name} is out of date; run python -m facula_tensor._stubs"


def test_every_public_function_and_method_is_there():
    stubs = {name: write() for name, write in STUBS.items()}
    for name in ("relu", "add", "sum", "tensor", "where"):
        assert f"def {name}(" in stubs["__init__.pyi"]
    for name in ("relu_", "__add__", "sum", "copy_"):
        assert f"    def {name}(self" in stubs["_methods.pyi"]
    assert "alpha: Any = 1" in stubs["__init__.pyi"]


def test_a_type_checker_sees_them(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "import facula_tensor as ft\n"
        "x = ft.tensor([1.0])\n"
        "y: ft.Tensor = ft.relu(x) + x.exp().add_(x, alpha=2)\n"
        "z: ft.Tensor = ft.Tensor(2, 3) @ y.sum(0, keepdim=True)\n"
        "ft.relu(x, 0)\n"
        "x.add_(x, 2)\n"
        "x.exponential()\n"
    )
    out, _, _ = api.run(["--no-incremental", "--config-file=", str(program)])
    lines = sorted({int(line.split(":")[1]) for line in out.splitlines() if ": error:" in line})
    assert lines == [5, 6, 7], out
