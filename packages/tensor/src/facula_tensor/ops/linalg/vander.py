"""Vandermonde matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import int64
from facula_storage.extend.layouts import INTEGER

from ..._core.tensor import Tensor
from ..._creation.filled import ones
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._dispatch.kinds import IntegerOrNone, Steady
    from ..._dispatch.namespaces import Namespace


@function(overridable=True)
def vander(F: Namespace, x: Steady, N: IntegerOrNone = None, increasing: bool = False) -> Tensor:
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
    if x.ndim != 1:
        raise ArgumentError(f"vander: expected one dimension; got shape {tuple(x.shape)}")
    n = x.shape[0]
    columns = n if N is None else N
    if columns < 0:
        raise ArgumentError(f"vander: expected N of at least 0; got {columns}")
    if x.dtype.category <= INTEGER:
        x = no_record_ops.to(x, (int64,))
    powers = ones(n, min(columns, 1), dtype=x.dtype, device=x.device)
    if columns > 1:
        repeated = F.expand(F.unsqueeze(x, 1), (n, columns - 1))
        powers = F.cat((powers, repeated.cumprod(1)), (1,))
    return powers if increasing else powers.flip(1)
