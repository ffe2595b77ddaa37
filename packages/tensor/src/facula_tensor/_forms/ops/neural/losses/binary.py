"""The public functions of `ops/neural/losses/binary.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ....._dispatch.arguments import reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.losses.binary")


@overridable
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("binary_cross_entropy", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.binary_cross_entropy(ops, input, target, weight, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice(
                "binary_cross_entropy_with_logits", "reduction", reduction, "'none', 'mean' or 'sum'"
            )
        return bodies.binary_cross_entropy_with_logits(
            ops, input, target, weight, reduction=reduction, pos_weight=pos_weight
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
