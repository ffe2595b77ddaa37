"""Elementwise programs: composite operators, and results of fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import bool_, float32
from facula_storage.extend.layouts import BOOL, FLOATING
from facula_tensor.extend.declaring import operators, program_of

from .._nodes import OnnxExporterError
from .elementwise import COMPARISONS, elementwise
from .refusals import reason_for
from .table import converters

if TYPE_CHECKING:
    from facula_storage import DType
    from facula_storage.extend.plans import Program

    from .._nodes import Builder
    from .table import Call

EXPRESSIONS = """
    are_probabilities binary_cross_entropy_grad celu celu_grad cubic_slope decisive_slope divergence
    divergence_of_logarithms elu elu_grad gated gaussian hardsigmoid hardsigmoid_grad hardswish hardswish_grad hinge
    huber huber_slope is_decisive log_sigmoid log_sigmoid_grad logistic_loss logistic_slope mish mish_slope
    poisson_of_logarithms poisson_of_rates probability_loss ranking scaled_elu smooth_l1 smooth_l1_slope soft_margin
    softplus softplus_slope weighted_logistic_loss weighted_logistic_slope
""".split()
"""Operators with a loop that are exported as the expressions that define them, unless one node does it."""
# their results are bools for operands of bools
MASKS_OF_MASKS = ("bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor")


def run_program(b: Builder, call: Call, program: Program) -> list[str]:
    """Append the nodes of a program's instructions, and return the names of its results."""
    compute = computed_in(call)
    names: list[str] = []
    dtypes: list[DType] = []
    for name, layout in zip(call.operands, call.layouts, strict=True):
        if isinstance(name, str) and layout is not None:
            given = layout.dtype
            names.append(name if given in (compute, bool_) else b.cast(name, compute))
            dtypes.append(bool_ if given is bool_ else compute)
        else:
            names.append(b.number(name or 0, compute))  # type: ignore[arg-type]  # a number
            dtypes.append(compute)
    names += [b.number(constant, compute) for constant in program.constants]
    dtypes += [compute] * len(program.constants)
    names, dtypes = _run_instructions(b, program, names, dtypes, compute)
    if program.reduction:
        kind = "ReduceMean" if program.reduction == "mean" else "ReduceSum"
        whole = b.add("Expand", names[program.results[0]], b.integers(*broadcast_shape(call)))
        axes = range(len(broadcast_shape(call)))
        return [b.reduce(kind, whole, axes, False)]
    found = []
    for value, layout in zip(program.results, call.results, strict=True):
        found.append(names[value] if dtypes[value] is layout.dtype else b.cast(names[value], layout.dtype))
    return found


def _as_parts(_b: Builder, _call: Call) -> str:
    """Export an operator as its expression."""
    return ""


for _name in EXPRESSIONS:
    converters.setdefault(_name, _as_parts)


def _run_expression(b: Builder, operator: str, dtype: DType, names: list[str]) -> str:
    """Append the nodes of the expression of an operator, and return the name of its result."""
    program = program_of(operators[operator])
    given = [*names, *[b.number(constant, dtype) for constant in program.constants]]
    return _run_instructions(b, program, given, [dtype] * len(given), dtype)[0][program.results[0]]


def _run_instructions(
    b: Builder, program: Program, names: list[str], dtypes: list[DType], compute: DType
) -> tuple[list[str], list[DType]]:
    """Append the nodes of a program's instructions, and return the names and dtypes of all values: of those given, of
    operands and constants, then of the instructions."""
    names, dtypes = [*names], [*dtypes]
    for operation, values in program.instructions:
        if operation == "require":  # replays check it, but files cannot
            continue
        if operation not in elementwise and operation not in EXPRESSIONS:
            raise OnnxExporterError(f"its {operation} {reason_for(operation)}")
        made, dtype = _instruction(b, operation, [(names[value], dtypes[value]) for value in values], compute)
        names.append(made)
        dtypes.append(dtype)
    return names, dtypes


def _instruction(b: Builder, operation: str, values: list[tuple[str, DType]], compute: DType) -> tuple[str, DType]:
    """Append one instruction, and return the name and dtype of its result. Bools are converted to numbers if
    necessary.
    """
    masks = all([dtype is bool_ for _, dtype in values])
    if masks and operation in (*MASKS_OF_MASKS, *COMPARISONS):
        return elementwise[operation](b, bool_, *[name for name, _ in values]), bool_
    first = 1 if operation == "where" else 0
    if operation == "where" and all([dtype is bool_ for _, dtype in values[1:]]):
        return elementwise[operation](b, bool_, *[name for name, _ in values]), bool_
    names = [
        name if dtype is compute or place < first else b.cast(name, compute)
        for place, (name, dtype) in enumerate(values)
    ]
    if operation == "where" and values[0][1] is not bool_:
        names[0] = b.cast(names[0], bool_)
    made = bool_ if operation in COMPARISONS else compute
    if operation in EXPRESSIONS:
        return _run_expression(b, operation, compute, names), made
    return elementwise[operation](b, compute, *names), made


def computed_in(call: Call) -> DType:
    """Return the dtype of a program's values: that of its result, or of its first operand other than bools; float32 for
    half-precision dtypes.
    """
    arrays = [layout.dtype for layout in call.layouts if layout is not None]
    dtype = call.results[0].dtype if call.results else arrays[0]
    if dtype.category == BOOL:
        dtype = next((array for array in arrays if array is not bool_), bool_)
    return float32 if dtype.category == FLOATING and dtype.itemsize == 2 else dtype


def broadcast_shape(call: Call) -> tuple[int, ...]:
    """Return the shape to which all operands broadcast."""
    shapes = [layout.shape for layout in call.layouts if layout is not None]
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(shape)) + shape for shape in shapes]
    return tuple([next((size for size in sizes if size != 1), 1) for sizes in zip(*padded, strict=True)])
