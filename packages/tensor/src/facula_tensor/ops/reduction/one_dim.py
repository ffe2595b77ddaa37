"""Shared helpers of operators along one dimension: arguments, result pairs, and the gradient of a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.nodes import LEAF
from facula_errors import DTypeError, InvalidTypeError
from facula_storage import Layout
from facula_storage.extend.layouts import COMPLEX
from facula_storage.extend.objects import new_instance

from ..._core.memory import check_out
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.arguments import needed_dim
from ..._dispatch.namespaces import composite
from ..._dispatch.slow_path.operands import describe
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from .extreme_pairs import Extremes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..._core.types import Dims
    from ..._dispatch.namespaces import Namespace


@composite
def chosen_back(F: Namespace, g: Tensor, index: Tensor, layout: Layout, dim: int) -> Tensor:
    """Return the gradient of a selection: zeros of this layout with `g` at the indices `index` along `dim`."""
    return F.gather_back(g, index, (layout.shape, dim)) if layout.shape else F.clone(g)


def one_dim(operation: str, input: Tensor, dim: Dims | None) -> tuple[Tensor, int]:
    """Return a snapshot of `input` and the dimension `dim` counted from the front; 0 for zero-dimensional tensors.

    Raises:
        TypeError: if `dim` is missing; the message names `operation`.
    """
    try:  # `steady`, inlined
        layout = input._layout
        storage = input._storage
        offset = input._offset
        node = input.node
        ndim = len(layout.shape) or 1
    except AttributeError:  # not a tensor, or one that overrides
        pass
    else:
        if type(dim) is int and -ndim <= dim < ndim and type(layout) is Layout:
            dim = dim + ndim if dim < 0 else dim
            if node is LEAF:
                return input, dim
            t = new_instance(Tensor)
            t._layout = layout
            t._storage = storage
            t._offset = offset
            t.node = node
            return t, dim
    input = steady(as_tensor(operation, input))
    if dim is None:
        needed_dim(operation, dim, None)  # raises an error that names the operation
    return input, check_dim(operation, dim, len(layout_of_tensor(input).shape))


def check_ordered(operation: str, layout: Layout) -> None:
    """Raise a TypeError for complex numbers."""
    if layout.dtype.category == COMPLEX:
        raise DTypeError(f"{operation}: complex numbers have no order; got {layout.dtype.name}")


def extreme_pair(kind: type[Extremes], results: Iterable[Tensor], out: Sequence[Tensor] | None) -> Extremes:
    """Return the results (values, indices) as a pair of class `kind`, written to the tensors of `out` if given."""
    if out is None:
        return kind(results)
    name = kind.name
    if not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise InvalidTypeError(f"{name}: expected out to be two tensors (values, indices); got {describe(out)}")
    values, indices = results
    check_out(name, layout_of_tensor(indices), out[1], ())
    return kind((write_out(name, values, out[0]), write_out(name, indices, out[1])))
