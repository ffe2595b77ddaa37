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
    """Compute -(target log(input) + (1 - target) log(1 - input)) of probabilities; logarithms are at least -100.

    The gradients of `input` are finite at 0 and 1, as in PyTorch: their divisor is at least 1e-12.

    Arguments:
        input: probabilities, from 0 to 1.
        target: from 0 to 1, with the shape of `input`.
        weight: a factor of each loss, which broadcasts to it, or None.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.

    Raises:
        ValueError: if shapes differ, or an element of either is not from 0 to 1.

    >>> from facula_tensor import tensor
    >>> binary_cross_entropy(tensor([0.5, 1.0]), tensor([1.0, 1.0]))
    tensor(0.3466)
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
    """Compute `binary_cross_entropy` of sigmoid(input), without overflow.

    Arguments:
        input: logits, any numbers.
        target: from 0 to 1 (not checked), with the shape of `input`.
        weight: a factor of each loss, which broadcasts to it, or None.
        size_average, reduce: older forms of `reduction`: False means "sum" and "none".
        reduction: "mean", "sum", or "none" for the loss of each element.
        pos_weight: a factor of the losses of class 1, which broadcasts to `input`, or None.

    >>> from facula_tensor import tensor
    >>> binary_cross_entropy_with_logits(tensor([0.0, 100.0]), tensor([1.0, 1.0]))
    tensor(0.3466)
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
