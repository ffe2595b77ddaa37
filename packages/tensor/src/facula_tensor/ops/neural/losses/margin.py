"""Losses with a margin between two or three inputs. `class_margin.py` has those between classes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError

from ...._core.tensor import Tensor
from ...._dispatch.declaration import elementwise
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.slow_path.planning import broadcast_shapes
from ...._dispatch.written import function
from ..distances import pairwise_distance
from .regression import loss_of, reduced_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...._core.types import Function
    from ...._dispatch.kinds import Averages, Checked, Flag, Real, RealOrTensor, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace

POSITIVE_MARGIN = {"not margin > 0": "margin > 0; got {margin}"}
SMALLEST_SQUARE = 1e-12  # added to squared lengths, so that zero vectors have gradients


@elementwise
class _hinge:
    """Compute input where target is 1, max(0, margin - input) where it is -1, and their sum elsewhere."""

    inputs = ("input", "target", "margin")
    has_kernel = True
    no_gradient = ("margin",)

    def value(F, input, target, margin):
        beyond = F.clamp_min(margin - input, 0)
        return F.where(target != 1, beyond, 0) + F.where(target != -1, input, 0)


@elementwise
class _ranking:
    """Compute max(0, margin - target (input - other))."""

    inputs = ("input", "other", "target", "margin")
    has_kernel = True
    no_gradient = ("margin",)

    def value(F, input, other, target, margin):
        return F.clamp_min(-target * (input - other) + margin, 0)


@function(overridable=True)
def hinge_embedding_loss(
    input: Checked,
    target: Checked,
    margin: Real = 1.0,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute `input` where target is 1, and max(0, margin - input) where it is -1; shapes broadcast.

    Arguments:
        input: distances.
        target: 1 or -1 for each distance.
        margin: the distance beyond which the loss is 0.

    >>> from facula_tensor import tensor
    >>> hinge_embedding_loss(tensor([2.0, 0.25]), tensor([1, -1]), reduction="none")
    tensor([2.0000, 0.7500])
    """
    broadcast_shapes("hinge_embedding_loss", tuple(input.shape), tuple(target.shape))
    return loss_of("hinge", (input, target), reduction, None, (margin,))


@function(overridable=True)
def margin_ranking_loss(
    input1: Checked,
    input2: Checked,
    target: Checked,
    margin: Real = 0,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute max(0, -target (input1 - input2) + margin); `target` is 1 if input1 should be greater, else -1.

    Raises ValueError if the numbers of dimensions differ.

    Arguments:
        input1: the first scores.
        input2: the second scores.
        target: 1 or -1 for each pair.
        margin: the required difference of scores.

    >>> from facula_tensor import tensor
    >>> margin_ranking_loss(tensor([2.0]), tensor([3.0]), tensor([1.0]), margin=0.5)
    tensor(1.5000)
    """
    same_dims("margin_ranking_loss", input1=input1, input2=input2, target=target)
    return loss_of("ranking", (input1, input2, target), reduction, None, (margin,))


@function(overridable=True)
def cosine_embedding_loss(
    F: Namespace,
    input1: Checked,
    input2: Checked,
    target: Checked,
    margin: Real = 0,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute 1 - cos of the two inputs' angle where target is 1, and max(0, cos - margin) where it is -1.

    Inputs are (N, D) with target (N), or (D) with a zero-dimensional target; ValueError for other dimensions.

    Arguments:
        input1: the first vectors.
        input2: the second vectors.
        target: 1 or -1 for each pair.
        margin: the maximum cosine with loss 0 where target is -1.

    >>> from facula_tensor import tensor
    >>> cosine_embedding_loss(tensor([[1.0, 0.0]]), tensor([[0.0, 2.0]]), tensor([1]))
    tensor(1.)
    """
    name, a, b, y = "cosine_embedding_loss", input1, input2, target
    if not (y.ndim in (0, 1) and a.ndim == b.ndim == y.ndim + 1):
        raise ArgumentError(
            f"{name}: expected inputs (N, D) and target (N), or inputs (D) and target (); got input1 {tuple(a.shape)}, "
            f"input2 {tuple(b.shape)} and target {tuple(y.shape)}"
        )

    broadcast_shapes(name, tuple(a.shape), tuple(b.shape))

    def along(p: Tensor, q: Tensor) -> Tensor:
        product = F.mul(p, q)
        return F.sum(product, ((product.ndim - 1,), False))

    lengths = F.mul(F.add(along(a, a), SMALLEST_SQUARE), F.add(along(b, b), SMALLEST_SQUARE))
    cosine = F.div(along(a, b), F.sqrt(lengths))
    apart = F.clamp_min(F.sub(cosine, margin), 0)
    losses = F.add(F.where(F.eq(y, 1), F.sub(1, cosine), 0), F.where(F.eq(y, -1), apart, 0))
    return reduced_losses(losses, reduction)


@function(overridable=True, refuses=POSITIVE_MARGIN)
def triplet_margin_loss(
    anchor: Checked,
    positive: Checked,
    negative: Checked,
    margin: Real = 1.0,
    p: Real = 2,
    eps: Real = 1e-6,
    swap: Flag = False,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
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

    >>> from facula_tensor import tensor
    >>> triplet_margin_loss(tensor([[0.0, 0.0]]), tensor([[0.0, 3.0]]), tensor([[2.0, 0.0]]), eps=0)
    tensor(2.)
    """
    distance = partial(pairwise_distance, p=p, eps=eps)
    return triplet("triplet_margin_loss", anchor, positive, negative, distance, margin, swap, reduction)


@function(overridable=True, refuses=POSITIVE_MARGIN)
def triplet_margin_with_distance_loss(
    anchor: Checked,
    positive: Checked,
    negative: Checked,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: RealOrTensor = 1.0,
    swap: Flag = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute `triplet_margin_loss` with any distance function of two tensors; `pairwise_distance` by default.

    Arguments:
        anchor: the reference.
        positive: input that should be close to the anchor.
        negative: input that should be distant from the anchor.
        distance_function: the distance of two tensors; `pairwise_distance` if None.
        margin: the required difference of distances; above 0.
        swap: whether to use the distance of positive and negative if it is smaller.

    >>> from facula_tensor import tensor
    >>> a, b, c = tensor([[0.0]]), tensor([[3.0]]), tensor([[2.0]])
    >>> triplet_margin_with_distance_loss(a, b, c, distance_function=lambda x, y: (x - y).abs().sum(-1))
    tensor(2.)
    """
    name = "triplet_margin_with_distance_loss"
    if not (distance_function is None or callable(distance_function)):
        raise InvalidTypeError(f"{name}: expected distance_function to be a function; got {distance_function!r:.200}")
    distance = distance_function or pairwise_distance
    return triplet(name, anchor, positive, negative, distance, margin, swap, reduction)


def triplet(
    name: str,
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Function,
    margin: float | Tensor,
    swap: bool,
    reduction: str,
) -> Tensor:
    """Return the triplet loss of three embeddings with a distance function."""
    F = recorded_ops
    same_dims(name, anchor=anchor, positive=positive, negative=negative)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = F.minimum(far, distance(positive, negative))
    return reduced_losses(F.clamp_min(F.add(F.sub(near, far), margin), 0), reduction)


def same_dims(name: str, **tensors: Tensor) -> None:
    """Raise a ValueError if tensors have different numbers of dimensions, or do not broadcast."""
    if len({operand.ndim for operand in tensors.values()}) > 1:
        shapes = ", ".join(f"{what} {tuple(operand.shape)}" for what, operand in tensors.items())
        raise ArgumentError(f"{name}: expected all with one number of dimensions; got {shapes}")
    broadcast_shapes(name, *[tuple(operand.shape) for operand in tensors.values()])
