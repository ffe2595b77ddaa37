"""The recorder: records what one thread's tensors do while a function runs.

Note [Recording]
~~~~~~~~~~~~~~~~
The function runs for real, with its own memory and its own results; the recorder is told of each block and launch
(Note [Recorders] in facula_storage) and writes down (plan, arguments), where an address is a block's number and an
offset. So nothing depends on where memory happened to be: which blocks live on (results, `.grad`, what the program
keeps) is asked when the function has returned; temporaries get places in one arena by their first and last launch.
"""

from __future__ import annotations

from functools import partial
from sys import _getframe
from threading import get_ident
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend import LEAF, Node, replace_mode
from facula_errors.extend import guarded, in_library
from facula_storage import Plan, Storage, contiguous, cpu, float32
from facula_storage.extend import (
    Place,
    allocate,
    collecting,
    host_view,
    launch_count,
    made_elsewhere,
    next_moment,
    recorders,
    root_of,
)
from facula_tensor import Tensor
from facula_tensor.extend import forget_readers, user_frame, user_site

from .._source.function_ast import line_under_way
from .graph_breaks import HOOKS_RUN, RATES_READ, CaptureError, GraphBreak
from .optimizer_recorder import OptimizerRecorder
from .records import ANY_GRAD, Address, Block, Launched, Loop, Skip, moment_of, moved
from .rng_recorder import RngRecorder
from .rng_values import RngValue
from .signature import has_hooks
from .tensor_guards import GRAD, contents_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType, FunctionType

    from facula_storage import Layout

    from .marked_sizes import Decisions
    from .records import Moment, Site


class Recorder(OptimizerRecorder, RngRecorder):
    """Records the work of the thread that made it.

    Arguments:
        inputs: the tensors among the arguments of the function.
        stops: whether a break raises, at its line; else the function goes on, and nothing more is written down.
    """

    def __init__(self, inputs: Sequence[Tensor], stops: bool):
        super().__init__()
        self.stops = stops
        self.blocks: list[Block] = []
        self.numbers: dict[int, int] = {}  # a storage's id -> its block
        self.tensors: dict[int, ref[Tensor]] = {}  # what the program has of blocks that were there before
        self.watched: set[int] = set()  # ids of those among them that were there before, too
        self.changed: dict[int, tuple[int, str, Site]] = {}  # block -> how often, by what, where last
        self.generators = {}
        self.modules: dict[int, tuple[Any, dict[str, Any]]] = {}  # id -> the module, and its attributes before
        self.globals: dict[str, Any] = {}  # variables of the program, for names in files
        self.found_argument = False  # whether the function reads an argument from somewhere else, too
        self.inside: list[Any] = []  # the modules whose call is under way
        self.grads: dict[int, tuple[Tensor, Any]] = {}  # id of a leaf -> the leaf, and what `.grad` has to be before
        self.asked: dict[int, tuple[Tensor, Any]] = {}  # the same of leaves whose `.grad` the program looked at
        self.looked: dict[int, Tensor] = {}  # leaves whose `.grad` the library looked at, and found
        self.inputs: list[Tensor] = []
        self.before: list[tuple[Tensor, Moment]] = []  # the inputs, and where their elements were at first
        self.seen: dict[int, Moment] = {}  # the same of `tensors`, when they were first met
        self.known_inputs: dict[int, Tensor] = {}  # the inputs, and what stands for operands in branches, by id
        self.bare: set[int] = set()  # ids of inputs that are leaves without hooks
        self.uses_allowed = False  # whether it reads what `allow` named, which is as it was at capture
        self.ends: set[int] = set()  # the computed inputs at which backward passes inside of the function end
        self.sees_variables = False  # whether the program asks a frame for its variables: those of a piece are fewer
        self.goes_back = False  # whether this is the backward of the result
        self.skips: list[Skip] = []
        self.constants: set[int] = set()  # blocks of copies of what Python filled
        self.loops: list[Loop] = []
        self.decides = False  # whether tensors decide what runs, by conditions or loops
        self.outer_backwards: list[Any] = []  # graphs of arguments that backward passes went through
        self.outside: GraphBreak | None = None  # one went through a graph that no capture made
        self.own: FunctionType | None = None  # the function, where its line is asked for
        self.reads: Any = None  # what notes the program's reads; None where nobody does
        self.line: int | None = None  # that of the function where it breaks
        self.retry: GraphBreak | None = None  # why the next run may be captured, if this one is not
        self.decisions: Decisions | None = None  # what the program decides by sizes, where that is noted
        self.used: set[int] = set()  # the blocks that launches have met
        self.refusal: Exception | None = None  # of the next launch
        self.caller: FrameType | None = None  # whose line calls the function: no line of it
        self.began = next_moment()
        self.count = 0
        self.start = 0
        for tensor in inputs:
            self.add_input(tensor)

    def add_input(self, tensor: Tensor) -> None:
        """A tensor whose memory each replay is given."""
        self.known_inputs[id(tensor)] = tensor
        if tensor.node is LEAF and not has_hooks(tensor):
            self.bare.add(id(tensor))
        block = self.block_of(tensor._storage)
        block.inputs.append(len(self.inputs))
        block.storage = None
        self.inputs.append(tensor)
        self.before.append((tensor, moment_of(tensor)))

    @guarded
    def aside(self) -> Iterator[None]:
        """A block whose work is not recorded."""
        thread, before = get_ident(), launch_count()
        recorders.pop(thread, None)
        try:
            with replace_mode(capture=None):
                yield
        finally:
            recorders[thread] = self
            self.start += launch_count() - before

    # ------------------------------------------------------------------------------------------------ being told
    def block_of(self, storage: Storage) -> Block:
        """The block of a storage, or of what it is an alias of."""
        return self.blocks[self.number_of(storage)]

    def number_of(self, storage: Storage) -> int:
        """The number of a storage's block."""
        number = self.numbers.get(id(storage), -1)
        if number >= 0 and self.blocks[number].link() is storage:  # else another of that address is gone
            return number
        root = root_of(storage)
        if root is not storage:
            return self.number_of(root)
        if made_elsewhere.get(root, -1) >= self.began:
            self.broken("a tensor that another thread made meanwhile is used", "compute it here, or before the call")
        number = self.numbers[id(root)] = len(self.blocks)
        self.blocks.append(Block(root, None, False, len(self.launches)))
        return number

    def allocated(self, storage: Storage, layout: Layout) -> None:
        """A storage was made."""
        if self.breaks is None:
            self.numbers[id(storage)] = len(self.blocks)
            self.blocks.append(Block(storage, layout, True, len(self.launches)))

    def launching(self, written: Sequence[Place]) -> None:
        """A launch is about to write to these places."""
        self.branches.writes(written)
        if self.goes_back and self.breaks is None:
            for place in written:
                if not self.block_of(place.storage).is_new:
                    self.broken(
                        "its backward pass changes a tensor from before the call, where recording it would do so twice",
                        "call backward() inside the captured function",
                    )

    def launched(self, plan: Plan, n: int, arguments: Sequence[Place | float], arrays: int) -> None:
        """A launch is done."""
        if self.breaks is not None:
            return
        plan = plan.inner or plan
        frame = user_frame(1)
        code = frame.f_code
        site = code, frame.f_lasti
        taken: list[Address | RngValue | float] = [n]
        for one in arguments:
            if type(one) is Place:
                number = self.number_of(one.storage)
                self.used.add(number)
                taken.append(Address(number, one.offset, one.layout, one.written))
                if one.written and self.blocks[number].site is None:
                    self.blocks[number].site = site
            else:
                taken.append(one)  # type: ignore[arg-type]
        module = self.inside[-1] if self.inside else None
        if plan.parts is None:
            self.launches.append(
                Launched(plan, tuple(taken), 1 + arrays, site, module, plan.operator, refusal=self.refusal)
            )
            self.refusal = None
            self.count += type(plan.launch) is BuiltinFunctionType  # a function of Python's is none that is counted
        else:
            for number, (launch, values) in enumerate(plan.parts):
                own = [moved(taken[one[0]], one[1]) if isinstance(one, tuple) else one for one in values]
                part = Plan(plan.operator, (), plan.outputs, launch, request=plan.request)
                self.launches.append(Launched(part, tuple(own), len(own), site, module, plan.operator, number))
            self.count += len(plan.parts)
        if launch_count() - self.start != self.count:
            self.broken(
                f"{plan.operator}: something before it launched by itself, as anomaly detection and profilers do",
                "leave that out of the captured function",
            )
        if any([type(one) is Address and one.layout is not None and one.layout.device is not cpu for one in taken]):
            self.broken(f"{plan.operator}: its tensors are not on the CPU", "capture work on the CPU")

    def filled(self, storage: Storage, layout: Layout) -> None:
        """Python filled new memory: a copy of it, from which each replay fills it again."""
        if self.breaks is not None:
            return
        with self.aside():
            kept = allocate(layout)
            plan = layout.device.backend.plan("copy", (layout,), (layout,), ())
            plan.launch(layout.numel, storage.ptr, kept.ptr)
        places = [Place(kept, 0, layout, False), Place(storage, 0, layout, True)]
        self.start -= 1  # the launch that comes with each replay was none in this run
        self.launched(plan, layout.numel, places, 2)
        self.constant(kept)

    def constant(self, storage: Storage) -> None:
        """What is there stays as it is."""
        if self.breaks is None:
            self.constants.add(self.number_of(storage))

    def sizes(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """Sizes of a tensor are about to be read: Note [Marked sizes]."""
        return sizes if self.decisions is None or self.breaks is not None else self.decisions.read(sizes, is_length)

    def bounded(self, length: int) -> None:
        """A part of a dimension ends with it, where the program asked for more: what it has depends on the size."""
        if self.decisions is not None and self.breaks is None:
            self.decisions.note((length,), user_frame(1))

    def operands(self, operands: Sequence[object]) -> None:
        """An operator is about to run: branches of conditions keep what it changes."""
        self.branches.sees(operands)

    def watch_tensor(self, tensor: Tensor) -> None:
        """A tensor of the program that the function may read: it has to be the same in each replay."""
        if self.breaks is not None or type(tensor._storage) is not Storage:  # a transform's: what it wraps comes
            return
        self.watched.add(id(tensor))
        link = self.tensors.get(id(tensor))
        if link is not None and link() is tensor:  # else another of that address is gone
            return
        number = self.numbers.get(id(root := root_of(tensor._storage)), -1)
        if number >= 0 and self.blocks[number].link() is root and self.blocks[number].is_new:
            return
        if id(tensor) not in self.known_inputs:
            self.tensors[id(tensor)] = ref(tensor)
            self.seen[id(tensor)] = moment_of(tensor)

    def mutated(self, storage: Storage, operation: str) -> None:
        """The last launch changed this storage."""
        if self.breaks is None:
            number = self.number_of(storage)
            _, code, instruction = storage.mutator
            self.changed[number] = self.changed.get(number, (0,))[0] + 1, operation, (code, instruction)

    def grad_set(self, leaf: Tensor) -> None:
        """`.grad` of a leaf is about to be set, or given its first gradient."""
        self.branches.grad_set(leaf)
        if self.breaks is not None or id(leaf) in self.grads:
            return
        before = contents_of(leaf, GRAD)
        needed: Any = ANY_GRAD
        if before is not None:
            number = self.number_of(before._storage)
            if not self.blocks[number].is_new and number in self.used:
                needed = before
        self.grads[id(leaf)] = leaf, needed

    def grad_read(self, leaf: Tensor) -> None:
        """`.grad` of a leaf is asked for: the program may do this or that then, the library nothing without one."""
        if self.breaks is None and id(leaf) not in self.grads:
            grad = contents_of(leaf, GRAD)
            if grad is None or not in_library(_getframe(3)):
                self.asked[id(leaf)] = leaf, grad
                if grad is not None and self.reads is not None:
                    self.reads.reach(grad, "a .grad")
            else:
                self.looked[id(leaf)] = leaf

    def passes_end(self, values: Sequence[Tensor]) -> None:
        """A backward pass is about to end at these values, and to run their hooks."""
        for place, one in enumerate(self.inputs if self.breaks is None else ()):
            if type(one.node) is Node and any([one.node is value.node for value in values]):
                self.ends.add(place)
                if has_hooks(one):
                    self.broken(*HOOKS_RUN)

    def grad_added(self, leaf: Tensor) -> None:
        """`.grad` of a leaf is None, and is given its first gradient."""
        self.branches.grad_set(leaf)
        if self.breaks is None:
            self.grads.setdefault(id(leaf), (leaf, None))

    def reads_whole(self, owner: Any) -> None:
        """All attributes of an optimizer, schedule or module are about to be read."""
        if self.breaks is None and self.reads is not None:
            if not hasattr(owner, "named_modules"):
                self.options_are_read()
            self.reads.whole(owner)

    def options_are_read(self, site: Site | None = None) -> None:
        """The program looks at the options of an optimizer itself."""
        self.reads_options = True
        if self.actions_of_schedules():
            self.broken(*RATES_READ, site)

    def read(self, operation: str) -> None:
        """Elements are about to be looked at."""
        self.broken(
            f"{operation} looks at elements in Python, where a replay has nobody to look",
            "compute with tensors (where, clamp, masks), or leave the line out of the captured function",
        )

    def entered(self, module: Any) -> None:
        """A call of a module begins."""
        self.inside.append(module)

    def left(self) -> None:
        """The call of the innermost module ends."""
        if self.inside:
            self.inside.pop()

    def refuses(self, error: Exception) -> None:
        """The next launch fails where an operator raises an error like this one."""
        self.refusal = error

    def holds(self, storage: Storage, offset: int) -> bool:
        """Whether a float32 is not 0."""
        return bool(host_view(storage.ptr + offset, contiguous((), float32)) != 0)

    @guarded
    def skipping(self, storage: Storage, offset: int, skips: bool) -> Iterator[None]:
        """A block whose launches each replay leaves out where a float32 is not 0."""
        first = len(self.launches)
        condition = Address(self.number_of(storage), offset, None, False)
        self.condition = partial(self.holds, storage, offset)
        try:
            yield
        finally:
            self.condition = None
        if skips:
            self.wait("a part of the step is left out in this run")
        elif self.breaks is None:
            self.skips.append(Skip(first, len(self.launches) - first, condition))

    def renumber(self, first: int, moved: Callable[[int], int]) -> None:
        """The launches from `first` on have other numbers now.

        Arguments:
            first: the first of them.
            moved: the number of one that had another.
        """
        for place, skip in enumerate(self.skips):
            if skip.first >= first:
                self.skips[place] = skip._replace(first=moved(skip.first))
        for place, loop in enumerate(self.loops):
            if loop.first >= first:
                delta = moved(loop.first) - loop.first
                self.loops[place] = loop._replace(
                    first=loop.first + delta, body=loop.body + delta, last=loop.last + delta
                )
        self.skips.sort(key=lambda one: one.first)
        self.loops.sort(key=lambda one: one.last)

    def wait(self, problem: str) -> None:
        """This run cannot be replayed, for a reason that the next one may not have."""
        self.retry = self.retry or GraphBreak(
            problem, "call again, or leave it out of the captured function", user_site()
        )

    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """What cannot be captured: said by an error, or kept for the report; by default it is where the program is."""
        if self.breaks is None:
            self.breaks = GraphBreak(problem, remedy, site or user_site())
            self.line = self.own and line_under_way(self.own.__code__)
            if self.stops or self.goes_back:  # else a pass that is only recorded would go on, and have effects
                raise CaptureError(self.breaks)


@guarded
def recording(recorder: Recorder) -> Iterator[None]:
    """A block in which this thread's work is told to `recorder`."""
    thread = get_ident()
    forget_readers()
    collecting[recorder] = None
    try:
        with replace_mode(capture=recorder):
            try:
                recorders[thread] = recorder
                recorder.start = launch_count()
                yield
            finally:
                recorders.pop(thread, None)
                recorder.caller = None
    finally:
        collecting.pop(recorder, None)
