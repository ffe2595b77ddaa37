"""Graphs of captured functions as TensorBoard's graphs, whose nodes are grouped by the slashes in their names."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from facula_jit import capture
from facula_nn import Module
from facula_tensor import no_grad

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    from facula_jit import Graph


def graph_of(model: Any, arguments: Any) -> Graph:
    """Capture one call, with modules in evaluation mode and without gradients, and return its graph."""
    captured = capture(model, on_break="error", passes=())
    modules = list(model.modules()) if isinstance(model, Module) else []
    training = [module.training for module in modules]
    try:
        if modules:
            model.eval()
        with no_grad():
            captured(*(arguments if isinstance(arguments, tuple) else (arguments,)))
    finally:
        for module, mode in zip(modules, training, strict=True):
            module.training = mode
    return captured.graph()


def graph_def(graph: Graph) -> GraphDef:
    """Convert a graph: a node for each argument, parameter, operator and result."""
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    found = GraphDef(versions={"producer": 22})
    counts: dict[str, int] = defaultdict(int)
    made_by: dict[str, str] = {}  # the node of each value's present contents

    def add(name: str, operator: str, inputs: list[str], layouts: list[Any], **attributes: object) -> str:
        counts[name] += 1
        name = name if counts[name] == 1 else f"{name}_{counts[name] - 1}"
        node = found.node.add(name=name, op=operator, input=dict.fromkeys(inputs))
        shapes = node.attr["_output_shapes"].list.shape
        for layout in layouts:
            shapes.add(dim=[{"size": size} for size in layout.shape])
        for key, value in attributes.items():
            node.attr[key].s = str(value).encode()
        return name

    def source_of(use: Any) -> str:
        value = use.value
        if value.name not in made_by:
            layout = value.layout or use.layout
            is_own = value.kind == "own"
            name = value.name.replace(".", "/") if is_own else f"input/{value.name}"
            made_by[value.name] = add(
                name, "Parameter" if is_own else "Placeholder", [], [layout], dtype=layout.dtype.name
            )
        return made_by[value.name]

    for call in graph.calls:
        inputs = [source_of(use) for use in call.inputs if hasattr(use, "value")]
        inputs += [made_by[use.value.name] for use in call.outputs if use.value.name in made_by]  # changed in place
        layouts = [use.layout for use in call.outputs if use.layout is not None]
        dtypes = ", ".join(layout.dtype.name for layout in layouts)
        name = "/".join([*(call.module.split(".") if call.module else []), call.operator])
        name = add(name, call.operator, inputs, layouts, parameters=call.parameters, line=call.line, dtype=dtypes)
        made_by.update((use.value.name, name) for use in call.outputs)
    for value in graph.values:
        if value.kind == "result" and value.name in made_by:
            add(f"output/{value.name}", "Result", [made_by[value.name]], [value.layout] if value.layout else [])
    return found
