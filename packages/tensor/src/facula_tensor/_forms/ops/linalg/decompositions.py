"""The public functions of `ops/linalg/decompositions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.decompositions")


@overridable
@method()
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Return Q and R with A = Q R, for matrices (..., m, n): the older form of `linalg.qr`.

    `some` False corresponds to mode="complete".

    Arguments:
        input: matrices (..., m, n).
        some: whether Q has only min(m, n) columns.

    >>> from facula_tensor import eye
    >>> qr(eye(2)).R.abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    try:
        input = matrices("qr", input, "input")
        return bodies.qr(input, some, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def svd(
    input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Return U, S and V with A = U S V^H, for matrices (..., m, n): the older form of `linalg.svd`, which returns V^H.

    Without `compute_uv` U and V are zeros.

    Arguments:
        input: matrices (..., m, n).
        some: whether U and V have only min(m, n) columns.
        compute_uv: whether U and V are computed.

    >>> from facula_tensor import tensor
    >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    try:
        input = matrices("svd", input, "input")
        return bodies.svd(input, some, compute_uv, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
