"""The pages under docs/ run: their Python blocks as programs, and the operator that one adds as a diff is added."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
ADDING = ROOT / "docs" / "adding-an-operator.md"
DIFF = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_pages_python_runs(page, tmp_path):
    """All blocks of a page, in order, as one program."""
    blocks = PYTHON.findall(page.read_text())
    if not blocks:
        assert "```py\n" not in page.read_text(), "a block that is not run must not look like one that is"
        return
    (tmp_path / "page.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def built_with(patch: str, folder: Path) -> tuple[Path, list[Path]]:
    """A copy of the packages with the patch applied: where the changed ones are installed, and the tests it touches."""
    ignored = shutil.ignore_patterns("build", "*.so", "*.egg-info", "__pycache__", ".hypothesis")
    shutil.copytree(ROOT / "packages", folder / "packages", ignore=ignored)
    (folder / "operator.diff").write_text(patch)
    subprocess.run(["git", "apply", "--verbose", "operator.diff"], cwd=folder, check=True)
    touched = re.findall(r"^\+\+\+ b/(\S+)", patch, re.MULTILINE)
    changed = sorted({path.split("/")[1] for path in touched if "/tests/" not in path and path.startswith("packages/")})
    for package in changed:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "wheels"]
        subprocess.run([*command, f"packages/{package}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wheels = map(str, (folder / "wheels").glob("*.whl"))
    target = folder / "installed"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", target, *wheels], check=True
    )
    return target, [folder / path for path in touched if re.search(r"/tests/(?:\w+/)*test_\w+\.py$", path)]


def test_the_operator_that_the_page_adds_is_added(tmp_path):
    """The page's diff applies, passes the linter, builds, and passes the test it brings."""
    patch = "".join(DIFF.findall(ADDING.read_text()))
    assert patch, "docs/adding-an-operator.md shows no diff"
    added = re.findall(r"^\+(?!\+\+ )(.*)", patch, re.MULTILINE)
    too_long = [line for line in added if len(line) > 120]
    assert not too_long, too_long
    target, tests = built_with(patch, tmp_path)
    for check in ("check", "format --check") if find_spec("ruff") else ():
        command = [sys.executable, "-m", "ruff", *check.split(), "--no-cache", f"--config={ROOT / 'pyproject.toml'}"]
        done = subprocess.run([*command, "packages"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    assert tests, "the page's diff brings no test"
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}"]
    env = {**os.environ, "PYTHONPATH": str(target), "HYPOTHESIS_PROFILE": "ci"}
    done = subprocess.run([*command, *map(str, tests)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


# Listed in torch.nn and torch.nn.functional, and in no documentation of PyTorch's: what layers are made of, old names.
INNER = set(
    "Container NLLLoss2d RNNBase RNNCellBase LinearCrossEntropyOptions attention common_types factory_kwargs grad "
    "intrinsic parallel qat quantizable quantized BroadcastingList1 BroadcastingList2 BroadcastingList3 DType "
    "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES ScalingType SwizzleType Tensor assert_int_or_pair "
    "boolean_dispatch handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic "
    "reproducibility_notes sparse_support_notes tf32_notes".split()
)


@pytest.mark.parametrize("place", ["nn", "nn.functional"])
def test_the_page_lists_the_layers_and_functions_that_are_missing(place):
    """All of them by name, and none that is there."""
    import facula
    from facula._names import LISTING

    page = (ROOT / "docs" / "coming-from-pytorch.md").read_text()
    table = page.partition("### Layers and functions that are not there yet")[2]
    columns = [line.split("|")[2 if place == "nn" else 3] for line in table.splitlines() if line.startswith("| ")]
    listed = re.findall(r"`(\w+)`", " ".join(columns[2:]))
    module = facula.nn if place == "nn" else facula.nn.functional
    missing = {name for name in LISTING.names(f"torch.{place}") if not hasattr(module, name)} - INNER
    assert len(listed) == len(set(listed)) and set(listed) == missing
