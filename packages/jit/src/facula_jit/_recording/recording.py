"""Recordings: the launches of one run, with the classification of each memory block after the function has returned."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.nodes import LEAF, Node
from facula_storage import Device, DType, Storage
from facula_storage.extend.replay import ABSENT
from facula_tensor import Tensor
from facula_tensor.extend.tensors import layout_of_tensor, overlapping

from .graph_breaks import GraphBreak
from .memory_planning import Lifetime
from .pytrees import Tree, factory_of, is_kept, is_module, parts_of
from .records import NEW_LEAF, Address, any_grad, placement_of
from .signature import has_hooks
from .storage_versions import StorageVersions
from .tensor_guards import VIEWS, part_of

if TYPE_CHECKING:
    from facula_storage import Layout

    from .recorder import Recorder
    from .records import Block, Launched, Pass, Placement, RecordedBackward

Leaf = Any  # of a result: an Output, AliasOutput or InputOutput, or the object itself


class InputGuard(NamedTuple):
    """The required state of an argument: layout, offset, node (or its type) and class."""

    layout: Layout
    offset: int
    node: Any
    root: int  # the first argument in the same memory; -1 if that is not compared
    kind: type | None = None  # None if it is not compared
    twin: int = -1  # the first argument that is the same object; -1 if that is not compared
    is_hookless: bool = False  # True if it must have no hooks

    @classmethod
    def of(
        cls, moment: Placement, root: int, kind: type | None = None, twin: int = -1, is_hookless: bool = False
    ) -> InputGuard:
        """Create the guard of a tensor from a recorded state."""
        layout, _, offset, node = moment
        return cls(layout, offset, Node if type(node) is Node else node, root, kind, twin, is_hookless)


class Output(NamedTuple):
    """A result tensor in new memory: the index of its block in the outputs, its layout, and its offset in the block."""

    place: int
    layout: Layout
    offset: int
    wants_grad: bool
    root: int  # its index among the differentiable results, or -1


class AliasOutput(NamedTuple):
    """A result tensor that shares the memory of an argument."""

    argument: int
    layout: Layout
    offset: int  # relative to the offset of the argument
    wants_grad: bool
    root: int
    is_view: bool  # True if it belongs to the argument's view family: Note [Views and changes] in facula_tensor


class InputOutput(NamedTuple):
    """An argument that is itself a result."""

    place: int


# types of constants that a result may contain
PLAIN = (type(None), bool, int, float, complex, str, bytes, DType, Device, Enum, type)


class Recording:
    """One run of a function, ready for replay unless `breaks` contains a reason.

    `unsettled` is set if the program keeps new tensors, as after an optimizer's first step; the next run may be
    replayable.
    """

    paths: dict[int, str] | None = None  # paths of modules by id, and names of storages, if modules do not supply them
    names: dict[int, str] | None = None
    overlaps = False  # True if arguments share memory in a way that blocks do not represent

    def __init__(self, recorder: Recorder, result: Any, boundary: RecordedBackward | None):
        self.recorder = recorder
        recorder.known_inputs = {}  # placeholders of operands in branches stay alive with the graph
        self.boundary_at = len(recorder.launches) if boundary is None else boundary.launch
        self.roots = [] if boundary is None else [id(root) for root in boundary.roots]
        self.launches: list[Launched] = recorder.launches
        self.breaks: GraphBreak | None = recorder.breaks
        self.unsettled: GraphBreak | None = None
        self.outputs: list[int] = []  # the blocks of results
        self.fixed: dict[int, Storage] = {}  # blocks at a fixed address: existing tensors, and `.grad`
        self.puts: list[tuple[Tensor, Any]] = []  # leaves, and their final `.grad`
        self.grads_of: dict[int, int] = {}  # blocks of final `.grad`s -> ids of the leaves
        self.needed: list[tuple[Tensor, Any]] = []  # leaves, and their required `.grad` before a replay
        self.views: set[int] = set()  # ids of results that are new views of a tensor of the program
        self._made: list[Tensor] = []  # results that each replay creates
        self.result: Leaf = None
        self.targets: list[tuple[int | None, Tensor | None]] = []  # targets of gradients: an argument, or a tensor
        self.passes: list[Pass] = []  # backward passes: of all results that require a gradient, and of each alone
        self.grads: list[int] = []  # the blocks of the gradients of all passes
        gradients = 0 if boundary is None else len(boundary.gradients)
        given = [moment for _, moment in recorder.input_placements]
        inputs, given_gradients = given[: len(given) - gradients], given[len(given) - gradients :]
        first = {id(tensor): place for place, tensor in reversed([*enumerate(recorder.inputs)])}
        self.inputs = [
            InputGuard.of(
                moment,
                recorder.block_of(moment[1]).inputs[0],
                type(tensor),
                first[id(tensor)],
                id(tensor) in recorder.hookless,
            )
            for tensor, moment in zip(recorder.inputs, inputs, strict=False)
        ]
        self.gradients = [InputGuard.of(gradient, -1) for gradient in given_gradients]
        if self.breaks is None and any([tensor.node is not moment[3] for tensor, moment in recorder.input_placements]):
            self._break("the requires_grad of an argument is changed", "call requires_grad_() before")
        self._leaves: dict[int, Leaf] = {}  # results by the id of their tensor
        self._trees: dict[int, Tree | None] = {}  # the same for containers
        if recorder.retry is not None:
            self.unsettled = recorder.retry
        elif self.breaks is None:
            if is_kept(result):
                self._break("the result has a list or dict that the program keeps, too", "return a copy of it")
            self.result = self._result_of(result)
            self._check_placements()
            self._made = []
            self._check_grads()
            if boundary is not None:
                self._check_backward(boundary)
            self._check_blocks(set() if boundary is None else boundary.saved)
        self.versions = StorageVersions.of(self, recorder)
        recorder.inputs, recorder.input_placements = [], []  # do not extend the lifetime of the first call's arguments
        recorder.first_placements, recorder.library_grads = {}, {}

    # -------------------------------------------------------------------------------------------------- results
    def plain(self) -> list[str]:
        """Return the representations of the numbers and strings in the result."""
        found, todo = [], [self.result]
        for part in todo:  # the loop appends to it
            if type(part) is Tree:
                todo += part.parts
            elif isinstance(part, (int, float, complex, str, bytes)):
                found.append(repr(part))
        return found

    def _result_of(self, value: Any) -> Leaf:
        if isinstance(value, Tensor):
            if id(value) not in self._leaves:
                self._leaves[id(value)] = self._tensor(value)
            return self._leaves[id(value)]
        if id(value) in self._trees:
            tree = self._trees[id(value)]
            if tree is None:
                self._break("the result has a container that contains itself", "return its parts")
            return tree
        if (pieces := parts_of(value)) is not None:
            keys, parts = pieces
            self._trees[id(value)] = None  # in progress
            made = tuple([self._result_of(part) for part in parts])
            tree = self._trees[id(value)] = Tree(type(value), keys, made, factory_of(value))
            return tree
        if not isinstance(value, PLAIN) and not is_module(type(value)):
            self._break(
                f"the result has a {type(value).__name__}, which Python makes", "return tensors and plain numbers"
            )
        return value

    def _tensor(self, tensor: Tensor) -> Leaf:
        if type(tensor._storage) is not Storage:
            self._break("the result is wrapped by a transform", "capture what calls the transform")
            return None
        number = self.recorder.number_of(tensor._storage)
        block = self.recorder.blocks[number]
        root = NEW_LEAF if tensor.node is LEAF else -1
        if id(tensor) in self.roots:
            root = self.roots.index(id(tensor))
        is_made = block.is_new or (block.inputs and not any([known is tensor for known in self.recorder.inputs]))
        if type(tensor) is not Tensor and is_made:
            self._break(
                f"the result has a {type(tensor).__name__}, which Python makes",
                "return its .as_subclass(Tensor), or keep it",
            )
        if is_made or not (block.is_new or block.inputs or id(tensor) in self.recorder.watched):
            self._check_parts(tensor)
        if block.inputs:
            for place in block.inputs:
                given = self.recorder.inputs[place]
                if given is tensor:
                    return InputOutput(place)
            family = part_of(tensor, VIEWS)
            kin = [
                index for index in block.inputs if part_of(self.recorder.inputs[index], VIEWS) is family is not ABSENT
            ]
            place = (kin or block.inputs)[0]
            offset = tensor._offset - self.recorder.inputs[place]._offset
            self._made.append(tensor)
            return AliasOutput(place, tensor._layout, offset, tensor.node is not None, root, bool(kin))
        if not block.is_new:
            if root >= 0:
                self._break("a result is a view of a tensor from outside", "return a clone() of it")
            if type(tensor) is Tensor and id(tensor) not in self.recorder.watched:
                if root == NEW_LEAF:
                    self._break(
                        "a result is a new leaf that shares memory with a tensor from outside", "return a clone() of it"
                    )
                tensor = tensor.as_subclass(Tensor)  # the caller may modify the returned tensor object
                self.views.add(id(tensor))
            return tensor
        if number not in self.outputs:
            self.outputs.append(number)
        self._made.append(tensor)
        return Output(self.outputs.index(number), tensor._layout, tensor._offset, tensor.node is not None, root)

    def _check_parts(self, tensor: Tensor) -> None:
        """Break the capture if Python code has set attributes on a tensor that each replay creates."""
        is_leaf = tensor.node is LEAF
        for is_set, words in (
            (bool(tensor._own_attributes), "attributes"),
            (is_leaf and has_hooks(tensor), "hooks"),
            (is_leaf and tensor._grad is not None, "a .grad"),
        ):
            if is_set:
                self._break(f"a result that is made here has {words}, which Python sets", f"set {words} after the call")

    def _check_backward(self, boundary: RecordedBackward) -> None:
        for target in boundary.targets:
            place = next((k for k, given in enumerate(self.recorder.inputs) if given is target), None)
            self.targets.append((place, target if place is None else None))
        self.passes = boundary.passes
        self.grads = [grad.block for made in self.passes for grad in made.grads if grad is not None]

    def _check_placements(self) -> None:
        """Break the capture if a replay would have to change the shape, memory or node of an existing tensor."""
        known = [
            (joined, self.recorder.first_placements[key])
            for key, link in self.recorder.tensors.items()
            if (joined := link()) is not None
        ]
        for tensor, before in (*self.recorder.input_placements, *known):
            # layouts may have been evicted from their table, so that an equal one is another object
            layout, *now = placement_of(tensor)
            if layout != before[0] or any([a is not b for a, b in zip(now, before[1:], strict=True)]):
                self._break(
                    f"a tensor of shape {tuple(tensor.shape)} from outside changes its shape, memory or node in place",
                    "work on a new tensor: x.t() for x.t_(), a clone() where gradients flow through a change",
                )
        family = [
            tensor
            for tensor in self._made
            if part_of(tensor, VIEWS) is not ABSENT and self.recorder.block_of(tensor._storage).is_new
        ]
        if any([member.node is not None for member in family]) and overlapping(family) is not None:
            self._break("two results that gradients flow through share memory", "return a clone() of one")

    # -------------------------------------------------------------------------------------------------- `.grad`
    def _check_grads(self) -> None:
        recorder = self.recorder
        for target, needed in recorder.grads.values():
            after = target._grad
            if any([target is tensor for tensor in recorder.inputs]):  # the next call has another argument
                self._break("the .grad of an argument is set", "take it with autograd.grad, and return it")
            if not any_grad(needed) and id(target) not in recorder.program_grads:
                self.needed.append((target, needed))
            self.puts.append((target, after))
            if after is not None:
                number = recorder.number_of(after._storage)
                if number in self.outputs:
                    self._break("a result is the .grad of a leaf", "return a clone() of it")
                self.fixed[number] = after._storage
                self.grads_of[number] = id(target)
        for tensor in recorder.inputs:
            grad: Tensor | None = tensor._grad if tensor.node is LEAF else None
            if id(tensor) in recorder.program_grads or (grad is not None and recorder.has_used(grad._storage)):
                self._break("the .grad of an argument is used", "make it an argument, too")
        self.needed += recorder.program_grads.values()
        met = [link() for link in recorder.tensors.values()]
        leaves = [value for value in met if value is not None and value.node is LEAF] + [
            *recorder.library_grads.values()
        ]
        for leaf in {id(leaf_): leaf_ for leaf_ in leaves}.values():
            if id(leaf) not in recorder.grads and id(leaf) not in recorder.program_grads and leaf._grad is not None:
                if recorder.has_used(leaf._grad._storage):
                    self.needed.append((leaf, leaf._grad))

    # --------------------------------------------------------------------------------------------------- blocks
    def _check_blocks(self, saved: set[int]) -> None:
        written: set[int] = set()
        for launch in self.launches:
            for place in launch.arguments:
                if type(place) is not Address:
                    continue
                block = self.recorder.blocks[place.block]
                if block.is_new and not place.written and place.block not in written and _has_elements(block):
                    self._break(f"{launch.operation} reads memory that no operator filled", "fill it with an operator")
                if place.written:
                    written.add(place.block)
        known = [candidate for link in self.recorder.tensors.values() if (candidate := link()) is not None]
        grads = [value for _, value in self.needed if isinstance(value, Tensor)]
        for tensor in (*[member for member in known if id(member) not in self._leaves], *grads):
            if self.recorder.block_of(tensor._storage).inputs:
                problem = "an argument shares its memory with a tensor of the program"
                self.unsettled = GraphBreak(problem, "call it with a clone()", None)
        self._check_overlaps()
        for number, block in enumerate(self.recorder.blocks):
            if block.storage is not None and not block.inputs:
                self.fixed.setdefault(number, block.storage)
            elif self.is_temporary(number) and (alive := block.link()) is not None and id(alive) not in saved:
                shape = "" if block.layout is None else f" of shape {block.layout.shape}"
                self.unsettled = GraphBreak(
                    f"a tensor{shape} created here is kept outside of the function, where replays would not update it",
                    "return it, or copy it into a tensor that was there before",
                    block.site,
                )

    def _check_overlaps(self) -> None:
        """Delay the capture if an argument overlaps other memory through a different storage.

        Blocks do not represent such overlaps, and operators may have omitted work, such as copying elements onto
        themselves.
        """
        recorder = self.recorder
        given = [(*memory_of(tensor), recorder.number_of(tensor._storage)) for tensor in recorder.inputs]
        known = [tensor for link in recorder.tensors.values() if (tensor := link()) is not None]
        known += [value for _, value in self.needed if isinstance(value, Tensor)]
        others = given + [(*memory_of(tensor), recorder.number_of(tensor._storage)) for tensor in known]
        for start, end, block in given:
            if any([block != number and start < last and first < end for first, last, number in others]):
                problem = "an argument shares memory with another tensor, through separate storages"
                self.unsettled, self.overlaps = GraphBreak(problem, "call it with a clone()", None), True

    def _break(self, problem: str, remedy: str) -> None:
        if self.breaks is None:
            self.breaks = GraphBreak(problem, remedy, None)

    # ------------------------------------------------------------------------------------------------- lifetimes
    def lifetimes(self) -> tuple[list[int], list[Lifetime]]:
        """Return the blocks of temporaries and their lifetimes, followed by those of workspaces, with block -1 -
        launch.
        """
        spans, blocks = self.spans(len(self.launches)), self.recorder.blocks
        numbers = [span for span in spans if self.is_temporary(span)]
        lives = [Lifetime(*spans[number], blocks[number].layout.extent) for number in numbers]  # type: ignore[union-attr]
        for place, launch in enumerate(self.launches):
            if launch.plan.workspace:
                numbers.append(-1 - place)
                lives.append(Lifetime(place, place, launch.plan.workspace))
        return numbers, lives

    def spans(self, stop: int) -> dict[int, tuple[int, int]]:
        """Return the first and the last launch before `stop` that uses each block."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        recorder, boundary = self.recorder, self.boundary_at
        for place, launch in enumerate(self.launches[:stop]):
            for argument in launch.arguments:
                if type(argument) is Address:
                    first.setdefault(argument.block, place)
                    crosses = first[argument.block] < boundary <= place  # Note [Saved sets] in recorded_backward.py
                    last[argument.block] = stop if crosses else place
        asked = [(skip.condition.block, skip.first) for skip in recorder.skips]
        asked += [(loop.condition.block, loop.last - 1) for loop in recorder.loops]
        for block, place in asked:
            if block in first and place < stop:
                crosses = first[block] < boundary <= place
                last[block] = max(last[block], stop if crosses else place)
        # inner loops first: a value from before the loop that one iteration reads is needed by the next one, too
        for loop in recorder.loops:
            for block in first:
                if first[block] < loop.first <= last[block] < loop.last:
                    last[block] = loop.last - 1
        return {block: (first[block], last[block]) for block in first}

    def is_temporary(self, number: int) -> bool:
        """Return True if a block is used only inside a replay."""
        block = self.recorder.blocks[number]
        return block.is_new and number not in self.fixed and number not in self.outputs and number not in self.grads


def memory_of(tensor: Tensor) -> tuple[int, int]:
    """Return the address of a tensor's first element, and the end address of its last one."""
    start = tensor._storage.ptr + tensor._offset
    return start, start + layout_of_tensor(tensor).extent


def _has_elements(block: Block) -> bool:
    """Return True if a block can contain elements."""
    return block.layout is None or block.layout.numel > 0
