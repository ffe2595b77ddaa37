"""Conversion of a recorded model to ONNX nodes: operators by a table, memory to values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.nodes import describe_call_site
from facula_storage import float64
from facula_storage.extend.memory import root_of
from facula_tensor import Tensor
from facula_tensor.extend.declaring import operators, program_of

from .._recording.records import Address
from ._control_flow import convert_either, convert_repeat
from ._converters import attention as _attention
from ._converters import convolution as _convolution
from ._converters import elementwise as _elementwise
from ._converters import indexing as _indexing
from ._converters import linalg as _linalg
from ._converters import normalization as _norms
from ._converters import pooling as _pooling
from ._converters import rearrangement as _moves
from ._converters import recurrent as _recurrent
from ._converters import reductions as _reductions
from ._converters import resampling as _resampling
from ._converters.elementwise_programs import EXPRESSIONS, run_program
from ._converters.refusals import reason_for
from ._converters.table import Call, converters
from ._memory import Memory, Parameter
from ._nodes import Builder, OnnxExporterError
from ._regions import Either, Repeat, used_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout
    from facula_storage.extend.plans import Program

    from ._regions import Part, Step
    from ._trace import Trace

MODULES = (
    _attention, _convolution, _elementwise, _indexing, _linalg, _moves, _norms, _pooling, _recurrent, _reductions,
    _resampling,
)  # fmt: skip
IN_PLACE = ("put", "scatter")  # kernels that leave part of their result unchanged


class Converted(NamedTuple):
    """A model as nodes, with the names and layouts of its results."""

    b: Builder
    outputs: list[tuple[str, Layout]]


def convert(trace: Trace, opset: int, input_names: Sequence[str], results: Sequence[Tensor]) -> Converted:
    """Return the nodes of a model. OnnxExporterError names the first operator without a node, and its line.

    Arguments:
        trace: the recorded model.
        opset: the version of ONNX's operators.
        input_names: the names of its tensor arguments.
        results: the tensors that it returned.
    """
    modules, parameters = _names_of(trace, input_names)
    b = Builder(opset, [*input_names, *[one.name for known in parameters.values() for one in known]])
    memory = Memory(b, trace.blocks, parameters)
    for name, given in zip(input_names, trace.inputs, strict=True):
        memory.write(given, name)
    _convert_parts(memory, modules, trace.parts, {trace.address_of(one).block for one in results})
    b.module, b.purpose = "", "a result"
    try:
        return Converted(b, [(memory.read(trace.address_of(one)), one._layout) for one in results])
    except OnnxExporterError as error:
        raise OnnxExporterError(f"onnx.export: a result: {error}") from None


def _convert_parts(memory: Memory, modules: dict[int, str], parts: Sequence[Part], behind: set[int]) -> None:
    """Append the nodes of operators, conditions and loops.

    Arguments:
        memory: the values.
        modules: the paths of modules, by id.
        parts: the parts to convert.
        behind: the blocks that are used after them.
    """
    convert = partial(_convert_parts, memory, modules)
    for number, part in enumerate(parts, 1):
        if isinstance(part, Either):
            convert_either(memory, part, behind | used_in(parts[number:]), convert)
        elif isinstance(part, Repeat):
            convert_repeat(memory, part, behind | used_in(parts[number:]), convert)
        else:
            line = describe_call_site(*part.site)
            memory.b.module, memory.b.purpose = modules.get(id(part.module), ""), f"{part.name} (at {line})"
            try:
                _convert(memory, part)
            except OnnxExporterError as error:
                where = f"at {line}, in {memory.b.module}" if memory.b.module else f"at {line}"
                raise OnnxExporterError(f"onnx.export: {part.name}: {error} ({where})") from None


def _convert(memory: Memory, step: Step) -> None:
    """Append the nodes of one operator."""
    for one in step.results:
        block = memory.blocks[one.block]
        if not block.is_new and not block.inputs:
            own = [known.name for known in memory.parameters.get(id(block.storage), ())]
            whose = f"the model's {own[0]}" if own else "a tensor of the program's"
            raise OnnxExporterError(
                f"changes {whose}, which a file cannot; call model.eval() first, or return the new value"
            )
    operands = step.operands
    if step.name in IN_PLACE:
        operands = (step.results[0], *operands)
    names: list[str | float | None] = [memory.read(one) if isinstance(one, Address) else one for one in operands]
    layouts = [one.layout if isinstance(one, Address) else None for one in operands]
    made_as = [one.layout for one in step.results if one.layout is not None]
    call = Call(step.name, step.parameters, names, layouts, made_as, step.numbers)
    made = _nodes_of(memory.b, call, None if isinstance(step.kernel, str) else step.kernel)
    for one, name in zip(step.results, [made] if isinstance(made, str) else made, strict=True):
        if name is None:
            memory.mark_unreadable(
                one.block, "reads a value that a kernel saves for a backward pass, which no node has"
            )
        else:
            memory.write(one, name)


def _nodes_of(b: Builder, call: Call, program: Program | None) -> str | Sequence[str | None]:
    """Return the names of an operator's results, from the table or from its program."""
    converter, known = converters.get(call.operator), operators.get(call.operator)
    if converter is None and known is not None and isinstance(known.kernel, str) and known.kernel in converters:
        converter, call = converters[known.kernel], call._replace(operator=known.kernel)
    is_double = any([one is not None and one.dtype is float64 for one in call.layouts])
    is_another = known is None or known.program is not program  # a program with the name of an operator or kernel
    # for float64, too, which few nodes of runtimes support
    by_program = program is not None and (converter is None or is_another or is_double)
    by_program |= is_double and call.operator in EXPRESSIONS
    made = "" if by_program or converter is None else converter(b, call)
    if not made and known is not None and known.has_kernel and known.value is not None:
        program = program or program_of(known)
    if not made and program is not None:
        return run_program(b, call, program)
    if not made:
        raise OnnxExporterError(reason_for(call.operator))
    return made


def _names_of(trace: Trace, input_names: Sequence[str]) -> tuple[dict[int, str], dict[int, list[Parameter]]]:
    """Return the paths of modules by id, and the names of their tensors by the id of their storage.

    If an input or an earlier tensor has the same name, the class of the module and a number are prepended.
    """
    paths: dict[int, str] = {}
    found: dict[int, list[Parameter]] = {}
    taken = set(input_names)
    for module, _ in trace.recorder.modules.values():
        if id(module) in paths:
            continue
        for path, part in module.named_modules():
            paths.setdefault(id(part), path)
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            unique = name if name not in taken else f"{type(module).__name__}{len(taken)}.{name}"
            taken.add(unique)
            storage: Any = root_of(tensor._storage)
            found.setdefault(id(storage), []).append(Parameter(unique, tensor._layout, tensor._offset))
    return paths, found
