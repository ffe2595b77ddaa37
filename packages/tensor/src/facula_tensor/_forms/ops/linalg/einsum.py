"""The public functions of `ops/linalg/einsum.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

bodies = bodies_of("ops.linalg.einsum")


@overridable
def einsum(*args: str | Tensor | Sequence[object]) -> Tensor:
    """Sum products according to an equation: `einsum("ij,jk->ik", a, b)` is a matrix product.

    The equation has a letter for each dimension of each operand; commas separate operands. The letters after the arrow
    are the result's dimensions, in that order; all others are summed over. Without an arrow the result has the letters
    that occur once, in alphabetical order. A letter that repeats within an operand selects the diagonal. `...` stands
    for any further dimensions, which broadcast and come first. Operands may be passed as one list. Instead of an
    equation, a list of integers and `...` may follow each operand: `einsum(a, [0, 1], b, [1, 2], [0, 2])`.

    Raises ValueError if the equation does not fit the operands.

    Arguments:
        args: the equation and the operands, or each operand and its list.

    >>> from facula_tensor import ones
    >>> einsum("bij,bjk->bik", ones(5, 2, 3), ones(5, 3, 4)).shape
    facula.Size([5, 2, 4])
    >>> einsum("ii", ones(3, 3))
    tensor(3.)
    """
    try:
        return bodies.einsum(*args)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensordot(
    a: Tensor, b: Tensor, dims: SupportsIndex | Sequence[object] | Tensor = 2, out: Tensor | None = None
) -> Tensor:
    """Sum products over pairs of dimensions.

    Arguments:
        a: a tensor.
        b: a tensor.
        dims: two lists of dimensions, of `a` and of `b`; or the number of last dimensions of `a` and first ones of `b`.

    Returns:
        A tensor with the remaining dimensions of `a`, then those of `b`.

    Raises:
        ValueError: if lengths differ.

    >>> from facula_tensor import ones
    >>> tensordot(ones(2, 3, 4), ones(4, 3, 5), dims=([2, 1], [0, 1])).shape
    facula.Size([2, 5])
    """
    try:
        if type(a) is not Tensor:
            a = as_tensor("tensordot", a)
        if type(b) is not Tensor:
            b = as_tensor("tensordot", b)
        return bodies.tensordot(a, b, dims, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
