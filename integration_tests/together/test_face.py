"""The face gives out its siblings' objects, the very same ones, and importing it loads nothing slow."""

import importlib
import json
import os
import subprocess
import sys

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)

# Top-level modules that `import facula` may add to what `import numpy, cffi` already loads.
ALLOWED = {
    "_cffi_backend",
    "_contextvars",
    "_queue",
    "array",
    "contextvars",
    "facula",
    "facula_allocator",
    "facula_autograd",
    "facula_cpu",
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


def test_public_names_are_the_packages_own_objects():
    """A name that the face and a package both give out is one object, not two that look alike."""
    different = []
    for package in ("storage", "allocator", "autograd", "cpu", "tensor"):
        module = importlib.import_module(f"facula_{package}")
        shared = set(module.__all__) & set(facula.__all__)
        different += [f"{package}.{name}" for name in shared if getattr(module, name) is not getattr(facula, name)]
    assert not different, different


def test_a_missing_package_says_what_to_install():
    """A name of the face whose package is not there is an ImportError that names the package."""
    script = "import sys; sys.modules['facula_tensor'] = None; import facula; facula.tensor([1.0])"
    env = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert done.returncode != 0
    assert "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr
    assert "facula-tensor" in done.stderr
