"""The scalars that Python passes to an optimizer step by name match those that C reads by position."""

import ast
import re

import pytest
from conftest import ROOT

CSRC = ROOT / "packages/cpu/csrc/optimizers"
SOURCES = (CSRC / "optimizer_numbers.h", CSRC / "adafactor_numbers.h", CSRC / "sgd_adam.dispatch.c")
NUMBERS = ROOT / "packages/tensor/src/facula_tensor/ops/optimizers/numbers.py"


def enumerations():
    """Return C's scalars by the optimizer's name: ``{"ADAM": ["rate", ...]}``."""
    found = {}
    for source in SOURCES:
        for body in re.findall(r"\benum \{([^}]*)\}", source.read_text()):
            names = re.findall(r"\w+", body)
            optimizer = names[0].partition("_")[0]
            places = [name.removeprefix(optimizer + "_").lower() for name in names]
            found[optimizer] = [one for one in places if one != "numbers"]  # their count, the last entry
    return found


def fields():
    """Return the fields of Python's classes in order, by the optimizer's name."""
    return {
        node.name.removesuffix("Numbers").upper(): [
            one.target.id.rstrip("_") for one in node.body if isinstance(one, ast.AnnAssign)
        ]
        for node in ast.parse(NUMBERS.read_text()).body
        if isinstance(node, ast.ClassDef)
    }


@pytest.mark.parametrize("optimizer", sorted(enumerations()))
def test_the_fields_stand_where_the_kernel_reads_them(optimizer):
    assert fields()[optimizer] == enumerations()[optimizer]


def test_there_are_no_others():
    assert set(fields()) == set(enumerations()) and len(fields()) == 11


@pytest.mark.parametrize("page", ["docs/optim.md", "packages/optim/README.md"])
def test_pages_list_all_optimizers(page):
    """Check all except `SparseAdam`, whose constructor raises."""
    tree = ast.parse((ROOT / "packages/optim/src/facula_optim/__init__.py").read_text())
    public = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    optimizers = {name for name in public if name[0].isupper()} - {"Optimizer", "SparseAdam"}
    row = next(line for line in (ROOT / page).read_text().splitlines() if line.startswith("|") and "`Adadelta`" in line)
    assert optimizers == set(re.findall(r"`(\w+)`", row)) - {"Optimizer"}
