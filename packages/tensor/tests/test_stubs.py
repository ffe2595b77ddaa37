"""The stubs match the functions, and a type checker that reads them reports mistakes."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import facula_tensor as ft
from facula_tensor import _stubs
from facula_tensor._stubs import STUBS


@pytest.fixture(scope="module")
def fresh():
    """Return the stubs and the overloaded names, from an interpreter in which no test has declared operators."""
    program = "import json; from facula_tensor._stubs import STUBS, overloaded\n"
    program += "print(json.dumps([{name: write() for name, write in STUBS.items()}, sorted(overloaded)]))"
    return json.loads(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)


@pytest.mark.parametrize("name", STUBS)
def test_the_stubs_are_current(fresh, name):
    written = (Path(ft.__file__).parent / name).read_text()
    assert written == fresh[0][name], f"{name} is out of date; run python -m facula_tensor._stubs"


def test_stubs_contain_every_public_function_and_method(fresh):
    stubs = fresh[0]
    for name in ("relu", "add", "sum", "tensor", "where"):
        assert f"def {name}(" in stubs["__init__.pyi"]
    for name in ("relu_", "__add__", "sum", "copy_"):
        assert f"    def {name}(self" in stubs["_core/methods.pyi"]
    assert "alpha: Scalar = 1" in stubs["__init__.pyi"]


@pytest.mark.parametrize("name", STUBS)
def test_no_argument_or_result_is_any(fresh, name):
    """Except for lists of numbers, nested to any depth."""
    text = fresh[0][name].replace("builtins.list[Any]", "")
    assert not re.search(r"\bAny\b", text.partition("\n\n")[2].partition("from ._types")[2])


def test_overloads_have_the_arguments_of_their_functions(fresh):
    assert sorted(_stubs.OVERLOADS) == fresh[1]


def test_a_new_argument_must_have_a_type():
    def function(input: ft.Tensor, unheard_of: Any = None) -> ft.Tensor:
        raise NotImplementedError

    with pytest.raises(SystemExit, match="unheard_of"):
        _stubs.definition("function", function)


def test_functions_named_like_overloads_keep_their_signature():
    def max(input: ft.Tensor, unheard_of: int) -> ft.Tensor:
        raise NotImplementedError

    assert "def max(input: Tensor, unheard_of: builtins.int) -> Tensor" in _stubs.definition("max", max)


def test_a_type_checker_uses_the_stubs(tmp_path):
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
        "x.reshape('a')\n"
        "x.sum(dim='0')\n"
        "n: int = x.argmax().item()\n"
        "s: str = x.item()\n"
        "v: ft.Tensor = x.max(0).values + x.max()\n"
        "x.max().values\n"
    )
    out, _, _ = api.run(["--no-incremental", "--config-file=", str(program)])
    lines = sorted({int(line.split(":")[1]) for line in out.splitlines() if ": error:" in line})
    assert lines == [5, 6, 7, 8, 9, 11, 13], out
