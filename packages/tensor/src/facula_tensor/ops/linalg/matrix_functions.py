"""Matrix powers, exponentials and chain products."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError
from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor, steady
from ..._creation.ranges import eye
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .inverse import inverse_of
from .matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._dispatch.kinds import Integer, SquareMatrices, Steady
    from ..._dispatch.namespaces import Namespace


@operator
class matrix_exp:
    """Compute the exponential of matrices (..., n, n): the sum of A^k / k!.

    >>> from facula_tensor import zeros
    >>> matrix_exp(zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    method = overridable = True
    holomorphic = False
    batching = "leading"

    @staticmethod
    def signature(input: SquareMatrices) -> None: ...

    def outputs(layout):
        return contiguous(layout.shape, layout.dtype, layout.device)

    # The derivative is a block of the exponential of a matrix twice as large (R. Mathias, "A chain rule for matrix
    # functions and applications", 1996).
    def vjp_input(F, g, input):
        return F.exponential_slope(F.mH(input), g)


@composite
def exponential_slope(F: Namespace, A: Tensor, direction: Tensor) -> Tensor:
    """Return the derivative of the exponential at A in a direction."""
    n, ndim = A.shape[-1], len(A.shape)
    upper = F.cat((A, direction), (ndim - 1,))
    lower = F.cat((F.zeros_like(A), A), (ndim - 1,))
    whole = F.matrix_exp(F.cat((upper, lower), (ndim - 2,)))
    return F.clone(F.narrow(F.narrow(whole, -2, 0, n), -1, n, n))


def power_of(name: str, F: Namespace, A: Tensor, n: int) -> Tensor:
    """Return the n-th power of square matrices by repeated squaring, of the inverse if n is negative."""
    layout = layout_of_tensor(A)
    shape = layout.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ArgumentError(f"{name}: expected square matrices (..., n, n); got shape {shape}")
    if n < 0:
        A, n = inverse_of(name, matrices(name, A))[0], -n
    if n == 0:
        identity = eye(shape[-1], dtype=layout.dtype, device=layout.device)
        return F.where(F.ge(eye(shape[-1], device=layout.device), 0), identity, A)  # A contributes no elements
    result: Tensor | None = None
    while True:
        if n & 1:
            result = A if result is None else F.matmul(result, A)
        n >>= 1
        if not n:
            return F.clone(result) if result is A else result  # type: ignore[return-value]
        A = F.matmul(A, A)


def product_of(name: str, factors: Sequence[Tensor]) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications; first and last may be vectors."""
    if not isinstance(factors, (tuple, list)) or not factors:
        raise InvalidTypeError(f"{name}: expected a list of matrices; got {factors!r:.80}")
    F, given = recorded_ops, [steady(as_tensor(name, factor)) for factor in factors]
    shapes = [layout_of_tensor(factor).shape for factor in given]
    for place, shape in enumerate(shapes):
        ends = place in (0, len(shapes) - 1)
        if len(shape) != 2 and not (ends and len(shape) == 1):
            raise ArgumentError(
                f"{name}: expected matrices, of which the first and the last may be vectors; got shapes {shapes}"
            )
    if len(given) == 1:
        return given[0]
    first, last = len(shapes[0]) == 1, len(shapes[-1]) == 1
    if first:
        given[0] = F.unsqueeze(given[0], 0)
    if last:
        given[-1] = F.unsqueeze(given[-1], 1)
    sizes = [layout_of_tensor(factor).shape[0] for factor in given] + [layout_of_tensor(given[-1]).shape[1]]
    for factor, wanted in zip(given, sizes[1:], strict=True):
        if layout_of_tensor(factor).shape[1] != wanted:
            raise ArgumentError(f"{name}: expected rows as many as the columns of the factor before; got {shapes}")
    result = _in_order(F, given, _best_order(sizes), 0, len(given) - 1)
    if first:
        result = F.squeeze(result, 0)
    return F.squeeze(result, -1) if last else result


def _best_order(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return the split position for each run of factors; factor i is sizes[i] by sizes[i + 1]."""
    count = len(sizes) - 1
    cost, where = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j], where[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return where


def _in_order(F: Namespace, factors: list[Tensor], where: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    """Multiply factors `i` to `j`, split at the positions in `where`."""
    if i == j:
        return factors[i]
    k = where[i, j]
    return F.matmul(_in_order(F, factors, where, i, k), _in_order(F, factors, where, k + 1, j))


@function(method=True, out=True, instead=partial(power_of, "matrix_power"))
def matrix_power(F: Namespace, input: Steady, n: Integer) -> None:
    """Raise matrices (..., k, k) to the integer power n; a negative n inverts them first.

    Arguments:
        input: matrices (..., k, k).
        n: the exponent.

    >>> from facula_tensor import tensor
    >>> matrix_power(tensor([[1, 1], [0, 1]]), 5)
    tensor([[1, 5],
            [0, 1]])
    """


@function(overridable=True, out=True)
def chain_matmul(*matrices: Tensor) -> Tensor:
    """Multiply matrices in the order with the fewest multiplications: see `linalg.multi_dot`.

    Arguments:
        matrices: the factors, in order.

    >>> from facula_tensor import ones
    >>> chain_matmul(ones(1, 2), ones(2, 3), ones(3, 1))
    tensor([[6.]])
    """
    return product_of("chain_matmul", matrices)
