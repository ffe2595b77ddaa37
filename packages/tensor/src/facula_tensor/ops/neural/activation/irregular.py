"""Activations that combine several elements, or whose arguments are irregular."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import contiguous

from ...._core.promotion import floating
from ...._core.tensor import Tensor, check_dim, layout_of_tensor
from ...._creation.random import rand
from ...._dispatch.declaration import elementwise
from ...._dispatch.namespaces import recorded_ops
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...elementwise.pointwise import is_real
from .softmax import log_softmax as log_softmax_along
from .softmax import softmax as softmax_along

if TYPE_CHECKING:
    from ...._core.types import DTypeLike, Function
    from ...._dispatch.kinds import Checked, Flag, Float, Floating, Reals
    from ...._dispatch.namespaces import Namespace


@function(inline=True)
def relu(F: Namespace, input: Reals, inplace: Flag = False) -> Tensor:
    """Replace negative elements by 0; `inplace` modifies and returns `input`.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return as_tensor("relu", input).relu_() if inplace else F.relu(input)


@function(overridable=True)
def relu_(input: Checked) -> Tensor:
    """Replace negative elements by 0 in place.

    >>> from facula_tensor import tensor
    >>> relu_(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return input.relu_()


@function(method=True)
def prelu(F: Namespace, input: Floating, weight: Checked) -> Tensor:
    """Multiply negative elements by `weight`: one number, or one for each channel (dimension 1).

    Raises ValueError if weight has another number of elements, TypeError for another dtype. K. He and others, 2015.

    Arguments:
        weight: the slopes for negative elements, with the dtype of `input`.

    >>> from facula_tensor import tensor
    >>> prelu(tensor([-1.0, 2.0]), tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    x, w = layout_of_tensor(input), layout_of_tensor(weight)
    if w.dtype is not x.dtype:
        raise DTypeError(f"prelu: expected all in one dtype; got input {x.dtype.name}, weight {w.dtype.name}")
    channels = 1 if len(x.shape) < 2 else x.shape[1]
    if len(w.shape) > 1 or w.numel not in (1, channels):
        raise ArgumentError(
            f"prelu: expected weight of one number, or of {channels}, as input {x.shape} has channels; got {w.shape}"
        )
    slopes = weight
    if w.numel != 1:
        slopes = F.reshape(weight, (w.numel, *(1,) * (len(x.shape) - 2)))
    elif w.shape:
        slopes = F.reshape(weight, ())
    return F.leaky_relu(input, slopes)


@function(refuses={"not lower <= upper": "lower <= upper; got {lower} and {upper}"}, changes=True)
def rrelu(F: Namespace, input: Floating, lower: Float = 1 / 8, upper: Float = 1 / 3, training: Flag = False) -> Tensor:
    """Multiply negative elements by a slope, which is random in training. B. Xu and others, 2015.

    Arguments:
        lower: the lower bound of slopes.
        upper: the upper bound of slopes.
        training: whether to draw a uniform random slope for each element; otherwise the slope is the bounds' mean.

    Raises:
        ValueError: if `lower` is greater than `upper`.

    >>> from facula_tensor import tensor
    >>> rrelu(tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    slope: object = (lower + upper) / 2
    if training:
        layout = layout_of_tensor(input)
        made = contiguous(layout.shape, layout.dtype, layout.device)
        slope = rand(made.shape, dtype=made.dtype, device=made.device) * (upper - lower) + lower
    return F.leaky_relu(input, slope)


def with_default(name: str, along: Function, summary: str, example: str) -> Function:
    """Declare the `nn.functional` form of a function of `softmax.py`: `dim` is optional, arguments are reordered."""

    @function(name=name, words={"name": name, "summary": summary, "example": example}, overridable=name == "softmin")
    def body(input: Checked, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
        """{summary}

        Arguments:
            input: a tensor of numbers.
            dim: the dimension; if None, 0 for tensors of 0, 1 and 3 dimensions, else 1.
            _stacklevel: ignored.
            dtype: the dtype to convert to first, or None.

        >>> from facula_tensor import tensor
        >>> {name}(tensor([0.0, 0.0]), 0)
        {example}
        """
        if dim is None:
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return along(input, dim, dtype=dtype)

    return body


softmax = with_default("softmax", softmax_along, "exp(x) / sum(exp(x)) along a dimension.", "tensor([0.5000, 0.5000])")
log_softmax = with_default(
    "log_softmax", log_softmax_along, "The logarithm of softmax along a dimension.", "tensor([-0.6931, -0.6931])"
)
softmin = with_default(
    "softmin",
    lambda input, dim, dtype: softmax_along(recorded_ops.neg(input), dim, dtype=dtype),
    "softmax(-x) along a dimension.",
    "tensor([0.5000, 0.5000])",
)


@elementwise
class _gated:
    """Compute input * sigmoid(gate)."""

    inputs = ("input", "gate")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, gate):
        return input * F.sigmoid(gate)

    def partial_input(F, gate):
        return F.sigmoid(gate)

    def partial_gate(F, input, gate):
        s = F.sigmoid(gate)
        return input * (s * (1 - s))


@function(overridable=True, inline=True)
def glu(F: Namespace, input: Floating, dim: int = -1) -> Tensor:
    """Multiply the first half of `input` along `dim` by the sigmoid of the second; ValueError if the length is odd.

    Y. Dauphin and others: Language modeling with gated convolutional networks, 2016.

    >>> from facula_tensor import tensor
    >>> glu(tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    shape = layout_of_tensor(input).shape
    if not shape:
        raise ArgumentError("glu: expected an input with a dimension to halve; got a number")
    dim = check_dim("glu", dim, len(shape))
    half, odd = divmod(shape[dim], 2)
    if odd:
        raise ArgumentError(f"glu: expected an even length along dim {dim}; got shape {shape}")
    return F.gated(*F.chunk(input, 2, dim)) if half else F.narrow(input, dim, 0, 0)
