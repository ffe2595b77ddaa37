"""The public functions of `ops/neural/losses/margin.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real, real_or_tensor
from ....._core.tensor import Tensor
from ....._dispatch.arguments import reduction_of_older, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.overrides import overridable
from ....._dispatch.slow_path.planning import broadcast_shapes
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of
from .....ops.neural.losses.regression import loss_of

if TYPE_CHECKING:
    from collections.abc import Callable

bodies = bodies_of("ops.neural.losses.margin")


@overridable
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
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
            input = as_tensor("hinge_embedding_loss", input)
        if not isinstance(target, Tensor):
            target = as_tensor("hinge_embedding_loss", target)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "hinge_embedding_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("hinge_embedding_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        broadcast_shapes("hinge_embedding_loss", tuple(input.shape), tuple(target.shape))
        return loss_of("hinge", (input, target), reduction, None, (margin,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
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
        if not isinstance(input1, Tensor):
            input1 = as_tensor("margin_ranking_loss", input1)
        if not isinstance(input2, Tensor):
            input2 = as_tensor("margin_ranking_loss", input2)
        if not isinstance(target, Tensor):
            target = as_tensor("margin_ranking_loss", target)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "margin_ranking_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("margin_ranking_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.margin_ranking_loss(input1, input2, target, margin, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
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
        if not isinstance(input1, Tensor):
            input1 = as_tensor("cosine_embedding_loss", input1)
        if not isinstance(input2, Tensor):
            input2 = as_tensor("cosine_embedding_loss", input2)
        if not isinstance(target, Tensor):
            target = as_tensor("cosine_embedding_loss", target)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "cosine_embedding_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("cosine_embedding_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.cosine_embedding_loss(ops, input1, input2, target, margin, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
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
        if not isinstance(anchor, Tensor):
            anchor = as_tensor("triplet_margin_loss", anchor)
        if not isinstance(positive, Tensor):
            positive = as_tensor("triplet_margin_loss", positive)
        if not isinstance(negative, Tensor):
            negative = as_tensor("triplet_margin_loss", negative)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "triplet_margin_loss", "margin")
        if type(p) is not float and type(p) is not int:
            p = as_real(p, "triplet_margin_loss", "p")
        if type(eps) is not float and type(eps) is not int:
            eps = as_real(eps, "triplet_margin_loss", "eps")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("triplet_margin_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        if not margin > 0:
            raise ArgumentError(f"triplet_margin_loss: expected margin > 0; got {margin}")
        return bodies.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=reduction)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float | Tensor = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """reduction: "mean", "sum", or "none" for the loss of each element."""
    try:
        if not isinstance(anchor, Tensor):
            anchor = as_tensor("triplet_margin_with_distance_loss", anchor)
        if not isinstance(positive, Tensor):
            positive = as_tensor("triplet_margin_with_distance_loss", positive)
        if not isinstance(negative, Tensor):
            negative = as_tensor("triplet_margin_with_distance_loss", negative)
        if type(margin) is not float and type(margin) is not int:
            margin = real_or_tensor(margin, "triplet_margin_with_distance_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice(
                "triplet_margin_with_distance_loss", "reduction", reduction, "'none', 'mean' or 'sum'"
            )
        if not margin > 0:
            raise ArgumentError(f"triplet_margin_with_distance_loss: expected margin > 0; got {margin}")
        return bodies.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=distance_function,
            margin=margin,
            swap=swap,
            reduction=reduction,
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
