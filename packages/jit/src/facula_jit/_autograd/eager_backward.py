"""Eager calls of captured functions, for backward passes that need a graph.

Note [Eager backward]
~~~~~~~~~~~~~~~~~~~~~
A backward pass with `create_graph=True` is itself recorded as a graph, and one with gradients wrapped by a transform
computes many passes at once. Both need the operators of the function, but a replay only has launches. The results of
the recorded run have the true graph. For the results of a replay, the function runs again eagerly, with the arguments
of the call and the generator states of that time. If the new results equal those of the replay bit for bit, the pass
runs through the graph of this call. In both cases, later calls of this signature run eagerly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import grad, is_grad_enabled
from facula_autograd.extend.modes import current_mode, replace_mode
from facula_autograd.extend.nodes import Node
from facula_errors import OperationError
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor
from facula_tensor.extend.recording import user_site

from .._guards.restore import as_read
from .._recording.graph_breaks import RECORDED, GraphBreak
from .._recording.pytrees import Tree, factory_of, is_dataclass, parts_of, rebuilt
from .._recording.recording import AliasOutput, InputOutput, Output
from .._recording.records import bytes_at, made_tensor
from .._recording.signature import is_container
from .nested_graphs import stopped_at
from .recorded_backward import differentiable_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .backward_replay import BackwardReplay
    from .recorded_backward import FrameLease

REMEDY = "compute that gradient inside the captured function, so that it is captured, too"


class EagerBackward:
    """The eager call for one signature of a captured function.

    Arguments:
        function: the function.
        notify: called with the reason why later calls of this signature run eagerly.
        args: the positional arguments of such a call.
        kwargs: its keyword arguments.
        tensors: the tensors among the arguments.
    """

    def __init__(
        self, function: Callable[..., Any], notify: Callable[[GraphBreak], None], args: tuple[Any, ...],
        kwargs: dict[str, Any], tensors: Sequence[Tensor],
    ):  # fmt: skip
        self.function, self._notify = function, notify
        places = {id(tensor): place for place, tensor in enumerate(tensors)}
        left = set(places)
        self._form = _form_of((args, kwargs), places, left)
        self._is_known = not left
        self._autocast = current_mode().autocast

    def watch(self, results: Sequence[Tensor]) -> None:
        """Detect backward passes that are recorded as graphs, through these results of a recorded run."""
        for result in results:
            if type(result.node) is Node:
                result.node.register_prehook(self._look)

    def _look(self, _gradients: object) -> None:
        if is_grad_enabled():
            self._note(RECORDED)

    def _note(self, problem: str) -> None:
        self._notify(GraphBreak(problem, REMEDY, user_site()))

    def gradients(
        self,
        replay: BackwardReplay,
        lease: FrameLease,
        gradients: Sequence[Tensor | None],
        recorded: bool,
        problem: str,
    ) -> list[Tensor | None]:
        """Return the gradients of a replay's targets, by a backward pass through the eager function.

        Arguments:
            replay: the replay.
            lease: the lease in the node of its results.
            gradients: the gradients of the results, None for unused results.
            recorded: True if the pass is recorded as a graph.
            problem: the reason why the eager call is needed.

        Raises:
            OperationError: the call cannot run again, or would return different results now.
        """
        self._note(problem)
        recorder: Any = current_recorder()
        if recorder is not None:
            recorder.broken(problem, "capture both functions together")
        if not self._is_known:
            raise _refused(replay, problem, "an argument contains tensors that the capture cannot find")
        if replay.leaves_more:
            raise _refused(replay, problem, "the call has effects besides its results, which would be repeated")
        tensors = list(lease.inputs)
        for (place, _), edge in zip(replay.recording.targets, lease.edges, strict=True):
            if place is not None:
                given = tensors[place]
                is_node = type(edge) is Node
                tensors[place] = made_tensor(given._layout, given._storage, given._offset, edge) if is_node else edge
        with as_read(replay.read_by_call) as is_possible:  # state that the pass itself reads keeps its present value
            if not is_possible:
                raise _refused(replay, problem, "state that the call read has changed since then")
            roots = differentiable_in(self._run(replay, lease, tensors), tensors)
        if not _is_as_before(replay, lease, roots):
            raise _refused(replay, problem, "it would now return different results")
        chosen = [(root, gradient) for root, gradient in zip(roots, gradients, strict=True) if gradient is not None]
        targets: list[Any] = [
            place_or_tensor if place is None else tensors[place] for place, place_or_tensor in replay.recording.targets
        ]
        with stopped_at(targets):
            return list(
                grad(
                    [root for root, _ in chosen], targets, [gradient for _, gradient in chosen],
                    retain_graph=True, create_graph=recorded, allow_unused=True,
                )
            )  # fmt: skip

    def _run(self, replay: BackwardReplay, lease: FrameLease, tensors: Sequence[Tensor]) -> Any:
        """Return the results of the function for these tensors, with the random numbers that the replay drew."""
        mode: dict[str, Any] = {"grad": True, "inference": False, "level": 0, "autocast": self._autocast}
        generators = [(generator, generator._key, generator._offset) for generator in replay.generators]
        for at, (generator, _, _) in enumerate(generators):
            generator._key, generator._offset = lease.rng_values[2 * at : 2 * at + 2]
        try:
            with replace_mode(**mode, vmap=None, saved_hooks=None, compute=None):
                args, kwargs = _filled(self._form, tensors)
                return self.function(*args, **kwargs)
        finally:
            for generator, key, offset in generators:
                generator._key, generator._offset = key, offset


def _form_of(value: Any, places: dict[int, int], left: set[int]) -> Any:
    """Return a value with tensors replaced by their indices, which are removed from `left`."""
    if isinstance(value, Tensor):
        left.discard(id(value))
        # None for a tensor that the function put into a list; such a call is not replayed
        place = places.get(id(value))
        return value if place is None else InputOutput(place)
    pieces = parts_of(value) if is_container(value) or is_dataclass(type(value)) else None
    if pieces is None:
        return value
    parts = tuple([_form_of(part, places, left) for part in pieces[1]])
    return Tree(type(value), pieces[0], parts, factory_of(value))


def _filled(form: Any, tensors: Sequence[Tensor]) -> Any:
    """Return a form with tensors in place of the indices."""
    if type(form) is InputOutput:
        return tensors[form.place]
    return rebuilt(form, [_filled(part, tensors) for part in form.parts]) if type(form) is Tree else form


def _is_as_before(replay: BackwardReplay, lease: FrameLease, roots: Sequence[Tensor]) -> bool:
    """Return True if these results equal those of the replay bit for bit."""
    replay.check_versions(lease)
    known: dict[int, Output | AliasOutput] = {}
    todo = [replay.recording.result]
    for number in todo:  # the loop appends to it
        if type(number) is Tree:
            todo += number.parts
        elif isinstance(number, (Output, AliasOutput)) and number.root >= 0:
            known[number.root] = number
    if len(roots) != len(known) or any([root._layout is not known[at].layout for at, root in enumerate(roots)]):
        return False
    for at, root in enumerate(roots):
        number = known[at]
        if type(number) is Output:
            before = bytes_at(lease.outputs[number.place], number.offset, number.layout)
            if before != bytes_at(root._storage, root._offset, number.layout):
                return False
    return True


def _refused(replay: BackwardReplay, problem: str, why: str) -> OperationError:
    return OperationError(
        f"backward: {problem} ({replay.name}), which requires running the call again eagerly, but {why}; "
        "repeat this one: later calls of this signature run eagerly"
    )
