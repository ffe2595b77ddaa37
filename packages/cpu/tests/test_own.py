"""Loops and functions that a program registers by address."""

import ctypes

import numpy as np
import pytest

from facula_cpu import CpuBackend, register_function, register_loop
from facula_cpu._runtime.registry import kernel_for
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.testing import raises
from facula_storage import LaunchError, contiguous, float16, float32, float64

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
seen = []


@FUNCTION
def whole(plan, args):
    """Record the plan and the arguments; fail for 3 elements."""
    seen.append((list((ctypes.c_int64 * 5).from_address(plan)), [args[i] for i in range(3)]))
    return 9 if args[0] == 3 else 0


ADDRESS = ctypes.cast(whole, ctypes.c_void_p).value


@pytest.mark.parametrize("dtype", [float16, float32])
def test_a_registered_loop_serves_half_precision(dtype):
    register_loop("test::exp", (float32, float32), kernel_for("exp", float32.code, float32.code).address)
    layout = contiguous((2, 3), dtype)
    plan = CpuBackend().plan("test::exp", (layout,), (layout,))
    x = np.linspace(-1, 1, 6, dtype=dtype.numpy)
    y = np.empty_like(x)
    plan.launch(6, x.ctypes.data, y.ctypes.data)
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-3 if dtype is float16 else 1e-6)
    with raises(UnsupportedError, "test::exp", "the CPU has no kernel for (float64)"):
        other = contiguous((2,), float64)
        CpuBackend().plan("test::exp", (other,), (other,))


@pytest.mark.parametrize("releases_gil", [False, True])
def test_a_function_receives_shapes_and_addresses(releases_gil):
    register_function("test::whole", (float32, float64), ADDRESS, releases_gil=releases_gil, owner=whole)
    plan = CpuBackend().plan("test::whole", (contiguous((2, 4), float32),), (contiguous((8,), float64),))
    seen.clear()
    plan.launch(8, 64, 128)
    assert seen == [([2, 2, 4, 1, 8], [8, 64, 128])]
    with pytest.raises(LaunchError) as caught:
        plan.launch(3, 64, 128)
    assert caught.value.args[0] == 9


def test_a_function_requires_contiguous_arrays_of_its_dtypes():
    register_function("test::whole", (float32, float64), ADDRESS, owner=whole)
    backend, result = CpuBackend(), contiguous((4, 2), float64)
    with raises(ArgumentError, "test::whole", "expected contiguous arrays"):
        backend.plan("test::whole", (contiguous((2, 4), float32).transposed(),), (result,))
    for inputs in ((contiguous((4, 2), float64),), (float,), (None,)):
        with raises(UnsupportedError, "test::whole", "the CPU has no kernel"):
            backend.plan("test::whole", inputs, (result,))


REFUSED = [
    (("add", (float32,) * 3, 8), ArgumentError, "'add' is a built-in kernel's"),
    (("matmul", (float32,) * 3, 8), ArgumentError, "'matmul' is a built-in kernel's"),
    (("", (float32,) * 2, 8), InvalidTypeError, "expected name to be a string"),
    (("test::x", float32, 8), InvalidTypeError, "expected a tuple of dtypes"),
    (("test::x", (float32,), 8), ArgumentError, "got 1 dtypes"),
    (("test::x", (float32,) * 2, 0), ArgumentError, "the address of a function; got 0"),
    (("test::x", (float32,) * 2, 8.0), InvalidTypeError, "address to be an int; got float"),
]


@pytest.mark.parametrize("register", [register_loop, register_function])
@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED)
def test_invalid_registrations_are_refused(register, arguments, error, message):
    with raises(error, register.__name__, message):
        register(*arguments)
