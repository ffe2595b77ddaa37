"""Layer, group and root-mean-square normalization: each example by its own statistics.

J. Ba and others: Layer normalization, 2016. Y. Wu, K. He: Group normalization, 2018. B. Zhang, R. Sennrich: Root mean
square layer normalization, 2019.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError
from facula_storage import DType, Layout, bfloat16, contiguous, float16, float32, float64
from facula_storage.extend.layouts import FLOATING

from ..._core.promotion import as_integer, as_real
from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import SupportsIndex

    from ..._core.types import Lengths
    from ..._dispatch.kinds import Checked, Float, Integer
    from ..._dispatch.namespaces import Namespace

    Statistics = tuple[Tensor, ...]  # the mean, if it is saved, and the inverse deviation
    Gradients = tuple[Tensor | None, ...]  # gradients of the input, the weight and the bias

EPSILON = {float16: 2.0**-23, bfloat16: 2.0**-23, float32: 2.0**-23, float64: 2.0**-52}


def kept_dtype(layout: Layout) -> DType:
    """Return the dtype of means and deviations, for which half precision is too coarse."""
    return float64 if layout.dtype is float64 else float32


def _by_rows(name: str) -> None:
    """Declare the operator of a row normalization and its gradient operator.

    `count` is the number of last dimensions that form a row, or, for group_norm, the number of channel groups.
    """
    centred, grouped = name != "rms_norm", name == "group_norm"
    affine = ("weight", "bias") if centred else ("weight",)
    kept = ("mean", "inverse") if centred else ("inverse",)

    def weights_shape(x: Layout, count: int) -> tuple[int, ...]:
        return x.shape[1:2] if grouped else x.shape[len(x.shape) - count :]

    def statistics(x: Layout, count: int) -> Layout:
        rows = x.shape[0] * count if grouped else 1
        for length in () if grouped else x.shape[: len(x.shape) - count]:
            rows *= length
        return contiguous((rows,), kept_dtype(x), x.device)

    def about_the_mean(
        F: Namespace,
        g: Tensor,
        edges: tuple[Any, ...],
        input: Tensor,
        weight: Tensor | None,
        mean: Tensor,
        inverse: Tensor,
        count: int,
        eps: float,
    ) -> Gradients:
        return getattr(F, f"{name}_gradients")(g, input, weight, (mean, inverse), count, eps)

    def about_0(
        F: Namespace,
        g: Tensor,
        edges: tuple[Any, ...],
        input: Tensor,
        weight: Tensor | None,
        inverse: Tensor,
        count: int,
        eps: float,
    ) -> Gradients:
        return getattr(F, f"{name}_gradients")(g, input, weight, (inverse,), count, eps)

    @operator
    @under(f"_{name}", f"`{name}` in one pass.")
    class forward:
        inputs = ("input", *affine)
        optional = affine
        parameters = ("count", "eps")
        launch_scalars = ("eps",)
        results = ("out", *kept)
        row_major = True

        def outputs(input, *rest):
            count = rest[len(affine)]
            return (contiguous(input.shape, input.dtype, input.device), *[statistics(input, count)] * len(kept))

        def compute_dtype(x, *others):  # half precision with weights in float32, as in mixed precision
            return float32 if float32 in others and x in (float16, bfloat16) else x

        def validate_layouts(x, *rest):
            if x.dtype.category != FLOATING:
                raise DTypeError(f"{name}: defined for floating dtypes; got {x.dtype.name}; convert with .float()")
            wanted = weights_shape(x, rest[len(affine)])
            for what, layout in zip(affine, rest, strict=False):
                if layout is None:
                    continue
                if layout.shape != wanted:
                    meaning = "one number a channel" if grouped else "as normalized_shape"
                    raise ArgumentError(f"{name}: expected {what} of shape {wanted}, {meaning}; got {layout.shape}")
                if layout.dtype is not x.dtype and not (layout.dtype is float32 and x.dtype in (float16, bfloat16)):
                    raise DTypeError(
                        f"{name}: expected all in one dtype; got input {x.dtype.name}, {what} {layout.dtype.name}; "
                        "convert with .to()"
                    )

        def batching(F, call):
            input, *given = call.operands
            if any(call.batched[1:]):  # the weights are batched
                out, *statistics = getattr(F, name)(input, *[None] * len(affine), call.parameters)
                for apply, factor in zip((F.mul, F.add), given, strict=False):
                    if factor is not None:
                        out = apply(out, F.channels_of(factor, layout_of_tensor(input)) if grouped else factor)
                return (out, *statistics)
            out, *statistics = call.run((call.rows(input) if grouped else call.whole(input), *given))
            return (
                call.split(out) if grouped else call.wrap(out),
                *[call.split(statistic) for statistic in statistics],
            )

        vjp_all = about_the_mean if centred else about_0

    @operator
    @under(f"_{name}_grad", f"The gradients of `{name}` in one pass.")
    class gradients:
        inputs = ("grad", "input", *kept, "weight")
        optional = ("weight",)
        parameters = ("count",)

        def outputs(g, input, *rest):
            weight = rest[len(kept)]
            made = contiguous((0,), input.dtype, input.device) if weight is None else weight
            return (contiguous(input.shape, input.dtype, input.device), *[made] * len(affine))

        def batching(F, call):
            g, input, *statistics, weight = call.operands
            x, g, scale, dims, sides = prepared(F, g, input, weight, call.parameters[0])
            kept = (*x.shape[: dims[0]], *[1] * len(dims))
            *means, inverse = [F.reshape(statistic, kept) for statistic in statistics]
            y = F.mul(F.sub(x, means[0]) if centred else x, inverse)
            return derived(F, g, y, inverse, scale, (dims, sides), layout_of_tensor(input))

    def in_one_launch(
        g: Tensor, input: Tensor, weight: Tensor | None, statistics: Statistics, count: int, eps: float
    ) -> Gradients:
        """Return the gradients of input and, if there is a weight, of weight and bias."""
        call = getattr(no_record_ops, f"{name}_grad")
        return call(no_record_ops.contiguous(g), input, *statistics, weight, (count,))

    def recorded(
        g: Tensor, input: Tensor, weight: Tensor | None, statistics: Statistics, count: int, eps: float
    ) -> Gradients:
        """Return the same gradients from the operands, by differentiable operators."""
        F = recorded_ops
        x, g, scale, dims, sides = prepared(F, g, input, weight, count)
        share = 1 / max(1, prod([x.shape[dim] for dim in dims]))
        if centred:
            x = F.sub(x, F.mul(F.sum(x, (dims, True)), share))
        deviation = F.rsqrt(F.add(F.mul(F.sum(F.mul(x, x), (dims, True)), share), eps))
        return derived(F, g, F.mul(x, deviation), deviation, scale, (dims, sides), layout_of_tensor(input))

    def prepared(F: Namespace, g: Tensor, input: Tensor, weight: Tensor | None, count: int) -> tuple[Any, ...]:
        """Cast `input` and `g` to the dtype of means and split groups; add the weight (or 1) and the dimensions."""
        layout = layout_of_tensor(input)
        wide, shape = kept_dtype(layout), layout.shape
        x, g = F.to(input, (wide,)), F.to(g, (wide,))
        scale: Tensor | int = 1 if weight is None else F.to(weight, (wide,))
        if not grouped:
            rows = len(shape) - count
            return x, g, scale, tuple(range(rows, len(shape))), tuple(range(rows))
        split = (shape[0], count, shape[1] // count, *shape[2:])
        if weight is not None:
            scale = F.reshape(scale, (count, split[2], *(1,) * (len(shape) - 2)))
        return F.reshape(x, split), F.reshape(g, split), scale, tuple(range(2, len(split))), (0, *range(3, len(split)))

    def derived(
        F: Namespace,
        g: Tensor,
        y: Tensor,
        deviation: Tensor,
        scale: Tensor | int,
        dims: tuple[Any, Any],
        layout: Layout,
    ) -> Gradients:
        """Return the gradients from normalized rows `y`; `deviation` is the inverse deviation of the original rows.

        Arguments:
            F: the namespace.
            g: the gradient of the result, with the shape of `y`.
            y: the rows.
            deviation: one number for each row.
            scale: the weight.
            dims: the dimensions of rows, and the other dimensions over which the weight is shared.
            layout: the layout of the input.
        """
        inside, sides = dims
        share = 1 / max(1, prod([y.shape[dim] for dim in inside]))
        along = F.mul(g, scale)
        less = F.mul(y, F.sum(F.mul(along, y), (inside, True)))
        if centred:
            less = F.add(less, F.sum(along, (inside, True)))
        of_input = F.mul(deviation, F.sub(along, F.mul(less, share)))
        of_weight = F.mul(g, y)
        if sides:  # an empty tuple would sum over all dimensions
            of_weight, g = F.sum(of_weight, (sides, False)), F.sum(g, (sides, False))
        found = (of_input, of_weight, g) if centred else (of_input, of_weight)
        count = len(inside)
        shapes = (layout.shape, *[weights_shape(layout, count)] * len(affine))
        return tuple(
            [F.to(F.reshape(gradient, size), (layout.dtype,)) for gradient, size in zip(found, shapes, strict=True)]
        )

    def of_operands(function: Callable[..., Gradients]) -> Callable[..., Gradients]:
        """Extend a gradient function: without a weight, the gradient of the bias is a sum."""

        def found(
            g: Tensor, input: Tensor, weight: Tensor | None, statistics: Statistics, count: int, eps: float
        ) -> Gradients:
            if weight is None:
                return (function(g, input, None, statistics, count, eps)[0], *[None] * len(affine))
            return function(g, input, weight, statistics, count, eps)

        return found

    setattr(no_record_ops, f"{name}_gradients", of_operands(in_one_launch))
    setattr(recorded_ops, f"{name}_gradients", of_operands(recorded))


for _name in ("layer_norm", "group_norm", "rms_norm"):
    _by_rows(_name)


def count_normalized_dims(operation: str, layout: Layout, normalized_shape: Lengths) -> int:
    """Return the number of dimensions in `normalized_shape`; ValueError if the input's last dimensions differ."""
    if type(normalized_shape) is tuple:
        shape = normalized_shape
    elif hasattr(normalized_shape, "__iter__"):
        shape = tuple([as_integer(length, operation, "normalized_shape") for length in normalized_shape])
    else:
        shape = (as_integer(normalized_shape, operation, "normalized_shape"),)
    count = len(shape)
    if not count or layout.shape[-count:] != shape:
        raise ArgumentError(
            f"{operation}: expected input of shape (*, {', '.join(map(str, shape)) or 'at least one length'}), as "
            f"normalized_shape says; got {layout.shape}"
        )
    return count


@function(inline=True)
def layer_norm(
    F: Namespace,
    input: Checked,
    normalized_shape: SupportsIndex | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Float = 1e-5,
) -> Tensor:
    """Normalize the last dimensions, `normalized_shape`, to mean 0 and variance 1; multiply by `weight`, add `bias`.

    weight and bias have that shape. All tensors have one floating dtype; half precisions also accept weights in
    float32, and compute in float32. Raises ValueError if shapes do not fit.

    Arguments:
        input: the numbers.
        normalized_shape: the lengths of the last dimensions.
        weight: the factors; none if None.
        bias: the offsets; none if None.
        eps: a number added to the variance.

    >>> from facula_tensor import tensor
    >>> layer_norm(tensor([[1.0, 3.0], [2.0, 8.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    count = count_normalized_dims("layer_norm", layout_of_tensor(input), normalized_shape)
    if weight is None and bias is not None:
        weight = F.ones_like(bias)
    return F.layer_norm(input, weight, bias, (count, eps))[0]


@function(inline=True)
def group_norm(
    F: Namespace,
    input: Checked,
    num_groups: Integer,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Float = 1e-5,
) -> Tensor:
    """Normalize each of `num_groups` channel groups of each example (n, channels, ...) to mean 0 and variance 1.

    Then multiply by `weight` and add `bias`, with one number for each channel. Dtypes are as in `layer_norm`. Raises
    ValueError if the channels do not divide into the groups, or a group has a single number.

    Arguments:
        input: the numbers (n, channels, ...).
        num_groups: the number of groups; it divides the channels.
        weight: the factors; none if None.
        bias: the offsets; none if None.
        eps: a number added to the variance.

    >>> from facula_tensor import tensor
    >>> group_norm(tensor([[1.0, 3.0, 2.0, 8.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    layout = layout_of_tensor(input)
    shape = layout.shape
    if len(shape) < 2:
        raise ArgumentError(f"group_norm: expected input (n, channels, ...); got shape {shape}")
    if num_groups <= 0 or shape[1] % num_groups:
        raise ArgumentError(
            f"group_norm: expected num_groups to divide the {shape[1]} channels of an input of shape {shape}; "
            f"got {num_groups}"
        )
    if layout.numel and layout.numel == num_groups:
        raise ArgumentError(f"group_norm: expected more than 1 value per group; got input size {shape}")
    if weight is None and bias is not None:
        weight = F.ones_like(bias)
    return F.group_norm(input, weight, bias, (num_groups, eps))[0]


@function(inline=True)
def rms_norm(
    F: Namespace,
    input: Checked,
    normalized_shape: SupportsIndex | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide the last dimensions, `normalized_shape`, by the root of the mean of their squares plus `eps`.

    Then multiply by `weight`, which has that shape. Dtypes are as in `layer_norm`. Raises ValueError if shapes do not
    fit.

    Arguments:
        input: the numbers.
        normalized_shape: the lengths of the last dimensions.
        weight: the factors; none if None.
        eps: a number added to the mean of squares; if None, the machine epsilon of float32 for half
            precisions, or else of the dtype.

    >>> from facula_tensor import tensor
    >>> rms_norm(tensor([[3.0, 4.0], [-6.0, 8.0]]), (2,))
    tensor([[ 0.8485,  1.1314],
            [-0.8485,  1.1314]])
    """
    layout = layout_of_tensor(input)
    count = count_normalized_dims("rms_norm", layout, normalized_shape)
    if eps is None:
        eps = EPSILON.get(layout.dtype, 0.0)
    elif type(eps) is not float:
        eps = float(as_real(eps, "rms_norm", "eps"))
    return F.rms_norm(input, weight, (count, eps))[0]
