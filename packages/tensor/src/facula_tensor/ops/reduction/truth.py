"""`any` and `all`: tests for nonzero elements, over all elements or along dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Layout, bool_, uint8

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import no_record_ops
from .arguments import over_dims, reduced, reduction

if TYPE_CHECKING:
    from ..._core.types import Dims, Function


def nonzero_mask(
    operation: str, input: Tensor, dim: Dims | None, keepdim: bool, out: Tensor | None
) -> tuple[Tensor, tuple[tuple[int, ...], bool]]:
    """Return the operator's arguments: the elements (bool, uint8) or their nonzero mask, dimensions and `keepdim`."""
    input, parameters = reduction(operation, input, dim, keepdim)
    if isinstance(out, Tensor) and layout_of_tensor(out).dtype is bool_:
        return no_record_ops.to(input, (bool_,)), parameters
    layout = input._layout
    real = layout if type(layout) is Layout else layout.real  # type: ignore[attr-defined]  # `layout_of_tensor`
    return input if real.dtype is bool_ or real.dtype is uint8 else no_record_ops.to(input, (bool_,)), parameters


def _truth(name: str, elements: str, operand: str) -> Function:
    @operator
    @under(
        name,
        f"""Return whether {elements} nonzero, over all or along `dim`, as bool; as 0 and 1 for uint8.

        >>> from facula_tensor import tensor
        >>> tensor({operand}).{name}(1)
        tensor([ True, False])
        """,
    )
    class body:
        signature = staticmethod(over_dims)
        prepare = nonzero_mask
        method = out = True
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            return reduced(layout, dims, keepdim, uint8 if layout.dtype is uint8 else bool_)

    return body


any: Function = _truth("any", "any element is", "[[0, 1], [0, 0]]")
all: Function = _truth("all", "all elements are", "[[1, 1], [0, 1]]")
