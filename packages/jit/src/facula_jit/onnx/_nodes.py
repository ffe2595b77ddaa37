"""The parts of an ONNX graph before the `onnx` package writes it: nodes, constants, and a builder of both."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from facula_errors import FaculaError
from facula_errors.extend import guarded
from facula_storage import bool_, float16, float32, float64, int8, int16, int32, int64, uint8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from facula_storage import DType

    Shape: TypeAlias = Sequence[int | str | None]

# Values of TensorProto.DataType, which are fixed by the format.
ELEMENT_TYPES = {float32: 1, uint8: 2, int8: 3, int16: 5, int32: 6, int64: 7, bool_: 9, float16: 10, float64: 11}
NUMPY_TYPES = {dtype.numpy.name: number for dtype, number in ELEMENT_TYPES.items() if dtype.numpy is not None}


class OnnxExporterError(FaculaError, RuntimeError):
    """A model performs an operation without an ONNX node here, or one that a file cannot represent."""


def element_type(dtype: DType) -> int:
    """Return ONNX's number for a dtype; raise OnnxExporterError if runtimes do not compute in it."""
    if dtype not in ELEMENT_TYPES:
        raise OnnxExporterError(f"{dtype.name} has no kernels in ONNX runtimes; convert to float32, as .float() does")
    return ELEMENT_TYPES[dtype]


def widened(dtype: DType) -> DType:
    """Return a dtype that most nodes support instead of one that few do: int32 for bools and narrower integers."""
    return int32 if dtype in (bool_, uint8, int8, int16) else dtype


class Node(NamedTuple):
    """One ONNX node: its type, the names of its operands ("" for omitted ones) and results, its attributes."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    name: str


class Body(NamedTuple):
    """A subgraph in an attribute of a node: a branch of a condition, or the body of a loop.

    Attributes:
        nodes: its nodes, which may read values computed before the node.
        inputs: the names of the inputs of each iteration.
        outputs: the names of its results.
    """

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def bodies_of(node: Node) -> list[Body]:
    """Return the bodies among a node's attributes."""
    return [attribute for attribute in node.attributes.values() if isinstance(attribute, Body)]


def with_bodies(node: Node, function: Callable[[Body], Body]) -> Node:
    """Return the node with its bodies replaced."""
    made = {
        key: function(attribute) if isinstance(attribute, Body) else attribute
        for key, attribute in node.attributes.items()
    }
    return node._replace(attributes=made)


def all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    """Generate nodes, including those in their bodies."""
    for node in nodes:
        yield node
        for body in bodies_of(node):
            yield from all_nodes(body.nodes)


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """Return a node with renamed operands, also in its bodies."""

    def inside(body: Body) -> Body:
        outputs = tuple([names.get(tensor, tensor) for tensor in body.outputs])
        return body._replace(nodes=tuple([renamed(child, names) for child in body.nodes]), outputs=outputs)

    return with_bodies(node._replace(inputs=tuple([names.get(tensor, tensor) for tensor in node.inputs])), inside)


class Constant(NamedTuple):
    """A value that is known at export, and a description of its purpose."""

    value: np.ndarray
    purpose: str


class Builder:
    """A builder that appends nodes and names their results.

    `nodes` are in the order in which they run; `parameters` and `constants` are known before. `values` contains the
    dtypes and shapes of inputs and results of bodies. `module` and `purpose` describe the operation that is being
    exported, and are attached to each node and constant.

    Arguments:
        opset: the version of the operators.
        taken: names that values must not have.
    """

    def __init__(self, opset: int, taken: Iterable[str]):
        self.opset, self.taken = opset, set(taken)
        self.nodes: list[Node] = []
        self.parameters: dict[str, np.ndarray] = {}
        self.constants: dict[str, Constant] = {}
        self.values: dict[str, tuple[DType, Shape]] = {}
        self.module = self.purpose = ""
        self._counts: Counter[str] = Counter()

    def name(self, kind: str) -> str:
        """Return an unused name."""
        while True:
            self._counts[kind] += 1
            name = f"{kind}_{self._counts[kind]}"
            if name not in self.taken:
                return name

    def add(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        """Append a node with one result, and return its name."""
        return self.add_many(op_type, *inputs, results=1, **attributes)[0]

    def add_many(self, op_type: str, *inputs: str, results: int, **attributes: Any) -> tuple[str, ...]:
        """Append a node with several results, and return their names. Omitted trailing inputs are "" or missing."""
        number = self.name(op_type)
        taken = list(inputs)
        while taken and not taken[-1]:
            taken.pop()
        made = tuple([number if results == 1 else f"{number}_{place}" for place in range(results)])
        node_name = f"{self.module}/{number}" if self.module else number
        self.nodes.append(Node(op_type, tuple(taken), made, attributes, node_name))
        return made

    @guarded
    def within(self, nodes: list[Node]) -> Iterator[None]:
        """Return a context manager in which nodes are appended to this list."""
        outer, self.nodes = self.nodes, nodes
        try:
            yield
        finally:
            self.nodes = outer

    def body(self, nodes: Sequence[Node], inputs: Sequence[str], outputs: Sequence[str]) -> Body:
        """Return a body in which each result is computed by a separate node.

        Arguments:
            nodes: its nodes.
            inputs: the names of its inputs.
            outputs: its results; `values` contains their dtypes and shapes.
        """
        made = {name for node in nodes for name in node.outputs}
        copies: list[Node] = []
        names: list[str] = []
        for name in outputs:
            if name not in made or name in names:
                copy = self.name("Identity")
                copies.append(Node("Identity", (name,), (copy,), {}, copy))
                self.values[copy], name = self.values[name], copy
            names.append(name)
        return Body((*nodes, *copies), tuple(inputs), tuple(names))

    def is_known(self, name: str) -> bool:
        """Return True if a value is known before any node runs."""
        return name in self.constants or name in self.parameters

    def constant(self, value: np.ndarray | np.generic) -> str:
        """Return the name of a new constant."""
        name = self.name("constant")
        self.constants[name] = Constant(np.asarray(value), self.purpose)
        return name

    def integers(self, *numbers: int) -> str:
        """Return a one-dimensional constant, such as a shape or axes."""
        return self.constant(np.array(numbers, np.int64))

    def number(self, value: complex, dtype: DType) -> str:
        """Return a constant without dimensions."""
        element_type(dtype)
        return self.constant(np.array(value).astype(dtype.numpy))

    def constant_of(self, name: str) -> float | None:
        """Return the number that a name represents; None if it is computed, or has dimensions."""
        found = self.constants.get(name)
        return found.value.item() if found is not None and found.value.shape == () else None

    # -------------------------------------------------------------------------------------------------- shorthands
    def cast(self, name: str, dtype: DType, given: DType | None = None) -> str:
        """Return the value in another dtype; unchanged if `given` is the same."""
        return name if given is dtype else self.add("Cast", name, to=element_type(dtype))

    def reshape(self, name: str, shape: Sequence[int]) -> str:
        """Return the value in another shape."""
        return self.add("Reshape", name, self.integers(*shape), allowzero=int(0 in shape))

    def slice(self, name: str, axis: int, start: int, stop: int, step: int = 1) -> str:
        """Return a slice along an axis."""
        return self.add("Slice", name, *map(self.integers, (start, stop, axis, step)))

    def reduce(self, op_type: str, name: str, axes: Sequence[int], keepdim: bool) -> str:
        """Return a reduction over some axes."""
        return self.add(op_type, name, self.integers(*axes), keepdims=int(keepdim), noop_with_empty_axes=1)
