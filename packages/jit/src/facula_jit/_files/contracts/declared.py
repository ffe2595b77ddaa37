"""Contracts that follow from declarations: of elementwise operators, and of those along dimensions of one operand.

An operator of these families needs no row, whoever declares it. A declaration along dimensions names its parameters by
KINDS, and its `outputs` raises for what its kernel cannot do.
"""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from facula_storage import Layout
from facula_tensor import extend
from facula_tensor.extend import operators

from .shapes import are_dims, broadcast, is_flag, is_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor.extend import Operator

    Contract = Callable[[Any, Any, Any], bool]
    Promise = Callable[[Any, Any], bool]

MAX_OPERANDS = 16
FLAGS = ("backwards", "descending", "keepdim", "root", "upper")
INTEGERS = ("blank", "ignore_index", "offset", "seed", "zero_infinity")  # of numbers of a launch; others are floats
LAZY = ("functional", "fft", "linalg", "special")  # modules of facula_tensor, which declare operators
LOOPS = ("pow_number",)  # that other operators' declarations ask for


def _is_dim(op: Operator, layout: Layout, value: Any) -> bool:
    """Whether a value is a dimension from the front; None where the function takes it for all of them."""
    if value is None:
        return op.signature is not None and signature(op.signature).parameters["dim"].default is None
    return is_place(value, layout.ndim)


KINDS: dict[str, Callable[[Operator, Layout, Any], bool]] = {
    "dim": _is_dim,
    "dims": lambda op, layout, value: are_dims(value, layout.ndim),
    **dict.fromkeys(("correction", "p"), lambda op, layout, value: type(value) in (int, float)),
    **dict.fromkeys(FLAGS, lambda op, layout, value: is_flag(value)),
}
"""What a parameter of an operator along dimensions has to be, by its name."""


def operator_of(kernel: str) -> Operator | None:
    """The operator whose kernel has this name; modules that were not needed yet are imported for it."""
    found = _among_the_known(kernel)
    if found is None:
        for name in LAZY:
            import_module(f"facula_tensor.{name}")
        _ = extend.recurrent_layer  # whose module is imported for it
        found = _among_the_known(kernel)
    return found


def _among_the_known(kernel: str) -> Operator | None:
    found = operators.get(kernel)
    if found is not None and found.kernel == kernel:
        return found
    return next((one for one in operators.values() if one.kernel == kernel), None)


def is_loop(kernel: str) -> bool:
    """Whether a kernel computes each element by itself: the loop of an elementwise operator."""
    if kernel in LOOPS:
        return True
    op = operator_of(kernel)
    return op is not None and op.elementwise


def elementwise(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Inputs that broadcast to outputs of one shape and one stride."""
    first = outputs[0]
    arrays = [one for one in inputs if type(one) is Layout]
    return (
        len(inputs) + len(outputs) <= MAX_OPERANDS
        and None not in inputs
        and all([one.shape == first.shape and one.strides == first.strides for one in outputs])
        and broadcast(first.shape, *[one.shape for one in arrays]) == first.shape
    )


def loop(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One result, of inputs that broadcast to it."""
    return len(outputs) == 1 and elementwise(inputs, outputs, parameters)


def contract_from(kernel: str) -> Contract | None:
    """The contract that follows from the declaration of a kernel's operator; None for one of neither family."""
    if is_loop(kernel):
        return loop
    op = operator_of(kernel)
    if op is None or op.outputs is None or op.inputs != ("input",) or op.optional or op.mutates:
        return None
    names = op.parameters
    if not {"dim", "dims"}.intersection(names) or not KINDS.keys() >= set(names):
        return None

    def are_kinds(inputs: Any, parameters: Any) -> bool:
        return all([KINDS[name](op, inputs[0], one) for name, one in zip(names, parameters, strict=True)])

    return as_declared(kernel, are_kinds)


def as_declared(kernel: str, promise: Promise) -> Contract:
    """The contract of a kernel whose results are those that its operator's declaration says.

    Arguments:
        kernel: its name.
        promise: what it is promised of operands and parameters beyond what the declaration itself looks at.
    """

    def contract(inputs: Any, outputs: Any, parameters: Any) -> bool:
        op = operator_of(kernel)
        assert op is not None and op.outputs is not None
        left_out = [name for name, one in zip(op.inputs, inputs, strict=True) if one is None]
        layouts = all([one is None or isinstance(one, Layout) for one in inputs])
        if not layouts or not set(op.optional) >= set(left_out) or len(parameters) != op.fixed:
            return False
        if not promise(inputs, parameters):
            return False
        arguments = (*inputs, *parameters, *[0] * len(op.launch_scalars))
        if op.validate_layouts is not None:
            op.validate_layouts(*arguments)
        made = op.outputs(*arguments)
        made = (made,) if isinstance(made, Layout) else made
        return [(one.shape, one.dtype) for one in made] == [(one.shape, one.dtype) for one in outputs]

    return contract


def numbers_of(kernel: str) -> tuple[type, ...]:
    """The numbers that a launch ends with, as the declaration names them."""
    op = operator_of(kernel)
    return () if op is None else tuple([int if name in INTEGERS else float for name in op.launch_scalars])
