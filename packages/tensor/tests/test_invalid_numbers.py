"""Numbers that a dtype cannot represent and arguments that are not numbers: errors name them before any change."""

import pickle
import warnings
from enum import IntEnum

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import func
from facula_tensor import functional as F
from facula_tensor._core import promotion

NAN, INF = float("nan"), float("inf")
CIRCLE: list = []
CIRCLE.append(CIRCLE)
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize("value", [NAN, INF, -INF, 1e30, -1e10, 2**31, -(2**31) - 1, 10**400])
@pytest.mark.parametrize(
    ("operation", "store"),
    [
        ("tensor", lambda value, dtype: ft.tensor(value, dtype=dtype)),
        ("tensor", lambda value, dtype: ft.tensor([0, value], dtype=dtype)),
        ("full", lambda value, dtype: ft.full((2,), value, dtype=dtype)),
        ("fill_", lambda value, dtype: ft.zeros(2, dtype=dtype).fill_(value)),
        ("copy_", lambda value, dtype: ft.zeros(2, dtype=dtype).copy_(value)),
        ("setitem", lambda value, dtype: ft.zeros(2, dtype=dtype).__setitem__(0, value)),
    ],
    ids=["tensor", "list", "full", "fill_", "copy_", "setitem"],
)
def test_numbers_outside_an_integer_dtype(operation, store, value):
    with raises((OverflowError, ValueError), operation, "int32"):
        store(value, ft.int32)


def test_a_rejected_number_changes_nothing():
    x = ft.arange(3, dtype=ft.uint8)
    for value in (256, -1, NAN, 1j, "3", None):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            x.fill_(value)
    assert x.tolist() == [0, 1, 2]
    assert x._version == 0


class Two(IntEnum):
    TWO = 2


@pytest.mark.parametrize("value", [2, 2.75, True, np.int8(2), np.float32(2.5), np.bool_(True), Two.TWO])
def test_accepted_types_of_numbers(value):
    assert ft.full((1,), value, dtype=ft.int16).tolist() == [int(value)]
    assert ft.zeros(1).fill_(value).tolist() == [float(value)]


def test_numbers_keep_their_dtypes():
    assert ft.tensor([np.float64(1), 2]).dtype is ft.float64
    assert ft.tensor([np.int8(1)]).dtype is ft.int8
    assert ft.tensor([ft.tensor(1.0, dtype=ft.float16), True]).dtype is ft.float16
    assert ft.tensor([np.arange(2), np.arange(2)]).tolist() == [[0, 1], [0, 1]]
    assert ft.tensor([np.ones(2, np.float32)], dtype=ft.int32).dtype is ft.int32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ft.tensor(CIRCLE), ValueError, "tensor: 64"),
        (lambda: ft.tensor(DEEP), ValueError, "tensor: 64"),
        (lambda: ft.tensor([1, DEEP]), ValueError, "tensor: index [1]"),
        (lambda: ft.tensor([np.ones(2), np.ones(3)]), ValueError, "tensor: index [1]"),
        (lambda: ft.tensor(["a"]), TypeError, "tensor: index [0]"),
        (lambda: ft.tensor([1j], dtype=ft.float32), TypeError, "tensor: complex"),
        (lambda: ft.full((2,), "x"), TypeError, "full: fill_value"),
        (lambda: ft.zeros(2).fill_("3"), TypeError, "fill_"),
        (lambda: ft.zeros(2).copy_(2**2000), OverflowError, "copy_"),
        (lambda: ft.arange(1e30), ValueError, "arange"),
        (lambda: ft.arange("x"), TypeError, "arange: end"),
        (lambda: ft.arange(NAN), ValueError, "arange"),
        (lambda: ft.linspace("a", 1, 3), TypeError, "linspace: start"),
        (lambda: ft.linspace(0, 1, 2.5), TypeError, "linspace: steps"),
        (lambda: ft.eye(2.5), TypeError, "eye: n"),
        (lambda: ft.randint(0, 2**63, (2,)), OverflowError, "randint"),
        (lambda: ft.randint(0.5, 2, (2,)), TypeError, "randint: low"),
        (lambda: ft.randint(0, 300, (2,), dtype=ft.uint8), OverflowError, "randint"),
        (lambda: ft.randperm(300, dtype=ft.uint8), OverflowError, "randperm: uint8"),
        (lambda: ft.randperm(2.5), TypeError, "randperm"),
        (lambda: ft.manual_seed("x"), TypeError, "manual_seed"),
        (lambda: ft.manual_seed(1.5), TypeError, "manual_seed"),
        (lambda: ft.manual_seed(1 << 64), ValueError, "manual_seed"),
        (lambda: ft.rand(2, generator=1), TypeError, "rand: generator"),
        (lambda: ft.zeros(2).normal_(generator=0), TypeError, "normal_: generator"),
        (lambda: ft.set_rng_state(ft.ones(2)), TypeError, "set_rng_state: get_state"),
        (lambda: ft.set_rng_state((1, -1)), TypeError, "set_rng_state: get_state"),
        (lambda: ft.Generator(5), TypeError, "device"),
        (lambda: ft.Generator("nowhere"), RuntimeError, "device 'nowhere': nowhere"),
        (lambda: ft.rand(2, generator=ft.Generator("meta")), ValueError, "rand: meta"),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with raises(error, message):
        call()


def test_the_bounds_of_permutations_and_draws():
    assert sorted(ft.randperm(256, dtype=ft.uint8).tolist()) == list(range(256))
    assert ft.randint(0, 256, (2000,), dtype=ft.uint8).max().item() > 200
    assert (ft.randint(-(2**63), 2**63 - 1, (100,)) < 0).any()


def test_a_generator_pickles_with_its_position():
    one = ft.Generator().manual_seed(3)
    ft.rand(5, generator=one)
    two = pickle.loads(pickle.dumps(one))
    assert two.device is one.device
    assert ft.rand(4, generator=one).tolist() == ft.rand(4, generator=two).tolist()


X, ROW = ft.ones(3, 3), ft.ones(3)
NUMBERS = {  # operation and argument -> a call with that number
    "add, alpha": lambda number: ft.add(X, X, alpha=number),
    "sub_, alpha": lambda number: X.clone().sub_(X, alpha=number),
    "addmm, beta": lambda number: ft.addmm(X, X, X, beta=number),
    "addmm, alpha": lambda number: ft.addmm(X, X, X, alpha=number),
    "addcmul, value": lambda number: X.addcmul(X, X, value=number),
    "leaky_relu, negative_slope": lambda number: F.leaky_relu(-X, number),
    "leaky_relu_, negative_slope": lambda number: F.leaky_relu_(-X, number),
    "elu, alpha": lambda number: F.elu(-X, number),
    "softplus, beta": lambda number: F.softplus(X, number),
    "threshold, value": lambda number: F.threshold(X, 2.0, number),
    "hardshrink, lambd": lambda number: F.hardshrink(X, number),
    "huber_loss, delta": lambda number: F.huber_loss(X, 3 * X, delta=number),
    "layer_norm, eps": lambda number: F.layer_norm(X, (3,), eps=number),
    "cdist, p": lambda number: ft.cdist(X, 2 * X, number),
    "renorm, maxnorm": lambda number: X.renorm(2, 0, number),
    "nan_to_num, posinf": lambda number: ft.nan_to_num(X * INF, posinf=number),
    "trapezoid, dx": lambda number: ft.trapezoid(X, dx=number),
    "pad, value": lambda number: F.pad(X, (1, 1), value=number),
    "logit, eps": lambda number: ft.logit(X, number),
    "full, fill_value": lambda number: ft.full((2,), number),
    "arange, end": lambda number: ft.arange(number),
    "isclose, rtol": lambda number: ft.isclose(X, 1.2 * X, rtol=number),
    "uniform_, to": lambda number: ft.zeros(3).uniform_(0, number),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_tensors_that_require_gradients_are_not_numbers(name):
    """Its gradient would be lost. Its element is accepted, and so is the tensor where gradients are disabled."""
    call, (operation, argument) = NUMBERS[name], name.split(", ")
    number = ft.tensor(0.25, requires_grad=True)
    with raises(TypeError, operation, f"expected {argument}", "gradient", ".detach() or .item()"):
        call(number)
    with raises(TypeError, operation, f"expected {argument}", "gradient"):
        func.grad(lambda x: call(x).sum())(number.detach())
    ft.manual_seed(0)
    wanted = call(0.25)
    for again in (lambda: call(number.detach()), lambda: call(number.item()), lambda: without_gradients(call, number)):
        ft.manual_seed(0)
        assert again().tolist() == wanted.tolist()


def without_gradients(function, *operands):
    with ft.no_grad():
        return function(*operands)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("linspace: start", lambda: ft.linspace(ft.tensor(0.5, requires_grad=True), 1, 3)),
        ("logspace: end", lambda: ft.logspace(0.5, ft.tensor(1.0, requires_grad=True), 3)),
        ("elu: alpha", lambda: func.jvp(lambda alpha: F.elu(-X, alpha), (ft.tensor(0.5),), (ft.tensor(1.0),))),
    ],
)
def test_a_lost_derivative_causes_a_warning(name, call):
    """PyTorch silently accepts the number; the program continues with a warning."""
    promotion._warned.clear()
    with pytest.warns(UserWarning, match=f"^{name} is taken as a number, and its (gradient|tangent) is lost"):
        call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()  # once for each argument


def softmax_of(tau):
    ft.manual_seed(0)
    return F.gumbel_softmax(ft.tensor([0.0, 1.0], dtype=ft.float64), tau)[0]


@pytest.mark.parametrize(
    "call",
    [
        softmax_of,
        lambda number: F.local_response_norm(X[None].double(), 2, number),
        lambda number: F.local_response_norm(X[None].double(), 2, 1e-4, number),
        lambda number: F.local_response_norm(X[None].double(), 2, 1e-4, 0.75, number),
        lambda number: F.triplet_margin_with_distance_loss(X.double(), X.double(), X.double() * 1.1, margin=number),
        lambda number: F.normalize(X.double() * 1e-3, eps=number),
        lambda number: F.normalize(X.double() * 1e-3, p=1, eps=number),
        lambda number: F.lp_pool1d(X.double() * 3, number, 2),
    ],
)
def test_gradients_of_numbers_in_computations(call):
    """As in PyTorch, for functions that consist of tensor operators."""
    number = ft.tensor(0.7, dtype=ft.float64, requires_grad=True)
    result = call(number).sum()
    result.backward()
    slope = (call(0.7 + 1e-6).sum() - call(0.7 - 1e-6).sum()) / 2e-6
    assert result.item() == pytest.approx(call(0.7).sum().item(), rel=1e-12)
    assert number.grad.item() == pytest.approx(slope.item(), rel=1e-5) and slope != 0
