"""The Python blocks of the pages under docs/ run, and the list of missing names is correct."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*/*.md"))
NEEDS = {"onnx": ("onnx", "onnxruntime")}  # imported by a page's programs, in addition to facula's packages
PYTHON = re.compile(r"^```python(?: needs=\"([\w,]+)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(text: str) -> list[str]:
    """Return a page's blocks, without those that need a package that is not installed: `python needs="jax"`."""
    found = PYTHON.findall(text)
    return [block for needs, block in found if all(find_spec(name) for name in needs.split(",") if name)]


def test_a_block_runs_where_the_packages_that_it_needs_are_installed():
    text = '```python\na\n```\n```python needs="pytest,no_such_package"\nb\n```\n```python needs="pytest"\nc\n```\n'
    assert blocks_of(text) == ["a\n", "c\n"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_pages_python_runs(page, tmp_path):
    """Run all blocks of a page, in order, as one program."""
    for package in NEEDS.get(page.stem, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    blocks = blocks_of(page.read_text())
    if not blocks:
        assert "```py\n" not in page.read_text(), "a block that is not run must not look like one that is"
        return
    (tmp_path / "page.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Listed in torch.nn and torch.nn.functional but not in PyTorch's documentation: helpers of layers, old names.
INNER = set(
    "Container NLLLoss2d RNNBase RNNCellBase LinearCrossEntropyOptions attention common_types factory_kwargs grad "
    "intrinsic parallel qat quantizable quantized BroadcastingList1 BroadcastingList2 BroadcastingList3 DType "
    "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES ScalingType SwizzleType Tensor assert_int_or_pair "
    "boolean_dispatch handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic "
    "reproducibility_notes sparse_support_notes tf32_notes".split()
)


@pytest.mark.parametrize("place", ["nn", "nn.functional"])
def test_the_page_lists_the_layers_and_functions_that_are_missing(place):
    """Check that the page names all missing ones, and no available one."""
    import facula
    from facula_tensor.extend import PyTorchNames

    page = (ROOT / "docs/tutorials/coming-from-pytorch.md").read_text()
    table = page.partition("### Missing layers and functions")[2]
    columns = [line.split("|")[2 if place == "nn" else 3] for line in table.splitlines() if line.startswith("| ")]
    listed = re.findall(r"`(\w+)`", " ".join(columns[2:]))
    module = facula.nn if place == "nn" else facula.nn.functional
    names = PyTorchNames(facula.__file__).names(f"torch.{place}")
    missing = {name for name in names if not hasattr(module, name)} - INNER
    assert len(listed) == len(set(listed)) and set(listed) == missing
