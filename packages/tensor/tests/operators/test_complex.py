"""Views of real and imaginary parts: shared memory, changes, and errors."""

import pytest

import facula_tensor as ft
from facula_autograd import grad
from facula_errors.testing import raises


def test_parts_are_views():
    z = ft.tensor([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]])
    z.real, z.t().imag[0] = 0, ft.tensor([-1.0, -2.0])
    ft.view_as_real(z)[1, 1, 1] = 9
    assert z.tolist() == [[-1j, 4j], [-2j, 9j]]
    pairs = ft.zeros(3, 2)
    ft.view_as_complex(pairs)[1] = 1 + 2j
    assert pairs.tolist() == [[0, 0], [1, 2], [0, 0]]


def test_real_tensors_are_their_own_conjugates_and_parts():
    x = ft.ones(2)
    assert x.real is x and x.conj() is x and x.resolve_conj() is x and x.resolve_neg() is x
    assert not x.is_conj() and not x.is_neg()
    assert ft.isreal(ft.tensor([float("nan"), 1.0])).tolist() == [True, True]
    assert x.reshape(1, 2).mH.data_ptr() == x.data_ptr()


def test_angles_and_signs_of_special_values():
    half_turn = ft.angle(ft.tensor(-1)).item()
    assert ft.angle(ft.tensor([0.0, -0.0, -2.0])).tolist() == [0.0, 0.0, half_turn]
    assert ft.angle(ft.tensor([float("nan")])).isnan().all()
    z = ft.tensor([0j, 1j], requires_grad=True)
    (ft.angle(z) + ft.sgn(z).imag).sum().backward()
    assert z.grad.tolist() == [0j, -1 + 0j]
    x = ft.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    (ft.angle(x) + ft.sgn(x)).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_changing_a_part_with_a_gradient_is_an_error_before_the_change():
    z = ft.tensor([1 + 2j], requires_grad=True) * 1
    with raises(NotImplementedError, "mul_", "float32 view of complex64", "complex()"):
        z.real.mul_(2)
    assert z.tolist() == [1 + 2j]
    part = z.real
    z.mul_(2)
    with raises(RuntimeError, "backward of real_view", "changed in place since"):
        part.sum().backward()
    assert z.real.tolist() == [2.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ft.ones(2).imag, "imag: expected a complex tensor; got float32"),
        (lambda: ft.view_as_real(ft.ones(2)), "view_as_real: expected a complex tensor; got float32"),
        (lambda: ft.view_as_complex(ft.ones(3)), "view_as_complex: length 2; got shape (3,)"),
        (lambda: ft.view_as_complex(ft.ones(2, 3).t()), "view_as_complex: got strides (1, 3)"),
        (lambda: ft.view_as_complex(ft.ones(5)[1:].view(2, 2)), "view_as_complex: even storage offset; got 1"),
        (lambda: ft.complex(ft.ones(2), ft.ones(2).double()), "complex: got float32 and float64"),
        (lambda: ft.complex(ft.ones(2), ft.ones(2), out=ft.ones(2).cdouble()), "complex: out ... got complex128"),
        (lambda: ft.polar(ft.ones(2).half(), ft.ones(2).half()), "polar: got float16 and float16"),
        (lambda: ft.ones(2, 2, 2).H, "H: use mH"),
        (lambda: ft.ones(2).mH, "mH: at least 2 dimensions"),
    ],
)
def test_errors(call, words):
    with raises((ValueError, TypeError, AttributeError), words):
        call()


def test_out_accepts_complex_numbers():
    out = ft.empty(0, dtype=ft.complex64)
    assert ft.complex(ft.ones(2), ft.ones(2), out=out) is out and out.tolist() == [1 + 1j, 1 + 1j]
    assert ft.polar(ft.ones(1), ft.zeros(1), out=out[:1]).tolist() == [1 + 0j]


@pytest.mark.parametrize("function", [ft.abs, ft.sgn])
def test_second_slopes_at_zero(function):
    z = ft.tensor([0j, 2.0], requires_grad=True)
    (slope,) = grad(function(z).real.sum(), z, create_graph=True)
    (bend,) = grad(ft.view_as_real(slope).sum(), z)
    assert slope[0] == 0 and bend[0] == 0 and bend[1] != 0


def test_empty_tensors_have_gradients():
    z = ft.zeros(0, dtype=ft.complex64, requires_grad=True)
    ft.view_as_real(z).sum().backward()
    assert z.grad.shape == (0,)
