"""The indices of the largest and the smallest elements: `argmax` and `argmin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import bool_, int64

from ..._dispatch.declaration import operator, under
from .arguments import over_dim, reduced
from .extremes import along_one, check_not_empty

if TYPE_CHECKING:
    from ..._core.types import Function


def _index_of(name: str, extreme: str, places: str) -> Function:
    @operator
    @under(
        name,
        f"""Return the index of the {extreme} element, of the flattened tensor or along `dim`; the first of equal ones.

        >>> from facula_tensor import tensor
        >>> tensor([[1.0, 5.0], [3.0, 4.0]]).{name}(0)
        tensor({places})
        """,
    )
    class body:
        signature = staticmethod(over_dim)
        prepare = along_one
        method = out = True
        parameters = ("dim", "keepdim")

        def outputs(layout, dim, keepdim):
            if layout.dtype is bool_:
                raise DTypeError(f"{name}: not defined for bool; convert, for example with .byte()")
            dims = tuple(range(len(layout.shape))) if dim is None else (dim,) if layout.shape else ()
            check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, int64)

    return body


argmax: Function = _index_of("argmax", "largest", "[1, 0]")
argmin: Function = _index_of("argmin", "smallest", "[0, 1]")
