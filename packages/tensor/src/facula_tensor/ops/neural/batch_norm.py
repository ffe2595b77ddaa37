"""Batch normalization. S. Ioffe, C. Szegedy: Batch normalization, ICML 2015."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError, FaculaError, OperationError
from facula_storage import Layout, contiguous, float32, int64
from facula_storage.extend.layouts import FLOATING

from ..._core.errors import relabel
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._dispatch.conversions import are_row_major, at_least_float32, halves_on_cpu
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, no_record_ops, operators, recorded_ops
from ..._dispatch.slow_path.slow_call import check_changes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import Operands, Parameters
    from ..._dispatch.kinds import Checked, Flag, Float
    from ..._dispatch.namespaces import Namespace

OPERANDS = ("input", "weight", "bias", "running_mean", "running_var")


def check_batch_norm(*layouts_and_parameters: Any) -> None:
    """Raise unless input is (n, channels, ...) and the others are (channels,), all with its dtype or float32."""
    input, *others = layouts_and_parameters
    dtype, channels = input.dtype, input.shape[1:2]
    for layout in others[:4]:
        if layout is not None and (layout.shape != channels or layout.dtype is not dtype):
            break
    else:
        if dtype.category == FLOATING and channels:
            return  # the usual case
    if input.dtype.category != FLOATING:
        raise DTypeError(f"batch_norm: defined for floating dtypes; got {input.dtype.name}; convert with .float()")
    if len(input.shape) < 2:
        raise ArgumentError(f"batch_norm: expected input (n, channels, ...); got shape {input.shape}")
    given = [(name, layout) for name, layout in zip(OPERANDS[1:], others, strict=False) if layout is not None]
    shapes = {layout.shape for _, layout in given}
    if len(given) > 1 and len(shapes) == 1 and shapes != {input.shape[1:2]}:  # they agree, so it is the input's fault
        raise ArgumentError(
            f"batch_norm: expected input of {given[0][1].numel} channels (n, channels, ...), as many as {given[0][0]} "
            f"has numbers; got shape {input.shape}"
        )
    for name, layout in given:
        if layout.shape != input.shape[1:2]:
            raise ArgumentError(
                f"batch_norm: expected {name} of shape {input.shape[1:2]}, one number a channel; got {layout.shape}"
            )
        if layout.dtype is not input.dtype and not (layout.dtype is float32 and input.dtype.itemsize < 4):
            raise DTypeError(
                f"batch_norm: expected all in one dtype; got input {input.dtype.name}, {name} {layout.dtype.name}"
            )


def check_several(layout: Layout, operands: Operands) -> None:
    """Raise if a channel has only one value in training (its mean is itself), or if operands do not fit."""
    check_batch_norm(*[None if a is None else layout_of_tensor(a) for a in operands])
    if layout.numel:
        raise ArgumentError(
            f"batch_norm: expected more than 1 value per channel when training; got input size {layout.shape}"
        )


def in_training(
    name: str, F: Namespace, operands: Operands, parameters: Parameters
) -> Sequence[Tensor] | Tensor | None:
    """Call the operator of this name on contiguous copies; None if operands are contiguous."""
    call = getattr(F, name)
    ready = [None if a is None else F.contiguous(a) for a in operands[:3]]
    if not all([a is b for a, b in zip(ready, operands, strict=False)]):
        return call(*ready, *operands[3:], parameters)
    running, count = operands[3:5], operands[5:]
    if all([statistic is None or layout_of_tensor(statistic).is_contiguous for statistic in running]):
        return None
    check_changes(operators[name], operands, operands)
    copies = [None if statistic is None else no_record_ops.contiguous(snapshot(statistic)) for statistic in running]
    made = call(*operands[:3], *copies, *count, parameters)
    for statistic, copy in zip(running, copies, strict=True):
        if statistic is not None and copy is not statistic:
            no_record_ops.copy_into(statistic, copy)
    return made


def training_of_batches(F: Namespace, call: Any) -> tuple[Tensor, ...]:
    """Apply the operator to a whole batch, whose elements have separate running statistics, or none."""
    running = zip(call.operands[3:5], call.batched[3:5], strict=True)
    if any([a is not None and not batched for a, batched in running]) or any(call.batched[5:]):
        raise OperationError(
            "batch_norm: expected no running statistics inside vmap, because the batch would change them in "
            "place, or batched ones; use track_running_stats=False, or eval()"
        )
    input, *given = call.operands[:5]
    further = [None if operand is None else call.rows(operand) for operand in given]
    out, *statistics = call.run((call.channels(input), *further, *call.operands[5:]))
    for statistic, changed in zip(given[2:], further[2:], strict=True):
        if statistic is not None and not layout_of_tensor(statistic).is_contiguous:
            no_record_ops.copy_into(
                call.whole(statistic), no_record_ops.reshape(changed, tuple(call.whole(statistic).shape))
            )
    return (call.split_channels(out), *[call.split(statistic) for statistic in statistics])


def in_dtypes_of(F: Namespace, gradients: Any, weight: Layout | None, bias: Layout | None) -> tuple[Tensor, ...]:
    """Convert the gradients of weight and bias, which are at least float32, to their dtypes."""
    along, *made = gradients
    for place, of in enumerate((weight, bias)):
        if of is not None and layout_of_tensor(made[place]).dtype is not of.dtype:
            made[place] = F.to(made[place], (of.dtype,))
    return along, *made


@operator
class _batch_norm:
    """Normalize each channel, multiply by weight and add bias. Updates running statistics in place."""

    inputs = OPERANDS
    optional = OPERANDS[1:]
    mutates = OPERANDS[3:]
    parameters = ("momentum", "eps")
    launch_scalars = ("momentum", "eps")
    results = ("out", "mean", "inverse")

    compute_dtype = at_least_float32
    unconverted_if = halves_on_cpu
    validate_layouts = check_batch_norm
    decompose = partial(in_training, "batch_norm")
    direct = are_row_major
    batching = training_of_batches

    def outputs(input, *rest):
        channels = contiguous(input.shape[1:2], at_least_float32(input.dtype), input.device)
        return contiguous(input.shape, input.dtype, input.device), channels, channels

    def vjp_all(F, g, edges, input, weight, mean, inverse, weight_layout, bias_layout, _momentum, eps):
        made = F.batch_norm_gradients(g, input, weight, mean, inverse, eps)
        return (*in_dtypes_of(F, made, weight_layout, bias_layout), None, None)


@operator
class _batch_norm_counted:
    """Compute `batch_norm`; the running statistics become means over `count` earlier batches and this one."""

    inputs = (*OPERANDS, "count")
    optional = OPERANDS[1:]
    mutates = OPERANDS[3:]
    parameters = ("eps",)
    launch_scalars = ("eps",)
    results = ("out", "mean", "inverse")
    compute_dtype = at_least_float32
    unconverted_if = halves_on_cpu
    validate_layouts = check_batch_norm
    decompose = partial(in_training, "batch_norm_counted")
    direct = are_row_major
    batching = training_of_batches

    def outputs(input, *rest):
        channels = contiguous(input.shape[1:2], at_least_float32(input.dtype), input.device)
        return contiguous(input.shape, input.dtype, input.device), channels, channels

    def vjp_all(F, g, edges, input, weight, mean, inverse, weight_layout, bias_layout, eps):
        made = F.batch_norm_gradients(g, input, weight, mean, inverse, eps)
        return (*in_dtypes_of(F, made, weight_layout, bias_layout), None, None, None)


@operator
class _batch_norm_grad:
    """Compute the gradients of input, weight and bias."""

    inputs = ("grad", "input", "mean", "inverse", "weight")
    optional = ("weight",)

    def batching(F, call):
        g, input, *given = call.operands
        wide = [F.contiguous(call.channels(operand)) for operand in (g, input)]
        found = call.run((*wide, *[None if operand is None else F.contiguous(call.rows(operand)) for operand in given]))
        return (call.split_channels(found[0]), *[call.split(gradient) for gradient in found[1:]])

    def outputs(g, input, mean, inverse, weight):
        return contiguous(input.shape, input.dtype, input.device), mean, mean


def batch_norm_gradients(
    g: Tensor, input: Tensor, weight: Tensor | None, mean: Tensor, inverse: Tensor, eps: float
) -> Any:
    """Return the gradients of contiguous input, weight and bias in one pass; `mean` and `inverse` were saved."""
    return no_record_ops.batch_norm_grad(no_record_ops.contiguous(g), input, mean, inverse, weight)


def _recorded_batch_norm_gradients(
    g: Tensor, input: Tensor, weight: Tensor | None, mean: Tensor, inverse: Tensor, eps: float
) -> Any:
    """Return the same gradients from the operands, by differentiable operators."""
    F = recorded_ops
    layout = layout_of_tensor(input)
    dims = (0, *range(2, len(layout.shape)))
    share = 1 / max(1, layout.numel // max(1, layout.shape[1]))
    wide = (at_least_float32(layout.dtype),)
    input, g = F.to(input, wide), F.to(g, wide)
    centred = F.sub(input, F.mul(F.sum(input, (dims, True)), share))
    deviation = F.rsqrt(F.add(F.mul(F.sum(F.mul(centred, centred), (dims, True)), share), eps))
    y = F.mul(centred, deviation)
    g_sum, dot = F.sum(g, (dims, True)), F.sum(F.mul(g, y), (dims, True))
    slope = deviation if weight is None else F.mul(deviation, F.channels_of(weight, layout))
    along = F.mul(slope, F.sub(g, F.mul(F.add(g_sum, F.mul(y, dot)), share)))
    return F.to(along, (layout.dtype,)), F.reshape(dot, layout.shape[1:2]), F.reshape(g_sum, layout.shape[1:2])


no_record_ops.batch_norm_gradients, recorded_ops.batch_norm_gradients = (
    batch_norm_gradients,
    _recorded_batch_norm_gradients,
)


@operator
class _batch_norm_eval:
    """Compute (input - running_mean) / sqrt(running_var + eps) * weight + bias."""

    inputs = OPERANDS
    optional = OPERANDS[1:3]
    parameters = ("eps",)
    launch_scalars = ("eps",)

    compute_dtype = at_least_float32
    validate_layouts = check_batch_norm
    row_major = True

    def batching(F, call):
        input, *given = call.operands
        if not any(call.batched[1:]):
            return call.split(call.run((call.rows(input), *given)))
        given = [None if operand is None else call.rows(operand) for operand in given]
        return call.split_channels(call.run((call.channels(input), *given)))

    def outputs(input, *rest):
        return contiguous(input.shape, input.dtype, input.device)

    def vjp_input(F, g, weight, running_var, input_layout, eps):
        scale = F.rsqrt(F.add(running_var, eps))
        return F.mul(g, F.channels_of(scale if weight is None else F.mul(scale, weight), input_layout))

    def vjp_weight(F, g, input, running_mean, running_var, input_layout, eps):
        scale = F.channels_of(F.rsqrt(F.add(running_var, eps)), input_layout)
        y = F.mul(F.sub(input, F.channels_of(running_mean, input_layout)), scale)
        return F.sum(F.mul(g, y), ((0, *range(2, len(input_layout.shape))), False))

    def vjp_bias(F, g, input_layout):
        return F.sum(g, ((0, *range(2, len(input_layout.shape))), False))


@composite
def channels_of(F: Namespace, numbers: Tensor, layout: Layout) -> Tensor:
    """Reshape one number per channel to broadcast with (n, channels, ...)."""
    return F.reshape(numbers, (layout.shape[1], *(1,) * (len(layout.shape) - 2)))


@function(
    refuses={
        "not eps >= 0": "eps of at least 0, which is added to a variance; got {eps}",
        "training and not eps": "eps above 0 in training, where a variance may be 0; got 0.0",
    },
    inline=True,
)
def batch_norm(
    F: Namespace,
    input: Checked,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: Flag = False,
    momentum: Float = 0.1,
    eps: Float = 1e-5,
) -> Tensor:
    """Normalize each channel of input (n, channels, ...) to mean 0 and variance 1; multiply by `weight`, add `bias`.

    In training, use the batch's statistics, and set running ones (channels,) to (1 - momentum) * running + momentum *
    batch's, with the unbiased variance. Otherwise, use the running ones. All tensors have one floating dtype, or the
    others have float32 with an input of half precision; half precision is computed in float32.
    An empty batch leaves the running statistics unchanged. Raises ValueError if shapes do not fit, if eps is negative,
    and in training if eps is 0 and a channel has a single value.

    Arguments:
        input: the numbers (n, channels, ...).
        running_mean: the running means (channels,), or None.
        running_var: the running variances (channels,), or None.
        weight: the factors (channels,); none if None.
        bias: the offsets (channels,); none if None.
        training: whether to use the batch's statistics and to update the running ones.
        momentum: the weight of the batch in the running statistics.
        eps: a number added to the variance.

    >>> from facula_tensor import tensor
    >>> batch_norm(tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    layout = layout_of_tensor(input)
    if layout.shape == (0,):  # no examples of no channels
        return F.clone(input)
    if not training:
        if running_mean is None or running_var is None:
            raise ArgumentError("batch_norm: expected running_mean and running_var, or training=True; got None")
        return F.batch_norm_eval(input, weight, bias, running_mean, running_var, (eps,))
    if len(layout.shape) < 2 or layout.numel <= layout.shape[1]:  # at most one value per channel
        check_several(layout, (input, weight, bias, running_mean, running_var))
        running_mean = running_var = None
    return F.batch_norm(input, weight, bias, running_mean, running_var, (momentum, eps))[0]


def counted_batch_norm(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    count: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Compute `batch_norm` in training; running statistics become means over `count` earlier batches and this one.

    The kernel reads the count, so that the call does not wait for it.

    Arguments:
        input: the numbers (n, channels, ...).
        running_mean: the mean of the earlier batches' means (channels,).
        running_var: the mean of the earlier batches' variances (channels,).
        count: the number of earlier batches, a zero-dimensional int64 tensor.
        weight: the factors (channels,); none if None.
        bias: the offsets (channels,); none if None.
        eps: a number added to the variance.

    >>> from facula_tensor import tensor
    >>> mean = tensor([4.0])
    >>> _ = counted_batch_norm(tensor([[1.0], [3.0]]), mean, tensor([0.0]), tensor(1))
    >>> mean
    tensor([3.])
    """
    layout = layout_of_tensor(as_tensor("batch_norm", input))
    if len(layout.shape) < 2 or layout.numel <= layout.shape[1] or not eps > 0:
        return batch_norm(input, running_mean, running_var, weight, bias, True, 0.0, eps)  # nothing new, or an error
    count = no_record_ops.to(count, (int64,))
    try:
        return recorded_ops.batch_norm_counted(input, weight, bias, running_mean, running_var, count, (eps,))[0]
    except FaculaError as error:
        relabel(error, "batch_norm")
        raise
