"""A public name is in one list, `__all__` of the module where users find it; exceptions are stated.

Names are counted for each object: `cuda.Event` and `multiprocessing.Event` are two. Only literal lists in files
count; re-exported lists, tables and stubs do not.
"""

import ast
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)

#: Groups of modules that may list each other's names, and the reason.
SHARED = [
    # PyTorch has these names in each of the modules, which contain other code.
    {"facula.cpu", "facula.cpu.memory"},
    {"facula_cuda", "facula.cuda", "facula.cuda.graphs", "facula.cuda.memory", "facula.cuda.random",
     "facula.cuda.streams"},
    {"facula._dynamo", "facula.compiler"},
    {"facula.backends.cudnn", "facula.backends.mkldnn"},
    {"facula_distributed.device_mesh", "facula_distributed.tensor"},
    {"facula_autograd", "facula_autograd.graph", "facula.autograd.function"},
    {"facula_distributions", "facula_distributions.constraint_registry", "facula_distributions.kl",
     "facula_distributions.relaxed_bernoulli", "facula_distributions.relaxed_categorical",
     "facula_distributions.transforms"},
    {"facula_data", "facula_data.transforms", "facula.utils.data"},
    # Modules of facula that list some names of a sibling in addition to their own.
    {"facula.cuda", "facula_allocator"},
    {"facula.distributed.distributed_c10d", "facula_distributed"},
    {"facula.jit", "facula_jit"},
    {"facula.library", "facula_tensor.library", "facula_tensor.extend.arguments"},
    {"facula.multiprocessing.spawn", "facula_multiprocessing"},
    {"facula.onnx", "facula_jit.onnx"},
    {"facula.optim.optimizer", "facula_optim"},
    {"facula.optim.swa_utils", "facula_optim.swa_utils"},
    {"facula.testing", "facula_tensor.testing"},
    # A package, and modules of it that may be imported alone, without the others.
    {"facula_allocator.drivers", *(f"facula_allocator.drivers.{name}" for name in (
        "cuda", "fake", "host", "managed", "pinned", "protocol", "simulated"))},
    # An error of each package that reads files.
    {"facula_errors", "facula_allocator.snapshots", "facula_data", "facula_data.files", "facula.utils.data"},
    # Names that a package re-exports for packages above it, which do not import the one below.
    {"facula_autograd.extend.nodes", "facula_autograd.graph"},
    {"facula_autograd.extend.hooks", "facula_autograd.extend.graphs", "facula_tensor.extend.modules"},
    {"facula_autograd.extend.transforms", "facula_storage.extend.recording", "facula_tensor.extend.recording"},
    {"facula_multiprocessing.extend", "facula_storage.sharing"},
]  # fmt: skip


def written(path):
    """Return the names in a file's literal list; none without a list, or with a computed one."""
    for node in ast.parse(path.read_text()).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "__all__"
            and isinstance(node.value, ast.List)
        ):
            return ast.literal_eval(node.value)
    return []


def modules():
    """Return the modules of all packages that have lists, with these lists."""
    for name in ("allocator", "autograd", "checkpoint", "cpu", "cuda", "data", "distributed", "distributions",
                 "errors", "jit", "multiprocessing", "nn", "optim", "profiler", "storage", "tensor", ""):  # fmt: skip
        top = Path(import_module(f"facula_{name}" if name else "facula").__file__).parent
        for path in sorted(top.rglob("*.py")):
            inner = path.relative_to(top.parent).with_suffix("").parts
            if names := written(path):
                yield ".".join(inner[:-1] if inner[-1] == "__init__" else inner), names


def test_a_public_name_stands_in_one_list():
    found = defaultdict(set)
    for place, names in modules():
        for name in names:
            found[name, id(getattr(import_module(place), name))].add(place)
    assert len(found) > 1500
    twice = [(name, places) for (name, _), places in found.items() if len(places) > 1]
    assert [(name, places) for name, places in twice if not any(places <= group for group in SHARED)] == []
    unused = [group for group in SHARED if not any(places <= group for _, places in twice)]
    assert unused == [], "these may leave SHARED"
