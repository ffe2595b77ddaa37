"""Losses of differences and of distributions, and shared helpers of losses; `cross_entropy.py` has classifiers'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from facula_errors.extend import warn

from ...._core.promotion import floating
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.arguments import reduction_of_older as older_reduction
from ...._dispatch.arguments import refuse_choice
from ...._dispatch.declaration import elementwise
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.reduced import reduced_operator
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function

if TYPE_CHECKING:
    from ...._dispatch.kinds import Averages, Flag, Real, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace

Numbers = tuple[float, ...]


def reduction_of(operation: str, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """Return `reduction`, or its equivalent for PyTorch's two older arguments; ValueError for invalid names."""
    if size_average is not None or reduce is not None:
        reduction = older_reduction(size_average, reduce)
    if reduction not in ("none", "mean", "sum"):
        refuse_choice(operation, "reduction", reduction, "'none', 'mean' or 'sum'")
    return reduction


# ------------------------------------------------------------------------------------------------- distances
@elementwise
class _squared_difference:
    """Compute (input - other)**2."""

    inputs = ("input", "other")

    def vjp_input(F, g, input, other):
        return (input - other) * g * 2

    def vjp_other(F, g, input, other):
        return (input - other) * g * -2


@elementwise
class _absolute_difference:
    """Compute abs(input - target)."""

    inputs = ("input", "target")

    def value(F, input, target):
        return abs(input - target)


@elementwise
class _huber:
    """Compute half the square of a difference below delta, linear beyond; at delta the slope is constant."""

    inputs = ("input", "target", "delta")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target, delta):
        difference = input - target
        slope = F.hardtanh(difference, -delta, delta)
        return slope * (difference - slope * 0.5)

    def partial_input(F, input, target, delta):
        return F.huber_slope(input, target, delta)

    def partial_target(F, input, target, delta):
        return F.huber_slope(target, input, delta)


@elementwise
class _huber_slope:
    """Compute the derivative of the Huber loss by its input."""

    inputs = ("input", "target", "delta")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target, delta):
        return F.hardtanh(input - target, -delta, delta)


@elementwise
class _smooth_l1:
    """Compute the Huber loss divided by its bound."""

    inputs = ("input", "target", "beta")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target, beta):
        difference = input - target
        slope = F.hardtanh(difference, -beta, beta)
        return slope * (difference - slope * 0.5) / beta

    def partial_input(F, input, target, beta):
        return F.smooth_l1_slope(input, target, beta)

    def partial_target(F, input, target, beta):
        return F.smooth_l1_slope(target, input, beta)


@elementwise
class _smooth_l1_slope:
    """Compute the derivative of `smooth_l1` by its input."""

    inputs = ("input", "target", "beta")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target, beta):
        return F.hardtanh(input - target, -beta, beta) / beta


@elementwise
class _divergence:
    """Compute target (log(target) - input), 0 where target is 0."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target):
        return target * F.log(F.where(target == 0, 1, target)) - target * input


@elementwise
class _divergence_of_logarithms:
    """Compute exp(target) (target - input)."""

    inputs = ("input", "target")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, target):
        return F.exp(target) * (target - input)


def loss_of(
    operator: str, operands: tuple[Tensor, ...], reduction: str, weight: Tensor | None = None, numbers: Numbers = ()
) -> Tensor:
    """Compute the losses by an elementwise operator and reduce them: in one launch, unless losses have weights.

    Arguments:
        operator: the name of the operator.
        operands: its tensor operands.
        reduction: "none", "mean" or "sum".
        weight: a factor of each loss, or None; a mean then divides by the sum of weights.
        numbers: its last operands, which are numbers.
    """
    if weight is None and reduction != "none":
        result: Tensor = reduced_operator(operator, reduction, len(numbers)).library_call(*operands, numbers)
        return result
    return reduced_losses(getattr(recorded_ops, operator)(*operands, *numbers), reduction, weight)


def reduced_losses(losses: Tensor, reduction: str, weight: Tensor | None = None) -> Tensor:
    """Return the losses, their mean, or their sum, multiplied by `weight` if given (a weighted mean for "mean")."""
    if weight is not None:
        losses = losses * as_tensor("loss", weight)
        if reduction == "mean":
            return losses.sum() / weight.expand(losses.shape).sum()
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def check_target_shape(operation: str, input: Tensor, target: Tensor) -> None:
    """Check that both are tensors, and warn if they broadcast, which is rarely intended."""
    if type(input) is type(target) is Tensor and input._layout is target._layout:
        return
    a, b = layout_of_tensor(as_tensor(operation, input)).shape, layout_of_tensor(as_tensor(operation, target)).shape
    if a != b:
        warn(f"{operation}: input {a} and target {b} differ in shape and are broadcast")


@function(overridable=True)
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute (input - target)**2 of each element; with `weight`, times it, and "mean" divides by the sum of weights.

    Arguments:
        input: the predictions.
        target: the true values.
        weight: a factor for each loss; none if None.

    >>> from facula_tensor import tensor
    >>> mse_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(2.)
    """
    check_target_shape("mse_loss", input, target)
    return loss_of("squared_difference", (input, target), reduction, weight)


@function(overridable=True)
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute abs(input - target) of each element; `weight` as in `mse_loss`.

    Arguments:
        input: the predictions.
        target: the true values.
        weight: a factor for each loss; none if None.

    >>> from facula_tensor import tensor
    >>> l1_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(1.)
    """
    check_target_shape("l1_loss", input, target)
    if any([isinstance(operand, Tensor) and operand.is_complex() for operand in (input, target)]):  # programs are real
        return reduced_losses(recorded_ops.abs(recorded_ops.sub(input, target)), reduction, weight)
    return loss_of("absolute_difference", (input, target), reduction, weight)


@function(overridable=True, refuses={"not delta > 0": "a number delta > 0; got {delta}"})
def huber_loss(
    F: Namespace,
    input: Tensor,
    target: Tensor,
    reduction: Reduction = "mean",
    delta: Real = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Compute half the square of differences below `delta`, linear beyond; ValueError unless delta > 0.

    "mean" is the mean of the losses times `weight`, without `mse_loss`'s division by weights. P. J. Huber: Robust
    estimation of a location parameter, 1964.

    Arguments:
        input: the predictions.
        target: the true values.
        delta: the bound between the quadratic and the linear part.
        weight: a factor for each loss; none if None.

    >>> from facula_tensor import tensor
    >>> huber_loss(tensor([1.0, 2.0]), tensor([0.0, 4.0]), reduction="none")
    tensor([0.5000, 1.5000])
    """
    check_target_shape("huber_loss", input, target)
    if weight is not None:  # as in PyTorch: unlike mse_loss, which divides by the weights
        return reduced_losses(F.huber(input, target, delta) * as_tensor("huber_loss", weight), reduction)
    return loss_of("huber", (input, target), reduction, None, (delta,))


@function(overridable=True, refuses={"not beta >= 0": "beta >= 0; got {beta}"})
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
    beta: Real = 1.0,
) -> Tensor:
    """Compute `huber_loss` with delta = beta, divided by beta; `l1_loss` for beta = 0. ValueError unless beta >= 0.

    Arguments:
        input: the predictions.
        target: the true values.
        beta: the bound between the quadratic and the linear part.

    >>> from facula_tensor import tensor
    >>> smooth_l1_loss(tensor([1.0, 2.0]), tensor([0.0, 4.0]), reduction="none", beta=0.5)
    tensor([0.7500, 1.7500])
    """
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    check_target_shape("smooth_l1_loss", input, target)
    return loss_of("huber" if beta == 1 else "smooth_l1", (input, target), reduction, None, (beta,))


@function(overridable=True)
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Averages = None,
    reduce: Reduces = None,
    reduction: Literal["none", "mean", "sum", "batchmean"] = "mean",
    log_target: Flag = False,
) -> Tensor:
    """Compute target (log(target) - input), for log probabilities `input`; 0 where target is 0.

    With `log_target`, target is given as its logarithm. `reduction` may also be "batchmean": the sum divided by the
    first length, which corresponds to the definition of the divergence.

    Arguments:
        input: log probabilities.
        target: probabilities.
        reduction: "mean", "sum", "batchmean", or "none" for separate losses.
        log_target: whether `target` also contains log probabilities.

    >>> from facula_tensor import tensor
    >>> kl_div(tensor([[-1.0, -1.0]]), tensor([[0.0, 1.0]]), reduction="batchmean")
    tensor(1.)
    """
    check_target_shape("kl_div", input, target)
    by_batch = reduction == "batchmean"
    divergence = "divergence_of_logarithms" if log_target else "divergence"
    loss = loss_of(divergence, (input, target), "sum" if by_batch else reduction)
    return loss / input.shape[0] if by_batch and input.ndim else loss
