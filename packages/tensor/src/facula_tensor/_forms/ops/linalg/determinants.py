"""The public functions of `ops/linalg/determinants.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.determinants")


@overridable
@method()
def det(input: Tensor) -> Tensor:
    """Compute the determinant of matrices (..., n, n): (...).

    >>> from facula_tensor import tensor
    >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    try:
        input = matrices("det", input, "input", square=True)
        return ops.det(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices.

    `input` has shape (..., n, n). The sign for complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    try:
        input = matrices("slogdet", input, "input", square=True)
        return bodies.slogdet(ops, input, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def logdet(input: Tensor) -> Tensor:
    """Compute the logarithm of the determinant of matrices (..., n, n): NaN if it is negative, -inf if it is 0.

    >>> from facula_tensor import eye
    >>> logdet(eye(3))
    tensor(0.)
    """
    try:
        input = matrices("logdet", input, "input", square=True)
        return bodies.logdet(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise
