"""The precision of products of float32, under PyTorch's names."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_storage.extend.plans import forget_plans

PRECISIONS = ("highest", "high", "medium")
_chosen = [PRECISIONS[0]]


@boundary
def set_float32_matmul_precision(precision: str) -> None:
    """Select how libraries multiply matrices of float32.

    Arguments:
        precision: "highest" for float32; "high" and "medium" allow TF32, which reads 10 bits of the 23 after the point
            of each factor. facula's own kernels always compute in float32.

    >>> set_float32_matmul_precision("high")
    >>> get_float32_matmul_precision()
    'high'
    >>> set_float32_matmul_precision("highest")
    """
    if precision not in PRECISIONS:
        raise InvalidValueError(
            f"set_float32_matmul_precision: expected one of {', '.join(PRECISIONS)}; got {precision!r:.60}"
        )
    if precision != _chosen[0]:
        _chosen[0] = precision
        forget_plans()


@boundary
def get_float32_matmul_precision() -> str:
    """Return the precision that `set_float32_matmul_precision` selected."""
    return _chosen[0]


def allows_tf32() -> bool:
    """Return whether products of float32 may use TF32."""
    return _chosen[0] != "highest"
