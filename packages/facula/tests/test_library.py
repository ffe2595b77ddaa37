"""`facula.library`: a program that registers an operator as PyTorch's documentation does."""

import sys

import numpy as np
import pytest

import facula as torch
from facula_errors.testing import raises


@torch.library.custom_op("mylib::numpy_sin", mutates_args=())
def numpy_sin(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.cpu().numpy()))


@numpy_sin.register_fake
def _(x):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    (x,) = inputs
    ctx.save_for_backward(x)


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * x.cos()


torch.library.register_autograd("mylib::numpy_sin", backward, setup_context=setup_context)


def test_an_operator_is_registered_as_in_pytorch():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    y = numpy_sin(x)
    assert torch.allclose(y, x.sin()) and repr(y.grad_fn).count("numpy_sin")
    assert torch.autograd.gradcheck(numpy_sin, (x,)) and torch.autograd.gradgradcheck(numpy_sin, (x,))
    assert numpy_sin(torch.empty(2, device="meta")).shape == (2,)
    tangent = torch.func.jvp(numpy_sin, (x.detach(),), (torch.ones(3, dtype=torch.float64),))[1]
    assert torch.allclose(tangent, x.detach().cos())


def test_faculas_additions_are_available():
    assert torch.fuse is torch.library.fuse
    swish = torch.fuse(lambda x: x * torch.sigmoid(x))
    assert torch.allclose(swish(torch.ones(2)), torch.nn.functional.silu(torch.ones(2)))


def test_operators_are_found_by_namespace_and_name():
    assert torch.ops.mylib.numpy_sin is numpy_sin is torch.ops.mylib.numpy_sin.default
    assert numpy_sin.overloads() == ["default"] and "numpy_sin" in dir(torch.ops.mylib)
    assert torch.equal(torch.ops.mylib.numpy_sin(torch.zeros(2)), torch.zeros(2))
    assert not hasattr(torch.ops, "pytest_plugins")  # pytest looks this name up in every module that it collects
    assert not hasattr(torch.ops.mylib, "cos") and not hasattr(torch.ops.other, "numpy_sin")
    with raises(AttributeError, "ops.detectron2.nms_rotated", "define it with library.custom_op"):
        torch.ops.detectron2.nms_rotated
    with raises(AttributeError, "ops.aten.relu", "use torch.relu or the method"):
        torch.ops.aten.relu


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_shared_libraries_are_refused(tmp_path):
    """Check that even a library that the dynamic loader accepts is not loaded."""
    with open("/proc/self/maps") as maps:
        known = next(line.split()[-1] for line in maps if "libc" in line and ".so" in line)
    copy = tmp_path / "mine.so"
    with open(known, "rb") as file:
        copy.write_bytes(file.read())
    for path in (copy, "missing.so"):
        with raises(OSError, "ops.load_library", ".so', which is compiled for PyTorch and"):
            torch.ops.load_library(path)
    with open("/proc/self/maps") as maps:
        assert str(copy) not in maps.read()
    assert not torch.ops.loaded_libraries


def test_dispatch_key_sets():
    from facula._C import DispatchKey, DispatchKeySet

    both = DispatchKeySet(DispatchKey.AutocastCPU) | DispatchKeySet(DispatchKey.AutocastCUDA)
    assert both.has(DispatchKey.AutocastCPU) and not both.has(DispatchKey.CPU)
    assert both & DispatchKeySet(DispatchKey.AutocastCPU) == DispatchKeySet(DispatchKey.AutocastCPU)
    assert repr(both - DispatchKeySet(DispatchKey.AutocastCPU)) == "DispatchKeySet(AutocastCUDA)"
    library = torch.library.Library("keys", "DEF")
    library.define("double(Tensor x) -> Tensor")
    library.impl("double", lambda x: x * 2, DispatchKey.CPU)
    assert torch.equal(torch.ops.keys.double(torch.ones(2)), torch.full((2,), 2.0))


def test_onnx_symbolics_are_registered_and_unregistered_once():
    torch.onnx.register_custom_op_symbolic("mylib::numpy_sin", lambda g, x: g.op("Sin", x), 11)
    torch.onnx.unregister_custom_op_symbolic("mylib::numpy_sin", 11)
    with raises(ValueError, "unregister_custom_op_symbolic", "that were registered", value="'mylib::numpy_sin', 11"):
        torch.onnx.unregister_custom_op_symbolic("mylib::numpy_sin", 11)
    with raises(
        ValueError, "register_custom_op_symbolic", "expected a name such as 'mylib::square'", value="'numpy_sin'"
    ):
        torch.onnx.register_custom_op_symbolic("numpy_sin", abs, 11)
