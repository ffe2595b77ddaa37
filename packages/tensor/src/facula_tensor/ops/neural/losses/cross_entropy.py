"""Losses by class: one fused operator and its gradient for `cross_entropy` and `nll_loss`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError
from facula_storage import Layout, bfloat16, contiguous, float16, float32, float64, int64
from facula_storage.extend.layouts import FLOATING, INTEGER

from ...._core.errors import show
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.declaration import operator, under
from ...._dispatch.written import function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Function
    from ...._dispatch.kinds import Averages, Float, Integer, Reduces, Reduction
    from ...._dispatch.namespaces import Namespace


def _by_class(name: str) -> None:
    """Declare the fused operator of a loss by class numbers and its gradient operator; both check the target.

    Parameters: reduction, ignore_index, label_smoothing. See Note [Classes] in the backend's cross_entropy.c.
    """

    numbers = ("ignore_index", "label_smoothing")
    given = ("reduction", *numbers)

    @operator
    @under(f"_{name}", f"`{name}` in one pass.")
    class loss:
        inputs = ("input", "target", "weight")
        optional = ("weight",)
        parameters = given
        launch_scalars = numbers

        def compute_dtype(dtype, *others):
            return float32 if dtype in (float16, bfloat16) else dtype

        def decompose(F, operands, parameters):
            input, target, weight = operands
            x, t = layout_of_tensor(input), layout_of_tensor(target)
            check_classes(name, x, t, None if weight is None else layout_of_tensor(weight))
            call = getattr(F, name)
            if len(x.shape) == 1:
                loss = call(F.unsqueeze(input, 0), F.unsqueeze(target, 0), weight, parameters)
                return F.squeeze(loss, 0) if parameters[0] == "none" else loss
            if t.dtype.category == FLOATING:
                if parameters[1] >= 0:
                    raise ArgumentError(
                        f"{name}: expected no ignore_index, since target has probabilities and no classes; "
                        f"got {parameters[1]}; leave it out"
                    )
                return by_probabilities(F, input, target, weight, parameters[0], parameters[2])
            if t.dtype is not int64:
                return call(input, F.to(target, (int64,)), weight, parameters)
            if weight is not None and not layout_of_tensor(weight).is_contiguous:
                return call(input, target, F.contiguous(weight), parameters)
            return None

        def outputs(input, target, weight, reduction, ignore_index, label_smoothing):
            return contiguous(target.shape if reduction == "none" else (), input.dtype, input.device)

        def batching(F, call):
            (input, target, weight), (reduction, *rest) = call.operands, call.parameters
            if call.batched[2]:
                x = F.log_softmax(input, (1,)) if name == "cross_entropy" else input
                losses = weighted(F, x, target, weight, rest)
            else:
                operands = (call.rows(input), call.rows(target), weight)
                losses = call.split(call.run(operands, ("none", *rest)))
            if reduction == "none":
                return losses
            total = F.sum(losses, (tuple(range(layout_of_tensor(losses).ndim)), False))
            return total if reduction == "sum" else F.div(total, weights_of(F, input, target, weight, rest[0])[1])

        def vjp_input(F, g, input, target, weight, reduction, ignore_index, label_smoothing):
            return gradient_of(F)(g, input, target, weight, (reduction, ignore_index, label_smoothing))

    @operator
    @under(f"_{name}_grad", f"The gradient of `{name}` in one pass.")
    class gradient:
        inputs = ("grad", "input", "target", "weight")
        optional = ("weight",)
        parameters = given
        launch_scalars = numbers

        def outputs(g, input, target, weight, *parameters):
            return contiguous(input.shape, input.dtype, input.device)

        def batching(F, call):
            (g, input, target, weight), (reduction, *rest) = call.operands, call.parameters
            if reduction == "mean":
                g = F.div(g, weights_of(F, input, target, weight, rest[0])[1])
            g = F.expand(g, layout_of_tensor(target).shape)
            if not call.batched[3]:
                operands = (F.contiguous(call.rows(g)), call.rows(input), call.rows(target), weight)
                return call.split(call.run(operands, ("none", *rest)))
            if name == "nll_loss":
                return weighted_grad(F, g, input, target, weight, rest)
            x = F.log_softmax(input, (1,))
            return F.log_softmax_grad(weighted_grad(F, g, x, target, weight, rest), x, (1,))

        def vjp_grad(F, g, grad, input, target, weight, reduction, ignore_index, label_smoothing):
            slope = gradient_of(F)(F.ones_like(grad), input, target, weight, (reduction, ignore_index, label_smoothing))
            dims = (1,) if reduction == "none" else tuple(range(input.ndim))
            return F.sum(F.mul(g, slope), (dims, False))

        def vjp_input(F, g, grad, input, target, weight, reduction, ignore_index, label_smoothing):
            if name == "nll_loss":
                return F.zeros_like(g)
            # The loss is linear in log_softmax(input); `along` has the negated factors, whose sum scales each row.
            along = F.nll_loss_grad(grad, input, target, weight, (reduction, ignore_index, label_smoothing))
            scale = F.neg(F.sum(along, ((1,), True)))
            return F.mul(F.softmax_grad(g, F.softmax(input, (1,)), (1,)), scale)

    def gradient_of(F: Namespace) -> Function:
        return getattr(F, f"{name}_grad")


def check_classes(name: str, x: Layout, target: Layout, weight: Layout | None) -> None:
    """Check that input `x` is (n, classes, ...) or (classes,), and that target and weight fit. `name` is the loss."""
    by_probability = name == "cross_entropy" and target.dtype.category == FLOATING and target.shape == x.shape
    if x.dtype.category <= INTEGER < target.dtype.category and len(target.shape) == len(x.shape) + 1:
        raise DTypeError(
            f"{name}: expected input of numbers for each class, then target of classes; got input {show(x)} and target "
            f"{show(target)}; the two are swapped"
        )
    if x.dtype not in (float32, float64) and not by_probability:
        raise DTypeError(f"{name}: defined for float32 and float64; got input {x.dtype.name}; convert with .float()")
    if not x.shape:
        raise ArgumentError(f"{name}: expected input (n, classes, ...) or (classes,); got a number")
    classes = x.shape[1 if len(x.shape) > 1 else 0]
    wanted = (*x.shape[:1], *x.shape[2:]) if len(x.shape) > 1 else ()
    if not by_probability and target.shape != wanted:
        raise ArgumentError(
            f"{name}: expected target of shape {wanted}, a class for each row of input {x.shape}; got {target.shape}"
        )
    if not by_probability and target.dtype.category != INTEGER:
        raise DTypeError(f"{name}: expected target of classes to be int64; got {target.dtype.name}; use .long()")
    if weight is not None and (weight.shape != (classes,) or weight.dtype is not x.dtype):
        raise ArgumentError(
            f"{name}: expected weight of shape ({classes},) and {x.dtype.name}, a number for each class; "
            f"got {weight.shape} and {weight.dtype.name}"
        )


def weights_of(
    F: Namespace, input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """Return the weight of each target, 0 for ignored ones, and their sum, the divisor of a mean."""
    counts = F.ne(target, ignore_index)
    if weight is None:
        weights = F.to(counts, (layout_of_tensor(input).dtype,))
    else:
        weights = F.where(counts, F.take(weight, F.where(counts, target, 0), (0,)), 0)
    return weights, F.sum(weights, (tuple(range(layout_of_tensor(target).ndim)), False))


def weighted(F: Namespace, x: Tensor, target: Tensor, weight: Tensor, rest: Sequence[Any]) -> Tensor:
    """Return the losses for batched weights, from log probabilities; `rest` has the operator's parameters."""
    ignore_index, smoothing = rest
    weights = weights_of(F, x, target, weight, ignore_index)[0]
    losses = F.mul(F.nll_loss(x, target, None, ("none", ignore_index, 0.0)), F.mul(weights, 1 - smoothing))
    if not smoothing:
        return losses
    row = F.sum(F.mul(x, F.channels_of(weight, layout_of_tensor(x))), ((1,), False))
    share = F.mul(row, -smoothing / x.shape[1])
    return F.add(losses, F.where(F.ne(target, ignore_index), share, 0))


def weighted_grad(F: Namespace, g: Tensor, x: Tensor, target: Tensor, weight: Tensor, rest: Sequence[Any]) -> Tensor:
    """Return the gradient of `weighted` by `x`."""
    ignore_index, smoothing = rest
    weights = weights_of(F, x, target, weight, ignore_index)[0]
    along = F.nll_loss_grad(F.mul(g, F.mul(weights, 1 - smoothing)), x, target, None, ("none", ignore_index, 0.0))
    if not smoothing:
        return along
    g = F.where(F.ne(target, ignore_index), F.mul(g, -smoothing / x.shape[1]), 0)
    return F.add(along, F.mul(F.unsqueeze(g, 1), F.channels_of(weight, layout_of_tensor(x))))


def by_probabilities(
    F: Namespace, input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float
) -> Tensor:
    """Compute cross entropy for targets with a probability for each class; arguments as in `cross_entropy`."""
    shape = input.shape
    if smoothing:
        target = F.add(F.mul(target, 1 - smoothing), smoothing / shape[1])
    terms = F.mul(F.log_softmax(input, (1,)), target)
    if weight is not None:
        terms = F.mul(terms, F.channels_of(weight, layout_of_tensor(input)))
    if reduction == "none":
        return F.neg(F.sum(terms, ((1,), False)))
    total = F.neg(F.sum(terms, (tuple(range(len(shape))), False)))
    if reduction == "sum":
        return total
    count = terms.numel() // shape[1] if shape[1] else 0
    return F.div(total, count)


_by_class("nll_loss")
_by_class("cross_entropy")


@function(
    calls="cross_entropy",
    refuses={"not 0 <= label_smoothing <= 1": "label_smoothing from 0 to 1; got {label_smoothing}"},
)
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Averages = None,
    ignore_index: Integer = -100,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
    label_smoothing: Float = 0.0,
) -> None:
    """Compute -log(softmax(input)) at the target class.

    Half precision is computed in float32.

    Arguments:
        input: (n, classes, ...) or (classes,), with a floating dtype.
        target: (n, ...) or (), integers; or, with the shape of `input`, a probability for each class.
        weight: (classes,), a factor for each class, or None; "mean" then divides by the sum of weights.
        ignore_index: the class to ignore; must be negative for probabilities.
        label_smoothing: the part of the target, from 0 to 1, that is distributed over all classes.

    Raises:
        IndexError: if a target is out of range.
        ValueError: if shapes do not fit.

    >>> from facula_tensor import tensor
    >>> cross_entropy(tensor([[0.0, 0.0]]), tensor([1]))
    tensor(0.6931)
    """


@function(inline=True)
def nll_loss(
    F: Namespace,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Averages = None,
    ignore_index: Integer = -100,
    reduce: Reduces = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the negative entry of the target class.

    Arguments:
        input: log probabilities, (n, classes, ...) or (classes,).
        target: (n, ...) or (), integers.
        weight: (classes,), a factor for each class, or None; "mean" then divides by the sum of weights.
        ignore_index: the class to ignore.

    >>> from facula_tensor import tensor
    >>> nll_loss(tensor([[-1.0, -2.0]]), tensor([1]))
    tensor(2.)
    """
    return F.nll_loss(input, target, weight, (reduction, ignore_index, 0.0))
