"""The face gives out its siblings' objects, the very same ones, and importing it loads nothing slow."""

import importlib
import json
import subprocess
import sys

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)

# Top-level modules that `import facula` may add to what `import numpy, cffi` already loads.
ALLOWED = {
    "__future__",
    "_heapq",
    "heapq",
    "threading",
    "_cffi_backend",
    "_contextvars",
    "_queue",
    "array",
    "contextvars",
    "facula",
    "facula_allocator",
    "facula_autograd",
    "facula_cpu",
    "facula_errors",
    "facula_storage",
    "facula_tensor",
    "gc",
    "queue",
}


def modules_after(statement):
    script = (
        f"import sys, json\n{statement}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_loads_numpy_and_nothing_slow():
    added = modules_after("import facula") - modules_after("import numpy")
    assert added <= ALLOWED, sorted(added - ALLOWED)


@pytest.mark.parametrize("slow", ["scipy", "multiprocessing", "asyncio", "torch", "cffi"])
def test_import_does_not_load(slow):
    assert slow not in modules_after("import facula") - modules_after("import numpy")


def test_a_public_name_is_one_object():
    """A name that several packages give out, the face among them, is one object, not two that look alike.

    But for the ways between libraries, where storage's take and give storages, and tensor's, made with them, tensors;
    and for `cpu`, storage's device, which is a module of the face, as of PyTorch.
    """
    homes = dict.fromkeys(("from_numpy", "from_dlpack", "to_dlpack", "cpu"), facula)
    skipped = {("storage", name) for name in homes}
    different = []
    for package in ("errors", "storage", "allocator", "autograd", "cpu", "data", "tensor", ""):
        module = importlib.import_module(f"facula_{package}" if package else "facula")
        for name in module.__all__:
            if (package, name) in skipped:
                continue
            first = homes.setdefault(name, module)
            if getattr(first, name) is not getattr(module, name):
                different.append(f"{first.__name__}.{name} is not {module.__name__}.{name}")
    assert not different, different
