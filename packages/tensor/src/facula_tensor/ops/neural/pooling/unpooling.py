"""Unpooling, and pooling by powers: `max_unpool1d` to `max_unpool3d`, `lp_pool1d` to `lp_pool3d`."""

# ruff: noqa: F401  imports generated functions into this module
from __future__ import annotations

from math import isinf, prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidIndexError
from facula_storage.extend.layouts import FLOATING

from ...._core.geometry import several
from ...._core.tensor import Tensor, layout_of_tensor, steady
from ...._creation.filled import zeros
from ...._dispatch.declaration import elementwise
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...._forms.ops.neural.pooling.unpooling import (
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from ...indexing.scatter import scatter
from ..convolution_geometry import words
from .geometry import unpooled_size
from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Function
    from ...._dispatch.kinds import Numbers, RealOrTensor
    from ...._dispatch.namespaces import Namespace


@elementwise
class _window_root:
    """Compute (x count) ** exponent for numbers `count` and `exponent`; -0 counts as 0."""

    inputs = ("input", "count", "exponent")
    inplace = False

    def value(F, input, count, exponent):
        return ((input + 0.0) * count) ** exponent  # -0 becomes 0

    def vjp_input(F, g, input, count, exponent):
        return F.window_root_grad(g, input, count, exponent, exponent - 1)


@elementwise
class _window_root_grad:
    """Compute the gradient of `window_root`, which is 0 for elements 0; `less` is exponent - 1."""

    inputs = ("input", "means", "count", "exponent", "less")
    inplace = False

    def value(F, input, means, count, exponent, less):
        slope = (means * count) ** less * exponent * count * abs(F.sign(means))  # the sign of NaN is 0
        return F.where(means == 0, 0, input * slope)

    def vjp_input(F, g, means, count, exponent, less):
        return F.window_root_grad(g, means, count, exponent, less)

    def vjp_means(F, g, input, means, count, exponent, less):
        return F.window_root_grad(g * input * (exponent * count), means, count, less, less - 1)


AVERAGES: dict[int, Function] = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}
MAXIMA: dict[int, Function] = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}


def unpooling(dims: int) -> None:
    """Declare `max_unpool` and `lp_pool` of sequences (1), images (2) or volumes (3)."""
    unpool_name, power_name = f"max_unpool{dims}d", f"lp_pool{dims}d"

    @function(name=unpool_name, words=words(dims), overridable=True)
    def max_unpool(
        F: Namespace,
        input: Tensor,
        indices: Tensor,
        kernel_size: Numbers,
        stride: int | Sequence[int] | None = None,
        padding: Numbers = 0,
        output_size: Sequence[int] | None = None,
    ) -> Tensor:
        """Place the results of `max_pool{dims}d` at their original positions, among zeros.

        Several sizes are pooled to the same one: the result has length (length - 1) stride - 2 padding + kernel_size,
        or output_size, which may differ from that by less than a stride. If an index repeats, the last element applies.
        Raises ValueError for indices out of range.

        Arguments:
            input: the result of the pooling: ({images}, channels, {lengths}), or without the first dimension.
            indices: the indices that the pooling returned.
            padding: the padding of the pooling at each border.
            output_size: the lengths of the result; computed from the pooling's arguments if None.

        >>> from facula_tensor import tensor
        >>> max_unpool{dims}d(tensor([5.0]).view(1{ones}), tensor([1]).view(1{ones}), 2).view(-1)[:2]
        tensor([0., 5.])
        """
        input, indices = steady(as_tensor(unpool_name, input)), steady(as_tensor(unpool_name, indices))
        size = unpooled_size(unpool_name, (input, indices), dims, kernel_size, stride, padding, output_size)
        layout = layout_of_tensor(input)
        outer, places = layout.shape[:-dims], prod(layout.shape[-dims:])
        flat, at = F.reshape(input, (*outer, places)), F.reshape(indices, (*outer, places))
        try:
            made = scatter(zeros(*outer, prod(size), dtype=layout.dtype, device=layout.device), -1, at, flat)
        except InvalidIndexError as error:
            raise ArgumentError(
                f"{unpool_name}: expected indices from 0 to {prod(size) - 1}, of {size}; {error}"
            ) from None
        return F.reshape(made, (*outer, *size))

    @function(
        name=power_name,
        words=words(dims),
        overridable=True,
        refuses={"not norm_type": "norm_type other than 0, whose root is taken; got {norm_type}"},
    )
    def lp_pool(
        F: Namespace,
        input: Tensor,
        norm_type: RealOrTensor,
        kernel_size: Numbers,
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        """Compute the `norm_type`-th root of the sum of powers of each window of {images}.

        Windows are those of `avg_pool{dims}d`. In ceil_mode, the sum of a window that extends beyond the border is its
        mean times the size of the whole window.

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            norm_type: the power; inf selects the largest magnitude, -inf the smallest one.

        >>> from facula_tensor import ones
        >>> lp_pool{dims}d(ones(1{twos}), 1, 2).item()
        {count}.0
        """
        kernel = several(power_name, "kernel_size", kernel_size, dims, 1)
        power = norm_type if isinstance(norm_type, Tensor) else float(norm_type)
        x = steady(as_tensor(power_name, input))
        if isinstance(power, float) and isinf(power):
            magnitudes = F.abs(x) if power > 0 else F.neg(F.abs(x))
            greatest = MAXIMA[dims](magnitudes, kernel, stride, ceil_mode=ceil_mode)
            return greatest if power > 0 else F.neg(greatest)
        powers = F.pow(x, power)
        means, count = AVERAGES[dims](powers, kernel, stride, 0, ceil_mode), prod(kernel)
        if isinstance(power, float) and layout_of_tensor(means).dtype.category == FLOATING:
            return F.window_root(means, count, 1 / power)
        positive = F.mul(F.sign(means), F.relu(F.abs(means)))
        return F.pow(F.mul(positive, count), 1 / power)


for dims in (1, 2, 3):
    unpooling(dims)
