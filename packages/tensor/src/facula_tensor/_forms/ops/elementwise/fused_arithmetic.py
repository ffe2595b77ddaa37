"""The public functions of `ops/elementwise/fused_arithmetic.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.elementwise.fused_arithmetic import _fused, _in_one_dtype
from ....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ...._core.types import Operand, Scalar

bodies = bodies_of("ops.elementwise.fused_arithmetic")


@overridable
@method()
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addcmul", input)
        if not isinstance(tensor1, Tensor):
            tensor1 = as_tensor("addcmul", tensor1)
        if not isinstance(tensor2, Tensor):
            tensor2 = as_tensor("addcmul", tensor2)
        dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
        alike = dtype is getattr(tensor1._layout, "dtype", None) is getattr(tensor2._layout, "dtype", None) is not None
        quick = alike and FLOATING <= dtype.category < COMPLEX and type(value) in (int, float)
        result = (
            ops.addcmul(input, tensor1, tensor2, value)
            if quick
            else _fused("addcmul", "mul", ops, input, tensor1, tensor2, value)
        )
        return result if out is None else write_out("addcmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addcmul_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """`addcmul` in place: changes `self` and returns it. Arguments: those of `addcmul`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("addcmul_", self)
        if not isinstance(tensor1, Tensor):
            tensor1 = as_tensor("addcmul_", tensor1)
        if not isinstance(tensor2, Tensor):
            tensor2 = as_tensor("addcmul_", tensor2)
        return changed("addcmul_", self, bodies.addcmul, tensor1, tensor2, value=value, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("addcdiv", input)
        if not isinstance(tensor1, Tensor):
            tensor1 = as_tensor("addcdiv", tensor1)
        if not isinstance(tensor2, Tensor):
            tensor2 = as_tensor("addcdiv", tensor2)
        dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
        alike = dtype is getattr(tensor1._layout, "dtype", None) is getattr(tensor2._layout, "dtype", None) is not None
        quick = alike and FLOATING <= dtype.category < COMPLEX and type(value) in (int, float)
        result = (
            ops.addcdiv(input, tensor1, tensor2, value)
            if quick
            else _fused("addcdiv", "div", ops, input, tensor1, tensor2, value)
        )
        return result if out is None else write_out("addcdiv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addcdiv_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """`addcdiv` in place: changes `self` and returns it. Arguments: those of `addcdiv`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("addcdiv_", self)
        if not isinstance(tensor1, Tensor):
            tensor1 = as_tensor("addcdiv_", tensor1)
        if not isinstance(tensor2, Tensor):
            tensor2 = as_tensor("addcdiv_", tensor2)
        return changed("addcdiv_", self, bodies.addcdiv, tensor1, tensor2, value=value, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("lerp", input)
        if not isinstance(end, Tensor):
            end = as_tensor("lerp", end)
        dtype: Any = getattr(input._layout, "dtype", None)  # None for tensors that override operators
        alike = dtype is getattr(end._layout, "dtype", None) is not None
        quick = alike and dtype.category == FLOATING
        if type(weight) is not float and getattr(getattr(weight, "_layout", None), "dtype", None) is not dtype:
            quick = False
        if not quick:
            input, end, weight = _in_one_dtype(input, end, weight)
            quick = not input.is_complex()
        result = ops.lerp(input, end, weight) if quick else ops.add(input, ops.mul(ops.sub(end, input), weight))
        return result if out is None else write_out("lerp", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def lerp_(self: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`lerp` in place: changes `self` and returns it. Arguments: those of `lerp`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("lerp_", self)
        if not isinstance(end, Tensor):
            end = as_tensor("lerp_", end)
        return changed("lerp_", self, bodies.lerp, end, weight, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
