"""Memory formats: the order of a copy's elements in memory, under PyTorch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core.formats import check_format, strided
from ..._core.tensor import Tensor, layout_of_tensor, method
from ..._dispatch.namespaces import composite

if TYPE_CHECKING:
    from ..._core.types import MemoryFormat
    from ..._dispatch.namespaces import Namespace

method("layout")(property(lambda self: strided, doc="The storage layout: `strided`."))  # type: ignore[type-var]


@composite
def in_format(F: Namespace, input: Tensor, wanted: MemoryFormat | None) -> Tensor:
    """Return `input` itself if its elements are in the order `wanted`, otherwise a copy in that order."""
    ndim = input.ndim
    if not check_format("contiguous", wanted, ndim):
        return F.contiguous(input)
    last = F.permute(input, (0, *range(2, ndim), 1))
    if layout_of_tensor(last).is_contiguous:
        return input
    return F.permute(F.clone(last), (0, ndim - 1, *range(1, ndim - 1)))
