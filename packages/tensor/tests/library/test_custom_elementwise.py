"""Custom elementwise operators, from an expression or from loops in C; errors of misuse."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.testing import raises
from facula_storage import listen
from facula_tensor import library
from facula_tensor.testing import Samples, check_operator

FLOATS = ("float16", "bfloat16", "float32", "float64")


def as_floats(dtype):
    return dtype if dtype in FLOATS else "float32"


def test_an_expression_passes_the_matrix():
    @library.elementwise
    class own_rational:
        """x / (1 + |x|) of each element."""

        compute_dtype = library.floating

        def value(F, input):
            return input / (1 + abs(input))

    samples = Samples(dtypes=FLOATS, elementwise=True, gradient=("float64",), inplace="own_rational_", out=True)
    check_operator(own_rational, samples, reference=lambda x: x / (1 + np.abs(x)))
    assert own_rational(ft.tensor([1, -3])).tolist() == [0.5, -0.75]


def test_loops_in_c_pass_the_matrix(compiled):
    library.register_loop("own_squash", (ft.float32, ft.float32), compiled.squash_float)
    library.register_loop("own_squash", (ft.float64, ft.float64), compiled.squash_double, cost=2000)

    @library.elementwise
    class own_squash:
        """x / sqrt(1 + x**2) of each element."""

        compute_dtype = library.floating

        def vjp_input(F, g, input):
            return g * (input * input + 1) ** -1.5

    samples = Samples(dtypes=FLOATS, elementwise=True, gradient=("float64",), inplace="own_squash_", out=True)
    check_operator(own_squash, samples, reference=lambda x: x / np.sqrt(1 + x * x))
    fused = library.fuse(lambda x: own_squash(x) * 2 + own_squash(-x))  # it can be a step of a program, too
    heard, x = [], ft.randn(7)
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        found = fused(x)
    assert len(heard) == 1 and ft.allclose(found, own_squash(x))


def test_a_loop_of_two_operands_broadcasts_promotes_and_takes_numbers(compiled):
    library.register_loop("own_smooth", (ft.float32,) * 3, compiled.smooth_float)
    library.register_loop("own_smooth", (ft.float64,) * 3, compiled.smooth_double)

    @library.elementwise
    class own_smooth:
        """sqrt(x**2 + y**2 + 1)."""

        inputs = ("x", "y")
        compute_dtype = library.floating

        def vjp_x(F, g, x, y):
            return g * x / F.own_smooth(x, y)

        def vjp_y(F, g, x, y):
            return g * y / F.own_smooth(x, y)

    samples = Samples(arity=2, dtypes=FLOATS, result=as_floats, elementwise=True, gradient=("float64",))
    check_operator(own_smooth, samples, reference=lambda x, y: np.sqrt(x * x + y * y + 1))
    x = ft.randn(1 << 17)  # long enough for several threads
    assert ft.allclose(own_smooth(x, 2.0), (x * x + 5).sqrt())


def test_types_of_loops(compiled):
    pair = (ft.float32, ft.float32)
    address = ctypes.cast(compiled.squash_float, ctypes.c_void_p).value
    library.register_loop("own_by_number", pair, address)
    library.register_loop("own_by_number", pair, type("cfunc", (), {"address": address})())  # as with Numba
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = new(("PyCapsule_New", ctypes.pythonapi))(address, b"void (int64_t)", None)  # as with Cython
    library.register_loop("own_by_number", pair, capsule)
    assert library._addresses.address_of("", capsule) == address


def test_the_owner_of_a_loop_is_kept_alive(compiled):
    class Owner:
        address = ctypes.cast(compiled.squash_float, ctypes.c_void_p).value

    owner = Owner()
    library.register_loop("own_kept", (ft.float32, ft.float32), owner)
    still = weakref.ref(owner)
    del owner
    gc.collect()
    assert still() is not None


def declare(name, **body):
    return library.elementwise(type(name, (), body))


LOOPS_REFUSED = {
    "address 0": (("own_x", (ft.float32, ft.float32), 0), ArgumentError, "expected the address of a function; got 0"),
    "a string": (("own_x", (ft.float32, ft.float32), "sin"), InvalidTypeError, "expected a C function ... got str"),
    "a Python function": (("own_x", (ft.float32,) * 2, abs), InvalidTypeError, "got builtin_function_or_method"),
    "one dtype": (("own_x", (ft.float32,), 8), ArgumentError, "dtypes of the operands and of the result; got 1"),
    "seven dtypes": (("own_x", (ft.float32,) * 7, 8), ArgumentError, "1 to 4 operands ... got 7"),
    "no dtypes": (("own_x", ("f", "f"), 8), InvalidTypeError, "a tuple of dtypes"),
    "a name that is taken": (("exp", (ft.float32,) * 2, 8), ArgumentError, "'exp' is a built-in kernel's"),
    "a planner's name": (("matmul", (ft.float32,) * 3, 8), ArgumentError, "'matmul' is a built-in kernel's"),
    "no name": ((None, (ft.float32,) * 2, 8), InvalidTypeError, "expected name to be a string"),
}


@pytest.mark.parametrize("what", LOOPS_REFUSED)
def test_invalid_loops_are_rejected(what):
    arguments, error, message = LOOPS_REFUSED[what]
    with raises(error, "register_loop", message):
        library.register_loop(*arguments)
    with raises(ArgumentError, "register_loop", "cost to be an int > 0"):
        library.register_loop("own_x", (ft.float32, ft.float32), 8, cost=0)


def test_errors_name_declarations(compiled):
    for name in ("exp", "view", "clamp", "sum"):
        with raises(ArgumentError, "elementwise", f"facula has an operator or a method '{name}'"):
            declare(name, value=lambda F, input: input)
    with raises(ArgumentError, "elementwise", "own_nothing to have `value", "register_loop"):
        declare("own_nothing")
    with raises(InvalidTypeError, "own_misspelt", "no attribute 'vaule'", "the nearest is 'value'"):
        declare("own_misspelt", vaule=1, value=lambda F, input: input)
    with raises(InvalidTypeError, "elementwise", "expected a class", value="function"):
        library.elementwise(lambda x: x)
    library.register_loop("own_single", (ft.float32, ft.float32), compiled.squash_float)
    single = declare("own_single")
    with raises(UnsupportedError, "own_single", "the CPU has no kernel for", "float64"):
        single(ft.ones(2, dtype=ft.float64))
    with raises(InvalidTypeError, "own_single"):
        single("x")
    assert declare("own_single", vjp_input=lambda F, g: g)(ft.zeros(1)).tolist() == [0.0]  # declared again
