"""The public functions of `ops/linalg/einsum.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

bodies = bodies_of("ops.linalg.einsum")


@overridable
def einsum(*args: str | Tensor | Sequence[object]) -> Tensor:
    try:
        return bodies.einsum(*args)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def tensordot(
    a: Tensor, b: Tensor, dims: SupportsIndex | Sequence[object] | Tensor = 2, out: Tensor | None = None
) -> Tensor:
    try:
        if not isinstance(a, Tensor):
            a = as_tensor("tensordot", a)
        if not isinstance(b, Tensor):
            b = as_tensor("tensordot", b)
        return bodies.tensordot(a, b, dims, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
