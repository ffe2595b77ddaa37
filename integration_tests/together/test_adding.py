"""The pages on adding an operator, a layer and an optimizer: their diffs apply, lint, build and pass tests."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/how-to").glob("adding-*.md"))
DIFF = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
SOURCE = re.compile(r"packages/\w+/src/(\w+(?:/\w+)*)\.py")
TEST = re.compile(r"/tests/(?:\w+/)*test_\w+\.py$")
# Samples for the matrix and the invariants.
CASE = re.compile(r"^\+ +(?:unary|along|Case)\(\n\+ +\"(\w+)\"|^\+ +unary\(\"(\w+)\"", re.MULTILINE)
OF_SAMPLES = "packages/tensor/tests"
# Examples of a file's classes and public functions, whose `__module__` is the public module.
DOCTESTS = """import doctest, importlib, sys, types
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    for one, value in list(vars(module).items()):
        if isinstance(value, types.FunctionType) and value.__module__ != name:
            for test in doctest.DocTestFinder().find(value, one, importlib.import_module(value.__module__)):
                assert doctest.DocTestRunner().run(test).failed == 0, one
"""


def run(command, folder, **variables):
    """Return a command's output; fail the test with the output if the command fails."""
    env = {**os.environ, "HYPOTHESIS_PROFILE": "ci", **variables}
    done = subprocess.run([str(part) for part in command], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def apply(patch, folder):
    """Apply the patch to a copy of the packages, and return the copy and the changed files."""
    ignored = shutil.ignore_patterns("build", "*.so", "*.egg-info", "__pycache__", ".hypothesis")
    shutil.copytree(ROOT / "packages", folder / "packages", ignore=ignored)
    (folder / "page.diff").write_text(patch)
    run(["git", "apply", "--verbose", "page.diff"], folder)
    return re.findall(r"^\+\+\+ b/(\S+)", patch, re.MULTILINE)


def install(touched, folder):
    """Return the folder in which the changed packages' wheels are installed."""
    changed = {path.split("/")[1] for path in touched if "/tests/" not in path}
    for package in sorted(changed):
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "wheels"]
        run([*command, f"packages/{package}"], folder)
    target = folder / "installed"
    wheels = (folder / "wheels").glob("*.whl")
    run([sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", target, *wheels], folder)
    return target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_adds_is_added(page, tmp_path):
    """Check that the diff applies, passes the linter, builds, and passes its own test and examples."""
    patch = "".join(DIFF.findall(page.read_text()))
    assert patch, f"{page.name} shows no diff"
    too_long = [line for line in re.findall(r"^\+(?!\+\+ )(.*)", patch, re.MULTILINE) if len(line) > 120]
    assert not too_long, too_long
    touched = apply(patch, tmp_path)
    target = install(touched, tmp_path)
    if (target / "facula_tensor").exists():
        run([sys.executable, "-m", "facula_tensor._forms"], target)
    for check in ("check", "format --check") if find_spec("ruff") else ():
        settings = ["--no-cache", f"--config={ROOT / 'pyproject.toml'}"]
        run([sys.executable, "-m", "ruff", *check.split(), *settings, "packages"], tmp_path)
    tests = [path for path in touched if TEST.search(path)]
    cases = [name for found in CASE.findall(patch) for name in found if name]
    if cases:
        tests += [OF_SAMPLES, "-k", " or ".join(cases)]
    assert tests, f"{page.name}: the diff brings no test"
    command = [sys.executable, "-m", "pytest", "-q", "-c", ROOT / "pyproject.toml", f"--rootdir={tmp_path}"]
    run([*command, *tests], tmp_path, PYTHONPATH=str(target))
    modules = [
        found[1].replace("/", ".").removesuffix(".__init__") for path in touched if (found := SOURCE.match(path))
    ]
    run([sys.executable, "-c", DOCTESTS, *modules], target)


def test_the_page_lists_every_key_of_a_declaration():
    """Check that keys are listed in order, once each, and that declarations know all of them."""
    from facula_tensor._dispatch.operator import KNOWN

    table = (ROOT / "docs/how-to/adding-an-operator.md").read_text().partition("## Every key")[2]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == sorted(KNOWN)
