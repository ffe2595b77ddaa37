"""The public functions of `ops/neural/losses/class_margin.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._core.tensor import Tensor
from ....._dispatch.arguments import reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of

bodies = bodies_of("ops.neural.losses.class_margin")


@overridable
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
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
        if not isinstance(input, Tensor):
            input = as_tensor("multi_margin_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("multi_margin_loss", target)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "multi_margin_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("multi_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        if p not in (1, 2):
            raise ArgumentError(f"multi_margin_loss: expected p to be 1 or 2; got {p}")
        return bodies.multi_margin_loss(ops, input, target, p, margin, weight, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """size_average, reduce: older forms of `reduction`: False means "sum" and "none".
    reduction: "mean", "sum", or "none" for the loss of each element.
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if not isinstance(input, Tensor):
            input = as_tensor("multilabel_margin_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("multilabel_margin_loss", target)
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("multilabel_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.multilabel_margin_loss(ops, input, target, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise
