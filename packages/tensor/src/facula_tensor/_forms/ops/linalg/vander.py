"""The public functions of `ops/linalg/vander.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.linalg.vander")


@overridable
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the Vandermonde matrix: one row of powers for each element of a vector.

    Arguments:
        x: a vector.
        N: the number of powers; len(x) if None.
        increasing: whether powers increase from 0 to N - 1, instead of decreasing from N - 1 to 0.

    >>> from facula_tensor import tensor
    >>> vander(tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    try:
        x = steady_tensor("vander", x)
        if N is not None and type(N) is not int:
            N = as_integer(N, "vander", "N")
        return bodies.vander(ops, x, N, increasing)
    except FaculaError as error:
        trim_traceback(error)
        raise
