"""Contracts derived from declarations: of elementwise operators, and of operators along dimensions of one operand.

An operator of these families needs no row, even if a program declares it. A declaration along dimensions names its
parameters as in KINDS, and its `outputs` raises an error for unsupported operands.
"""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

import facula_tensor.extend.modules
from facula_storage import Layout
from facula_tensor.extend.declaring import operators

from .shapes import are_dims, broadcast, is_flag, is_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor.extend.declaring import Operator

    Contract = Callable[[Any, Any, Any], bool]
    Promise = Callable[[Any, Any], bool]

MAX_OPERANDS = 16
FLAGS = ("backwards", "descending", "keepdim", "root", "upper")
# scalars of a launch that are integers; others are floats
INTEGERS = ("blank", "ignore_index", "offset", "seed", "zero_infinity")
LAZY = ("functional", "fft", "linalg", "special")  # modules of facula_tensor that declare operators
LOOPS = ("pow_number",)  # requested by the declarations of other operators


def _is_dim(op: Operator, layout: Layout, value: Any) -> bool:
    """Return True for a nonnegative dimension, or None if the function accepts it for all dimensions."""
    if value is None:
        return op.signature is not None and signature(op.signature).parameters["dim"].default is None
    return is_place(value, layout.ndim)


KINDS: dict[str, Callable[[Operator, Layout, Any], bool]] = {
    "dim": _is_dim,
    "dims": lambda op, layout, value: are_dims(value, layout.ndim),
    **dict.fromkeys(("correction", "p"), lambda op, layout, value: type(value) in (int, float)),
    **dict.fromkeys(FLAGS, lambda op, layout, value: is_flag(value)),
}
"""Checks of the parameters of an operator along dimensions, by name."""


def operator_of(kernel: str) -> Operator | None:
    """Return the operator with this kernel; modules that declare operators are imported if necessary."""
    found = _find_operator(kernel)
    if found is None:
        for name in LAZY:
            import_module(f"facula_tensor.{name}")
        _ = facula_tensor.extend.modules.recurrent_layer  # imports its module
        found = _find_operator(kernel)
    return found


def _find_operator(kernel: str) -> Operator | None:
    found = operators.get(kernel)
    if found is not None and found.kernel == kernel:
        return found
    return next((operator for operator in operators.values() if operator.kernel == kernel), None)


def is_loop(kernel: str) -> bool:
    """Return True if a kernel computes each element separately: the loop of an elementwise operator."""
    if kernel in LOOPS:
        return True
    op = operator_of(kernel)
    return op is not None and op.elementwise


def elementwise(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check that inputs broadcast to outputs with the same shape and strides."""
    first = outputs[0]
    arrays = [layout for layout in inputs if type(layout) is Layout]
    return (
        len(inputs) + len(outputs) <= MAX_OPERANDS
        and None not in inputs
        and all([layout.shape == first.shape and layout.strides == first.strides for layout in outputs])
        and broadcast(first.shape, *[layout.shape for layout in arrays]) == first.shape
    )


def loop(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for one result, to which the inputs broadcast."""
    return len(outputs) == 1 and elementwise(inputs, outputs, parameters)


def contract_from(kernel: str) -> Contract | None:
    """Return the contract derived from the declaration of a kernel's operator; None outside of both families."""
    if is_loop(kernel):
        return loop
    op = operator_of(kernel)
    if op is None or op.outputs is None or op.inputs != ("input",) or op.optional or op.mutates:
        return None
    names = op.parameters
    if not {"dim", "dims"}.intersection(names) or not KINDS.keys() >= set(names):
        return None

    def are_kinds(inputs: Any, parameters: Any) -> bool:
        return all([KINDS[name](op, inputs[0], parameter) for name, parameter in zip(names, parameters, strict=True)])

    return as_declared(kernel, are_kinds)


def as_declared(kernel: str, promise: Promise) -> Contract:
    """Return the contract of a kernel whose results follow from its operator's declaration.

    Arguments:
        kernel: its name.
        promise: the requirements on operands and parameters that the declaration itself does not check.
    """

    def contract(inputs: Any, outputs: Any, parameters: Any) -> bool:
        op = operator_of(kernel)
        assert op is not None and op.outputs is not None
        left_out = [name for name, layout in zip(op.inputs, inputs, strict=True) if layout is None]
        layouts = all([layout is None or isinstance(layout, Layout) for layout in inputs])
        if not layouts or not set(op.optional) >= set(left_out) or len(parameters) != op.fixed:
            return False
        if not promise(inputs, parameters):
            return False
        arguments = (*inputs, *parameters, *[0] * len(op.launch_scalars))
        if op.validate_layouts is not None:
            op.validate_layouts(*arguments)
        made = op.outputs(*arguments)
        made = (made,) if isinstance(made, Layout) else made
        return [(layout.shape, layout.dtype) for layout in made] == [(layout.shape, layout.dtype) for layout in outputs]

    return contract


def numbers_of(kernel: str) -> tuple[type, ...]:
    """Return the types of the scalars at the end of a launch, which the declaration names."""
    op = operator_of(kernel)
    return () if op is None else tuple([int if name in INTEGERS else float for name in op.launch_scalars])
