"""Contracts of elementwise operators and programs, copies and fills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_storage import Layout, float32, float64
from facula_storage.extend import Instruction, Program

from .shapes import broadcast

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_OPERANDS, MOST_INSTRUCTIONS = 16, 4096
OF_ONE_VALUE = ("require", "float16", "bfloat16")  # instructions of programs that are no operators

OPERATORS = frozenset(
    """abs acos acosh add add_scaled addcdiv addcmul asin asinh atan atan2 atanh beta_grad bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp conj copysign cos cosh digamma
    div entr eq erf erfc erfcx erfinv exp exp2 expm1 floor floor_divide fmax fmin fmod frac gamma_share gcd ge gelu
    gelu_grad gelu_tanh gelu_tanh_grad gt hypot i0 i0e i1 i1e isnan lcm le leaky_relu lerp lgamma log log10 log1p
    log1p_exp log2 log_ndtr logaddexp logaddexp2 logit lt maximum minimum mul nan_to_num ndtr ndtri ne neg pow
    pow_number reciprocal relu relu_grad remainder round rsqrt sigmoid sigmoid_grad sign signbit silu silu_grad sin
    sinc sinh sqrt square squared_difference standard_gamma_grad sub tan tanh tanh_grad trigamma trunc trunc_divide
    where xlog1py xlogy zeta""".split()
)


def elementwise(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Inputs that broadcast to outputs of one shape and one stride."""
    first = outputs[0]
    arrays = [one for one in inputs if type(one) is Layout]
    return (
        len(inputs) + len(outputs) <= MOST_OPERANDS
        and None not in inputs
        and all([one.shape == first.shape and one.strides == first.strides for one in outputs])
        and broadcast(first.shape, *[one.shape for one in arrays]) == first.shape
    )


def copy(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One array, broadcast to the result's shape."""
    return len(inputs) == len(outputs) == 1 and elementwise(inputs, outputs, parameters)


def fill(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """A number for all elements of one result."""
    return len(inputs) == len(outputs) == 1 and isinstance(inputs[0], type)


def program(asked: Program, inputs: Any, outputs: Any) -> bool:
    """A program of loops, each of whose values was there before; folded to one number where it is a reduction."""
    known = asked.operands + len(asked.constants)
    without_value: set[int] = set()
    if len(inputs) != asked.operands or len(asked.instructions) > MOST_INSTRUCTIONS:
        return False
    for operation, values in asked.instructions:
        if operation not in ("copy", *OF_ONE_VALUE) and operation not in OPERATORS:
            return False
        if not values or any([not 0 <= one < known or one in without_value for one in values]):
            return False
        if operation in OF_ONE_VALUE and len(values) != 1:
            return False
        if operation == "require":
            without_value.add(known)
        known += 1
    if any([not 0 <= one < known or one in without_value for one in asked.results]):
        return False
    if not outputs or len(asked.results) != len(outputs) or asked.reduction not in ("", "sum", "mean"):
        return False
    if not asked.reduction:
        return elementwise(inputs, outputs, ())
    arrays = [one.shape for one in inputs if type(one) is Layout]
    return (
        len(outputs) == outputs[0].numel == 1
        and outputs[0].dtype in (float32, float64)
        and bool(arrays)
        and None not in inputs
        and broadcast(*arrays) is not None
        and len(inputs) < MOST_OPERANDS
    )


def program_of(data: Any) -> Program:
    """The program that a file describes; ValueError, TypeError or KeyError where it does not."""
    name, operands, constants = data["name"], data["operands"], data["constants"]
    instructions = [(operation, tuple(values)) for operation, values in data["instructions"]]
    integers = [operands, *[one for _, values in instructions for one in values], *data["results"]]
    if type(name) is not str or not all([type(one) is int for one in integers]):
        raise InvalidTypeError("not a program")
    if type(constants) is not list or not all([type(one) in (int, float) for one in constants]):
        raise InvalidTypeError("not a program")
    if not all([type(operation) is str for operation, _ in instructions]):
        raise InvalidTypeError("not a program")
    steps = tuple([Instruction(*one) for one in instructions])
    return Program(name, operands, tuple(constants), steps, tuple(data["results"]), str(data["reduction"]))


def loop(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """One result, of inputs that broadcast to it."""
    return len(outputs) == 1 and elementwise(inputs, outputs, parameters)


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    **dict.fromkeys(OPERATORS, loop),
    "copy": copy,
    "fill": fill,
}
