"""Error messages: the called operation, argument, value, expectation, and a remedy that works."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import functional as F
from facula_tensor import linalg

F64 = ft.float64


def m(*shape, **options):
    return ft.ones(*(shape or (3, 4)), **options)


def ints():
    return ft.arange(6).view(2, 3)


def leaf(*shape):
    return ft.ones(*shape, requires_grad=True)


def put(x, index, value):
    x[index] = value


HUGE = 1 << 45
WANTED = {  # call: (operation and a part of the message, further parts)
    # the name that the user called, even for composite functions
    "zeros": (lambda: ft.zeros(-1), "zeros: expected lengths of at least 0; got (-1,)"),
    "ones word": (lambda: ft.ones("a"), "ones: expected integers", "'a'"),
    "rand": (lambda: ft.rand(2, -1), "rand: ", "(2, -1)"),
    "randperm": (lambda: ft.randperm(2.5), "randperm: ", "2.5"),
    "randint": (lambda: ft.randint(0, 5, (-1,)), "randint: ", "(-1,)"),
    "full": (lambda: ft.full((2,), 300, dtype=ft.int8), "full: 300 does not fit int8"),
    "full word": (lambda: ft.full((2,), "3"), "full: expected fill_value to be a number; got str '3'"),
    "new_zeros": (lambda: m().new_zeros(-1), "new_zeros: "),
    **{
        f"{name}, requires_grad": (call, f"{name}: expected a floating-point or complex value; got int64")
        for name, call in {
            "zeros": lambda: ft.zeros(2, dtype=ft.int64, requires_grad=True),
            "zeros_like": lambda: ft.zeros_like(ints(), requires_grad=True),
            "full_like": lambda: ft.full_like(ints(), 1, requires_grad=True),
            "randint_like": lambda: ft.randint_like(ints(), 5, requires_grad=True),
            "new_empty": lambda: ints().new_empty(2, requires_grad=True),
            "arange": lambda: ft.arange(3, requires_grad=True),
            "frombuffer": lambda: ft.frombuffer(bytearray(8), dtype=ft.int64, requires_grad=True),
            "asarray": lambda: ft.asarray([1], requires_grad=True),
        }.items()
    },
    "asarray of bytes": (lambda: ft.asarray(bytearray(7), dtype=ft.float32), "asarray: 7 bytes are not a whole number"),
    "narrow_copy": (lambda: ft.narrow_copy(m(), 0, "a", 1), "narrow_copy: expected start and length", "'a' and 1"),
    "constant_pad_nd": (lambda: ft.constant_pad_nd(m(), (1, 1), 1j), "constant_pad_nd: 1j is complex", "float32"),
    "cartesian_prod": (
        lambda: ft.cartesian_prod(m(2), m(2, dtype=F64)),
        "cartesian_prod: expected one dtype and device",
        "float64 on cpu",
    ),
    "index_put": (lambda: ft.index_put(m(), 1, m()), "index_put: expected indices to be a tuple of tensors; got 1"),
    "stft": (lambda: m(8).stft(4, window="a"), "stft: expected window of shape (4,)", "got str"),
    "stft padding": (lambda: m(8).stft(4, pad_mode="a"), "stft: expected pad_mode to be 'reflect'", "got 'a'"),
    "huge": (lambda: ft.ones(1 << 40, 1 << 40), "ones: shape (1099511627776, 1099511627776)", "expected at most"),
    "dtype": (lambda: ft.ones(2, dtype="x"), "ones: unknown dtype 'x'; known are bool"),
    "device": (lambda: ft.ones(2, device="nope"), "ones: device 'nope'", "known are cpu"),
    "max of nothing": (lambda: m(0).max(), "max: expected at least one element", "shape (0,)"),
    "max along nothing": (lambda: m(0, 3).max(0), "max: expected at least one element", "shape (0, 3)", "along (0,)"),
    "max of complex": (lambda: m(dtype=ft.complex64).max(0), "max: complex numbers have no order"),
    "max and tensor": (lambda: m().max(m(7)), "max: shapes (3, 4) and (7,) do not broadcast"),
    "log_softmax": (lambda: ints().log_softmax(0), "log_softmax: not defined for int64; convert with .float()"),
    "broadcast_to": (lambda: m().broadcast_to((3, 5)), "broadcast_to: ", "(3, 5)", "dimension 1 has length 4"),
    "div by the operator": (lambda: m() / "a", "div: expected 'other' to be a Tensor or a number; got str 'a'"),
    "mul in place": (lambda: m().mul_("a"), "mul_: expected 'other'", "str 'a'"),
    "clamp": (lambda: m().clamp("x"), "clamp: expected 'min' to be a Tensor or a number; got str 'x'"),
    "alpha": (lambda: ft.add(m(), m(), alpha="x"), "add: expected alpha to be a number; got str 'x'"),
    "to": (lambda: m().to("zz"), "to: device 'zz'", "known are cpu"),
    "sum dtype": (lambda: m().sum(dtype="zz"), "sum: unknown dtype 'zz'"),
    "type_as": (lambda: m().type_as(3), "type_as: expected a Tensor; got int"),
    "expand_as": (lambda: m().expand_as(3), "expand_as: expected a Tensor; got int"),
    "transpose of a word": (lambda: ft.transpose("a", 0, 1), "transpose: expected a Tensor; got str"),
    "flatten of a list": (lambda: ft.flatten([1]), "flatten: expected a Tensor; got list"),
    "index_put_ of a word": (lambda: ft.index_put_("a", (), m()), "index_put_: expected a Tensor; got str"),
    "diag's diagonal": (lambda: ft.diag(m(), 1.5), "diag: expected diagonal to be an integer; got float 1.5"),
    "index_fill's value": (lambda: m().index_fill(0, ft.tensor([0]), m()), "index_fill: expected value to be a number"),
    "matmul stacks": (lambda: m(2, 3, 4) @ m(3, 4, 5), "matmul: leading dimensions", "(2, 3, 4) and (3, 4, 5)"),
    "mm": (lambda: ft.mm(m(), m(3)), "mm: expected mat2 to have 2 dimensions; got shape (3,); use reshape"),
    "zero_ of a word": (lambda: ft.zero_("x"), "zero_: expected a Tensor; got str"),
    "detach_ of a word": (lambda: ft.detach_("x"), "detach_: expected a Tensor; got str"),
    "round_ decimals": (lambda: m().round_(decimals="x"), "round_: expected decimals to be an integer; got str 'x'"),
    "addmm_'s beta": (lambda: m(2, 2).addmm_(m(2, 2), m(2, 2), beta="a"), "addmm_: expected beta to be a real number"),
    "addmm's alpha": (lambda: ft.addmm(*[m(2, 2)] * 3, alpha=10**400), "addmm: alpha"),
    "addcmul_'s value": (lambda: m().addcmul_(m(), m(), value="a"), "addcmul_: expected value to be a number; got str"),
    "float_power of a word": (lambda: ft.float_power(m(), "a"), "float_power: expected tensors, dtypes and numbers"),
    "float_power_ of a word": (lambda: m().float_power_("a"), "float_power_: expected tensors, dtypes and numbers"),
    "addmm complex": (lambda: ft.addmm(*[m(2, 2)] * 3, alpha=1j), "addmm: expected alpha to be a real number; got"),
    "cumsum_ of nothing": (lambda: m().cumsum_(), "cumsum_: expected dim to be an integer; got none"),
    "heaviside_ of a number": (lambda: m().heaviside_(1), "heaviside_: expected two tensors; got a number"),
    "lerp_'s weight": (lambda: m().lerp_(m(), "a"), "lerp_: expected weight to be a number or a Tensor"),
    "linspace from a vector": (lambda: ft.linspace(m(2), 1, 3), "linspace: expected start to be a number", "(2,)"),
    "logspace to a vector": (lambda: ft.logspace(0, m(2), 3), "logspace: expected end to be a number", "(2,)"),
    "isclose rtol": (lambda: m().isclose(m(), "x"), "isclose: expected rtol to be a real number; got str 'x'"),
    "allclose atol": (lambda: m().allclose(m(), atol=[1]), "allclose: expected atol to be a real number; got list"),
    "nan_to_num": (lambda: m().nan_to_num("x"), "nan_to_num: expected nan to be a real number; got str 'x'"),
    "frexp out": (lambda: m().frexp(out=1), "frexp: expected out to be 2 tensors (mantissa, exponent)"),
    "gradient spacing": (lambda: ft.gradient(m(), spacing=object()), "gradient: expected spacing to be a number"),
    "from_file": (lambda: ft.from_file(m()), "from_file: expected filename to be a path; got Tensor"),
    "pool": (lambda: F.max_pool2d(m(1, 1, 3, 4), 1, ceil_mode=[1]), "max_pool2d: expected ceil_mode to be True or"),
    "avg_pool1d": (lambda: F.avg_pool1d(m(), 1, count_include_pad="x"), "avg_pool1d: expected count_include_pad", "x"),
    "interpolate": (lambda: F.interpolate(m(1, 1, 2), 2, mode=["x"]), "interpolate: expected mode to be one of"),
    "pinv tolerances": (lambda: linalg.pinv(m(), rtol=m(2)), "linalg.pinv: expected rtol", "shape (2,)"),
    "tensorsolve dims": (lambda: linalg.tensorsolve(m(4, 4), m(4), 3.5), "linalg.tensorsolve: expected dims", "3.5"),
    "triplet distance": (
        lambda: F.triplet_margin_with_distance_loss(m(), m(), m(), distance_function="x"),
        "triplet_margin_with_distance_loss: expected distance_function to be a function; got 'x'",
    ),
    # writing
    "copy_ word": (lambda: m().copy_("x"), "copy_: expected numbers", "str 'x'"),
    "copy_ complex": (lambda: m().copy_(1j), "copy_: 1j is complex and cannot be stored in float32"),
    "copy_ shape": (lambda: m().copy_(m(7)), "copy_: shapes (3, 4) and (7,) do not broadcast"),
    "fill_ word": (lambda: m().fill_("3"), "fill_: expected the value to be a number; got str '3'"),
    "fill_ nan": (lambda: ints().fill_(float("nan")), "fill_: nan cannot be stored in int64"),
    "zero_ a leaf": (lambda: leaf(2).zero_(), "zero_: this tensor is a leaf", "no_grad() around an update", ".clone()"),
    "fill_ a leaf": (lambda: leaf(2).fill_(1), "fill_: this tensor is a leaf", "no_grad()", "change a .clone()"),
    "add_ to a leaf": (lambda: leaf(2).add_(1), "add_: this tensor is a leaf", "or add() for a new tensor"),
    "add_ to a view": (lambda: leaf(2)[:1].add_(1), "add_: this tensor is a view of a leaf", ".clone()"),
    "set in a leaf": (lambda: put(leaf(2), 0, 1.0), "setitem: this tensor is a leaf", "change a .clone()"),
    "set a word": (lambda: put(m(), 0, "x"), "setitem: expected numbers", "str 'x'"),
    "set nan": (lambda: put(ints(), 0, float("nan")), "setitem: nan cannot be stored in int64"),
    "set complex": (lambda: put(ints(), 0, 1j), "setitem: 1j is complex and cannot be stored in int64"),
    "set too large": (lambda: put(ints(), 0, 1 << 70), "setitem: 1180591620717411303424 does not fit int64"),
    "set shape": (lambda: put(m(), 0, m(7)), "setitem: shapes (4,) and (7,)"),
    "set out of range": (lambda: put(m(), [0, 9], 1.0), "setitem: index 9 at position 1 is out of range", "-3 to 2"),
    # indexing
    "out of range": (lambda: m()[0, 9], "getitem: 9 is out of range for dimension 1 of size 4; expected -4 to 3"),
    "positions": (lambda: m()[:, [0, 7]], "getitem: index 7 at position 1 is out of range", "size 4; expected -4 to 3"),
    "fraction": (lambda: m()[0, 1.5], "getitem: expected integers, slices", "got float 1.5 for dimension 1"),
    "slice": (lambda: m()[1:"a"], "getitem: expected integers in the slice for dimension 0; got stop str 'a'"),
    "backwards": (lambda: m()[::-1], "getitem: expected a positive step; got -1", "arange(n - 1, -1, -1)"),
    "dots": (lambda: m()[None, ..., ...], "getitem: expected at most one ellipsis"),
    "too many": (lambda: m()[0, 0, 0], "getitem: expected at most 2 indices for shape (3, 4); got 3"),
    "mask's dimensions": (lambda: m()[m(3, 4, 1) > 0], "getitem: expected at most 2 indices", "got 3, a bool tensor"),
    "mask's length": (
        lambda: m()[m(3, 5) > 0],
        "getitem: a bool index of shape (3, 5) does not fit dimension 1 of the tensor; its length is 4",
    ),
    "dimension": (lambda: m(2, 3, 4)[0, :, None, 9], "getitem: 9 is out of range for dimension 2 of size 4"),
    "mask's dimension": (lambda: m(2, 3)[0, [True, False]], "getitem: a bool index", "dimension 1", "index is 2"),
    # dimensions and shapes
    "unsqueeze": (lambda: m().unsqueeze(4), "unsqueeze: dim is 4; expected -3 to 2 to add a dimension to 2"),
    "squeeze": (lambda: m().squeeze((-1, 1)), "squeeze: expected dim to name each dimension once; got (-1, 1)"),
    "cat of two": (lambda: ft.cat(m(), m()), "cat: expected a tuple or list of tensors; got Tensor; put brackets"),
    "cat of a dim": (lambda: ft.cat([m(), m()], m()),
        "cat: expected dim to be an integer; got a Tensor float32 (3, 4)"),
    "stack out": (lambda: ft.stack([m(), m()], out=m()), "stack: expected out of shape (2, 3, 4); got float32 (3, 4)"),
    "stack of numbers": (lambda: ft.stack([1, 2]), "stack: expected tensors[0] to be a Tensor; got int"),
    "dim of many": (lambda: m().softmax(m()), "softmax: expected dim to be an integer; got a Tensor float32 (3, 4)"),
    "no dim": (lambda: m().softmax(), "softmax: expected dim to be an integer; got none"),
    "dim and axis": (lambda: m().softmax(1, axis=0), "softmax: expected dim or axis", "got both, 1 and 0"),
    "eye": (lambda: ft.eye(1 << 31), "eye: shape (2147483648, 2147483648)", "expected at most"),
    "repeat_interleave of many": (  # at once: the counts are checked before the copy
        lambda: ft.repeat_interleave(ft.ones(1).expand(1 << 31), ft.tensor([-1]).expand(1 << 31)),
        "repeat_interleave: expected counts of at least 0; got -1"),
    "arange of nothing": (lambda: ft.arange(), "arange: expected end to be a number; got none"),
    "resize_ beyond": (lambda: m().resize_(1 << 62), "resize_: shape (4611686018427387904,)"),
    "randint beyond": (lambda: ft.randint(0, 1 << 64, (3,)),
        "randint: expected high to be an integer of 64 bits", str(1 << 64)),
    "randint's size": (lambda: ft.randint(10), "randint: expected size to be a tuple of lengths; got none"),
    "random state": (lambda: ft.set_rng_state(m()),
        "set_rng_state: expected a state that get_state returned, 16 bytes in a uint8 tensor"),
    "generator": (lambda: ft.rand(2, generator=3), "rand: expected generator to be a Generator, or None; got int 3"),
    "device's type": (lambda: ft.ones(2, device=[1]), "ones: expected device to be a device, or a name", "got [1]"),
    "linspace": (lambda: ft.linspace(0, 1, 2, device="nope"), "linspace: device 'nope'"),
    "memory format": (lambda: m().clone(memory_format="a"), "clone: expected memory_format to be one such as",
        "got 'a'"),
    "layout": (lambda: ft.zeros(2, layout="coo"), "zeros: layout facula.strided is the only one there is; got 'coo'"),
    "pinned": (lambda: ft.ones(2, pin_memory=True), "ones: there is no pinned memory, because there is no device"),
    "full of many": (lambda: ft.full((2,), m()),
        "full: expected fill_value to be a number; got a Tensor float32 (3, 4)"),
    "full_like": (lambda: ft.full_like(m(), "a"), "full_like: expected fill_value to be a number; got str 'a'"),
    "random like ints": (lambda: ft.rand_like(ints()),
        "rand_like: expected a floating or complex dtype; got int64; give dtype="),
    "clamp_": (lambda: m().clamp_("x"), "clamp_: expected 'min' to be a Tensor or a number; got str 'x'"),
    "eq_": (lambda: m().eq_("x"), "eq_: cannot use Tensor with str"),
    "logical_and_": (lambda: m().logical_and_(3), "logical_and_: expected a Tensor; got int"),
    "rounding": (lambda: m().div(2, rounding_mode=[]), "div: expected rounding_mode to be None, 'floor' or 'trunc'"),
    "reshape as a function": (lambda: ft.reshape(m(), (5,)), "reshape: shape (5,) has room for 5"),
    "reshape of none": (lambda: ft.reshape(m(), None), "reshape: expected integers, or one tuple of them; got (None,)"),
    "where of a word": (lambda: ft.where("a"), "where: expected a Tensor; got str"),
    "bernoulli": (lambda: ft.bernoulli(ft.tensor([0.5, 1.5])), "bernoulli: expected every element", "got 1.5 at [1]"),
    "bernoulli of integers": (lambda: ft.bernoulli(ints()),
        "bernoulli: expected probabilities in a floating dtype; got int64"),
    "probability": (
        lambda: F.binary_cross_entropy(ft.tensor([[0.5, -2.0]]), ft.ones(1, 2)),
        "binary_cross_entropy: expected every element of input to be from 0 to 1; got -2 at [0, 1]",
    ),
    "swapped": (
        lambda: F.cross_entropy(ft.tensor([1, 2]), m(2, 3)),
        "cross_entropy: expected input of numbers for each class, then target of classes; got input int64 (2,)",
        "float32 (2, 3); the two are swapped",
    ),
    "no target": (lambda: F.cross_entropy(m(2, 3), None), "cross_entropy: expected 'target' to be a Tensor; got None"),
    "smoothing": (
        lambda: F.cross_entropy(m(2, 3), ft.tensor([1, 2]), label_smoothing="a"),
        "cross_entropy: expected label_smoothing to be a real number; got str 'a'",
    ),
    "smooth_l1_loss": (lambda: F.smooth_l1_loss("a", m()), "smooth_l1_loss: expected a Tensor; got str"),
    "loss weight": (lambda: F.mse_loss(m(), m(), weight=2.5), "mse_loss: expected a Tensor; got float"),
    "dropout": (lambda: F.dropout(m(), "a"), "dropout: expected p to be a real number; got str 'a'"),
    "elu": (lambda: F.elu(m(), alpha=m()), "elu: expected alpha to be a real number; got a Tensor float32 (3, 4)"),
    "linear": (lambda: F.linear(m(), None), "linear: expected 'weight' to be a Tensor; got None"),
    "conv2d": (
        lambda: F.conv2d(m(1, 1, 3, 3), m(1, 1, 2, 2), stride={}),
        "conv2d: expected stride to be an int or two; got {}",
    ),
    "pooling": (lambda: F.max_pool2d(m(1, 3, 3), [[2], 2]),
        "max_pool2d: expected kernel_size to be an int or two; got "),
    "as_strided": (lambda: m().as_strided((2,), (1,), "a"), "as_strided: expected storage_offset to be an integer"),
    "as_strided beyond": (lambda: m().as_strided((1 << 62,), (1,)), "as_strided: shape (4611686018427387904,)"),
    "to NumPy": (lambda: leaf(2).__array__(), "__array__: NumPy, or a library that uses it,", "pass .detach()"),
    "copy, as plots do": (lambda: copy.copy(leaf(2)[:1]), "copy: expected a leaf; this tensor requires a gradient",
        "pass .detach() of the tensor, as in plt.plot(x.detach())"),
    "deepcopy": (lambda: copy.deepcopy(leaf(2) * 2), "deepcopy: expected a leaf; ", "pass .detach() of the tensor"),
    "del": (lambda: m().__delitem__(0), "delitem: a Tensor does not support item deletion", "del x[0]", "x[mask]"),
    "tensor of text": (lambda: ft.tensor(np.array(["a"])), "tensor: NumPy dtype <U1 cannot be used"),
    "profile": (lambda: ft.set_printoptions(profile="x"),
        "set_printoptions: expected profile to be one of default, short"),
    "precision": (lambda: ft.set_printoptions(precision=-1),
        "set_printoptions: expected precision of at least 0; got -1"),
    "edgeitems": (lambda: ft.set_printoptions(edgeitems=2.5), "set_printoptions: expected edgeitems to be an integer"),
    "sci_mode": (lambda: ft.set_printoptions(sci_mode=3),
        "set_printoptions: expected sci_mode to be True, False or None"),
    "stack": (lambda: ft.stack([m()], 4), "stack: dim is 4; expected -3 to 2 to add a dimension to 2"),
    "expand -1": (lambda: m().expand(-1, 3, 4), "expand: ", "size 0 of (-1, 3, 4) is -1 (-1 keeps a length", "new)"),
    "expand": (lambda: m().expand(2, 3, 5), "expand: ", "size 2 is 5, and dimension 1 has length 4"),
    "view": (lambda: m().view(5, -1), "view: shape (5, -1) has room for a multiple of 5 element(s); the tensor has 12"),
    "two -1": (lambda: m().view(-1, -1), "view: expected at most one -1", "(-1, -1)"),
    "reshape": (lambda: m().reshape(5), "reshape: shape (5,) has room for 5 element(s); the tensor has 12"),
    "split": (lambda: m().split(2.5), "split: expected integers", "2.5"),
    "narrow": (lambda: m().narrow(0, 1.5, 1), "narrow: expected start and length to be integers; got 1.5"),
    "select": (lambda: m().select(0, "a"), "select: expected index to be an integer; got str 'a'"),
    "cat of one": (lambda: ft.cat(m()), "cat: expected a tuple or list of tensors; got Tensor"),
    "stack of one": (lambda: ft.stack(m()), "stack: expected a tuple or list of tensors; got Tensor"),
    "cat": (lambda: ft.cat([m(), m(2, 3)]), "cat: tensors[1] of shape (2, 3) does not fit", "(3, 4)"),
    # dtypes
    "where": (lambda: ft.where(m(), m(), m()), "where: expected condition to be a bool tensor; got float32 (3, 4)"),
    "order": (lambda: m() < 1j, "lt: not defined for complex64; take its abs()"),
    "bool": (lambda: (m() > 0) - (m() > 0), "sub: not defined for bool; convert"),
    "in place": (lambda: ints().add_(1.5), "add_: the result is float32 and cannot be stored in a int64 tensor"),
    "out": (lambda: ft.exp(m(), out=ints()), "exp: the result is float32 and cannot be stored in out, which is int64"),
    "softmax": (lambda: F.softmax("x", 0), "softmax: expected a Tensor; got str"),
    # gradients
    "no gradient": (lambda: m().backward(), "backward: expected a value", "the output (float32 (3, 4))"),
    "no scalar": (lambda: leaf(2).backward(), "backward: expected a real scalar", "output is float32 (2,)", "sum()"),
    "a weight of classes": (
        lambda: F.cross_entropy(leaf(2, 3), ft.tensor([0, 1]), weight=leaf(3)).backward(),
        "cross_entropy: 'weight' has no derivative; use .detach() on it",
    ),
    "other shape": (lambda: leaf(2).sum().backward(m(3)), "backward: ", "its gradient float32 (3,)"),
}  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_messages(name):
    call, first, *rest = WANTED[name]
    with raises((ValueError, TypeError, RuntimeError, IndexError, OverflowError), first, *rest) as caught:
        call()
    has_no_internal_cause(caught.value)


def test_python_names_missing_arguments():
    with pytest.raises(TypeError, match=r"^eq_\(\) missing 1 required positional argument: 'other'"):
        m().eq_()
    with pytest.raises(TypeError, match=r"^where\(\) missing 2 required positional arguments"):
        m().where()


def has_no_internal_cause(error):
    """Check that the error does not show an internal exception as its cause."""
    while error is not None:
        assert error.__context__ is None or error.__suppress_context__, repr(error.__context__)
        error = error.__cause__


def huge(*shape):
    """Return a tensor of at least a terabyte over four bytes of memory."""
    return ft.ones(1).expand(*shape)


NO_MEMORY = {
    "empty": (lambda: ft.empty(HUGE), "empty", f"({HUGE},)"),
    "zeros": (lambda: ft.zeros(HUGE), "zeros", f"({HUGE},)"),
    "add": (lambda: huge(HUGE) + 1, "add", f"({HUGE},)"),
    "add two": (lambda: huge(HUGE) + huge(HUGE), "add", f"({HUGE},)"),
    "exp": (lambda: huge(HUGE).exp(), "exp", f"({HUGE},)"),
    "matmul": (lambda: huge(1 << 23, 1) @ huge(1, 1 << 23), "matmul", f"({1 << 23}, {1 << 23})"),
    "clone": (lambda: huge(HUGE).clone(), "clone", f"({HUGE},)"),
    "softmax": (lambda: huge(HUGE).softmax(0), "softmax", f"({HUGE},)"),
    "to": (lambda: huge(HUGE).to(F64), "to", f"({HUGE},)"),
    "cat": (lambda: ft.cat([huge(HUGE), huge(HUGE)]), "cat", f"({2 * HUGE},)"),
    "broadcast": (lambda: m(1 << 23, 1) * m(1, 1 << 23), "mul", f"({1 << 23}, {1 << 23})"),
    "arange": (lambda: ft.arange(1e16), "arange", f"({10**16},)"),
    "linspace": (lambda: ft.linspace(0, 1, 10**16), "linspace", f"({10**16},)"),
    "resize_": (lambda: m().resize_(HUGE), "resize_", f"({4 * HUGE},)"),
    "reshape": (lambda: m(2).expand(HUGE, 2).reshape(-1), "reshape", f"({HUGE}, 2)"),
}


@pytest.mark.parametrize("name", NO_MEMORY)
def test_out_of_memory_errors_name_operation_and_shape(name):
    call, operation, shape = NO_MEMORY[name]
    with pytest.raises(MemoryError) as caught:
        call()
    assert re.match(
        rf"(out of memory: \S+ [TG]iB of host memory requested by {operation}|{operation}: .* more host memory)"
        rf" for (float32|float64|uint8) {re.escape(shape)}",
        str(caught.value),
    )
    has_no_internal_cause(caught.value)


def _assign(x, value):
    x[0] = value


ENDING_AT_THE_PROGRAM = {
    "in place": lambda x: x.add_("a"),
    "of a leaf": lambda x: x.requires_grad_().add_(1),
    "unary": lambda x: x.requires_grad_().exp_(),
    "in a mode": lambda x: ft.no_grad()(lambda: x.mul_("a"))(),
    "assignment": lambda x: _assign(x, ft.ones(5)),
    "operator": lambda x: x + "a",
    "function": lambda x: ft.cat(x),
}


@pytest.mark.parametrize("name", ENDING_AT_THE_PROGRAM)
def test_tracebacks_end_at_the_line_of_the_program(name):
    with pytest.raises((TypeError, RuntimeError)) as caught:
        ENDING_AT_THE_PROGRAM[name](ft.ones(2, 2))
    assert str(caught.traceback[-1].path) == __file__


def test_the_fast_path_names_the_operation():
    """If a plan is known but allocation fails, the fast path passes the call to the general one."""
    small = m(8)
    small + small
    small.exp()
    wide = huge(HUGE)
    for call in (lambda: wide + wide, lambda: wide.exp()):
        for _ in range(2):
            with pytest.raises(MemoryError, match=r"^out of memory: .* requested by (add|exp) for") as caught:
                call()
            has_no_internal_cause(caught.value)


def test_errors_of_the_user_are_unchanged():
    class Position:
        def __index__(self):
            raise ValueError("mine: not now")

    def unpack(value):
        raise RuntimeError("theirs: gone")

    from facula_autograd import saved_tensors_hooks

    with pytest.raises(ValueError, match=r"^mine: not now$"):
        m()[Position()]
    with saved_tensors_hooks(lambda value: value, unpack):
        y = (leaf(2) * leaf(2)).sum()
    with pytest.raises(RuntimeError, match=r"^theirs: gone\n.*mul"):
        y.backward()


def test_errors_name_the_innermost_call_of_the_user():
    """For a call inside a user function that the library calls, the error names the user's call."""

    class Calls:
        def __index__(self):
            return int(ft.ones(2).max(5))

    with raises(IndexError, "max", "dim is 5"):
        m()[Calls()]


def test_indices_of_python_sequences():
    x = ft.arange(12).view(3, 4)
    assert x[range(2)].tolist() == x[[0, 1]].tolist() == x[(0, 1),].tolist() == x[:2].tolist()
    assert x[[True, False, True], [1, 2]].tolist() == [1, 10]
    with pytest.warns(FutureWarning, match="write x"):
        assert x[[[0, 1], [1, 2]]].tolist() == [1, 6]
