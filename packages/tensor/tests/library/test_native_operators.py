"""Operators defined by the address of a C function on whole arrays: `native_op`."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_errors import ArgumentError, DTypeError, InvalidTypeError, OperationError
from facula_errors.testing import raises
from facula_tensor import func, library
from facula_tensor._dispatch.slow_path.slow_call import slow_call
from facula_tensor.testing import Samples, check_operator

WHOLE = Samples(dtypes=("float64",), gradient=("float64",), rejects=False)


@pytest.mark.filterwarnings("ignore:.*vmap runs it once for each")
def test_a_native_operator_passes_the_matrix(cumulate):
    check_operator(cumulate, WHOLE, reference=lambda x: np.cumsum(x, -1) if x.ndim else x)


def test_a_wrong_gradient_fails_the_matrix(compiled):
    wrong = library.native_op("test::wrong", {(ft.float64, ft.float64): compiled.cumulate}, inputs=("x",))
    wrong.register_autograd(lambda ctx, g: g)
    with raises(AssertionError, "wrong", "first_derivatives"):
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


def test_errors_name_native_operators(compiled, cumulate):
    pair = (ft.float64, ft.float64)
    with raises(DTypeError, "cumulate", "expected dtypes (float64)", "convert", value="(float32)"):
        cumulate(ft.ones(2))
    with raises(InvalidTypeError, "cumulate", "expected 'x' to be a Tensor", value="list"):
        cumulate([1.0])
    with raises(OperationError, "failing", "its function returned 5", "expected 0"):
        library.native_op("test::failing", {pair: compiled.fail})(ft.ones(2, dtype=ft.float64))
    with raises(ArgumentError, "odd", "shape function to give a tuple of ints"):
        library.native_op("test::odd", {pair: compiled.cumulate}, shape=lambda x: [-1])(ft.ones(2, dtype=ft.float64))
    with raises(ArgumentError, "native_op", "expected dtypes of 2 operands and of the result"):
        library.native_op("test::odd", {pair: compiled.cumulate}, inputs=("x", "y"))
    with raises(ArgumentError, "native_op", "the address of a function", value=0):
        library.native_op("test::odd", {pair: 0})
    with raises(InvalidTypeError, "native_op", "a dict from dtypes to functions"):
        library.native_op("test::odd", compiled.cumulate)
    with raises(ArgumentError, "native_op", "inputs to be a tuple of names"):
        library.native_op("test::odd", {pair: compiled.cumulate}, inputs="x")
    with raises(ArgumentError, "cumulate", "native_op's", "already"):
        cumulate.register_fake(lambda x: x)


def test_a_batching_rule(cumulate):
    x = ft.randn(2, 3, 4, dtype=ft.float64)
    wanted = x.cumsum(-1)
    cumulate.register_vmap(lambda info, in_dims, x: (cumulate(x.movedim(in_dims[0], 0)), 0))
    assert ft.allclose(func.vmap(func.vmap(cumulate))(x), wanted)
    assert ft.allclose(func.vmap(cumulate, in_dims=1)(x), wanted.movedim(1, 0))
    assert ft.allclose(cumulate(x=x), wanted)
    assert ft.allclose(cumulate(x.mT), x.mT.cumsum(-1))
    cumulate.register_vmap(lambda info, in_dims, x: (x, None, 3))
    with raises(InvalidTypeError, "cumulate", "a pair (output, out_dims)", value="a tuple of 3"):
        func.vmap(cumulate)(x)
    cumulate.register_vmap(lambda info, in_dims, x: (3, "x"))
    with raises(InvalidTypeError, "cumulate", "a tensor and the place of its batch"):
        func.vmap(cumulate)(x)


def test_a_second_call_takes_no_slow_path(compiled, cumulate):
    """For each kind of gradient: without one, with one that saves no operands, with one that saves operands."""
    signatures = {(ft.float64, ft.float64): compiled.cumulate}
    plain, saving = (library.native_op(f"test::{name}", signatures) for name in ("plain", "saving"))
    saving.register_autograd(
        lambda ctx, g: cumulate(g.flip(-1)).flip(-1),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs, output),
    )
    x = ft.randn(4, dtype=ft.float64)
    slow = []

    def watch(frame, event, arg):
        if event == "call" and frame.f_code is slow_call.__code__:
            slow.append(frame.f_locals["op"].name)

    for op in (plain, cumulate, saving):
        for given in (x, x.clone().requires_grad_()):
            op(given)
            sys.setprofile(watch)
            try:
                op(given)
            finally:
                sys.setprofile(None)
    assert slow == []
