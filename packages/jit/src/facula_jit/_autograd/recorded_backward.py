"""Gradients across the boundary: a result that requires a gradient has one node, whose backward pass is captured, too.

Note [Saved sets]
~~~~~~~~~~~~~~~~~
The values that the captured forward pass saves for its backward pass are in the memory of the replay. This memory must
not be reused while the node of a result may still run. The node therefore holds a lease, and a replay only uses memory
without a live lease, or allocates new memory. Saved blocks keep their places until the end of the backward pass, so
that `retain_graph` may run it again.
"""

from __future__ import annotations

from gc import get_referents
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd import grad
from facula_autograd.extend.functions import FunctionContext
from facula_autograd.extend.graphs import walk
from facula_autograd.extend.hooks import WrappedRule
from facula_autograd.extend.nodes import LEAF, OUTPUT, Node, Rule, edge_to, edges_of
from facula_autograd.extend.values import adapter_of
from facula_storage import Storage
from facula_storage.extend.memory import root_of
from facula_tensor import Tensor, ones
from facula_tensor.extend.declaring import SavedTensors, no_record_ops

from .._recording.records import Gradient, Pass, RecordedBackward
from .._recording.signature import tensors_in
from .nested_graphs import NestedGraphs, stopped_at
from .side_effects import SideEffects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._recording.recorder import Recorder


REMEDY = "call backward() inside the captured function"
ONE_OF_SEVERAL = object()  # `extra` of the rules that pass on the gradient of one result
MAX_DEPTH = 5  # nesting depth at which a node may save tensors


def record_backward(recorder: Recorder, result: Any) -> RecordedBackward | None:
    """Record the backward pass of a result by running it once; return None if no gradient can be requested."""
    roots = differentiable_in(result, recorder.inputs)
    if recorder.breaks is not None or not roots:
        return None
    leaves = [
        tensor for link in recorder.tensors.values() if (tensor := link()) is not None and tensor.node is not None
    ]
    reached = _leaves_of(roots, recorder.inputs)
    for tensor in reached:
        recorder.watch_tensor(tensor)
    returned = {id(tensor) for tensor in tensors_in(result)} - recorder.known_inputs.keys()
    blocks = [recorder.block_of(tensor._storage) for tensor in reached if id(tensor) in returned]
    if any([block.is_new or block.inputs for block in blocks]):
        recorder.broken("a gradient of a result flows to another result, a leaf that the function creates", REMEDY)
        return None
    leaves += [tensor for tensor in reached if not recorder.block_of(tensor._storage).is_new]
    targets = list({id(tensor): tensor for tensor in recorder.inputs if tensor.node is not None}.values())
    targets += {id(leaf): leaf for leaf in leaves if not any([leaf is other for other in targets])}.values()
    if not targets:
        recorder.wait("the result requires gradients only of tensors that the function creates")
        return None
    for tensor in targets:
        if tensor.node is LEAF and tensor.hooks is not None:  # even empty ones: hooks may be added after the call
            recorder.broken(f"hooks read the gradient of a tensor of shape {tuple(tensor.shape)}", REMEDY)
            return None
    if _is_hooked(recorder, roots, targets):
        return None
    with recorder.unrecorded():
        gradients = [ones(tuple(root.shape), dtype=root.dtype, device=root.device) for root in roots]
    made = RecordedBackward(len(recorder.launches), roots, targets, gradients)
    for tensor in gradients:
        recorder.add_input(tensor)
    effects = SideEffects(recorder, roots)
    recorder.is_backward = True  # the tensors that it reads belong to the graph
    try:
        with stopped_at(targets):  # the graph behind an argument belongs to the caller
            _record_pass(recorder, made, slice(None))
            for place in range(len(roots) if len(roots) > 1 else 0):
                _record_pass(recorder, made, slice(place, place + 1))
    except Exception as error:
        recorder.is_backward = False  # the pass has ended, so that a break need not raise
        recorder.broken(f"its backward raises {type(error).__name__}: {error}", "call it where this is expected")
    finally:
        recorder.is_backward = False
        if words := effects.restore():
            recorder.broken(f"its backward pass changes {words}, where a replay would not", REMEDY)
    if recorder.breaks is not None:
        return None
    made.saved = _storages_of(roots)
    return made


def _record_pass(recorder: Recorder, boundary: RecordedBackward, which: slice) -> None:
    """Record the pass of some roots; all of its gradients are separate tensors."""
    start, seen, grads = len(recorder.launches), set(), []
    found = grad(
        boundary.roots[which], boundary.targets, boundary.gradients[which], retain_graph=True, allow_unused=True
    )
    for gradient in found:
        if gradient is not None:
            block = recorder.block_of(gradient._storage)
            if id(block) in seen or not block.is_new or block.after < start:
                gradient = no_record_ops.clone(gradient)
                block = recorder.block_of(gradient._storage)
            seen.add(id(block))
        grads.append(
            None
            if gradient is None
            else Gradient(recorder.number_of(gradient._storage), gradient._layout, gradient._offset)
        )
    boundary.passes.append(Pass(start, len(recorder.launches), grads))


def _is_hooked(recorder: Recorder, roots: Sequence[Tensor], ends: Sequence[Tensor]) -> bool:
    """Return True if a backward pass from results to the `ends` calls hooks of the program, which breaks the
    capture.
    """
    for module, _ in recorder.modules.values():
        tables = getattr(module, "_hooks", None) or {}
        if tables.get("backward") or tables.get("backward_pre"):
            recorder.broken(f"backward hooks of a {type(module).__name__} read gradients", REMEDY)
            return True
    for node in walk(map(edge_to, roots), map(edge_to, ends)).values():
        around = node.rule.extra
        if type(around) is WrappedRule and around.watchers():
            recorder.broken(f"hooks read the gradient of {node.name()}", REMEDY, (node.code, node.lasti))
            return True
    return False


def differentiable_in(result: Any, given: Sequence[Tensor]) -> list[Tensor]:
    """Return the tensors of a result from which a backward pass could start, except arguments."""
    found = {id(tensor): tensor for tensor in tensors_in(result)}
    arguments = {id(tensor) for tensor in given}
    return [tensor for key, tensor in found.items() if key not in arguments and is_differentiable(tensor)]


def _leaves_of(roots: Sequence[Tensor], arguments: Sequence[Tensor]) -> list[Tensor]:
    """Return the leaves that a graph reaches without passing through the arguments."""
    nodes = walk(map(edge_to, roots), map(edge_to, arguments))
    leaves = {id(edge): edge for node in nodes.values() for edge in edges_of(node) if isinstance(edge, Tensor)}
    return list(leaves.values())


def is_differentiable(tensor: Tensor) -> bool:
    """Return True if a backward pass could start from this tensor without reaching a freed node."""
    nodes = walk([edge_to(tensor)])
    return bool(nodes) and all([node.rule.name != "freed" for node in nodes.values()])


def _storages_of(roots: Sequence[Tensor]) -> set[int]:
    """Return the ids of the storages that a graph saves."""
    saved: set[int] = set()
    adapter = adapter_of(roots[0])
    nodes = walk(map(edge_to, roots))
    kept = [getattr(node, "rest", None) for node in nodes.values()]
    inner = [graph for rest in kept if isinstance(rest, NestedGraphs) for graph in rest.graphs()]
    if inner:
        saved |= _storages_of(inner) | {id(root_of(tensor._storage)) for tensor in inner}
    for node in nodes.values():
        values: list[Any] = [value for value, _ in adapter.saved_values(node)]
        values += [getattr(node, name, None) for name in ("s0", "s1", "rest")]
        values.append(node.rule.extra)
        for _ in range(MAX_DEPTH):  # a Function's context, its saved values, their entries
            further: list[Any] = []
            for part in values:
                if isinstance(part, (Tensor, Storage)):
                    saved.add(id(root_of(part._storage if isinstance(part, Tensor) else part)))
                elif isinstance(part, (tuple, list, dict, FunctionContext, SavedTensors)):
                    further += get_referents(part)
            values = further
    return saved


class FrameLease:
    """The references that a node of a replay holds until it has run or is deleted."""

    __slots__ = ("__weakref__", "edges", "frame", "inputs", "outputs", "replay", "results", "rng_values", "versions")

    edges: list[Any]
    results: list[ref[Node]]  # the nodes of several results
    versions: list[int | None]

    def __init__(
        self, replay: Any, frame: Any, inputs: tuple[Tensor, ...], outputs: list[Storage], rng_values: list[int]
    ):
        self.replay, self.frame, self.inputs, self.outputs, self.rng_values = replay, frame, inputs, outputs, rng_values


def make_rule(name: str, roots: int) -> Rule:
    """Return the rule for the nodes of a replay's results. It does not reference replays, which reference it.

    Arguments:
        name: the name of the function.
        roots: the number of results; each of several results may have a separate backward pass.
    """

    def backward(F: Any, node: Node, gradients: Any) -> Any:
        lease: FrameLease = node.rest
        given = gradients if isinstance(gradients, list) else [gradients]
        found = lease.replay.run_backward(lease, given, F is not no_record_ops)
        if roots > 1:
            release(node, lease)
        return [
            (edge, gradient)
            for edge, gradient in zip(lease.edges, found, strict=True)
            if edge is not None and gradient is not None
        ]

    return Rule(f"captured {name}", backward, True, roots == 1, lambda node: node.rest.edges)


def make_output_rule(name: str) -> Rule:
    """Return the rule for the nodes of single results among several, each of which is freed separately."""
    return Rule(f"captured {name}", OUTPUT.backward, True, True, extra=ONE_OF_SEVERAL)


def main_of(edge: Any) -> Node | None:
    """Return the node of a replay's results for an edge, which may lead to the node of a single result."""
    if type(edge) is not Node:
        return None
    return edge.e0 if edge.rule.extra is ONE_OF_SEVERAL else edge  # type: ignore[return-value]


def free(node: Node, freed: Rule) -> None:
    """Free a node, like the engine after it has run."""
    node.rule, node.s0, node.s1, node.rest = freed, node.rule, None, None


def release(node: Node, lease: FrameLease) -> None:
    """Free the node of several results after each of their nodes has been freed or deleted."""
    left = [owner.rule for link in lease.results if (owner := link()) is not None]
    if left and all([rule.name == "freed" for rule in left]):
        free(node, left[0])


def edges_to(targets: Sequence[Tensor]) -> list[Any]:
    """Return the present edges of these tensors."""
    return [edge_to(target) for target in targets]
