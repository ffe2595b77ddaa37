"""The writer of ONNX files: removes unused nodes, folds constants, names values, and creates the model with `onnx`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import MissingPackageError

from ._nodes import Body, Node, all_nodes, bodies_of, element_type, renamed, with_bodies

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from facula_storage import DType

    from ._nodes import Builder, Shape

    Declared = tuple[str, DType, Shape]

MAY_LACK = ("GRU", "LSTM", "MaxPool", "RNN")  # nodes with optional trailing results
SMALL = 1 << 10  # maximum number of elements of folded and shared constants


def onnx_package() -> ModuleType:
    """Return the `onnx` package; raise ImportError with a remedy if it is not installed."""
    try:
        return import_module("onnx")
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise MissingPackageError(
            "onnx.export: the package onnx, which writes the file, is missing; install it with: pip install onnx"
        ) from error


def without_unused(nodes: Sequence[Node], wanted: Sequence[str]) -> list[Node]:
    """Return the nodes that are required for these results; unused trailing results are omitted."""
    needed, kept = set(wanted), []
    for node in reversed(nodes):
        outputs = list(node.outputs)
        while outputs and outputs[-1] not in needed:
            outputs.pop()
        if outputs:
            node = node._replace(outputs=tuple(outputs) if node.op_type in MAY_LACK else node.outputs)
            node = with_bodies(node, lambda body: body._replace(nodes=tuple(without_unused(body.nodes, body.outputs))))
            kept.append(node)
            for inner in all_nodes([node]):
                needed.update(inner.inputs)
    return kept[::-1]


def with_shared_constants(b: Builder) -> None:
    """Merge small constants that are equal."""
    first: dict[tuple[Any, ...], str] = {}
    same: dict[str, str] = {}
    for name, constant in b.constants.items():
        value = constant.value
        if value.size <= SMALL:
            same[name] = first.setdefault((value.dtype, value.shape, value.tobytes()), name)
    b.nodes = [renamed(node, same) for node in b.nodes]


def fold(b: Builder) -> None:
    """Compute small values that depend only on constants; parameters are not folded, so that they keep their names."""
    b.nodes = _folded(b, b.nodes)


def _folded(b: Builder, nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that must be computed when the file is used."""
    evaluator = import_module("onnx.reference").ReferenceEvaluator
    kept = []
    for node in nodes:
        if bodies_of(node):
            kept.append(with_bodies(node, lambda body: b.body(_folded(b, body.nodes), body.inputs, body.outputs)))
            continue
        given = {name: b.constants[name].value for name in node.inputs if name in b.constants}
        if len(given) < len([name for name in set(node.inputs) if name]) or not given:
            kept.append(node)
            continue
        made = evaluator(_proto(b, node), opsets={"": b.opset}).run(None, given)
        if sum([np.size(array) for array in made]) > SMALL:
            kept.append(node)
            continue
        for name, value in zip(node.outputs, made, strict=True):
            first = next(iter(given))
            b.constants[name] = b.constants[first]._replace(value=np.asarray(value))
    return kept


def with_output_names(b: Builder, made: Sequence[str], names: Sequence[str]) -> None:
    """Rename results to these names, with copies where a node cannot be renamed."""
    given = {name for node in b.nodes for name in node.outputs}
    other: dict[str, str] = {}
    copies = []
    for old, new in zip(made, names, strict=True):
        if old in given and old not in other:
            other[old] = new
        else:
            copies.append((old, new))
    b.nodes = [
        renamed(node, other)._replace(outputs=tuple([other.get(tensor, tensor) for tensor in node.outputs]))
        for node in b.nodes
    ]
    for old, new in copies:
        b.nodes.append(Node("Identity", (other.get(old, old),), (new,), {}, new))


def model_of(b: Builder, name: str, inputs: Sequence[Declared], outputs: Sequence[Declared]) -> Any:
    """Return the model as a validated object of the `onnx` package.

    Arguments:
        b: the nodes.
        name: the name of the graph.
        inputs: names, dtypes and shapes; names in shapes represent dynamic sizes.
        outputs: the same for the results.
    """
    onnx = onnx_package()
    used = {tensor for node in all_nodes(b.nodes) for tensor in node.inputs}
    known = {**b.parameters, **{name: constant.value for name, constant in b.constants.items()}}
    graph = onnx.helper.make_graph(
        [_proto(b, node) for node in b.nodes],
        name,
        [_declared(*value) for value in inputs],
        [_declared(*value) for value in outputs],
        [onnx.numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)
         for name, value in known.items() if name in used],
    )  # fmt: skip
    versions = [onnx.helper.make_opsetid("", b.opset)]
    ir_version = onnx.helper.find_min_ir_version_for(versions)
    return onnx.helper.make_model(graph, opset_imports=versions, ir_version=ir_version, producer_name="facula")


def _proto(b: Builder, node: Node) -> Any:
    attributes = {
        key: _graph(b, attribute) if isinstance(attribute, Body) else attribute
        for key, attribute in node.attributes.items()
    }
    return onnx_package().helper.make_node(node.op_type, node.inputs, node.outputs, name=node.name, **attributes)


def _graph(b: Builder, body: Body) -> Any:
    """Return a body as an object of the `onnx` package."""
    ends = [[_declared(name, *b.values[name]) for name in names] for names in (body.inputs, body.outputs)]
    return onnx_package().helper.make_graph([_proto(b, node) for node in body.nodes], "body", *ends)


def _declared(name: str, dtype: DType, shape: Shape) -> Any:
    return onnx_package().helper.make_tensor_value_info(name, element_type(dtype), list(shape))
