"""Losses with a margin between the classes of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidIndexError
from facula_storage import int64
from facula_storage.extend.layouts import FLOATING, INTEGER

from ...._core.tensor import Tensor, elements, layout_of_tensor
from ...._creation.ranges import arange
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.value_checks import refuse_outside
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from .regression import reduced_losses

if TYPE_CHECKING:
    from ...._dispatch.kinds import Averages, Checked, Real, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace


@function(overridable=True, refuses={"p not in (1, 2)": "p to be 1 or 2; got {p}"})
def multi_margin_loss(
    F: Namespace,
    input: Checked,
    target: Checked,
    p: int = 1,
    margin: Real = 1.0,
    weight: Tensor | None = None,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the mean over classes of max(0, margin - input at the target + input)**p, 0 for the target itself.

    The input is (N, C) with an int64 target (N), or (C) with (). `weight` (C) has a factor for each target class;
    "mean" is over N. float32 and float64. Raises ValueError for `p` other than 1 and 2 and if shapes do not fit,
    IndexError for an invalid class.

    Arguments:
        input: scores (N, C), or (C).
        target: the class of each row.
        p: 1 or 2.
        margin: the required difference between the scores of the target and of other classes.
        weight: a factor for each class (C); none if None.

    >>> from facula_tensor import tensor
    >>> multi_margin_loss(tensor([[0.5, 0.0, 1.0]]), tensor([0]), reduction="none")
    tensor([0.6667])
    """
    name = "multi_margin_loss"
    x, y, scalar = rows_of_classes(name, input, target)
    count, classes = x.shape
    if y.shape != (count,):
        raise ArgumentError(f"{name}: expected target of shape ({count},), a class a row; got {tuple(y.shape)}")
    check_class_range(name, y, 0, classes)
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
    return reduced_losses(F.squeeze(losses, 0) if scalar and not target.ndim else losses, reduction)


@function(overridable=True)
def multilabel_margin_loss(
    F: Namespace,
    input: Checked,
    target: Checked,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Sum max(0, 1 - input at a target + input elsewhere) over targets and other classes, and divide by C.

    The input is (N, C) with an int64 target (N, C), or (C) with (C). The first -1 ends the classes of a row. float32
    and float64. Raises ValueError if shapes differ, IndexError for a target that is neither -1 nor a class.

    Arguments:
        input: scores (N, C), or (C).
        target: the classes of each row.

    >>> from facula_tensor import tensor
    >>> multilabel_margin_loss(tensor([0.1, 0.2, 0.4, 0.8]), tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """
    name = "multilabel_margin_loss"
    x, y, scalar = rows_of_classes(name, input, target)
    if y.shape != x.shape:
        raise ArgumentError(f"{name}: expected target of input's shape {tuple(x.shape)}; got {tuple(y.shape)}")
    classes = x.shape[1]
    check_class_range(name, y, -1, classes)
    counts = y.ne(-1).long().cumprod(1)  # 1 before the first -1
    most = int(counts.sum(1).amax()) if y.numel() else 0  # targets of a row, usually fewer than the classes
    taken, counted = (y * counts).narrow(1, 0, most), counts.narrow(1, 0, most).unsqueeze(2).bool()
    own = (taken.unsqueeze(2).eq(arange(classes, device=x.device)) & counted).any(1, keepdim=True)
    at_targets = F.unsqueeze(F.gather(x, taken, (1,)), 2)
    terms = F.relu(F.add(F.sub(1, at_targets), F.unsqueeze(x, 1)))
    terms = F.where(counted & ~own, terms, 0)
    losses = F.div(F.sum(terms, ((1, 2), False)), classes)
    return reduced_losses(F.squeeze(losses, 0) if scalar else losses, reduction)


def rows_of_classes(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor, bool]:
    """Return input (N, C) and a target with N, adding N to unbatched operands, and whether they were unbatched."""
    x, given, classes = input, layout_of_tensor(input), layout_of_tensor(target)
    if given.dtype.category != FLOATING:
        raise DTypeError(f"{name}: defined for floating dtypes; got input {given.dtype.name}; convert with .float()")
    if classes.dtype.category != INTEGER:
        raise DTypeError(f"{name}: expected target of classes to be int64; got {classes.dtype.name}; use .long()")
    if len(given.shape) > 2 or given.shape[-1:] == (0,):
        raise ArgumentError(f"{name}: expected input (N, C) or (C), with a class at least; got shape {given.shape}")
    y = recorded_ops.to(target, (int64,))
    if len(given.shape) == 2:
        return x, y, False
    if not given.shape:  # a single class
        x = recorded_ops.unsqueeze(x, 0)
        y = recorded_ops.reshape(y, (1,)) if classes.shape == () and name == "multilabel_margin_loss" else y
    has_batch = classes.shape == (1,) and name == "multi_margin_loss"
    return recorded_ops.unsqueeze(x, 0), y if has_batch else recorded_ops.unsqueeze(y, 0), True


def check_class_range(name: str, target: Tensor, least: int, classes: int) -> None:
    """Raise an IndexError for a target below `least` or not below `classes`."""

    def error(found: object) -> Exception:
        also = ", or -1 for the end" if least else ""
        return InvalidIndexError(f"{name}: expected targets from 0 to {classes - 1}{also}; got {found}")

    def describe() -> Exception:
        lowest = int(elements(target).amin())
        return error(lowest if lowest < least else int(elements(target).amax()))

    refuse_outside(target, least, classes - 1, describe, lambda: error("another"))
