"""`cond` inside `capture`: both functions are recorded, and each replay runs one.

Note [Conditions]
~~~~~~~~~~~~~~~~~
The condition is converted to a separate float32. The function that it does not select is run dry (Note [Dry runs]); the
other one then runs. Both end with copies of their results into shared memory, and each replay skips the launches of one
of them. If gradients are required, each function runs on leaves of its own, so that its graph ends there. The results
get one node, whose backward pass is again a condition: it runs through one of the two graphs. Higher derivatives are
recorded in the same way.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd import grad, is_grad_enabled
from facula_autograd.extend.modes import replace_mode
from facula_autograd.extend.nodes import Node, Rule, edge_to, edges_of, next_seq, output_node
from facula_storage import Storage, cpu, float32
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor, empty, zeros
from facula_tensor.extend.declaring import no_record_ops
from facula_tensor.extend.recording import user_site

from .._autograd.nested_graphs import NestedGraphs, stopped_at
from .._recording.graph_breaks import CaptureError
from .._recording.records import Address, Skip
from .._recording.snapshots import MAX_ENTRIES
from .._source.closures import variables_of
from .dry_run import Branch, DryRunAborted
from .operands import Leaves, check_agree, leaves_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._recording.recorder import Recorder

NAMES = ("true_fn", "false_fn")


class Side(NamedTuple):
    """The outcome of one of the two functions: its results, and the tensors at which their graph ends."""

    results: Leaves
    ends: list[Tensor]


class Pred(NamedTuple):
    """A condition of a capture: a separate float32, and the index of the function that it selects in this run."""

    number: Tensor
    taken: int

    @classmethod
    def of(cls, recorder: Recorder, pred: Tensor) -> Pred:
        """Return the condition for a tensor with one bool element."""
        with replace_mode(grad=False):
            number = pred.detach().reshape(()).to(float32)
        return cls(number, 0 if recorder.holds(number._storage, number._offset) else 1)

    def address(self, recorder: Recorder) -> Address:
        """Return the address at which replays read it."""
        return Address(recorder.number_of(self.number._storage), self.number._offset, None, False)


def can_record(recorder: Recorder, operation: str, leaves: Sequence[object]) -> bool:
    """Return True if control flow can be recorded here; otherwise break the capture.

    Arguments:
        recorder: the recorder.
        operation: the name of the operation.
        leaves: the leaves of its operands.
    """
    devices = {leaf.device for leaf in leaves if isinstance(leaf, Tensor)} - {cpu}
    if devices:
        recorder.broken(
            f"{operation}: its tensors are on '{devices.pop()}', where replays do not branch",
            "compute it on the CPU, or use where",
        )
        return False
    if any([isinstance(leaf, Tensor) and type(leaf._storage) is not Storage for leaf in leaves]):
        recorder.broken(
            f"{operation} of tensors that a transform of facula.func wraps reads an element",
            "use where(), or transform a function that is captured by itself",
        )
    return recorder.breaks is None


def record_cond(recorder: Recorder, pred: Tensor, functions: Sequence[Callable[..., Any]], given: Leaves) -> Any:
    """Record both functions, and return the results of the one that `pred` selects.

    Arguments:
        recorder: the recorder.
        pred: a tensor with one bool element.
        functions: the functions, that for True first.
        given: their operands.
    """
    chosen = Pred.of(recorder, pred)
    operands = [tensor for tensor in given.tensors() if tensor.node is not None] if is_grad_enabled() else []
    runs = [
        partial(_run, recorder, function, name, given, operands)
        for function, name in zip(functions, NAMES, strict=True)
    ]
    both = _run_both(recorder, chosen, runs)
    if both is None:
        result = functions[chosen.taken](*given.tree())
        leaves_of("cond", f"the result of {NAMES[chosen.taken]}", result)
        return result
    sides, branches, made = both
    ends: dict[int, Tensor] = {}
    for side, branch in zip(sides, branches, strict=True):
        ends.update(_extra_ends(recorder, branch, side))
    further = list(ends.values())
    sides = [side._replace(ends=[*side.ends, *further]) for side in sides]
    tensors = [leaf for leaf in made if isinstance(leaf, Tensor)]
    Choice(recorder, chosen, sides, [*operands, *further]).connect(tensors)
    return sides[0].results.tree(made)


def _run(recorder: Recorder, function: Callable[..., Any], name: str, given: Leaves, operands: list[Tensor]) -> Side:
    """Run one function, with new leaves in place of operands with a history."""
    own = _own_leaves(recorder, operands)
    recorder.branches.sees(closed_over(function))  # views of them may be created without calling an operator
    result = function(*given.tree([own.get(id(leaf), leaf) for leaf in given.leaves]))
    return Side(leaves_of("cond", f"the result of {name}", result), [own[id(operand)] for operand in operands])


def closed_over(function: object, depth: int = 4) -> list[Tensor]:
    """Return the tensors that a function can read from closures, also in tuples, lists and nested functions."""
    if isinstance(function, Tensor):
        return [function]
    parts = list(function) if isinstance(function, (tuple, list)) and len(function) <= MAX_ENTRIES else []
    parts += variables_of(function).values()
    return [found for part in parts for found in closed_over(part, depth - 1)] if depth else []


def _own_leaves(recorder: Recorder, tensors: list[Tensor]) -> dict[int, Tensor]:
    """Return a new leaf for each of these tensors, by the id of the tensor."""
    own = {id(tensor): tensor.detach().requires_grad_() for tensor in tensors}
    recorder.known_inputs.update({id(leaf): leaf for leaf in own.values()})
    return own


def _run_both(
    recorder: Recorder, chosen: Pred, runs: Sequence[Callable[[], Side]]
) -> tuple[list[Side], list[Branch], list[Any]] | None:
    """Return both sides, their branches, and the results that both write; None if the dry run broke the capture."""
    sides: dict[int, Side] = {}
    branches: dict[int, Branch] = {}
    made: list[Any] = []
    marks: list[Mark] = []
    for place in (1 - chosen.taken, chosen.taken):
        marks.append(Mark.of(recorder))
        first, is_dry = len(recorder.launches), place != chosen.taken
        branch = branches[place] = Branch(recorder, f"a function of cond ({NAMES[place]})", is_dry)
        try:
            with branch:
                side = sides[place] = runs[place]()
                branch.sees(side.results.tensors())
                if is_dry:
                    made = [_room_for(leaf) for leaf in side.results.leaves]
                else:
                    check_agree("cond", sides[0].results, sides[1].results)
                    made = _with_constants(recorder, made, side.results.leaves)
                for leaf, target in zip(side.results.leaves, made, strict=True):
                    if isinstance(leaf, Tensor):
                        write(target, leaf)
        except DryRunAborted as error:
            if error.branch is not branch:
                raise
        except Exception as error:
            if not is_dry or isinstance(error, CaptureError):
                raise
            recorder.broken(
                f"{NAMES[place]} of cond, which this call does not take, raises {type(error).__name__}: {error}",
                "let both functions run for all operands",
            )
        if is_dry and recorder.breaks is not None:
            return None
        skipped = Skip(first, len(recorder.launches) - first, chosen.address(recorder), at_zero=place == 0)
        recorder.has_control_flow = True
        if skipped.launches and recorder.breaks is None:
            recorder.skips.append(skipped)
    # the order of the program, independent of the branch that this call takes
    if chosen.taken == 0 and recorder.breaks is None:
        _swap(recorder, *marks)
    if branches[0].draws != branches[1].draws:
        recorder.broken(
            "the functions of cond draw different numbers of random values",
            "draw the values before, and pass them as operands",
        )
    return [sides[0], sides[1]], [branches[0], branches[1]], made


class Mark(NamedTuple):
    """A position in a recording: its numbers of launches and blocks."""

    launches: int
    blocks: int

    @classmethod
    def of(cls, recorder: Recorder) -> Mark:
        """Return the present position."""
        return cls(len(recorder.launches), len(recorder.blocks))


def _swap(recorder: Recorder, first: Mark, middle: Mark) -> None:
    """Move the launches from `middle` on before those from `first` on."""
    launches = recorder.launches
    forward, back = len(launches) - middle.launches, middle.launches - first.launches
    launches[first.launches :] = launches[middle.launches :] + launches[first.launches : middle.launches]
    for number, block in enumerate(recorder.blocks[first.blocks :], first.blocks):
        block.after += forward if number < middle.blocks else -back
    recorder.renumber(first.launches, lambda at: at + (forward if at < middle.launches else -back))


def _room_for(leaf: Any) -> Any:
    """Return memory for a result; results other than tensors are returned unchanged."""
    return empty(tuple(leaf.shape), dtype=leaf.dtype, device=leaf.device) if isinstance(leaf, Tensor) else leaf


def write(target: Tensor, source: Tensor) -> None:
    """Copy a result into its place without recording a graph."""
    with replace_mode(grad=False):
        target.copy_(source.detach())


def _with_constants(recorder: Recorder, made: list[Any], taken: list[Any]) -> list[Any]:
    """Return results with the non-tensor leaves of this call; break the capture if those of the other function
    differ.
    """
    for own, other in zip(made, taken, strict=True):
        if not isinstance(own, Tensor) and own != other and own == own:
            recorder.broken(f"the functions of cond return {own!r:.40} and {other!r:.40}", "return tensors")
    return [value if isinstance(value, Tensor) else other for value, other in zip(made, taken, strict=True)]


def _extra_ends(recorder: Recorder, branch: Branch, side: Side) -> dict[int, Tensor]:
    """Return the outside tensors at which a side's graph ends, except its own leaves, by the id of their edge."""
    found: dict[int, Tensor] = {}
    own = {id(end) for end in side.ends}
    stack: list[Any] = [edge_to(tensor) for tensor in side.results.tensors() if tensor.node is not None]
    seen: set[int] = set()
    while stack:
        edge = stack.pop()
        if edge is None or id(edge) in seen or id(edge) in own:
            continue
        seen.add(id(edge))
        if isinstance(edge, Tensor):
            found[id(edge)] = edge
        elif edge.seq > branch.first_node:
            stack += edges_of(edge)
        elif id(edge) in branch.outside:
            found[id(edge)] = branch.outside[id(edge)]  # one of several tensors with the same value suffices
        else:
            recorder.broken(
                f"{branch.what} uses a view of a tensor that gradients flow through, which is not an operand",
                "give it among the operands",
            )
    return found


class Choice(NestedGraphs):
    """The two graphs behind the results of a condition, one of which each backward pass uses.

    Arguments:
        recorder: the recorder of the functions.
        chosen: the condition.
        sides: the outcomes of both functions.
        inputs: the tensors that receive the gradients of the sides' `ends`.
    """

    __slots__ = ("chosen", "edges", "inputs", "recorder", "sides")

    def __init__(self, recorder: Recorder, chosen: Pred, sides: list[Side], inputs: list[Tensor]):
        self.recorder, self.chosen, self.sides, self.inputs = recorder, chosen, sides, inputs
        self.edges = [edge_to(tensor) for tensor in inputs]

    def connect(self, made: list[Tensor]) -> None:
        """Set the node of those results that are part of one of the graphs."""
        graphs = [side.results.tensors() for side in self.sides]
        wanted = [place for place, pair in enumerate(zip(*graphs, strict=True)) if any([end.node for end in pair])]
        if not wanted:
            return
        node = Node()
        node.rule, node.seq, node.rest = RULE, next_seq(), self
        node.code, node.lasti = user_site()
        for place in wanted:
            made[place].node = output_node(node, place, len(made))

    def graphs(self) -> list[Tensor]:
        """Return all tensors that it keeps alive: the results of both sides, the ends of their graphs, and the
        condition.
        """
        return [
            self.chosen.number,
            *[tensor for side in self.sides for tensor in (*side.results.tensors(), *side.ends)],
        ]

    def pull(self, gradients: list[Tensor | None], record: bool) -> Sequence[Tensor | None]:
        """Return the gradients of `inputs`.

        Arguments:
            gradients: the gradients of the results.
            record: True if the returned gradients must be differentiable.
        """
        recorder: Any = current_recorder()
        if recorder is not self.recorder or recorder.breaks is not None:
            return self._gradients(self.chosen.taken, gradients, record)
        given = [gradient for gradient in gradients if gradient is not None]
        runs = [partial(self._side, place, gradients, given, record) for place in (0, 1)]
        both = _run_both(recorder, self.chosen, runs)
        if both is None:
            return self._gradients(self.chosen.taken, gradients, record)
        sides, _, made = both
        if record:
            Choice(recorder, self.chosen, sides, [*given, *self.inputs]).connect(made)
        return made

    def _side(self, place: int, gradients: list[Tensor | None], given: list[Tensor], record: bool) -> Side:
        """Return the gradients of one side, with zeros for missing ones."""
        own = _own_leaves(self.recorder, given) if record else {id(gradient): gradient for gradient in given}
        found = self._gradients(
            place, [None if gradient is None else own[id(gradient)] for gradient in gradients], record
        )
        filled = [
            zeros(tuple(end.shape), dtype=end.dtype, device=end.device) if gradient is None else gradient
            for gradient, end in zip(found, self.inputs, strict=True)
        ]
        ends = [own[id(gradient)] for gradient in given]
        return Side(leaves_of("cond", "gradients", filled), [*ends, *self.sides[place].ends])

    def _gradients(self, place: int, gradients: list[Tensor | None], record: bool) -> Sequence[Tensor | None]:
        side = self.sides[place]
        pairs = [
            (tensor, g) for tensor, g in zip(side.results.tensors(), gradients, strict=True)
            if tensor.node is not None and g is not None
        ]  # fmt: skip
        if not pairs or not side.ends:
            return [None] * len(side.ends)
        roots, given = zip(*pairs, strict=True)
        with stopped_at(side.ends), replace_mode(grad=record):
            return grad(roots, side.ends, given, retain_graph=True, create_graph=record, allow_unused=True)


def _backward(F: Any, node: Node, gradients: Any) -> list[tuple[Any, Tensor]]:
    choice: Choice = node.rest
    found = choice.pull(list(gradients), F is not no_record_ops)
    return [
        (edge, gradient)
        for edge, gradient in zip(choice.edges, found, strict=True)
        if edge is not None and gradient is not None
    ]


RULE = Rule("cond", _backward, None, True, lambda node: node.rest.edges)
