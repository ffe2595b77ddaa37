"""Operators of one's own, by every way there is: they pass the matrix, and misuse that can be checked is refused."""

import ctypes
import gc
import subprocess
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import MutationError, grad, gradcheck, gradgradcheck
from facula_errors import ArgumentError, DTypeError, InvalidTypeError, OperationError, UnsupportedError
from facula_storage import listen
from facula_tensor import func, library
from facula_tensor.testing import Samples, check_operator

SOURCE = r"""
#include <math.h>
#include <stdint.h>

#define LOOP(NAME, T, EXPRESSION)                                                          \
    void NAME(int64_t n, const int64_t *address, const int64_t *step)                      \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T x = *(const T *)(address[0] + i * step[0]);                                  \
            *(T *)(address[1] + i * step[1]) = (T)(EXPRESSION);                            \
        }                                                                                  \
    }
#define LOOP_2(NAME, T, EXPRESSION)                                                        \
    void NAME(int64_t n, const int64_t *address, const int64_t *step)                      \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T x = *(const T *)(address[0] + i * step[0]), y = *(const T *)(address[1] + i * step[1]); \
            *(T *)(address[2] + i * step[2]) = (T)(EXPRESSION);                            \
        }                                                                                  \
    }

LOOP(squash_float, float, x / sqrtf(1 + x * x))
LOOP(squash_double, double, x / sqrt(1 + x * x))
LOOP_2(smooth_float, float, sqrtf(x * x + y * y + 1))
LOOP_2(smooth_double, double, sqrt(x * x + y * y + 1))

/* Cumulative sums along the last dimension. plan: ndim, lengths, of the operand and of the result. */
int64_t cumulate(const void *plan, int64_t *args)
{
    const int64_t *shape = plan, ndim = shape[0], columns = ndim ? shape[ndim] : 1;
    const double *x = (const double *)args[1];
    double *y = (double *)args[2];
    for (int64_t i = 0; i < args[0]; i++)
        y[i] = x[i] + (i % columns ? y[i - 1] : 0);
    return 0;
}
int64_t outer(const void *plan, int64_t *args)
{
    const int64_t *shape = plan, rows = shape[1], columns = shape[3];
    const double *x = (const double *)args[1], *y = (const double *)args[2];
    double *z = (double *)args[3];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            z[i * columns + j] = x[i] * y[j];
    return 0;
}
int64_t fail(const void *plan, int64_t *args) { return 5; }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The functions above, by ctypes."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "own.c", "-o", "own.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "own.so"))


FLOATS = ("float16", "bfloat16", "float32", "float64")
WHOLE = Samples(dtypes=("float64",), gradient=("float64",), rejects=False)


def as_floats(dtype):
    return dtype if dtype in FLOATS else "float32"


# ------------------------------------------------------------------------------------------------- on each element
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
    fused = library.fuse(lambda x: own_squash(x) * 2 + own_squash(-x))  # it is a step of programs, too
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


def test_what_a_loop_may_be(compiled):
    pair = (ft.float32, ft.float32)
    address = ctypes.cast(compiled.squash_float, ctypes.c_void_p).value
    library.register_loop("own_by_number", pair, address)
    library.register_loop("own_by_number", pair, type("cfunc", (), {"address": address})())  # as Numba's
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = new(("PyCapsule_New", ctypes.pythonapi))(address, b"void (int64_t)", None)  # as Cython's
    library.register_loop("own_by_number", pair, capsule)
    assert library._addresses.address_of("", capsule) == address


def test_the_owner_of_a_loop_is_kept(compiled):
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
    "a string": (("own_x", (ft.float32, ft.float32), "sin"), InvalidTypeError, "expected a C function.*got str"),
    "a Python function": (("own_x", (ft.float32,) * 2, abs), InvalidTypeError, "got builtin_function_or_method"),
    "one dtype": (("own_x", (ft.float32,), 8), ArgumentError, "dtypes of the operands and of the result; got 1"),
    "seven dtypes": (("own_x", (ft.float32,) * 7, 8), ArgumentError, "1 to 4 operands.*got 7"),
    "no dtypes": (("own_x", ("f", "f"), 8), InvalidTypeError, "a tuple of dtypes"),
    "a name that is taken": (("exp", (ft.float32,) * 2, 8), ArgumentError, "'exp' is a built-in kernel's"),
    "a planner's name": (("matmul", (ft.float32,) * 3, 8), ArgumentError, "'matmul' is a built-in kernel's"),
    "no name": ((None, (ft.float32,) * 2, 8), InvalidTypeError, "expected name to be a string"),
}


@pytest.mark.parametrize("what", LOOPS_REFUSED)
def test_a_loop_that_cannot_be_one_is_refused(what):
    arguments, error, message = LOOPS_REFUSED[what]
    with pytest.raises(error, match=f"register_loop: .*{message}"):
        library.register_loop(*arguments)
    with pytest.raises(ArgumentError, match="cost to be an int > 0"):
        library.register_loop("own_x", (ft.float32, ft.float32), 8, cost=0)


def test_declarations_are_refused_by_name(compiled):
    for name in ("exp", "view", "clamp", "sum"):
        with pytest.raises(ArgumentError, match=f"facula has an operator or a method '{name}'"):
            declare(name, value=lambda F, input: input)
    with pytest.raises(ArgumentError, match=r"own_nothing to have `value.*register_loop"):
        declare("own_nothing")
    with pytest.raises(InvalidTypeError, match="no attribute 'vaule'; the nearest is 'value'"):
        declare("own_misspelt", vaule=1, value=lambda F, input: input)
    with pytest.raises(InvalidTypeError, match="elementwise: expected a class; got function"):
        library.elementwise(lambda x: x)
    library.register_loop("own_single", (ft.float32, ft.float32), compiled.squash_float)
    single = declare("own_single")
    with pytest.raises(UnsupportedError, match=r"own_single: the CPU has no kernel for .float64"):
        single(ft.ones(2, dtype=ft.float64))
    with pytest.raises(InvalidTypeError, match="own_single"):
        single("x")
    assert declare("own_single", vjp_input=lambda F, g: g)(ft.zeros(1)).tolist() == [0.0]  # declared again: replaced


# ------------------------------------------------------------------------------------------------- whole tensors
@pytest.fixture
def cumulate(compiled):
    """Sums along the last dimension, in C; its gradient is itself, from the other end."""
    op = library.native_op("test::cumulate", {(ft.float64, ft.float64): compiled.cumulate}, inputs=("x",))
    op.register_autograd(lambda ctx, g: op(g.flip(-1)).flip(-1))
    return op


@library.numpy_op
def power(x, exponent=3):
    return x**exponent


@library.numpy_op
def power_slope(g, x, exponent):
    return g * exponent * x ** (exponent - 1)


def keep_both(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.exponent = inputs[1]


library.register_autograd(
    power, lambda ctx, g: (power_slope(g, *ctx.saved_tensors, ctx.exponent), None), setup_context=keep_both
)


@library.custom_op("test::logistic", mutates_args=())
def logistic(x):
    return 1 / (1 + (-x).exp())


logistic.register_autograd(
    lambda ctx, g: g * ctx.saved_tensors[0] * (1 - ctx.saved_tensors[0]),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
)


@logistic.register_fake
def _(x):
    return ft.empty_like(x)


library.register_fake("test::logistic")(lambda x: ft.empty_like(x))


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_functions_of_whole_tensors_pass_the_matrix(cumulate):
    check_operator(cumulate, WHOLE, reference=lambda x: np.cumsum(x, -1) if x.ndim else x)
    samples = Samples(dtypes=("float32", "float64"), gradient=("float64",), meta=True)
    check_operator(logistic, samples, reference=lambda x: 1 / (1 + np.exp(-x)))
    once = Samples(dtypes=("float64",), gradient=("float64",), second=False, forward_mode=False, meta=False)
    check_operator(power, once, reference=lambda x: x**3)


def test_a_wrong_gradient_fails_the_matrix(compiled):
    wrong = library.native_op("test::wrong", {(ft.float64, ft.float64): compiled.cumulate}, inputs=("x",))
    wrong.register_autograd(lambda ctx, g: g)
    with pytest.raises(AssertionError, match="derivatives"):
        check_operator(wrong, WHOLE)


def test_several_operands_and_a_shape(compiled):
    outer = library.native_op(
        "test::outer",
        {(ft.float64,) * 3: compiled.outer},
        inputs=("x", "y"),
        shape=lambda x, y: (*x, *y),
        releases_gil=False,
    )
    outer.register_autograd(
        lambda ctx, g: (g @ ctx.saved_tensors[1], ctx.saved_tensors[0] @ g),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x = ft.randn(3, dtype=ft.float64, requires_grad=True)
    y = ft.randn(8, dtype=ft.float64)[::2].requires_grad_()
    assert ft.allclose(outer(x, y), x[:, None] * y)
    assert gradcheck(outer, (x, y)) and gradgradcheck(outer, (x, y))
    found = func.jvp(outer, (x, y), (y[:3], y))[1]
    assert ft.allclose(found, y[:3, None] * y + x[:, None] * y)
    assert outer(x.detach(), y).grad_fn is not None
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda n: outer(x[:n], y).shape == (n, 4), [1, 2, 3] * 20))


def test_an_array_is_the_tensors_memory_and_read_only():
    seen = []

    @library.numpy_op
    def look(x):
        seen.append(x)
        return x[::-1]

    x = ft.tensor([1.0, 2.0])
    result = look(x)
    assert np.shares_memory(seen[0], x.numpy()) and not seen[0].flags.writeable
    assert result.tolist() == [2.0, 1.0] and not np.shares_memory(result.numpy(), x.numpy())
    with pytest.raises(ValueError, match="read-only"):
        library.numpy_op(lambda x: np.negative(x, out=x))(x)
    assert library.numpy_op(lambda x: x.sum())(x).shape == ()
    assert library.numpy_op(lambda x: x > 1)(x).tolist() == [False, True]


def test_a_gradient_in_numpy_serves_once():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = grad(power(x, exponent=2).sum(), x, create_graph=True)
    assert slope.tolist() == [2.0, 4.0]
    with pytest.raises(UnsupportedError, match="'power_slope' has no gradient"):
        slope.sum().backward()
    with pytest.raises(UnsupportedError, match="'power_slope' has no gradient"):
        func.jvp(power, (x,), (x,))


def test_what_setup_context_saved_is_checked_for_changes():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    result = power(y)
    y.mul_(2)
    with pytest.raises(MutationError, match=r"power.*changed"):
        result.sum().backward()


def called(function, *args, backward=None, fake=None, **kwargs):
    """The result of an operator that is made for one call, and goes backward."""
    op = library.custom_op("test::made", function)
    if backward is not None:
        op.register_autograd(backward)
    if fake is not None:
        op.register_fake(fake)
    result = op(*args, **kwargs)
    if result.requires_grad:
        result.sum().backward()
    return result


X = ft.ones(2, requires_grad=True)
CALLS_REFUSED = {
    "no tensor": (lambda: called(lambda x: x, 3), InvalidTypeError, "made: expected a tensor among the arguments"),
    "too many": (lambda: called(lambda x: x, X, X), InvalidTypeError, "made: too many positional"),
    "an unknown name": (lambda: called(lambda x: x, X, y=1), InvalidTypeError, "made: .*'y'"),
    "no gradient": (
        lambda: called(lambda x: x + 1, X),
        UnsupportedError,
        "'made' has no gradient; .*register_autograd",
    ),
    "an argument": (lambda: called(lambda x: x, X), ArgumentError, "made: .*returned an argument.*clone"),
    "a view": (lambda: called(lambda x: x[:1], X), ArgumentError, "made: .*view"),
    "no result": (lambda: called(lambda x: None, X), InvalidTypeError, "made: .*give a tensor; got NoneType"),
    "another shape": (
        lambda: called(lambda x: x + 1, X, fake=lambda x: ft.empty(3, device="meta")),
        ArgumentError,
        r"register_fake said that the result is float32 \(3,\); the function gave float32 \(2,\)",
    ),
    "two gradients": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: (g, g)),
        ArgumentError,
        "made: expected backward to return 1 gradients, one an argument; got 2",
    ),
    "a number": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: 3.0),
        InvalidTypeError,
        "made: expected backward to return tensors and None; got float",
    ),
    "a gradient's shape": (
        lambda: called(lambda x: x + 1, X, backward=lambda ctx, g: g.sum()),
        ArgumentError,
        r"made: expected backward to return a gradient like its argument float32 \(2,\); got float32 \(\)",
    ),
    "the meta device": (
        lambda: called(lambda x: x + 1, ft.empty(2, device="meta")),
        UnsupportedError,
        "made: .*meta device.*register_fake",
    ),
    "a mutation": (
        lambda: library.custom_op("test::made", mutates_args=("x",)),
        UnsupportedError,
        "custom_op: mutates_args is not supported",
    ),
    "another device": (
        lambda: library.custom_op("test::made", mutates_args=(), device_types="cuda"),
        UnsupportedError,
        "custom_op: expected device_types to be 'cpu'",
    ),
    "any number": (lambda: library.numpy_op(lambda *x: x), ArgumentError, "numpy_op: .*by position"),
    "no signature": (lambda: library.custom_op("a::b", int), InvalidTypeError, "custom_op: .*Python can tell; got <cl"),
    "no name": (lambda: library.custom_op("a b", abs), ArgumentError, "custom_op: expected a name"),
    "no function": (lambda: library.numpy_op(3), InvalidTypeError, "numpy_op: expected a function"),
    "strings": (
        lambda: library.numpy_op(lambda x: np.array(["a"]))(ft.ones(1)),
        InvalidTypeError,
        "lambda: expected its function to return numbers; got <U1",
    ),
    "an unknown operator": (
        lambda: library.register_fake("test::none"),
        ArgumentError,
        "register_fake: expected an op",
    ),
}


@pytest.mark.parametrize("what", CALLS_REFUSED)
def test_a_call_that_cannot_be_right_is_refused(what):
    call, error, message = CALLS_REFUSED[what]
    with pytest.raises(error, match=message):
        call()


def test_a_gradient_of_another_dtype_is_converted():
    x = ft.ones(2, requires_grad=True)
    called(lambda x: x + 1, x, backward=lambda ctx, g: g.double() * 3)
    assert x.grad.dtype is ft.float32 and x.grad.tolist() == [3.0, 3.0]


def test_native_operators_are_refused_by_name(compiled, cumulate):
    pair = (ft.float64, ft.float64)
    with pytest.raises(DTypeError, match=r"cumulate: expected dtypes \(float64\); got \(float32\); convert"):
        cumulate(ft.ones(2))
    with pytest.raises(InvalidTypeError, match="cumulate: expected a tensor"):
        cumulate([1.0])
    with pytest.raises(OperationError, match="failing: its function returned 5, and not 0"):
        library.native_op("test::failing", {pair: compiled.fail})(ft.ones(2, dtype=ft.float64))
    with pytest.raises(ArgumentError, match="shape function to give a tuple of ints"):
        library.native_op("test::odd", {pair: compiled.cumulate}, shape=lambda x: [-1])(ft.ones(2, dtype=ft.float64))
    with pytest.raises(ArgumentError, match="expected dtypes of 2 operands and of the result"):
        library.native_op("test::odd", {pair: compiled.cumulate}, inputs=("x", "y"))
    with pytest.raises(ArgumentError, match="the address of a function; got 0"):
        library.native_op("test::odd", {pair: 0})
    with pytest.raises(InvalidTypeError, match="a dict from dtypes to functions"):
        library.native_op("test::odd", compiled.cumulate)
    with pytest.raises(ArgumentError, match="inputs to be a tuple of names"):
        library.native_op("test::odd", {pair: compiled.cumulate}, inputs="x")
    with pytest.raises(ArgumentError, match="was said by native_op"):
        cumulate.register_fake(lambda x: x)


def test_nothing_of_a_call_is_kept(cumulate):
    x = ft.randn(4, dtype=ft.float64, requires_grad=True)
    gc.disable()
    try:
        for op in (cumulate, power, logistic):
            result = op(x)
            result.sum().backward()
            gone = weakref.ref(result)
            del result
            assert gone() is None
    finally:
        gc.enable()


def test_an_argument_without_a_gradient_has_zeros():
    weigh = library.custom_op("test::weigh", lambda x, w: x * w)
    weigh.register_autograd(
        lambda ctx, g: (g * ctx.saved_tensors[0], None),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[1]),
    )
    x, w = ft.ones(2, requires_grad=True), ft.full((2,), 3.0, requires_grad=True)
    weigh(x, w).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and w.grad.tolist() == [0.0, 0.0]


def test_subclasses_are_asked_for_own_operators():
    seen = []

    class Asked(ft.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, args, kwargs or {})

    x = ft.ones(2).as_subclass(Asked)
    fused = library.fuse(logistic_by_hand)
    assert type(logistic(x)) is type(fused(x)) is Asked
    assert {"logistic", "logistic_by_hand"} <= set(seen)


def logistic_by_hand(x):
    return 1 / (1 + ft.exp(-x))
