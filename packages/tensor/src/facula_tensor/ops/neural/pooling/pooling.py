"""Pooling: the maximum or the mean of each window of sequences, images and volumes.

Sequences are images of height 1; see `volumes.py` for volumes. Max pooling with indices saves them: its gradient
scatters to them, and the second gradient gathers from them. Otherwise it usually saves the operand: its gradient finds
the maxima again, which is faster than writing indices. Means of windows, regular or adaptive, are a linear operator,
and their gradient is another; each is the other's rule.
"""

# ruff: noqa: F401  imports generated functions into this module
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import Layout, contiguous, int64
from facula_storage.extend.layouts import INTEGER

from ...._core.geometry import Pair
from ...._core.tensor import Tensor, layout_of_tensor, steady
from ...._dispatch.conversions import exact, halves_on_cpu
from ...._dispatch.declaration import operator
from ...._dispatch.namespaces import zero_grad
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...._forms.ops.neural.pooling.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from ..convolution_geometry import words
from . import volumes as volumes
from .geometry import adaptive_geometry, avg_geometry, max_geometry
from .integer_means import whole_means
from .maxima import greatest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Operands, Parameters
    from ...._dispatch.kinds import Flag, Numbers
    from ...._dispatch.namespaces import Namespace

PARAMETERS = ("geometry", "size")  # `size` is the size of each plane of the result


def planes(layout: Layout, size: Pair) -> Layout:
    """Return the layout of the same number of planes, with the given size."""
    return contiguous((*layout.shape[:-2], *size), layout.dtype, layout.device)


@operator
class _max_pool2d:
    """Compute the maximum of each window, and its index in the plane."""

    parameters = PARAMETERS
    varying = ("size",)
    results = ("out", "indices")
    batching = "leading"
    compute_dtype = exact(int64)
    row_major = True

    def outputs(layout, geometry, size):
        made = planes(layout, size)
        return made, made.to_dtype(int64)

    def vjp_input(F, g, indices, input_layout, geometry):
        return F.max_pool2d_grad(g, indices, (geometry, input_layout.shape[-2:]))


@operator
class _max_pool2d_grad:
    """Add gradients to planes of zeros at indices, which are in the windows of `geometry` unless that is None."""

    inputs = ("input", "indices")
    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(None)
    row_major = True

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, indices, input_layout):
        return F.max_pool2d_pick(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_pick:
    """Gather the elements at indices in their planes."""

    inputs = ("input", "indices")
    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(None)
    row_major = True

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, indices, input_layout):
        return F.max_pool2d_grad(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_values:
    """Compute the maximum of each window."""

    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(int64)
    unconverted_if = halves_on_cpu
    row_major = True

    def decompose(F, operands, parameters):
        if layout_of_tensor(operands[0]).device.type == "cuda":  # has no such kernels
            return F.max_pool2d(*operands, parameters)[0]
        return None

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, input, input_layout, geometry):
        return F.max_pool2d_values_grad(g, input, (geometry, input_layout.shape[-2:]))


@operator
class _max_pool2d_values_grad:
    """Add gradients of the maxima of `input` to planes of zeros."""

    inputs = ("grad", "input")
    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(None)
    unconverted_if = halves_on_cpu
    row_major = True

    def outputs(g, layout, geometry, size):
        return planes(g, size)

    def vjp_grad(F, g, input, grad_layout, geometry):
        indices = F.max_pool2d(input, (geometry, grad_layout.shape[-2:]))[1]
        return F.max_pool2d_pick(g, indices, (None, grad_layout.shape[-2:]))

    vjp_input = zero_grad


@operator
class _avg_pool2d:
    """Compute the mean of each window."""

    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(None)
    unconverted_if = halves_on_cpu
    row_major = True

    def decompose(F, operands, parameters):
        if layout_of_tensor(operands[0]).dtype.category == INTEGER:
            return whole_means(F, operands[0], *parameters)
        return None

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, input_layout, geometry):
        return F.avg_pool2d_grad(g, (geometry, input_layout.shape[-2:]))


@operator
class _avg_pool2d_grad:
    """Distribute the gradients of windows to their elements."""

    parameters = PARAMETERS
    varying = ("size",)
    batching = "leading"
    compute_dtype = exact(None)
    unconverted_if = halves_on_cpu
    row_major = True

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, input_layout, geometry):
        return F.avg_pool2d(g, (geometry, input_layout.shape[-2:]))


# --------------------------------------------------------------------------------------------------- public
def greatest_of_sequences(F: Namespace, name: str, input: Tensor, parameters: Parameters, return_indices: bool) -> Any:
    """Return the maxima of windows of sequences, and their indices if `return_indices`."""
    if not return_indices:
        return F.squeeze(greatest(F, F.unsqueeze(input, -2), parameters), -2)
    values, indices = F.max_pool2d(F.unsqueeze(input, -2), parameters)
    return F.squeeze(values, -2), F.squeeze(indices, -2)


def means_of_sequences(F: Namespace, name: str, input: Tensor, parameters: Parameters) -> Tensor:
    """Return the means of windows of sequences."""
    return F.squeeze(F.avg_pool2d(F.unsqueeze(input, -2), parameters), -2)


def pooling(dims: int) -> None:
    """Declare the pooling functions of sequences (1), images (2) or volumes (3)."""
    said = words(dims)
    max_name, avg_name = f"max_pool{dims}d", f"avg_pool{dims}d"
    find_greatest, find_means = (
        (volumes.greatest_of_volumes, volumes.means_of_volumes)
        if dims == 3
        else (greatest_of_sequences, means_of_sequences)
    )

    def max_pool(
        F: Namespace,
        input: Tensor,
        kernel_size: Numbers,
        stride: int | Sequence[int] | None = None,
        padding: Numbers = 0,
        dilation: Numbers = 1,
        ceil_mode: Flag = False,
        return_indices: Flag = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Compute the maximum of each window of {images}.

        A length of the result is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in
        ceil_mode if the last window then starts before the padding. Padding is never selected; among equal elements the
        first one is; NaN counts as the maximum. Raises ValueError if windows do not fit.

        Arguments:
            input: real numbers ({images}, channels, {lengths}), or without the first dimension.
            return_indices: whether to return the pair (elements, indices), with indices (int64) into each
                flattened ({lengths}).

        >>> from facula_tensor import arange
        >>> max_pool{dims}d(arange({count}.0).view(1{twos}), 2).item()
        {last}.0
        """
        if dims == 3:
            input = steady(as_tensor(max_name, input))
        parameters = max_geometry(max_name, (input,), dims, kernel_size, stride, padding, dilation, ceil_mode)
        if dims != 2:
            return find_greatest(F, max_name, input, parameters, return_indices)
        return F.max_pool2d(input, parameters) if return_indices else greatest(F, input, parameters)

    function(name=max_name, words=said, overridable=dims != 2)(max_pool)

    @function(name=f"{max_name}_with_indices", words=said, overridable=dims != 2)
    def max_pool_with_indices(
        F: Namespace,
        input: Tensor,
        kernel_size: Numbers,
        stride: int | Sequence[int] | None = None,
        padding: Numbers = 0,
        dilation: Numbers = 1,
        ceil_mode: Flag = False,
        return_indices: Flag = True,
    ) -> tuple[Tensor, Tensor]:
        """Compute `max_pool{dims}d` and return the indices as well.

        Arguments:
            input: real numbers ({images}, channels, {lengths}), or without the first dimension.
            return_indices: ignored.

        >>> from facula_tensor import arange
        >>> max_pool{dims}d_with_indices(arange({count}.0).view(1{twos}), 2)[1].item()
        {last}
        """
        return max_pool(F, input, kernel_size, stride, padding, dilation, ceil_mode, True)  # type: ignore[return-value]

    @function(name=avg_name, words=said, overridable=dims != 2, without=("divisor_override",) * (dims == 1))
    def avg_pool(
        F: Namespace,
        input: Tensor,
        kernel_size: Numbers,
        stride: int | Sequence[int] | None = None,
        padding: Numbers = 0,
        ceil_mode: Flag = False,
        count_include_pad: Flag = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """Compute the mean of each window of {images}; integers are truncated towards 0.

        Lengths, padding and ceil_mode are as in `max_pool{dims}d`. Raises ValueError if windows do not fit.

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            count_include_pad: whether the zero padding counts in means.
            divisor_override: the divisor of sums, instead of the number of elements.

        >>> from facula_tensor import arange
        >>> avg_pool{dims}d(arange({count}.0).view(1{twos}), 2).item()
        {mean}
        """
        if dims == 3:
            input = steady(as_tensor(avg_name, input))
        parameters = avg_geometry(
            avg_name, (input,), dims, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        return F.avg_pool2d(input, parameters) if dims == 2 else find_means(F, avg_name, input, parameters)


def adaptive_pooling(dims: int) -> None:
    """Declare pooling in windows that divide sequences (1), images (2) or volumes (3) evenly."""
    said = words(dims)
    max_name, avg_name = f"adaptive_max_pool{dims}d", f"adaptive_avg_pool{dims}d"
    find_greatest, find_means = (
        (volumes.greatest_of_volumes, volumes.means_of_volumes)
        if dims == 3
        else (greatest_of_sequences, means_of_sequences)
    )

    @function(name=avg_name, words=said, overridable=dims != 2)
    def adaptive_avg_pool(F: Namespace, input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
        """Compute the means of windows that divide {images} into `output_size` parts, as evenly as possible.

        Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            output_size: the number of windows: one number, or one for each dimension; None keeps a length.

        >>> from facula_tensor import arange
        >>> adaptive_avg_pool{dims}d(arange({count}.0).view(1{twos}), 1).item()
        {mean}
        """
        if dims == 3:
            input = steady(as_tensor(avg_name, input))
        parameters = adaptive_geometry(avg_name, (input,), dims, output_size)
        return F.avg_pool2d(input, parameters) if dims == 2 else find_means(F, avg_name, input, parameters)

    def adaptive_max_pool(
        F: Namespace, input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: Flag = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Compute the maxima of windows that divide {images}, those of `adaptive_avg_pool{dims}d`.

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            output_size: the number of windows: one number, or one for each dimension; None keeps a length.
            return_indices: whether to return the pair (elements, indices), with indices (int64) into each
                flattened ({lengths}).

        >>> from facula_tensor import arange
        >>> adaptive_max_pool{dims}d(arange({count}.0).view(1{twos}), 1).item()
        {last}.0
        """
        if dims == 3:
            input = steady(as_tensor(max_name, input))
        parameters = adaptive_geometry(max_name, (input,), dims, output_size)
        if dims != 2:
            return find_greatest(F, max_name, input, parameters, return_indices)
        return F.max_pool2d(input, parameters) if return_indices else greatest(F, input, parameters)

    function(name=max_name, words=said, overridable=True)(adaptive_max_pool)

    @function(name=f"{max_name}_with_indices", words=said, overridable=True)
    def adaptive_max_pool_with_indices(
        F: Namespace, input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: Flag = True
    ) -> tuple[Tensor, Tensor]:
        """Compute `adaptive_max_pool{dims}d` and return the indices as well.

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            output_size: as in `adaptive_max_pool{dims}d`.
            return_indices: ignored.

        Returns:
            The pair (elements, indices).
        """
        return adaptive_max_pool(F, input, output_size, True)  # type: ignore[return-value]


for dims in (1, 2, 3):
    pooling(dims)
    adaptive_pooling(dims)
