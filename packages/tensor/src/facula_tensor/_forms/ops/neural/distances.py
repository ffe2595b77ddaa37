"""The public functions of `ops/neural/distances.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real, real_or_tensor
from ...._dispatch.arguments import flag_value, steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.distances")


@overridable
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """Compute the p-norm of the difference of each row of `x1` and each row of `x2`.

    Batches broadcast. Euclidean distances of more than 25 rows are computed by a matrix product, which is less accurate
    for small distances.

    Arguments:
        x1: (..., P, M).
        x2: (..., R, M).
        p: the exponent, at least 0.
        compute_mode: "donot_use_mm_for_euclid_dist" never uses that product, "use_mm_for_euclid_dist" always does.

    Returns:
        (..., P, R).

    >>> from facula_tensor import tensor
    >>> cdist(tensor([[0.0, 0.0]]), tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    try:
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "cdist", "p")
        if not p >= 0:
            raise ArgumentError(f"cdist: expected p of at least 0; got {p}")
        return bodies.cdist(ops, x1, x2, p, compute_mode)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Compute the p-norms of the differences of all pairs of rows (N, M): N (N - 1) / 2 numbers, the upper triangle.

    Arguments:
        input: the rows (N, M), of a floating dtype.
        p: the exponent, at least 0.

    >>> from facula_tensor import tensor
    >>> pdist(tensor([[0.0], [1.0], [5.0]]))
    tensor([1., 5., 4.])
    """
    try:
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "pdist", "p")
        if not p >= 0:
            raise ArgumentError(f"pdist: expected p of at least 0; got {p}")
        return bodies.pdist(ops, input, p)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """Compute the p-norm of x1 - x2 + eps along the last dimension.

    Arguments:
        x1: (..., M).
        x2: (..., M); the two broadcast.
        p: the exponent.
        eps: added to each difference.
        keepdim: whether to keep the last dimension, with length 1.

    >>> from facula_tensor import tensor
    >>> pairwise_distance(tensor([[3.0, 4.0]]), tensor([[0.0, 0.0]]))
    tensor([5.0000])
    """
    try:
        x1 = steady_tensor("pairwise_distance", x1)
        x2 = steady_tensor("pairwise_distance", x2)
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "pairwise_distance", "p")
        if type(eps) is not float and type(eps) is not int:
            eps = as_real(eps, "pairwise_distance", "eps")
        if keepdim is not False and keepdim is not True:
            keepdim = flag_value("pairwise_distance", "keepdim", keepdim)
        return bodies.pairwise_distance(ops, x1, x2, p, eps, keepdim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`.

    Arguments:
        x1: vectors, of a floating dtype.
        x2: vectors; the two broadcast.
        dim: the dimension.
        eps: the lower bound of lengths.

    >>> from facula_tensor import tensor
    >>> cosine_similarity(tensor([[1.0, 0.0]]), tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    try:
        if type(eps) is not float and type(eps) is not int:
            eps = as_real(eps, "cosine_similarity", "eps")
        return bodies.cosine_similarity(ops, x1, x2, dim, eps)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int | tuple[int, ...] = 1,
    eps: float | Tensor = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Divide `input` by its p-norm along `dim`. Half precisions are computed in float32.

    Arguments:
        input: a tensor of a floating dtype.
        p: the exponent.
        dim: the dimension or dimensions.
        eps: the lower bound of the divisor.

    >>> from facula_tensor import tensor
    >>> normalize(tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    try:
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "normalize", "p")
        if type(eps) is not float and type(eps) is not int:
            eps = real_or_tensor(eps, "normalize", "eps")
        return bodies.normalize(ops, input, p, dim, eps, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
