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
from ....._dispatch.view_call import as_tensor
from ....._dispatch.written import bodies_of

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
    """Compute `input` where target is 1, and max(0, margin - input) where it is -1; shapes broadcast.

    Arguments:
        input: distances.
        target: 1 or -1 for each distance.
        margin: the distance beyond which the loss is 0.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> hinge_embedding_loss(tensor([2.0, 0.25]), tensor([1, -1]), reduction="none")
    tensor([2.0000, 0.7500])
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(input) is not Tensor:
            input = as_tensor("hinge_embedding_loss", input)
        if type(target) is not Tensor:
            target = as_tensor("hinge_embedding_loss", target)
        if type(margin) is not float and type(margin) is not int:
            margin = as_real(margin, "hinge_embedding_loss", "margin")
        if reduction not in ("none", "mean", "sum"):
            reduction = refuse_choice("hinge_embedding_loss", "reduction", reduction, "'none', 'mean' or 'sum'")
        return bodies.hinge_embedding_loss(input, target, margin, reduction=reduction)
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
    """Compute max(0, -target (input1 - input2) + margin); `target` is 1 if input1 should be greater, else -1.

    Raises ValueError if the numbers of dimensions differ.

    Arguments:
        input1: the first scores.
        input2: the second scores.
        target: 1 or -1 for each pair.
        margin: the required difference of scores.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> margin_ranking_loss(tensor([2.0]), tensor([3.0]), tensor([1.0]), margin=0.5)
    tensor(1.5000)
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(input1) is not Tensor:
            input1 = as_tensor("margin_ranking_loss", input1)
        if type(input2) is not Tensor:
            input2 = as_tensor("margin_ranking_loss", input2)
        if type(target) is not Tensor:
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
    """Compute 1 - cos of the two inputs' angle where target is 1, and max(0, cos - margin) where it is -1.

    Inputs are (N, D) with target (N), or (D) with a zero-dimensional target; ValueError for other dimensions.

    Arguments:
        input1: the first vectors.
        input2: the second vectors.
        target: 1 or -1 for each pair.
        margin: the maximum cosine with loss 0 where target is -1.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> cosine_embedding_loss(tensor([[1.0, 0.0]]), tensor([[0.0, 2.0]]), tensor([1]))
    tensor(1.)
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(input1) is not Tensor:
            input1 = as_tensor("cosine_embedding_loss", input1)
        if type(input2) is not Tensor:
            input2 = as_tensor("cosine_embedding_loss", input2)
        if type(target) is not Tensor:
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
    """Compute max(0, d(anchor, positive) - d(anchor, negative) + margin), d being `pairwise_distance` of norm `p`.

    Inputs (N, D) give (N). With `swap`, the distance of positive and negative replaces a greater d(anchor, negative).
    Raises ValueError unless margin > 0, and if the numbers of dimensions differ. V. Balntas and others, 2016.

    Arguments:
        anchor: the vectors to compare with.
        positive: vectors that should be close to the anchors.
        negative: vectors that should be distant from the anchors.
        margin: the required difference of distances; above 0.
        p: the order of the norm.
        eps: a number added to differences, for finite gradients at 0.
        swap: whether to use the distance of positive and negative if it is smaller.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> triplet_margin_loss(tensor([[0.0, 0.0]]), tensor([[0.0, 3.0]]), tensor([[2.0, 0.0]]), eps=0)
    tensor(2.)
    """
    try:
        if size_average is not None or reduce is not None:
            reduction = reduction_of_older(size_average, reduce)
        if type(anchor) is not Tensor:
            anchor = as_tensor("triplet_margin_loss", anchor)
        if type(positive) is not Tensor:
            positive = as_tensor("triplet_margin_loss", positive)
        if type(negative) is not Tensor:
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
    """Compute `triplet_margin_loss` with any distance function of two tensors; `pairwise_distance` by default.

    Arguments:
        anchor: the reference.
        positive: input that should be close to the anchor.
        negative: input that should be distant from the anchor.
        distance_function: the distance of two tensors; `pairwise_distance` if None.
        margin: the required difference of distances; above 0.
        swap: whether to use the distance of positive and negative if it is smaller.
        reduction: "mean", "sum", or "none" for the loss of each element.

    >>> from facula_tensor import tensor
    >>> a, b, c = tensor([[0.0]]), tensor([[3.0]]), tensor([[2.0]])
    >>> triplet_margin_with_distance_loss(a, b, c, distance_function=lambda x, y: (x - y).abs().sum(-1))
    tensor(2.)
    """
    try:
        if type(anchor) is not Tensor:
            anchor = as_tensor("triplet_margin_with_distance_loss", anchor)
        if type(positive) is not Tensor:
            positive = as_tensor("triplet_margin_with_distance_loss", positive)
        if type(negative) is not Tensor:
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
