"""The public functions of `ops/elementwise/fused_arithmetic.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import source
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ...._core.types import Operand, Scalar

bodies = bodies_of("ops.elementwise.fused_arithmetic")


@overridable
@method()
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("addcmul", input)
        if type(tensor1) is not Tensor:
            tensor1 = as_tensor("addcmul", tensor1)
        if type(tensor2) is not Tensor:
            tensor2 = as_tensor("addcmul", tensor2)
        result = bodies.addcmul(ops, input, tensor1, tensor2, value=value)
        return result if out is None else write_out("addcmul", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """`addcmul` in place: changes `input` and returns it. Arguments: those of `addcmul`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("addcmul_", input)
        if type(tensor1) is not Tensor:
            tensor1 = as_tensor("addcmul_", tensor1)
        if type(tensor2) is not Tensor:
            tensor2 = as_tensor("addcmul_", tensor2)
        before = source("addcmul_", input, tensor1, tensor2)
        return assign_inplace("addcmul_", input, bodies.addcmul(ops, before, tensor1, tensor2, value=value))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1, out: Tensor | None = None) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("addcdiv", input)
        if type(tensor1) is not Tensor:
            tensor1 = as_tensor("addcdiv", tensor1)
        if type(tensor2) is not Tensor:
            tensor2 = as_tensor("addcdiv", tensor2)
        result = bodies.addcdiv(ops, input, tensor1, tensor2, value=value)
        return result if out is None else write_out("addcdiv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Scalar = 1) -> Tensor:
    """`addcdiv` in place: changes `input` and returns it. Arguments: those of `addcdiv`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("addcdiv_", input)
        if type(tensor1) is not Tensor:
            tensor1 = as_tensor("addcdiv_", tensor1)
        if type(tensor2) is not Tensor:
            tensor2 = as_tensor("addcdiv_", tensor2)
        before = source("addcdiv_", input, tensor1, tensor2)
        return assign_inplace("addcdiv_", input, bodies.addcdiv(ops, before, tensor1, tensor2, value=value))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def lerp(input: Tensor, end: Tensor, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(input) is not Tensor:
            input = as_tensor("lerp", input)
        if type(end) is not Tensor:
            end = as_tensor("lerp", end)
        result = bodies.lerp(ops, input, end, weight)
        return result if out is None else write_out("lerp", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def lerp_(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`lerp` in place: changes `input` and returns it. Arguments: those of `lerp`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("lerp_", input)
        if type(end) is not Tensor:
            end = as_tensor("lerp_", end)
        before = source("lerp_", input, end, weight)
        return assign_inplace("lerp_", input, bodies.lerp(ops, before, end, weight))
    except FaculaError as error:
        trim_traceback(error)
        raise
