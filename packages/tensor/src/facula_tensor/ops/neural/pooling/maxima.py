"""Maxima of windows of images without their indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import is_grad_enabled

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Parameters
    from ...._dispatch.namespaces import Namespace

MAX_FOUND_AGAIN = 256  # elements of a plane


def greatest(F: Namespace, input: Tensor, parameters: Parameters) -> Tensor:
    """Return the maxima of windows of images.

    The gradient of overlapping windows of large planes reads indices: transposed, such planes do not fit into the first
    cache, and finding the maxima again takes longer.
    """
    geometry, (height, width) = parameters
    if geometry is not None and getattr(input, "node", None) is not None:
        kernel, (down, right), _, _ = geometry
        overlap = kernel[0] > down or kernel[1] > right
        if overlap and height * down * width * right > MAX_FOUND_AGAIN and is_grad_enabled():
            return F.max_pool2d(input, parameters)[0]
    return F.max_pool2d_values(input, parameters)
