"""Sums and means of an elementwise operator's result in one launch, for losses.

The elements are never stored, and a call has one node, whose backward is also one launch.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import Node, Rule
from facula_autograd.extend.saved_values import raise_mutated
from facula_errors import UnsupportedError
from facula_storage import Layout, contiguous
from facula_storage.extend.plans import Instruction, Program

from .declaration import make_calls
from .expressions.gradients import gradient_program, kernel_of
from .expressions.partials import parameter_names
from .namespaces import no_record_ops, operators
from .operator import Operator
from .rules.rule_arguments import rule_of
from .rules.saved import saved_edges
from .slow_path.planning import broadcast_shapes

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Layouts, Operands, Parameters
    from .namespaces import Namespace

Pairs = tuple[tuple[Any, Any], ...]
PRECISE = ("float32", "float64")  # half-precision elements are rounded before they are added, so they must be stored
MAX_KNOWN = 1024  # combinations of layouts for which the gradient operator is cached


@cache
def reduced_operator(name: str, reduction: str, numbers: int = 0) -> Operator:
    """Return the operator that computes the "sum" or "mean" of the elementwise operator of this name.

    Arguments:
        name: the name of the elementwise operator.
        reduction: "sum" or "mean".
        numbers: the number of its last operands that are numbers; they are parameters here.
    """
    op = operators[name]
    count = len(op.inputs) - numbers
    tensors, parameters = op.inputs[:count], op.inputs[count:]
    kernel = kernel_of(op)
    if isinstance(kernel, str):
        operands = len(op.inputs)
        kernel = Program(name, operands, (), (Instruction(kernel, tuple(range(operands))),), (operands,))

    def is_one_launch(*layouts: object) -> bool:
        plain = [
            layout for layout in layouts if type(layout) is Layout
        ]  # neither a subclass nor wrapped by a transform
        return (
            len(plain) == len(layouts)
            and plain[0].dtype.name in PRECISE
            and len({tensor.dtype for tensor in plain}) == 1
        )

    def decompose(_F: Namespace, operands: Operands, given: Parameters) -> Tensor | None:
        if is_one_launch(*[a._layout for a in operands]):
            return None
        elements = op.library_call(*operands, *given)
        result: Tensor = elements.sum() if reduction == "sum" else elements.mean()
        return result

    body = {
        "inputs": tensors,
        "parameters": parameters,
        "launch_scalars": parameters,
        "outputs": lambda *layouts: contiguous((), layouts[0].dtype, layouts[0].device),
        "validate_layouts": lambda *layouts: broadcast_shapes(name, *[layout.shape for layout in layouts[:count]]),
        "decompose": decompose,
        "direct": is_one_launch,
        "program": kernel._replace(name=f"{name}_{reduction}", reduction=reduction),
        "__doc__": f"The {reduction} of {name}.",
        "__module__": op.module,
    }
    if op.validate_values is not None:
        body["validate_values"] = op.validate_values
    made = Operator(type(f"{name}_{reduction}", (), body), is_elementwise=False)
    made.recorded, made.needs, made.saves_out = True, {operand: op.needs.get(operand, ()) for operand in tensors}, False
    made.rule = made.broadcast_rule = made.scalar_rule = made.number_first_rule = Rule(
        made.name, _reduced_backward(op, tensors, parameters, reduction), op.rule.fresh, True, saved_edges
    )
    made.is_fast = False
    made.public = make_calls(made)
    return made


def _reduced_backward(op: Operator, tensors: tuple[str, ...], numbers: tuple[str, ...], reduction: str) -> Any:
    """Return the backward of the sum or mean of `op`."""
    known: dict[tuple[object, ...], Any] = {}  # by layouts and by the operands that need no gradient
    is_mean = reduction == "mean"

    def prepare(key: tuple[object, ...], edges: tuple[Any, ...], layouts: Layouts) -> Any:
        wanted = tuple([place for place, edge in enumerate(edges) if edge is not None])
        shape = broadcast_shapes(op.name, *[layout.shape for layout in layouts])
        made, places = _gradient_operator(op, tuple([tensors[place] for place in wanted]), tensors, numbers, is_mean)
        if not any([layouts[place].shape == shape for place in places]):
            made = None  # the result would have another shape
        if len(known) >= MAX_KNOWN:
            known.clear()
        known[key] = made, places, wanted, shape, (prod(shape),) if is_mean else ()
        return known[key]

    def backward(F: Namespace, node: Node, g: Tensor) -> Pairs:
        kept = node.rest
        edges, values, layouts = kept.edges, kept.values, kept.layouts
        for place, value in enumerate(values):
            if value is not None and value._storage.version != kept.versions[place]:
                raise_mutated(node, value, f"its operand '{tensors[place]}'")
        key = (layouts, *[edge is None for edge in edges])
        try:
            made, places, wanted, shape, count = known[key]
        except KeyError:
            made, places, wanted, shape, count = prepare(key, edges, layouts)
        if made is not None and F is no_record_ops and type(g._layout) is Layout:
            try:
                answers = made.no_record(g, *[values[place] for place in places], (*kept.parameters, *count))
            except UnsupportedError:
                known[key] = None, (), wanted, shape, count
            else:
                if len(wanted) == 1:
                    answers = (answers,)
                return tuple(
                    [
                        (edges[at], h if h._layout is layouts[at] else F.sum_to(h, layouts[at]))
                        for at, h in zip(wanted, answers, strict=True)
                    ]
                )
        g = F.expand(F.div(g, *count) if count else g, shape)
        names = (*tensors, *numbers, *[f"{name}_layout" for name in tensors])
        given = dict(zip(names, (*values, *kept.parameters, *layouts), strict=True))
        pairs = []
        for at in wanted:
            rule = rule_of(op.name, op.vjps, tensors[at])
            pairs.append(
                (edges[at], F.sum_to(rule(F, g, *[given.get(name) for name in parameter_names(rule)]), layouts[at]))
            )
        return tuple(pairs)

    return backward


@cache
def _gradient_operator(
    op: Operator, wanted: tuple[str, ...], tensors: tuple[str, ...], numbers: tuple[str, ...], is_mean: bool
) -> tuple[Operator | None, tuple[int, ...]]:
    """Return the operator that computes the wanted gradients from the gradient and tensors, and the tensors
    that it takes. Its parameters are the numbers and, for a mean, the number of elements. Return None if the
    rules are not a program.
    """
    rules = [rule_of(op.name, op.vjps, name) for name in wanted]
    parameters = [parameter_names(rule) for rule in rules]
    held = tuple([name for name in tensors if any([name in op.needs[operand] for operand in wanted])])
    scalars = (*numbers, "count") if is_mean else numbers

    def value(F: Any, g: Any, *values: Any) -> Any:
        given = dict(zip((*held, *scalars), values, strict=True))
        if is_mean:
            g = F.div(g, given["count"])
        return tuple(
            [rule(F, g, *[given.get(name) for name in taken]) for rule, taken in zip(rules, parameters, strict=True)]
        )

    program = gradient_program(op, (*held, *scalars), frozenset(scalars), value)
    if program is None:
        return None, ()

    def outputs(*layouts: Layout) -> tuple[Layout, ...]:
        shape = broadcast_shapes(op.name, *[layout.shape for layout in layouts[: 1 + len(held)]])
        return (contiguous(shape, layouts[0].dtype, layouts[0].device),) * len(wanted)

    body = {
        "inputs": ("grad", *held),
        "parameters": scalars,
        "launch_scalars": scalars,
        "outputs": outputs,
        "results": tuple([f"grad_{name}" for name in wanted]),
        "program": program,
        "__doc__": f"The gradients of a {'mean' if is_mean else 'sum'} of {op.name}.",
        "__module__": op.module,
    }
    made = Operator(type(f"{op.name}_{'mean' if is_mean else 'sum'}_grad", (), body), is_elementwise=False)
    made.is_fast = False
    make_calls(made)
    return made, tuple([tensors.index(name) for name in held])
