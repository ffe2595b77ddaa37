"""How far an answer is from the right one: losses, with the fused operators of the two that classifiers use."""

from __future__ import annotations

from typing import Any

from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback, warn
from facula_storage import Layout, bfloat16, contiguous, float16, float32, float64, int64
from facula_storage.extend import FLOATING, INTEGER

from .._core.errors import show
from .._core.promotion import as_integer, as_real, floating
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.declaration import elementwise, operator
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor

__all__ = [
    "cross_entropy",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(operation: str, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """`reduction`, or what PyTorch's two older arguments say in its place; ValueError for any other word."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    if reduction not in REDUCTIONS:
        raise ArgumentError(f"{operation}: expected reduction to be one of {REDUCTIONS}; got {reduction!r}")
    return reduction


# ------------------------------------------------------------------------------------------------- classes
def _by_class(name: str) -> Any:
    """The fused operator of a loss by class numbers, and that of its gradient, which the target's check is a part of.

    Parameters: reduction, ignore_index, label_smoothing. See Note [Classes] in the backend's cross_entropy.c.
    """

    def redirect(F, operands, parameters):
        input, target, weight = operands
        for what, one in (("input", input), ("target", target)):
            if one is None:
                raise InvalidTypeError(f"{name}: expected {what} to be a Tensor; got None")
        x, t = layout_of_tensor(input), layout_of_tensor(target)
        by_probability = name == "cross_entropy" and t.dtype.category == FLOATING and t.shape == x.shape
        call = getattr(F, name)
        if x.dtype in (float16, bfloat16):  # computed in float32; the weight may be in it, as mixed precision has it
            same = weight is not None and layout_of_tensor(weight).dtype is x.dtype
            wide = [F.to(input, (float32,)), F.to(target, (float32,)) if by_probability else target]
            return F.to(call(*wide, F.to(weight, (float32,)) if same else weight, parameters), (x.dtype,))
        check_classes(name, x, t, None if weight is None else layout_of_tensor(weight), by_probability)
        if len(x.shape) == 1:
            loss = call(F.unsqueeze(input, 0), F.unsqueeze(target, 0), weight, parameters)
            return F.squeeze(loss, 0) if parameters[0] == "none" else loss
        if by_probability:
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

    class loss:
        inputs = ("input", "target", "weight")
        optional = ("weight",)
        parameters = ("reduction", "ignore_index", "label_smoothing")
        launch_scalars = ("ignore_index", "label_smoothing")

        def outputs(input, target, weight, reduction, ignore_index, label_smoothing):
            return contiguous(target.shape if reduction == "none" else (), input.dtype, input.device)

        def vjp_input(F, g, input, target, weight, reduction, ignore_index, label_smoothing):
            return gradient_of(F)(g, input, target, weight, (reduction, ignore_index, label_smoothing))

    class gradient:
        inputs = ("grad", "input", "target", "weight")
        optional = ("weight",)
        parameters = loss.parameters
        launch_scalars = loss.launch_scalars

        def outputs(g, input, target, weight, *parameters):
            return contiguous(input.shape, input.dtype, input.device)

        def vjp_grad(F, g, grad, input, target, weight, reduction, ignore_index, label_smoothing):
            slope = gradient_of(F)(F.ones_like(grad), input, target, weight, (reduction, ignore_index, label_smoothing))
            dims = (1,) if reduction == "none" else tuple(range(input.ndim))
            return F.sum(F.mul(g, slope), (dims, False))

        def vjp_input(F, g, grad, input, target, weight, reduction, ignore_index, label_smoothing):
            if name == "nll_loss":
                return F.zeros_like(g)
            # The loss is linear in log_softmax(input): `along` are minus the factors, whose sum scales each row.
            along = F.nll_loss_grad(grad, input, target, weight, (reduction, ignore_index, label_smoothing))
            scale = F.neg(F.sum(along, ((1,), True)))
            return F.mul(F.softmax_grad(g, F.softmax(input, (1,)), (1,)), scale)

    def gradient_of(F):
        return getattr(F, f"{name}_grad")

    loss.decompose = redirect
    for body, own in ((loss, f"_{name}"), (gradient, f"_{name}_grad")):
        body.__name__, body.__doc__ = own, f"`{name}`, or its gradient, in one pass."
        operator(body)


def check_classes(name: str, x: Layout, target: Layout, weight: Layout | None, by_probability: bool) -> None:
    """Raise unless input is (n, classes, ...) or (classes,), and target and weight fit."""
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


def by_probabilities(F: Any, input: Tensor, target: Tensor, weight: Any, reduction: str, smoothing: float) -> Tensor:
    """Cross entropy where the target has a probability for each class."""
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


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log(softmax(input)) of the right class: input (n, classes, ...), target (n, ...) of int64.

    Or target of `input`'s shape: a probability for each class. `weight` (classes,) weighs classes, and "mean" is over
    the weights; classes equal to `ignore_index` take no part (with probabilities it is refused); `label_smoothing` from
    0 to 1 is the share of the target that all classes get. `reduction`: "mean", "sum" or "none". Floating dtypes; half
    precision is computed in float32. IndexError for a target out of range, ValueError for shapes that do not fit.

    >>> from facula_tensor import tensor
    >>> cross_entropy(tensor([[0.0, 0.0]]), tensor([1]))
    tensor(0.6931)
    """
    try:
        if reduction != "mean" or size_average is not None or reduce is not None:
            reduction = reduction_of("cross_entropy", reduction, size_average, reduce)
        if type(label_smoothing) is not float:
            label_smoothing = float(as_real(label_smoothing, "cross_entropy", "label_smoothing"))
        if not 0 <= label_smoothing <= 1:
            raise ArgumentError(f"cross_entropy: expected label_smoothing from 0 to 1; got {label_smoothing}")
        if type(ignore_index) is not int:
            ignore_index = as_integer(ignore_index, "cross_entropy", "ignore_index")
        return recorded_ops.cross_entropy(input, target, weight, (reduction, ignore_index, label_smoothing))
    except FaculaError as error:
        trim_traceback(error)
        raise


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the entry of the right class, for logarithms of probabilities `input`; arguments as `cross_entropy`'s.

    >>> from facula_tensor import tensor
    >>> nll_loss(tensor([[-1.0, -2.0]]), tensor([1]))
    tensor(2.)
    """
    try:
        reduction = reduction_of("nll_loss", reduction, size_average, reduce)
        if type(ignore_index) is not int:
            ignore_index = as_integer(ignore_index, "nll_loss", "ignore_index")
        return recorded_ops.nll_loss(input, target, weight, (reduction, ignore_index, 0.0))
    except FaculaError as error:
        trim_traceback(error)
        raise


# ------------------------------------------------------------------------------------------------- distances
@elementwise
class _squared_difference:
    """(input - other)**2."""

    inputs = ("input", "other")

    def vjp_input(F, g, input, other):
        return F.mul(F.mul(F.sub(input, other), g), 2)

    def vjp_other(F, g, input, other):
        return F.mul(F.mul(F.sub(input, other), g), -2)


@elementwise
class _huber:
    """Half the square of what is less than other, and linear beyond."""

    inputs = ("input", "other")
    compute_dtype = floating

    def vjp_input(F, g, input, other):
        return F.mul(g, F.huber_slope(input, other))


@elementwise
class _huber_slope:
    """input, or the bound, other or its negative, that it is beyond; at a bound the slope is 0."""

    inputs = ("input", "other")
    compute_dtype = floating

    def vjp_input(F, g, input, other):
        return F.where(F.lt(F.abs(input), other), g, 0)


def reduced(losses: Tensor, reduction: str, weight: Tensor | None = None) -> Tensor:
    """The losses of elements as they are, their mean, or their sum; with `weight`, times it (and its mean)."""
    if weight is not None:
        losses = losses * as_tensor("loss", weight)
        if reduction == "mean":
            return losses.sum() / weight.expand(losses.shape).sum()
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def pair(operation: str, input: Any, target: Any) -> None:
    """Check that both are tensors, and warn where they broadcast, which is hardly ever meant."""
    a, b = layout_of_tensor(as_tensor(operation, input)).shape, layout_of_tensor(as_tensor(operation, target)).shape
    if a != b:
        warn(f"{operation}: input {a} and target {b} differ in shape and are broadcast")


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)**2 of each element; with `weight`, times it, and "mean" is over the weights.

    >>> from facula_tensor import tensor
    >>> mse_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(2.)
    """
    try:
        reduction = reduction_of("mse_loss", reduction, size_average, reduce)
        pair("mse_loss", input, target)
        return reduced(recorded_ops.squared_difference(input, target), reduction, weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """abs(input - target) of each element; `weight` as `mse_loss`'s.

    >>> from facula_tensor import tensor
    >>> l1_loss(tensor([1.0, 2.0]), tensor([1.0, 4.0]))
    tensor(1.)
    """
    try:
        reduction = reduction_of("l1_loss", reduction, size_average, reduce)
        pair("l1_loss", input, target)
        return reduced((input - target).abs(), reduction, weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the square of what is less than `delta` from the target, and linear beyond. ValueError unless delta > 0.

    `weight` as `mse_loss`'s. P. J. Huber: Robust estimation of a location parameter, 1964.

    >>> from facula_tensor import tensor
    >>> huber_loss(tensor([1.0, 2.0]), tensor([0.0, 4.0]), reduction="none")
    tensor([0.5000, 1.5000])
    """
    try:
        reduction_of("huber_loss", reduction)
        delta = as_real(delta, "huber_loss", "delta")
        if not delta > 0:
            raise ArgumentError(f"huber_loss: expected a number delta > 0; got {delta}")
        pair("huber_loss", input, target)
        return reduced(recorded_ops.huber(input - target, delta), reduction, weight)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """`huber_loss` with delta = beta, divided by beta; `l1_loss` for beta = 0. ValueError unless beta >= 0.

    >>> from facula_tensor import tensor
    >>> smooth_l1_loss(tensor([1.0, 2.0]), tensor([0.0, 4.0]), reduction="none", beta=0.5)
    tensor([0.7500, 1.7500])
    """
    try:
        reduction = reduction_of("smooth_l1_loss", reduction, size_average, reduce)
        beta = as_real(beta, "smooth_l1_loss", "beta")
        if not beta >= 0:
            raise ArgumentError(f"smooth_l1_loss: expected beta >= 0; got {beta}")
        if beta == 0:
            return l1_loss(input, target, reduction=reduction)
        return huber_loss(input, target, reduction, beta) / beta
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target (log(target) - input), for logarithms of probabilities `input`; 0 where target is 0.

    `log_target`: target is given as its logarithm. `reduction` may also be "batchmean": the sum divided by the first
    length, which is what the divergence's definition asks for.

    >>> from facula_tensor import tensor
    >>> kl_div(tensor([[-1.0, -1.0]]), tensor([[0.0, 1.0]]), reduction="batchmean")
    tensor(1.)
    """
    try:
        batch = reduction == "batchmean"
        reduction = "sum" if batch else reduction_of("kl_div", reduction, size_average, reduce)
        pair("kl_div", input, target)
        if log_target:
            losses = target.exp() * (target - input)
        else:
            safe = recorded_ops.where(target == 0, recorded_ops.ones_like(target), target)
            losses = target * safe.log() - target * input
        loss = reduced(losses, reduction)
        return loss / input.shape[0] if batch and input.ndim else loss
    except FaculaError as error:
        trim_traceback(error)
        raise
