"""The scalars that Python passes to an optimizer step by name match those that C reads by position."""

import ast
import re

import pytest
from conftest import ROOT

CSRC = ROOT / "packages/cpu/csrc"
SOURCES = (CSRC / "elements/optimizer_numbers.h", CSRC / "optimizers/adafactor_numbers.h")
NUMBERS = ROOT / "packages/tensor/src/facula_tensor/ops/optimizers/numbers.py"
PLANNER = ROOT / "packages/cpu/src/facula_cpu/_optimizer.py"
CHECKS = ROOT / "packages/cpu/csrc/reach/elements.c"


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
    public = ROOT / "packages/tensor/src/facula_tensor/extend/optimizers.py"
    assert set(fields()) == set(enumerations())
    assert set(fields()) == {name.upper() for name in re.findall(r'"(\w+)Numbers"', public.read_text())}


def test_facula_run_knows_all_steps():
    """Check that the table of `facula-run`, by which it checks files, equals that of the planner."""
    rows = re.findall(r'\{"(\w+_step)", (\d+), (\d+)\}', CHECKS.read_text())
    literals = [ast.literal_eval(node) for node in ast.walk(ast.parse(PLANNER.read_text())) if is_table(node)]
    numbers, kept = sorted(literals, key=len, reverse=True)
    assert {name: (int(count), int(scalars)) for name, count, scalars in rows} == {
        name: (count, kept.get(name, 1)) for name, count in numbers.items()
    }


def is_table(node):
    return isinstance(node, ast.Dict) and all(getattr(key, "value", "").endswith("_step") for key in node.keys)


@pytest.mark.parametrize("page", ["docs/packages/optim.md", "packages/optim/README.md"])
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
