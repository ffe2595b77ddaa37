"""Losses that ask for a margin between two inputs, or between three. `class_margin_losses.py` has those of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.promotion import as_real
from .._core.tensor import Tensor
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.planning import broadcast_shapes
from .._dispatch.view_call import as_tensor
from .distances import pairwise_distance
from .losses import loss_of, reduced, reduction_of

if TYPE_CHECKING:
    from .._core.types import Function

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]

SMALLEST_SQUARE = 1e-12  # added to squares of lengths, so that vectors of zeros have gradients


@elementwise
class _hinge:
    """input where target is 1, max(0, margin - input) where it is -1, and both added elsewhere."""

    inputs = ("input", "target", "margin")
    no_gradient = ("margin",)

    def value(F, input, target, margin):
        beyond = F.clamp_min(margin - input, 0)
        return F.where(target != 1, beyond, 0) + F.where(target != -1, input, 0)


@elementwise
class _ranking:
    """max(0, margin - target (input - other))."""

    inputs = ("input", "other", "target", "margin")
    no_gradient = ("margin",)

    def value(F, input, other, target, margin):
        return F.clamp_min(-target * (input - other) + margin, 0)


@overridable
@boundary
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`input` where target is 1, and max(0, margin - input) where it is -1; shapes broadcast.

    Arguments:
        input: distances.
        target: 1 or -1 for each distance.
        margin: the distance that is great enough.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> hinge_embedding_loss(tensor([2.0, 0.25]), tensor([1, -1]), reduction="none")
    tensor([2.0000, 0.7500])
    """
    name = "hinge_embedding_loss"
    reduction = reduction_of(name, reduction, size_average, reduce)
    x, y = as_tensor(name, input), as_tensor(name, target)
    broadcast_shapes(name, tuple(x.shape), tuple(y.shape))
    return loss_of("hinge", (x, y), reduction, None, (as_real(margin, name, "margin"),))


@overridable
@boundary
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target (input1 - input2) + margin): `target` is 1 where input1 should be the greater one, else -1.

    ValueError where the numbers of dimensions differ.

    Arguments:
        input1: the first scores.
        input2: the second scores.
        target: 1 or -1 for each pair.
        margin: how far the scores should be apart.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> margin_ranking_loss(tensor([2.0]), tensor([3.0]), tensor([1.0]), margin=0.5)
    tensor(1.5000)
    """
    name = "margin_ranking_loss"
    reduction = reduction_of(name, reduction, size_average, reduce)
    a, b, y = (as_tensor(name, one) for one in (input1, input2, target))
    same_dims(name, input1=a, input2=b, target=y)
    broadcast_shapes(name, *(tuple(one.shape) for one in (a, b, y)))
    return loss_of("ranking", (a, b, y), reduction, None, (as_real(margin, name, "margin"),))


@overridable
@boundary
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos of the two inputs' angle where target is 1, and max(0, cos - margin) where it is -1.

    Inputs (N, D) with target (N), or (D) with a target without dimensions. ValueError for other numbers of dimensions.

    Arguments:
        input1: the first vectors.
        input2: the second vectors.
        target: 1 or -1 for each pair.
        margin: the greatest cosine that costs nothing where target is -1.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> cosine_embedding_loss(tensor([[1.0, 0.0]]), tensor([[0.0, 2.0]]), tensor([1]))
    tensor(1.)
    """
    name, F = "cosine_embedding_loss", recorded_ops
    reduction = reduction_of(name, reduction, size_average, reduce)
    a, b, y = (as_tensor(name, one) for one in (input1, input2, target))
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
    apart = F.clamp_min(F.sub(cosine, as_real(margin, name, "margin")), 0)
    losses = F.add(F.where(F.eq(y, 1), F.sub(1, cosine), 0), F.where(F.eq(y, -1), apart, 0))
    return reduced(losses, reduction)


@overridable
@boundary
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d being `pairwise_distance` of norm `p`.

    Inputs (N, D) give (N). `swap`: where the positive is nearer to the negative than the anchor is, that distance
    counts. ValueError unless margin > 0, and where the numbers of dimensions differ. V. Balntas and others, 2016.

    Arguments:
        anchor: the vectors to compare with.
        positive: vectors that should be near.
        negative: vectors that should be far.
        margin: how much farther; above 0.
        p: the order of the norm.
        eps: what is added to differences, against slopes at 0.
        swap: whether the distance of positive and negative counts where it is less.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> triplet_margin_loss(tensor([[0.0, 0.0]]), tensor([[0.0, 3.0]]), tensor([[2.0, 0.0]]), eps=0)
    tensor(2.)
    """
    name = "triplet_margin_loss"
    reduction = reduction_of(name, reduction, size_average, reduce)
    p, eps = as_real(p, name, "p"), as_real(eps, name, "eps")
    return triplet(name, anchor, positive, negative, lambda a, b: pairwise_distance(a, b, p, eps), margin, swap,
                   reduction)  # fmt: skip


@overridable
@boundary
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any function of two tensors as the distance: `pairwise_distance` by default.

    Arguments:
        anchor: what is compared with.
        positive: what should be near.
        negative: what should be far.
        distance_function: the distance of two tensors; `pairwise_distance` if None.
        margin: how much farther; above 0.
        swap: whether the distance of positive and negative counts where it is less.
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> a, b, c = tensor([[0.0]]), tensor([[3.0]]), tensor([[2.0]])
    >>> triplet_margin_with_distance_loss(a, b, c, distance_function=lambda x, y: (x - y).abs().sum(-1))
    tensor(2.)
    """
    name = "triplet_margin_with_distance_loss"
    if not (distance_function is None or callable(distance_function)):
        raise InvalidTypeError(f"{name}: expected distance_function to be a function; got {distance_function!r:.200}")
    return triplet(name, anchor, positive, negative, distance_function or pairwise_distance, margin, swap,
                   reduction_of(name, reduction))  # fmt: skip


def triplet(
    name: str,
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Function,
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    """The loss of three embeddings by a function of two."""
    F = recorded_ops
    margin = as_real(margin, name, "margin")
    if not margin > 0:
        raise ArgumentError(f"{name}: expected margin > 0; got {margin}")
    a, p, n = (as_tensor(name, one) for one in (anchor, positive, negative))
    same_dims(name, anchor=a, positive=p, negative=n)
    broadcast_shapes(name, *(tuple(one.shape) for one in (a, p, n)))
    near, far = distance(a, p), distance(a, n)
    if swap:
        far = F.minimum(far, distance(p, n))
    return reduced(F.clamp_min(F.add(F.sub(near, far), margin), 0), reduction)


def same_dims(name: str, **tensors: Tensor) -> None:
    """ValueError where tensors have different numbers of dimensions."""
    if len({one.ndim for one in tensors.values()}) > 1:
        shapes = ", ".join(f"{what} {tuple(one.shape)}" for what, one in tensors.items())
        raise ArgumentError(f"{name}: expected all with one number of dimensions; got {shapes}")


# --------------------------------------------------------------------------------------------------- classes
