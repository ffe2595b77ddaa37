"""Determinants and their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor
from ..._core.wrapped import is_variable
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named

if TYPE_CHECKING:
    from ..._dispatch.kinds import Outs, SquareMatrices
    from ..._dispatch.namespaces import Namespace


@operator
class det:
    """Compute the determinant of matrices (..., n, n): (...).

    >>> from facula_tensor import tensor
    >>> det(tensor([[2.0, 1.0], [4.0, 6.0]]))
    tensor(8.)
    """

    method = overridable = True
    batching = "leading"

    @staticmethod
    def signature(input: SquareMatrices) -> None: ...

    def outputs(layout):
        return contiguous(layout.shape[:-2], layout.dtype, layout.device)

    def vjp_input(F, g, input):
        return F.mul(F.unsqueeze(F.unsqueeze(g, -1), -1), F.mT(F.adjugate(input)))


@operator
class _adjugate:
    """Compute the transposed matrix of cofactors: det(A) A^-1, also defined for singular A."""

    batching = "leading"

    def outputs(layout):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, input):
        return F.adjugate_grad(g, input)


@operator
class _adjugate_grad:
    """Compute the derivative by A of the sum of g * adj(A), elementwise."""

    inputs = ("input", "other")
    batching = "leading"

    def outputs(g, layout):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_input(F, g, other):
        return F.mT(F.adjugate_grad(F.mT(g), other))

    def vjp_other(F, g, input, other):
        """Return the derivative of det(A) (<input, X> X^T - X^T input X^T), X = A^-1: the value for nonsingular A."""
        X, whole = F.inv_ex(other)[0], F.unsqueeze(F.unsqueeze(F.det(other), -1), -1)
        Y, h = F.mT(X), F.mT(g)
        plane = ((len(other.shape) - 2, len(other.shape) - 1), True)
        a, b = F.sum(F.mul(input, X), plane), F.sum(F.mul(h, X), plane)
        left, right = F.times(input, Y, h), F.times(h, Y, input)
        value = F.sub(F.mul(a, b), F.sum(F.mul(X, left), plane))
        of_X = F.sub(F.add(F.mul(b, input), F.mul(a, h)), F.add(left, right))
        return F.mul(whole, F.sub(F.mul(value, Y), F.times(Y, of_X, Y)))


@operator
class _slogdet:
    """Compute the log magnitude and the sign of the determinant; signs of complex ones are on the unit circle."""

    results = ("out", "sign")
    holomorphic = False
    batching = "leading"

    def outputs(layout):
        sign = contiguous(layout.shape[:-2], layout.dtype, layout.device)
        return sign.to_dtype(layout.dtype.to_real()), sign

    def vjp_input(F, g, input):
        return F.mul(F.unsqueeze(F.unsqueeze(g, -1), -1), F.mH(F.inv_ex(input)[0]))


Slogdet: type[NamedResults] = results_named("slogdet", "sign", "logabsdet")


def sign_and_logarithm(F: Namespace, A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sign of determinants and the logarithm of their magnitude."""
    logarithm, sign = F.slogdet(A)
    return F.turned_sign(A, sign) if is_variable(logarithm) else sign, logarithm


@operator
class _turned_sign:
    """Return the known sign of determinants, with its derivative by the matrix: 0 for real ones."""

    inputs = ("input", "other")
    holomorphic = False
    batching = "leading"

    def outputs(layout, sign):
        return contiguous(sign.shape, sign.dtype, sign.device)

    def execute(operands, parameters):
        return [no_record_ops.clone(operands[1])]

    def vjp_input(F, g, input, out):
        if not input.is_complex():
            return F.zeros_like(input)
        turn = F.imag_view(F.mul(F.conj(g), out))
        factor = F.mul(F.to(turn, (input.dtype,)), -1j)
        return F.mul(F.unsqueeze(F.unsqueeze(factor, -1), -1), F.mH(F.inv_ex(input)[0]))


@function(method=True)
def slogdet(F: Namespace, input: SquareMatrices, *, out: Outs = None) -> NamedResults:
    """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices.

    `input` has shape (..., n, n). The sign for complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return named_results("slogdet", Slogdet, sign_and_logarithm(F, input), out)


@function(method=True)
def logdet(F: Namespace, input: SquareMatrices) -> Tensor:
    """Compute the logarithm of the determinant of matrices (..., n, n): NaN if it is negative, -inf if it is 0.

    >>> from facula_tensor import eye
    >>> logdet(eye(3))
    tensor(0.)
    """
    sign, logarithm = sign_and_logarithm(F, input)
    if layout_of_tensor(sign).dtype.is_complex:
        return F.add(logarithm, F.log(sign))
    return F.where(F.lt(sign, 0), float("nan"), logarithm)
