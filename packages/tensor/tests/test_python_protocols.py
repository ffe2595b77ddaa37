"""Python's protocols: formatting, `in`, `+x`, buffers; and errors for arguments of wrong types."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_autograd import GradientError, grad
from facula_errors.testing import raises
from facula_tensor import tensor
from facula_tensor.derivatives import hessian


def test_zero_dimensions_format_as_their_element():
    assert f"{tensor(0.5):.2f}" == "0.50"
    assert f"{tensor(7):03d}" == "007"
    assert f"{tensor([1.0])}" == str(tensor([1.0]))
    with raises(TypeError, "format", "expected a zero-dimensional tensor for '.2f'", value="shape (2,)"):
        format(ft.ones(2), ".2f")


def test_plus_is_the_tensor_itself():
    x = tensor([1.0, -2.0], requires_grad=True)
    assert (+x).tolist() == [1.0, -2.0]
    (+x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with raises(RuntimeError, "pos", "not defined for bool"):
        +tensor([True])


def test_bytes():
    assert bytes(tensor([1, 255])) == bytes([1, 255])
    assert bytes(tensor([1, 2], dtype=ft.uint8)) == b"\1\2"
    assert bytes(tensor([True, False])) == b"\1\0"
    assert bytes(tensor(3)) == bytes(3)
    for wrong, error in ((tensor([1.5]), TypeError), (tensor([256]), ValueError), (tensor([-1]), ValueError)):
        with raises(error, "bytes", "expected integers from 0 to 255", "bytes(t.numpy())"):
            bytes(wrong)


def test_a_buffer_would_lose_the_gradient():
    """From Python 3.12 on, `memoryview(t)` and `numpy.asarray(t)` call this method first."""
    x = ft.ones(2, requires_grad=True)
    with raises(BufferError, "buffer", "requires a gradient", ".detach()"):
        x.__buffer__(0)
    with raises(RuntimeError, "__array__", ".detach()"):
        np.asarray(x)
    assert x.detach().__buffer__(0).tolist() == [1.0, 1.0]


def test_membership_of_numbers_and_tensors():
    assert 1 in tensor([1.0, 2.0])
    assert 3 not in tensor([1.0, 2.0])
    with raises(TypeError, "in", "expected a tensor or a number", value="str 'a'"):
        "a" in ft.ones(2)  # noqa: B015


@pytest.mark.parametrize("make", [ft.empty, ft.zeros, ft.ones])
def test_size_by_keyword(make):
    assert make(size=(2, 3)).shape == (2, 3)
    with raises(TypeError, make.__name__, "expected integers, or size by name"):
        make(2, size=(3,))


def test_pairs_have_the_name_of_their_function():
    x = tensor([[1.0, 2.0]])
    assert repr(x.max(1)).startswith("facula.return_types.max(")
    assert repr(x.min(1)).startswith("facula.return_types.min(")


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda: ft.Tensor(3, "a"), TypeError, "Tensor: got str 'a'"),
        (lambda: ft.zeros_like(1), TypeError, "zeros_like: expected input to be a Tensor; got int 1"),
        (lambda: ft.full_like(1, 2), TypeError, "full_like: expected input to be a Tensor; got int 1"),
        (lambda: ft.promote_types(1, 2), TypeError, "promote_types: expected two dtypes"),
        (lambda: ft.ones(2).to(ft.float32, ft.int32), TypeError, "to: expected one dtype"),
        (lambda: ft.ones(2).to(ft.float32, dtype=ft.int32), TypeError, "to: expected one dtype"),
        (lambda: ft.ones(2).__dlpack__(dl_device=(2, 0)), BufferError, "__dlpack__: expected dl_device (1, 0)"),
        (lambda: ft.ones(2).to("foo"), RuntimeError, "to: 'foo' is not a known type of device; known are cpu"),
        (lambda: ft.ones(2).to("xpu"), RuntimeError, "to: no backend for 'xpu'"),
        (lambda: hessian(lambda x: ft.ones(()), ft.ones(2), strict=True), GradientError, "hessian"),
        (lambda: hessian(lambda x: x.sum(), ft.ones(2), strict=True), GradientError, "hessian"),
    ],
)
def test_errors_name_wrong_types(call, kind, says):
    with raises(kind, says):
        call()


def test_dlpack_on_its_own_device():
    assert ft.from_dlpack(ft.ones(2)).tolist() == [1.0, 1.0]
    ft.ones(2).__dlpack__(dl_device=(1, 0))


@pytest.mark.parametrize("dtype", [ft.complex64, ft.complex128])
def test_whole_powers_of_complex_numbers(dtype):
    z = tensor([0j, 1 + 2j, -2 - 1j], dtype=dtype)
    one = z * 0 + 1
    powers = {0: one, 1: z, 2: z * z, 3: z * z * z}
    for n, expected in powers.items():
        for exponent in (n, float(n), complex(n), tensor(n, dtype=dtype)):
            assert (z**exponent).tolist() == expected.tolist()
    assert (z[1:] ** -1).tolist() == pytest.approx([1 / (1 + 2j), 1 / (-2 - 1j)])


@pytest.mark.parametrize(("n", "slope"), [(0, 0j), (1, 1 + 0j), (2, 0j), (3, 0j)])
def test_slopes_of_whole_powers_at_complex_zero(n, slope):
    z = tensor([0j], requires_grad=True)
    (z**n).backward(tensor([1 + 0j]))
    assert z.grad.tolist() == [slope]


def test_second_derivative_of_complex_magnitude_at_zero():
    z = tensor([0j, 3 + 4j], requires_grad=True)
    (first,) = grad(abs(z).sum(), z, create_graph=True)
    assert first.tolist()[0] == 0
    (second,) = grad(first, z, grad_outputs=tensor([1 + 0j, 1 + 0j]))
    assert all(v == v for v in second.tolist())


def test_complex_elements_as_real_numbers():
    assert (float(tensor(2 + 0j)), int(tensor([2 + 0j])), complex(tensor(2 + 1j))) == (2.0, 2, 2 + 1j)
    for kind in (float, int):
        with raises(TypeError, kind.__name__, "without imaginary part", value=(2 + 1j)):
            kind(tensor(2 + 1j))
