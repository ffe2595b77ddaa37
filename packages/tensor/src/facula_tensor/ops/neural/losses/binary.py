"""Losses for two classes, from probabilities and from logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import Layout, cpu
from facula_storage.extend.recording import recorders

from ...._core.errors import UnmetRequirementError
from ...._core.promotion import floating
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.declaration import elementwise
from ...._dispatch.value_checks import check_within, with_words
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...elementwise.comparison import boolean
from ...elementwise.pointwise import is_real
from .regression import loss_of, reduced_losses

if TYPE_CHECKING:
    from ...._dispatch.kinds import Averages, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace

SMALLEST_SLOPE = 1e-12  # PyTorch's bound, which keeps the gradients at probabilities of 0 and 1 finite


@elementwise
class _are_probabilities:
    """Return whether both are from 0 to 1."""

    inputs = ("input", "other")
    compute_dtype = floating
    has_kernel = True
    result_dtype = boolean
    accepts = is_real

    def value(F, input, other):
        return (input >= 0) & (input <= 1) & (other >= 0) & (other <= 1)


@elementwise
class _probability_loss:
    """Compute `binary_cross_entropy` of numbers from 0 to 1."""

    inputs = ("input", "other")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, other):
        return (other - 1) * F.clamp_min(F.log1p(-input), -100) - other * F.clamp_min(F.log(input), -100)


@elementwise
class _binary_cross_entropy:
    """Compute -(other log(input) + (1 - other) log(1 - input)), with logarithms of at least -100."""

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def value(F, input, other):
        F.require(F.are_probabilities(input, other))
        return F.probability_loss(input, other)

    def vjp_input(F, g, input, other):
        return F.binary_cross_entropy_grad(g, input, other)

    def partial_other(F, input):
        return F.log1p(-input) - F.log(input)


@elementwise
class _binary_cross_entropy_grad:
    """Compute grad (input - other) / (input (1 - input)), with a bounded divisor."""

    inputs = ("grad", "input", "other")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, grad, input, other):
        return grad * (input - other) / F.clamp_min((1 - input) * input, SMALLEST_SLOPE)

    def vjp_grad(F, g, input, other):
        return F.binary_cross_entropy_grad(g, input, other)

    def vjp_input(F, g, grad, input, other):
        # (input**2 - 2 input other + other) / divisor**2
        bend = input * (input - other * 2) + other
        divisor = input * (1 - input) + SMALLEST_SLOPE
        return g * grad * bend / (divisor * divisor)

    def vjp_other(F, g, grad, input):
        return -(g * grad / F.clamp_min(input * (1 - input), SMALLEST_SLOPE))


@elementwise
class _logistic_loss:
    """Compute -(target log(p) + (1 - target) log(1 - p)), p = sigmoid(input); exact for logits of large magnitude."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target):
        return F.where(input < 0, -target, 1 - target) * input + F.log1p_exp(input)

    def partial_input(F, input, target):
        return F.logistic_slope(input, target)

    def partial_target(F, input):
        return -input


@elementwise
class _logistic_slope:
    """Compute the derivative of `logistic_loss` by its input, sigmoid(input) - target."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target):
        s = F.sigmoid(-abs(input))
        return F.where(input < 0, s - target, (1 - target) - s)

    def partial_input(F, input):
        s = F.sigmoid(-abs(input))
        return s * (1 - s)


@elementwise
class _weighted_logistic_loss:
    """Compute the same loss with weight as a factor of the first term."""

    inputs = ("input", "target", "weight")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target, weight):
        near = F.where(input < 0, -weight * target, 1 - target) * input
        return near + (1 - target + weight * target) * F.log1p_exp(input)

    def partial_input(F, input, target, weight):
        return F.weighted_logistic_slope(input, target, weight)

    def partial_target(F, input, weight):
        return (weight - 1) * -F.log_sigmoid(input) - input

    def partial_weight(F, input, target):
        return -(target * F.log_sigmoid(input))


@elementwise
class _weighted_logistic_slope:
    """Compute the derivative of `weighted_logistic_loss` by its input."""

    inputs = ("input", "target", "weight")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, target, weight):
        s, both = F.sigmoid(-abs(input)), 1 - target + weight * target
        return F.where(input < 0, both * s - weight * target, (1 - target) - both * s)

    def partial_input(F, input, target, weight):
        s = F.sigmoid(-abs(input))
        return s * (1 - s) * (1 - target + weight * target)

    def partial_target(F, input, weight):
        return (1 - weight) * F.sigmoid(-input) - 1

    def partial_weight(F, input, target):
        return -(target * F.sigmoid(-input))


@function(overridable=True)
def binary_cross_entropy(
    F: Namespace,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute -(target log(input) + (1 - target) log(1 - input)) of probabilities; logarithms are at least -100.

    The gradients of `input` are finite at 0 and 1, as in PyTorch: their divisor is at least 1e-12.

    Arguments:
        input: probabilities, from 0 to 1.
        target: from 0 to 1, with the shape of `input`.
        weight: a factor of each loss, which broadcasts to it, or None.

    Raises:
        ValueError: if shapes differ, or an element of either is not from 0 to 1.

    >>> from facula_tensor import tensor
    >>> binary_cross_entropy(tensor([0.5, 1.0]), tensor([1.0, 1.0]))
    tensor(0.3466)
    """
    same_shape("binary_cross_entropy", input, target)

    def compute() -> Tensor:
        if weight is None:
            return loss_of("binary_cross_entropy", (input, target), reduction)
        return reduced_losses(F.binary_cross_entropy(input, target) * weight, reduction)

    def describe() -> Exception:
        for name, operand in (("input", input), ("target", target)):
            check_within("binary_cross_entropy", name, operand)
        return in_short()

    def in_short() -> Exception:
        return ArgumentError(
            "binary_cross_entropy: expected every element of input and target to be from 0 to 1; got another"
        )

    layout = input._layout
    if weight is not None or recorders or type(layout) is not Layout or layout.device is not cpu:
        return with_words(input, compute, describe, in_short)
    try:  # what `with_words` does, in the usual case without further calls
        return loss_of("binary_cross_entropy", (input, target), reduction)
    except UnmetRequirementError:
        raise describe() from None


@function(overridable=True)
def binary_cross_entropy_with_logits(
    F: Namespace,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Compute `binary_cross_entropy` of sigmoid(input), without overflow.

    Arguments:
        input: logits, any numbers.
        target: from 0 to 1 (not checked), with the shape of `input`.
        weight: a factor of each loss, which broadcasts to it, or None.
        pos_weight: a factor of the losses of class 1, which broadcasts to `input`, or None.

    >>> from facula_tensor import tensor
    >>> binary_cross_entropy_with_logits(tensor([0.0, 100.0]), tensor([1.0, 1.0]))
    tensor(0.3466)
    """
    same_shape("binary_cross_entropy_with_logits", input, target)
    operands = (input, target) if pos_weight is None else (input, target, pos_weight)
    name = "logistic_loss" if pos_weight is None else "weighted_logistic_loss"
    if weight is None:
        return loss_of(name, operands, reduction)
    return reduced_losses(getattr(F, name)(*operands) * weight, reduction)


def same_shape(operation: str, input: Tensor, target: Tensor) -> None:
    """Check that both are tensors of the same shape; `operation` is the name in the error."""
    if type(input) is type(target) is Tensor and input._layout is target._layout:
        return
    a, b = layout_of_tensor(as_tensor(operation, input)).shape, layout_of_tensor(as_tensor(operation, target)).shape
    if a != b:
        raise ArgumentError(f"{operation}: expected target of input's shape {a}; got {b}")
