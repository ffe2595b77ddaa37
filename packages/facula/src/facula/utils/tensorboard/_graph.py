"""Graphs of captured functions as TensorBoard's graphs, whose nodes are grouped by the slashes in their names."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from facula_errors import CorruptFileError, FileError, MissingPackageError
from facula_jit import Traced
from facula_nn import Module
from facula_tensor import no_grad

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorboard.compat.proto.graph_pb2 import GraphDef

    from facula_jit import Graph


def graph_of(model: Any, arguments: Any) -> Graph:
    """Trace one call, with modules in evaluation mode and without gradients, and return its graph."""
    traced = Traced(model, "error", ())
    modules = list(model.modules()) if isinstance(model, Module) else []
    training = [module.training for module in modules]
    try:
        if modules:
            model.eval()
        with no_grad():
            traced(*(arguments if isinstance(arguments, tuple) else (arguments,)))
    finally:
        for module, mode in zip(modules, training, strict=True):
            module.training = mode
    return traced.graph()


class _Nodes:
    """Nodes of a TensorBoard graph; names that occur again get a number."""

    def __init__(self) -> None:
        from tensorboard.compat.proto.graph_pb2 import GraphDef

        self.graph = GraphDef(versions={"producer": 22})
        self._counts: dict[str, int] = defaultdict(int)

    def add(
        self, name: str, operator: str, inputs: Iterable[str], shapes: Iterable[Iterable[int]], **attributes: object
    ) -> str:
        """Add a node and return its name."""
        self._counts[name] += 1
        name = name if self._counts[name] == 1 else f"{name}_{self._counts[name] - 1}"
        node = self.graph.node.add(name=name, op=operator, input=dict.fromkeys(inputs))
        for shape in shapes:
            node.attr["_output_shapes"].list.shape.add(dim=[{"size": size} for size in shape])
        for key, value in attributes.items():
            node.attr[key].s = str(value).encode()
        return name


def graph_def(graph: Graph) -> GraphDef:
    """Convert a graph: a node for each argument, parameter, operator and result."""
    nodes = _Nodes()
    made_by: dict[str, str] = {}  # the node of each value's present contents

    def source_of(use: Any) -> str:
        value = use.value
        if value.name not in made_by:
            layout = value.layout or use.layout
            is_own = value.kind == "own"
            name = value.name.replace(".", "/") if is_own else f"input/{value.name}"
            operator = "Parameter" if is_own else "Placeholder"
            made_by[value.name] = nodes.add(name, operator, [], [layout.shape], dtype=layout.dtype.name)
        return made_by[value.name]

    for call in graph.calls:
        inputs = [source_of(use) for use in call.inputs if hasattr(use, "value")]
        inputs += [made_by[use.value.name] for use in call.outputs if use.value.name in made_by]  # changed in place
        layouts = [use.layout for use in call.outputs if use.layout is not None]
        dtypes = ", ".join(layout.dtype.name for layout in layouts)
        name = "/".join([*(call.module.split(".") if call.module else []), call.operator])
        shapes = [layout.shape for layout in layouts]
        name = nodes.add(name, call.operator, inputs, shapes, parameters=call.parameters, line=call.line, dtype=dtypes)
        made_by.update((use.value.name, name) for use in call.outputs)
    for value in graph.values:
        if value.kind == "result" and value.name in made_by:
            shapes = [value.layout.shape] if value.layout else []
            nodes.add(f"output/{value.name}", "Result", [made_by[value.name]], shapes)
    return nodes.graph


def onnx_graph_def(operation: str, path: str) -> GraphDef:
    """Convert the graph of an ONNX file: a node for each input, initializer, operator and output.

    Raises:
        ImportError: the package onnx is missing.
        OSError: the file cannot be read.
        ValueError: the file is not an ONNX file.
    """
    try:
        onnx = import_module("onnx")
    except ModuleNotFoundError as error:
        text = f"{operation}: the package onnx, which reads the file, is missing; install it with: pip install onnx"
        raise MissingPackageError(text) from error
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise FileError(error.errno, f"{operation}: {error.strerror}; check the path", path) from None
    except Exception as error:  # of protobuf, whose implementations have no common class of errors
        raise CorruptFileError(operation, path, "", f"expected an ONNX file; {error}", "check the path") from None
    if not model.graph.node:
        raise CorruptFileError(
            operation, path, "", "expected an ONNX file; got one without operators", "check the path"
        )
    graph, nodes = model.graph, _Nodes()
    shapes = {
        value.name: [dim.dim_value if dim.HasField("dim_value") else -1 for dim in value.type.tensor_type.shape.dim]
        for value in [*graph.input, *graph.value_info, *graph.output]
    }
    made_by = {
        weight.name: nodes.add(weight.name.replace(".", "/"), "Parameter", [], [weight.dims])
        for weight in graph.initializer
    }
    for value in graph.input:
        if value.name not in made_by:
            made_by[value.name] = nodes.add(f"input/{value.name}", "Placeholder", [], [shapes[value.name]])
    for call in graph.node:
        inputs = [made_by[name] for name in call.input if name in made_by]
        outputs = [shapes[name] for name in call.output if name in shapes]
        given = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in call.attribute}
        name = nodes.add(call.name.strip("/") or call.op_type, call.op_type, inputs, outputs, parameters=given)
        made_by.update((output, name) for output in call.output)
    for value in graph.output:
        if value.name in made_by:
            nodes.add(f"output/{value.name}", "Result", [made_by[value.name]], [shapes[value.name]])
    return nodes.graph
