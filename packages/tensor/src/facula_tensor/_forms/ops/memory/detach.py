"""The public functions of `ops/memory/detach.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor
from ...._dispatch.view_call import as_tensor


def to_dlpack(input: Tensor) -> object:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("to_dlpack", input)
        return input.__dlpack__()
    except FaculaError as error:
        trim_traceback(error)
        raise
