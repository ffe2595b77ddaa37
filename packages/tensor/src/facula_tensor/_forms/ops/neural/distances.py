"""The public functions of `ops/neural/distances.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real
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
    try:
        if type(eps) is not float and type(eps) is not int:
            eps = as_real(eps, "cosine_similarity", "eps")
        if not eps >= 0:
            raise ArgumentError(f"cosine_similarity: expected eps of at least 0; got {eps}")
        return bodies.cosine_similarity(ops, x1, x2, dim, eps)
    except FaculaError as error:
        trim_traceback(error)
        raise
