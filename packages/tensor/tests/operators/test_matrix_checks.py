"""Tests of the matrix: each fault planted here fails the check that it is for, by name."""

from dataclasses import replace

import numpy as np
import pytest
from case import FLOATS, Case, boolean
from elements import values_of

import facula_tensor as ft
from facula_autograd import Function, once_differentiable
from facula_cpu import level
from facula_cpu.extend import levels
from facula_errors.testing import raises
from facula_tensor import Tensor
from facula_tensor.testing import Samples, check_operator
from facula_tensor.testing._matrix import MATRIX, applicable, run_check

SAMPLES = Samples(dtypes=FLOATS, gradient=("float64",), elementwise=True, special=(0.0, -0.0, np.inf, np.nan), loose=3)


class Cube(Function):
    """x * x * x, with derivatives changed by `wrong`, `wrong_second` and `wrong_tangent`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, wrong, wrong_second, wrong_tangent):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, *wrong, ctx.wrong_tangent = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        ctx.wrong = wrong

    @staticmethod
    def jvp(ctx, tangent, *_):
        (x,) = ctx.saved_tensors
        return tangent * ctx.wrong_tangent(x * x * 3, x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        wrong, wrong_second = ctx.wrong
        slope = wrong(x * x * 3, x)
        return g * (slope.detach() + wrong_second(slope - slope.detach(), x)), None, None, None


def right(slope, x):
    return slope


def cube(wrong=right, wrong_second=right, wrong_tangent=right):
    return lambda x: Cube.apply(x, wrong, wrong_second, wrong_tangent)


def fails(check, function, samples=SAMPLES, reference=lambda x: x**3):
    """Check that `check_operator` fails in this check and names the function."""
    with raises(AssertionError, function.__name__, f"{check}:"):
        check_operator(function, samples, reference=reference)


def test_a_right_function_passes():
    check_operator(cube(), SAMPLES, reference=lambda x: x**3)
    check_operator(cube(), [SAMPLES, replace(SAMPLES, shapes=((2, 2, 3),))])  # compared with its own values in float64


def test_a_complete_case_runs_every_check():
    samples = replace(SAMPLES, arity=2, inplace="add_", out=True, scales=(1e20,))
    case = Case("add", ft.add, np.add, **{**vars(samples), "dtypes": FLOATS, "rejects": True})
    assert set(MATRIX) == set(applicable(case))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda slope, x: slope * 1.01,
        lambda slope, x: ft.where(ft.arange(x.numel()).view(x.shape) == 5, slope * 1.001, slope),  # one element
        lambda slope, x: slope if x.is_contiguous() else slope * 1.01,
        lambda slope, x: slope if x.ndim else slope * 1.01,
        lambda slope, x: slope.flip(0) if x.ndim else slope,
    ],
)
def test_a_wrong_gradient_is_detected(wrong):
    fails("first_derivatives", cube(wrong))


def test_a_wrong_second_gradient_is_detected():
    for wrong in (lambda slope, x: slope * 1.01, lambda slope, x: slope if x.is_contiguous() else slope * 1.01):
        fails("second_derivatives", cube(wrong_second=wrong))


@pytest.mark.parametrize("wrong", [lambda slope, x: slope * 1.01, lambda slope, x: slope if x.ndim else slope * 1.01])
def test_a_wrong_tangent_is_detected(wrong):
    fails("forward_mode", cube(wrong_tangent=wrong))


def test_a_wrong_batch_is_detected():
    def wrong(x):  # a batched tensor and a plain one give different results
        return x * x * x if x._layout.__class__ is ft.ones(1)._layout.__class__ else x * x * x + x

    fails("batching", wrong, replace(SAMPLES, gradient=(), special=()))


class Scaled(Function):
    """x times the last element of y, with `rule` as the batching rule."""

    @staticmethod
    def forward(x, y, rule):
        return x * y.select(-1, -1).unsqueeze(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        last = ft.zeros_like(y)
        last.select(-1, -1).copy_((g * x).sum(-1))
        return g * y.select(-1, -1).unsqueeze(-1), last, None

    @staticmethod
    def jvp(ctx, s, t, _):
        x, y = ctx.saved_tensors
        return s * y.select(-1, -1).unsqueeze(-1) + x * t.select(-1, -1).unsqueeze(-1)

    @staticmethod
    def vmap(info, in_dims, x, y, rule):
        return rule(info, in_dims[:2], x, y)


def in_front(info, dims, *operands):
    """Move the batch of each operand to the front, or add one."""
    return [
        operand.expand(info.batch_size, *operand.shape) if dim is None else operand.movedim(dim, 0)
        for operand, dim in zip(operands, dims, strict=True)
    ]


def right_rule(info, dims, x, y):
    return Scaled.apply(*in_front(info, dims, x, y), right_rule), 0


@pytest.mark.parametrize(
    ("check", "rule"),
    [
        ("batching", lambda info, dims, x, y: (Scaled.apply(x, y, right_rule), 0)),  # right if all batches are in front
        ("batching", lambda info, dims, x, y: (Scaled.apply(x, y, right_rule), dims[0])),
        ("batching", lambda info, dims, x, y: right_rule(info, (dims[0],) * 2, x, y)),
        ("batched_gradients", lambda info, dims, x, y: (right_rule(info, dims, x, y)[0].detach(), 0)),
        ("batched_gradients", lambda info, dims, x, y: right_rule(info, dims, x.detach(), y)),
    ],
)
def test_a_wrong_batching_rule_is_detected(check, rule):
    samples = Samples(arity=2, dtypes=("float64",), shapes=((3, 4), (3, 4)), gradient=("float64",), second=False)
    check_operator(lambda x, y: Scaled.apply(x, y, right_rule), samples)
    fails(check, lambda x, y: Scaled.apply(x, y, rule), samples, lambda x, y: x * y[..., -1:])


def test_a_gradient_that_is_wrong_in_one_dtype_is_detected():
    for dtype in FLOATS[:3]:
        wrong = lambda slope, x, dtype=dtype: slope * 1.5 if x.dtype.name == dtype else slope
        fails("gradients_in_every_dtype", cube(wrong))


def test_functions_that_are_differentiable_once_fail_the_second_check():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2

    twice = lambda x: Once.apply(x)
    once = replace(SAMPLES, second=False, forward_mode=False, batching=False)
    check_operator(twice, once, reference=lambda x: x * 2)
    with raises((AssertionError, RuntimeError), "<lambda>", "once"):
        check_operator(twice, SAMPLES, reference=lambda x: x * 2)


EXP = Samples(dtypes=("float32",), layouts=("contiguous", "transposed"))
OFF = {"float16": 1.02, "bfloat16": 1.1, "float32": 1.0001, "float64": 1 + 1e-10}


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_wrong_value_is_detected(dtype):
    fails("values", lambda x: x * x * x * (OFF[dtype] if x.dtype.name == dtype else 1))


def last_wrong(x):
    result = ft.exp(x)
    result[-1] = 0
    return result


@pytest.mark.parametrize(
    ("check", "function", "text"),
    [
        ("values", lambda x: ft.exp(x) if x.is_contiguous() else last_wrong(x), "transposed"),
        ("values", lambda x: ft.exp(x).double(), "dtype float64; expected float32"),
        ("values", lambda x: ft.exp(x).unsqueeze(0), "shape"),
        ("values", lambda x: (ft.exp(x), x.zero_())[0], "an operand changed"),
        ("values", lambda x: x.exp_(), "returned its operand itself"),
        ("values", lambda x: None, "returned None; expected a tensor"),
        ("values", lambda x: (ft.exp(x),), "returned a tuple; expected a tensor"),
        ("values", lambda x: ft.exp(x).foo, "the call raised AttributeError; ... foo"),
        ("devices", lambda x: ft.exp(x)[0] if x.device.type == "meta" else ft.exp(x), "shape"),
        ("refusals", lambda x: ft.exp(x), "was accepted"),
        ("kernel_levels", lambda x: ft.exp(x) if x.numel() < 32 else last_wrong(x), "long"),
    ],
)
def test_faults_of_exp_are_detected(check, function, text):
    samples = replace(EXP, rejects=check == "refusals")
    with raises(AssertionError, "exp", f"{check}:", text):
        run_check(Case("exp", function, np.exp, **vars(samples)), check)
    run_check(Case("exp", ft.exp, np.exp, **{**vars(samples), "rejects": False}), check)


@pytest.mark.skipif(len(levels()) < 2, reason="this processor has one level")
def test_a_kernel_that_is_wrong_at_one_instruction_set_is_detected():
    best = level()
    wrong = lambda x: ft.exp(x) if level() == best else last_wrong(x)
    fails("kernel_levels", wrong, replace(EXP, rejects=False), np.exp)


def test_a_wrong_special_value_is_detected():
    floats = replace(SAMPLES, gradient=(), rejects=False)
    fails("special_values", lambda x: ft.exp(x).nan_to_num(0.0, float("inf")), floats, np.exp)
    fails("special_values", lambda x: ft.floor(x) + 0, floats, np.floor)  # -0.0 + 0 is 0.0


def test_an_intermediate_result_that_overflows_or_vanishes_is_detected():
    for scale in (1e20, 1e-20):
        samples = replace(SAMPLES, gradient=(), special=(), dtypes=("float32",), rejects=False, scales=(scale,))
        fails("scales", lambda x: ft.sqrt(ft.sqrt(x * x * x * x)), samples, np.abs)
        check_operator(ft.abs, samples, reference=np.abs)


def test_a_wrong_in_place_form_is_detected(monkeypatch):
    monkeypatch.setattr(Tensor, "wrong_", lambda self: self + 1, raising=False)
    for form in ("wrong_", lambda x: x + 1):
        fails("inplace", lambda x: ft.exp(x), replace(EXP, inplace=form, rejects=False), np.exp)


def test_a_wrong_in_place_derivative_is_detected():
    form = lambda x: x.copy_(cube(lambda slope, x: slope * 1.01)(x * 1))
    fails("derivatives_inplace", cube(), replace(SAMPLES, inplace=form, special=()))


def test_an_ignored_out_is_detected():
    fails("out", lambda x, out=None: ft.exp(x), replace(EXP, out=True, rejects=False), np.exp)


def test_wrong_promotion_is_detected():
    wrong = lambda a, b: ft.eq(a, b) if getattr(b, "dtype", a.dtype) is a.dtype else ft.eq(a, b).double()
    fails("promotion", wrong, Samples(arity=2, elementwise=True, result=boolean), np.equal)


def test_operands_that_do_not_broadcast_must_be_rejected():
    wrong = lambda a, b: ft.add(a, b) if a.shape != (2, 3) or b.shape != (4, 3) else a
    fails("broadcasting", wrong, replace(EXP, arity=2, elementwise=True, rejects=False), np.add)


def test_calls_that_must_be_rejected():
    samples = replace(EXP, refused=(((3,), TypeError, "int"), ((ft.ones(2),), TypeError, "")), rejects=False)
    fails("refusals", lambda x: ft.exp(x), samples, np.exp)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: check_operator(3, SAMPLES), "check_operator: expected function to be callable; got int"),
        (lambda: check_operator(ft.exp, SAMPLES, reference=3), "check_operator: expected reference to be callable"),
        (lambda: check_operator(ft.exp, None), "check_operator: expected Samples, or a list of them; got NoneType"),
        (lambda: check_operator(ft.exp, "ab"), "check_operator: expected Samples, or a list of them; got str"),
        (lambda: check_operator(ft.exp, [SAMPLES, 3]), "check_operator: expected Samples; got int among them"),
        (lambda: check_operator(ft.exp, []), "check_operator: expected at least one Samples; got none"),
        (lambda: Samples(layouts=("odd",)), "Samples: expected layouts among 'contiguous' ... got 'odd'"),
        (lambda: Samples(dtypes=(ft.float32,)), "Samples: expected dtypes among 'bool' ... got facula.float32"),
        (lambda: Samples(dtypes=()), "Samples: expected dtypes to be at least one name"),
        (lambda: Samples(gradient="float64"), "Samples: expected gradient to be a tuple of names among 'float64',"),
        (lambda: Samples(gradient=("float32",)), "Samples: expected gradient among 'float64', 'complex128'"),
        (lambda: Samples(arity=0), "Samples: expected arity to be the number of tensors, 1 or more; got 0"),
        (lambda: Samples(arity=2, shapes=((3,),)), "Samples: expected shapes to be a shape for each tensor"),
        (lambda: Samples(shapes=(3,)), "Samples: expected shapes to be a shape for each"),
        (lambda: Samples(domain=3), "Samples: expected domain to be two numbers"),
        (lambda: Samples(gradient_domain=(3,)), "Samples: expected gradient_domain to be two numbers"),
        (lambda: Samples(result="bool"), "Samples: expected result to be a function from ... got 'bool'"),
        (lambda: Samples(inplace="foo_"), "Samples: expected inplace to be ... a tensor's method; got 'foo_'"),
        (lambda: Samples(refused=((3,),)), "Samples: expected refused to be (arguments, error, pattern) for each"),
    ],
)
def test_errors_of_check_operator_and_samples(call, text):
    with raises((TypeError, ValueError), text):
        call()


def test_values_of_half_precision_are_float32():
    assert values_of(ft.ones(2, dtype=ft.bfloat16)).dtype == np.float32
