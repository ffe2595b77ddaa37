"""Errors precede effects: operands, targets, versions and the generator are unchanged after an error."""

import numpy as np
import pytest
from elements import values_of

import facula_tensor as ft
from facula_errors.testing import raises

BASE = np.arange(6.0).reshape(2, 3)


def same(*tensors):
    """Return a check that these tensors still have their elements and versions."""
    before = [(tensor, values_of(tensor), tensor._version, tensor.requires_grad) for tensor in tensors]

    def check():
        for tensor, values, version, wanted in before:
            assert np.array_equal(values_of(tensor), values)
            assert tensor._version == version
            assert tensor.requires_grad is wanted

    return check


def x(dtype=ft.float64):
    return ft.tensor(BASE, dtype=dtype)


FAILING = {
    "add_ shape": (lambda a: a.add_(ft.ones(4)), "add_", "(2, 3) ... (4,)"),
    "add_ would grow": (lambda a: a.add_(ft.ones(5, 2, 3)), "add_", "only the other operand"),
    "mul_ complex": (lambda a: a.mul_(1j), "mul_", "complex128 ... float64"),
    "add_ foreign": (lambda a: a.add_("1"), "add_", "str"),
    "add_ other device": (lambda a: a.add_(ft.ones(2, 3, device="meta")), "add_", "meta"),
    "add_ part of itself": (lambda a: a[:, 1:].add_(a[:, :-1]), "add_", "share part"),
    "clamp_ nothing": (lambda a: a.clamp_(), "clamp_", "min, max or both"),
    "lt_ shape": (lambda a: a.lt_(ft.ones(4)), "lt_", "(4,)"),
    "copy_ shape": (lambda a: a.copy_(ft.ones(4)), "copy_", "(4,)"),
    "copy_ grows": (lambda a: a.copy_(ft.ones(2, 2, 3)), "copy_", "(2, 2, 3)"),
    "copy_ foreign": (lambda a: a.copy_(object()), "copy_", "object"),
    "fill_ shape": (lambda a: a.fill_(ft.ones(2)), "fill_", "zero-dimensional"),
    "fill_ complex": (lambda a: a.fill_(1j), "fill_", "complex"),
    "out shape": (lambda a: ft.exp(ft.ones(3), out=a), "exp", "(3,)"),
    "out cast": (lambda a: ft.exp(ft.ones(2, 3, dtype=ft.complex64), out=a), "exp", "complex64 ... float64"),
    "out overlap": (lambda a: ft.exp(a[:, :-1], out=a[:, 1:]), "exp", "share part"),
    "out device": (lambda a: ft.exp(ft.ones(2, 3, device="meta"), out=a), "exp", "device"),
    "matmul out": (lambda a: ft.matmul(ft.ones(2, 2), ft.ones(2, 2), out=a), "matmul", "(2, 2)"),
    "cat out": (lambda a: ft.cat([ft.ones(2)], out=a), "cat", "(2,)"),
    "sum out": (lambda a: ft.sum(ft.ones(2), out=a), "sum", "out"),
    "uniform_ bounds": (lambda a: a.uniform_(2, 1), "uniform_", "2 and 1"),
    "normal_ std": (lambda a: a.normal_(0, -1), "normal_", "-1"),
    "setitem index": (lambda a: a.__setitem__([0, 5], 1.0), "setitem", "5"),
    "setitem value": (lambda a: a.__setitem__(0, ft.ones(4)), "setitem", "(4,)"),
}


@pytest.mark.parametrize("name", FAILING)
def test_errors_change_nothing(name):
    action, operation, text = FAILING[name]
    target = x()
    check = same(target)
    state = ft.get_rng_state()
    with raises((ValueError, TypeError, RuntimeError, IndexError), operation, text):
        action(target)
    check()
    assert ft.equal(ft.get_rng_state(), state)


def test_integers_and_bools():
    target = ft.arange(3, dtype=ft.uint8)
    check = same(target)
    for operation, action in (
        ("add_", lambda: target.add_(300)),
        ("mul_", lambda: target.mul_(1.5)),
        ("div_", lambda: target.div_(2)),
        ("fill_", lambda: target.fill_(-1)),
        ("uniform_", lambda: target.uniform_()),
        ("add_", lambda: target.add_(ft.ones(3))),
        ("exp_", lambda: target.exp_()),
        ("exp", lambda: ft.exp(target, out=target)),
    ):
        with raises((RuntimeError, TypeError, OverflowError), operation, "uint8"):
            action()
        check()
    mask = ft.tensor([True, False])
    with raises(RuntimeError, "neg_", "bool"):
        mask.neg_()
    with raises(RuntimeError, "add_", "bool"):
        mask.add_(1)
    assert mask.tolist() == [True, False]


def test_a_leaf_that_requires_a_gradient():
    leaf = x().requires_grad_()
    check = same(leaf)
    for operation, action in (
        ("add_", lambda: leaf.add_(1)),
        ("zero_", lambda: leaf.zero_()),
        ("copy_", lambda: leaf.copy_(ft.ones(3))),
        ("uniform_", lambda: leaf.uniform_()),
        ("mul_", lambda: leaf[0].mul_(2)),
        ("clamp_", lambda: leaf.clamp_(0, 1)),
        ("setitem", lambda: leaf.__setitem__(0, 1.0)),
        ("exp", lambda: ft.exp(x(), out=leaf)),
        ("add_", lambda: leaf.t().add_(1)),
    ):
        with raises(RuntimeError, operation, "gradient"):
            action()
        check()


def test_read_only_memory():
    array = BASE.copy()
    array.flags.writeable = False
    target = ft.from_numpy(array)
    for operation, action in (
        ("add_", lambda: target.add_(1)),
        ("zero_", lambda: target.zero_()),
        ("copy_", lambda: target.copy_(x())),
        ("setitem", lambda: target.__setitem__(0, 1.0)),
        ("setitem", lambda: target.__setitem__([0], 1.0)),
        ("exp", lambda: ft.exp(x(), out=target)),
        ("uniform_", lambda: target.uniform_()),
        ("add_", lambda: target[0].add_(1)),
    ):
        with raises(RuntimeError, operation, "cannot be written"):
            action()
    assert np.array_equal(array, BASE)


def test_out_with_a_required_gradient():
    out = x()
    check = same(out)
    with raises(RuntimeError, "exp", "out=", "no_grad"):
        ft.exp(x().requires_grad_(), out=out)
    check()
    with ft.no_grad():
        ft.exp(x().requires_grad_(), out=out)
    assert np.allclose(values_of(out), np.exp(BASE))


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: x() @ x(), "matmul: input.shape[-1] == other.shape[-2]; got (2, 3) and (2, 3)"),
        (lambda: x() @ x(ft.float32), "matmul: float64 and float32 ... to"),
        (lambda: x() + ft.ones(4), "add: shapes (2, 3) and (4,)"),
        (lambda: x() + ft.ones(2, 3, device="meta"), "add: 'cpu' and 'meta'"),
        (lambda: -ft.tensor([True]), "neg: bool ... convert"),
        (lambda: ft.tensor([True]) - ft.tensor([True]), "sub: bool"),
        (lambda: x(ft.complex64) < 1, "lt: complex64"),
        (lambda: ft.exp([1.0]), "exp: list"),
        (lambda: ft.add(x(), [1.0]), "add: list"),
        (lambda: x().sum(2), "sum: dim is 2; expected -2 to 1"),
        (lambda: x().sum((0, 0)), "sum: twice"),
        (lambda: x().sum(1.0), "sum: expected dim to be an integer; got 1.0"),
        (lambda: ft.arange(3).mean(), "mean: int64 ... float"),
        (lambda: ft.ones(0).max(), "max: at least one element"),
        (lambda: ft.ones(3, 0).argmax(1), "argmax: at least one element"),
        (lambda: x().view(5), "view: shape (5,) has room for 5 ... 6"),
        (lambda: x().t().view(6), "view: reshape"),
        (lambda: x().view(-1, -1), "view: one -1"),
        (lambda: x().expand(4, 3), "expand: (2, 3) ... (4, 3)"),
        (lambda: x().permute(0, 0), "permute: once"),
        (lambda: x().transpose(0, 5), "transpose: dim is 5"),
        (lambda: x().squeeze(7), "squeeze: dim is 7"),
        (lambda: x().narrow(0, 1, 5), "narrow: start 1 and length 5"),
        (lambda: x().split([1, 2]), "split: 2 ... [1, 2]"),
        (lambda: x().flatten(1, 0), "flatten: expected start_dim ... 1 and 0"),
        (lambda: ft.cat([x(), ft.ones(1, 2)]), "cat: tensors[1] of shape (1, 2)"),
        (lambda: ft.cat([]), "cat: none"),
        (lambda: ft.stack([x(), ft.ones(2)]), "stack: tensors[1]"),
        (lambda: ft.where(x(), x(), x()), "where: bool"),
        (lambda: x().item(), "item: (2, 3)"),
        (lambda: bool(x()), "bool: 6 elements"),
        (lambda: x().softmax(3), "softmax: dim is 3"),
        (lambda: ft.arange(3).softmax(0), "softmax: int64"),
        (lambda: ft.tensor([[1], [2, 3]]), "tensor: [1]"),
        (lambda: ft.tensor([300], dtype=ft.uint8), "tensor: 300 ... uint8"),
        (lambda: ft.tensor("a"), "tensor: str"),
        (lambda: ft.zeros(-1), "zeros: -1"),
        (lambda: ft.zeros(2, dtype="float31"), "zeros: float31"),
        (lambda: ft.arange(0, 3, 0), "arange: step"),
        (lambda: ft.randint(3, 3, (2,)), "randint: 3 and 3"),
        (lambda: ft.bernoulli(ft.tensor([1.5])), "bernoulli: 0 to 1"),
        (lambda: ft.maximum(x(), 1), "maximum: tensors"),
        (lambda: ft.eq(1, x()), "eq: Tensor"),
        (lambda: x() & x(), "bitwise_and: float64"),
        (lambda: x().contiguous(memory_format=ft.channels_last), "contiguous: channels_last ... 4"),
    ],
)
def test_messages_name_operation_argument_and_remedy(action, text):
    with raises((ValueError, TypeError, RuntimeError, IndexError, OverflowError), text):
        action()


def test_shape_and_dtype_errors_are_runtime_errors():
    with pytest.raises(RuntimeError):
        x() + ft.ones(4)
    with pytest.raises(RuntimeError):
        -ft.tensor([True])
