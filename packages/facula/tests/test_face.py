"""The face adds nothing of its own: its names are its siblings' objects, under PyTorch's names."""

import subprocess
import sys
from types import ModuleType

import pytest

import facula

SIBLINGS = ("facula_storage", "facula_allocator", "facula_autograd", "facula_cpu", "facula_tensor")


def home(value):
    """The package in which an object was made; dtypes and devices are instances, so their class tells."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.partition(".")[0]


OBJECTS = [name for name in facula.__all__ if not isinstance(getattr(facula, name), ModuleType)]


@pytest.mark.parametrize("name", OBJECTS)
def test_each_name_is_made_in_a_sibling(name):
    assert home(getattr(facula, name)) in SIBLINGS


def test_dtypes_are_pytorchs():
    assert [str(facula.ones(1, dtype=dtype).dtype) for dtype in (facula.float32, facula.bool)] == [
        "facula.float32",
        "facula.bool",
    ]


def test_training_learns_a_line():
    """Forward, backward and an update through the face alone."""
    facula.manual_seed(1)
    inputs = facula.randn(32, 2)
    wanted = inputs @ facula.tensor([[3.0], [-1.0]])
    weight = facula.zeros(2, 1, requires_grad=True)
    for _ in range(200):
        error = inputs @ weight - wanted
        (error * error).mean().backward()
        with facula.no_grad():
            weight -= 0.1 * weight.grad
            weight.grad = None
    assert weight.flatten().tolist() == pytest.approx([3.0, -1.0], abs=1e-4)


def test_without_tensors_the_error_says_what_to_install():
    script = "import sys; sys.modules['facula_tensor'] = None; import facula"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: facula: the package facula-tensor is missing; install" in done.stderr
