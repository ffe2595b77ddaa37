"""Losses that ask for a margin: between two inputs, between three, or between classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidIndexError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import int64
from facula_storage.extend import FLOATING, INTEGER

from .._core.promotion import as_real
from .._core.tensor import Tensor, layout_of_tensor
from .._creation.ranges import arange
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
    "multi_margin_loss",
    "multilabel_margin_loss",
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
@overridable
@boundary
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
    """The mean over classes of max(0, margin - input at the target + input)**p, the target's own being 0.

    Input (N, C) with target (N) of int64, or (C) with (); `weight` (C) is a factor by target; "mean" is over N. float32
    and float64. ValueError for `p` other than 1 and 2 and for shapes that do not fit, IndexError for a target that is
    no class.

    Arguments:
        input: scores (N, C), or (C).
        target: the class of each row.
        p: 1 or 2.
        margin: how much greater the score of the target should be.
        weight: a factor for each class (C); none if None.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> multi_margin_loss(tensor([[0.5, 0.0, 1.0]]), tensor([0]), reduction="none")
    tensor([0.6667])
    """
    name, F = "multi_margin_loss", recorded_ops
    reduction = reduction_of(name, reduction, size_average, reduce)
    if p not in (1, 2):
        raise ArgumentError(f"{name}: expected p to be 1 or 2; got {p}")
    margin = as_real(margin, name, "margin")
    x, y, scalar = rows_of_classes(name, input, target)
    count, classes = x.shape
    if y.shape != (count,):
        raise ArgumentError(f"{name}: expected target of shape ({count},), a class a row; got {tuple(y.shape)}")
    check_classes(name, y, 0, classes)
    own = F.eq(F.unsqueeze(y, 1), arange(classes, device=x.device))
    at_target = F.gather(x, F.unsqueeze(y, 1), (1,))
    terms = F.relu(F.add(F.sub(margin, at_target), x))
    terms = F.where(own, 0, terms if p == 1 else F.square(terms))
    losses = F.div(F.sum(terms, ((1,), False)), classes)
    if weight is not None:
        w = layout_of_tensor(as_tensor(name, weight))
        if w.shape != (classes,) or w.dtype is not x.dtype:
            raise ArgumentError(
                f"{name}: expected weight of shape ({classes},) and {x.dtype.name}, a number for each class; "
                f"got {w.shape} and {w.dtype.name}"
            )
        losses = F.mul(losses, F.take(weight, y, (0,)))
    return reduced(F.squeeze(losses, 0) if scalar and not target.ndim else losses, reduction)


@overridable
@boundary
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum of max(0, 1 - input at a target + input elsewhere) over targets and other classes, over their number.

    Input (N, C) with target (N, C) of int64, or (C) with (C): classes, ended by a first -1. float32 and float64.
    ValueError for shapes that differ, IndexError for a target that is neither -1 nor a class.

    Arguments:
        input: scores (N, C), or (C).
        target: the classes of each row.
        size_average: older form of `reduction`: False means "sum".
        reduce: older form of `reduction`: False means "none".
        reduction: "mean", "sum", or "none" for each loss by itself.

    >>> from facula_tensor import tensor
    >>> multilabel_margin_loss(tensor([0.1, 0.2, 0.4, 0.8]), tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """
    name, F = "multilabel_margin_loss", recorded_ops
    reduction = reduction_of(name, reduction, size_average, reduce)
    x, y, scalar = rows_of_classes(name, input, target)
    if y.shape != x.shape:
        raise ArgumentError(f"{name}: expected target of input's shape {tuple(x.shape)}; got {tuple(y.shape)}")
    classes = x.shape[1]
    check_classes(name, y, -1, classes)
    counts = y.ne(-1).long().cumprod(1)  # 1 before the first -1
    most = int(counts.sum(1).amax()) if y.numel() else 0  # targets of a row: fewer than classes, as a rule
    taken, counted = (y * counts).narrow(1, 0, most), counts.narrow(1, 0, most).unsqueeze(2).bool()
    own = (taken.unsqueeze(2).eq(arange(classes, device=x.device)) & counted).any(1, keepdim=True)
    at_targets = F.unsqueeze(F.gather(x, taken, (1,)), 2)
    terms = F.relu(F.add(F.sub(1, at_targets), F.unsqueeze(x, 1)))
    terms = F.where(counted & ~own, terms, 0)
    losses = F.div(F.sum(terms, ((1, 2), False)), classes)
    return reduced(F.squeeze(losses, 0) if scalar else losses, reduction)


def rows_of_classes(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor, bool]:
    """Input (N, C) and target with N first, of (C) and a target without N, and whether that was so."""
    x, y = as_tensor(name, input), as_tensor(name, target)
    given, classes = layout_of_tensor(x), layout_of_tensor(y)
    if given.dtype.category != FLOATING:
        raise DTypeError(f"{name}: defined for floating dtypes; got input {given.dtype.name}; convert with .float()")
    if classes.dtype.category != INTEGER:
        raise DTypeError(f"{name}: expected target of classes to be int64; got {classes.dtype.name}; use .long()")
    if len(given.shape) > 2 or given.shape[-1:] == (0,):
        raise ArgumentError(f"{name}: expected input (N, C) or (C), with a class at least; got shape {given.shape}")
    y = recorded_ops.to(y, (int64,))
    if len(given.shape) == 2:
        return x, y, False
    if not given.shape:  # one class
        x = recorded_ops.unsqueeze(x, 0)
        y = recorded_ops.reshape(y, (1,)) if classes.shape == () and name == "multilabel_margin_loss" else y
    one = classes.shape == (1,) and name == "multi_margin_loss"
    return recorded_ops.unsqueeze(x, 0), y if one else recorded_ops.unsqueeze(y, 0), True


def check_classes(name: str, target: Tensor, least: int, classes: int) -> None:
    """IndexError for a target below `least` or not below `classes`."""
    if not target.numel() or target.is_meta:
        return
    for found in (int(target.amin()), int(target.amax())):
        if not least <= found < classes:
            also = ", or -1 for the end" if least else ""
            raise InvalidIndexError(f"{name}: expected targets from 0 to {classes - 1}{also}; got {found}")
