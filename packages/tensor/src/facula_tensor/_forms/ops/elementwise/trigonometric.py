"""The public functions of `ops/elementwise/trigonometric.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.trigonometric")


@overridable
@method()
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("deg2rad", input)
        result = bodies.deg2rad(ops, input)
        return result if out is None else write_out("deg2rad", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def deg2rad_(input: Tensor) -> Tensor:
    """`deg2rad` in place."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("deg2rad_", input)
        return changed("deg2rad_", input, bodies.deg2rad, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("rad2deg", input)
        result = bodies.rad2deg(ops, input)
        return result if out is None else write_out("rad2deg", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def rad2deg_(input: Tensor) -> Tensor:
    """`rad2deg` in place."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("rad2deg_", input)
        return changed("rad2deg_", input, bodies.rad2deg, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
