"""The public functions of `ops/neural/losses/cross_entropy.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_integer, as_real
from ....._dispatch.arguments import reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops

if TYPE_CHECKING:
    from ....._core.tensor import Tensor


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(ignore_index) is not int:
            ignore_index = as_integer(ignore_index, "cross_entropy", "ignore_index")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("cross_entropy", "reduction", reduction, "'none', 'mean' or 'sum'")
        if type(label_smoothing) is not float:
            label_smoothing = float(as_real(label_smoothing, "cross_entropy", "label_smoothing"))
        if not 0 <= label_smoothing <= 1:
            raise ArgumentError(f"cross_entropy: expected label_smoothing from 0 to 1; got {label_smoothing}")
        return ops.cross_entropy(input, target, weight, (reduction, ignore_index, label_smoothing))
    except FaculaError as error:
        trim_traceback(error)
        raise


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(ignore_index) is not int:
            ignore_index = as_integer(ignore_index, "nll_loss", "ignore_index")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("nll_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return ops.nll_loss(input, target, weight, (reduction, ignore_index, 0.0))
    except FaculaError as error:
        trim_traceback(error)
        raise
