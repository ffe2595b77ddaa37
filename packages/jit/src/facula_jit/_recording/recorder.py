"""The recorder: records the blocks and launches of one thread while a function runs.

Note [Recording]
~~~~~~~~~~~~~~~~
The function runs with its own memory and its own results. The recorder is notified of each block and launch (Note
[Recorders] in facula_storage) and stores (plan, arguments), with each address as a block number and an offset. The
recording is therefore independent of addresses. When the function has returned, each block that survives is classified:
results, `.grad`, tensors that the program keeps. Temporaries are placed in one arena by their first and last launch.
"""

from __future__ import annotations

from functools import partial
from sys import _getframe
from threading import get_ident
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend.modes import replace_mode
from facula_autograd.extend.nodes import LEAF, Node
from facula_errors.extend import guarded, in_library
from facula_storage import Plan, Storage, cpu
from facula_storage.extend.memory import allocate, root_of
from facula_storage.extend.recording import Place, collecting, made_elsewhere, next_moment, recorders
from facula_storage.extend.replay import launch_count
from facula_tensor import Tensor
from facula_tensor.extend.recording import forget_readers, user_frame, user_site

from .._source.function_ast import running_line
from .device_recorder import DeviceRecorder
from .graph_breaks import HOOKS_RUN, RATES_READ, CaptureError, GraphBreak
from .optimizer_recorder import OptimizerRecorder
from .records import ANY_GRAD, Address, Block, Launched, Loop, Skip, moved, placement_of
from .rng_recorder import RngRecorder
from .rng_values import RngValue
from .signature import has_hooks
from .storage_versions import RecordedVersions
from .tensor_guards import GRAD, contents_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType, FunctionType

    from facula_storage import Layout

    from .marked_sizes import Decisions
    from .records import Placement, Site


class Recorder(DeviceRecorder, OptimizerRecorder, RngRecorder):
    """A recorder of the operations of the thread that created it.

    Arguments:
        inputs: the tensors among the arguments of the function.
        stops: if True, a graph break raises at its line; otherwise the function continues without being recorded.
    """

    def __init__(self, inputs: Sequence[Tensor], stops: bool):
        super().__init__()
        self.stops = stops
        self.blocks: list[Block] = []
        self.numbers: dict[int, int] = {}  # id of a storage -> block number
        self.tensors: dict[int, ref[Tensor]] = {}  # the program's tensors in blocks that existed before
        self.watched: set[int] = set()  # ids of those tensors that existed before, too
        self.versions = RecordedVersions()
        self.generators = {}
        self.modules: dict[int, tuple[Any, dict[str, Any]]] = {}  # id -> the module, and its attributes before
        self.globals: dict[str, Any] = {}  # variables of the program, for names in files
        self.found_argument = False  # True if the function also reads an argument from elsewhere
        self.module_stack: list[Any] = []  # the modules whose calls are running
        self.grads: dict[int, tuple[Tensor, Any]] = {}  # id of a leaf -> the leaf, and its required `.grad` before
        self.grad_events: list[Tensor] = []  # the leaf, each time that `.grad` is set
        self.program_grads: dict[int, tuple[Tensor, Any]] = {}  # the same for leaves whose `.grad` the program read
        self.library_grads: dict[int, Tensor] = {}  # leaves whose `.grad` the library read, and which was not None
        self.inputs: list[Tensor] = []
        self.input_placements: list[tuple[Tensor, Placement]] = []  # the inputs, and the state of each at the start
        self.first_placements: dict[int, Placement] = {}  # the state of each of `tensors` at its first use
        self.known_inputs: dict[int, Tensor] = {}  # the inputs, and the placeholders of operands in branches, by id
        self.hookless: set[int] = set()  # ids of inputs that are leaves without hooks
        self.uses_allowed = False  # True if it reads objects in `allow`, which stay as they were at the capture
        self.backward_ends: set[int] = set()  # non-leaf inputs at which backward passes inside the function end
        self.reads_locals = False  # True if the program reads frame variables, of which split parts have fewer
        self.is_backward = False  # True while the backward pass of the result is recorded
        self.skips: list[Skip] = []
        self.constants: set[int] = set()  # blocks of copies of memory that Python filled
        self.loops: list[Loop] = []
        self.has_control_flow = False  # True if conditions or loops depend on tensors
        self.outer_backwards: list[Any] = []  # graphs of arguments through which backward passes ran
        self.foreign_backward: GraphBreak | None = None  # set if such a graph was not created by a capture
        self.own: FunctionType | None = None  # the function, if its current line is needed
        self.reads: Any = None  # the recorder of the program's reads, or None
        self.line: int | None = None  # the function's line at a graph break
        self.retry: GraphBreak | None = None  # why this run is not captured, if the next one may be
        self.decisions: Decisions | None = None  # decisions based on sizes, if they are noted
        self.used_blocks: set[int] = set()  # the blocks that launches have used
        self.refusal: Exception | None = None  # of launches whose requirements are not met
        self.caller: FrameType | None = None  # the caller of the function, whose lines are not part of it
        self.began = next_moment()
        self.count = self.start = 0
        for tensor in inputs:
            self.add_input(tensor)

    def add_input(self, tensor: Tensor) -> None:
        """Add a tensor whose memory is an argument of each replay."""
        self.known_inputs[id(tensor)] = tensor
        if tensor.node is LEAF and not has_hooks(tensor):
            self.hookless.add(id(tensor))
        block = self.block_of(tensor._storage)
        block.inputs.append(len(self.inputs))
        block.storage = None
        self.inputs.append(tensor)
        self.input_placements.append((tensor, placement_of(tensor)))

    @guarded
    def unrecorded(self) -> Iterator[None]:
        """Return a context manager whose operations are not recorded."""
        thread, before = get_ident(), launch_count()
        recorders.pop(thread, None)
        try:
            with replace_mode(capture=None):
                yield
        finally:
            recorders[thread] = self
            self.start += launch_count() - before

    # ----------------------------------------------------------------------------------------------- notifications
    def block_of(self, storage: Storage) -> Block:
        """Return the block of a storage, or of the storage that it aliases."""
        return self.blocks[self.number_of(storage)]

    def number_of(self, storage: Storage) -> int:
        """Return the block number of a storage."""
        number = self.numbers.get(id(storage), -1)
        if number >= 0 and self.blocks[number].link() is storage:  # otherwise the id was reused
            return number
        root = root_of(storage)
        if root is not storage:
            return self.number_of(root)
        if made_elsewhere.get(root, -1) >= self.began:
            self.broken("it uses a tensor that another thread created meanwhile", "compute it here, or before the call")
        number = self.numbers[id(root)] = len(self.blocks)
        self.blocks.append(Block(root, None, False, len(self.launches)))
        return number

    def has_used(self, storage: Storage) -> bool:
        """Return True if a launch has used this memory. Unlike `number_of`, this does not keep it alive."""
        root = root_of(storage)
        number = self.numbers.get(id(root), -1)
        return number in self.used_blocks and self.blocks[number].link() is root

    def allocated(self, storage: Storage, layout: Layout) -> None:
        """Record a new storage."""
        if self.breaks is None:
            self.numbers[id(storage)] = len(self.blocks)
            self.blocks.append(Block(storage, layout, True, len(self.launches)))

    def launching(self, written: Sequence[Place]) -> None:
        """Check the places to which a launch is about to write."""
        self.branches.writes(written)
        if self.is_backward and self.breaks is None:
            for place in written:
                if not self.block_of(place.storage).is_new:
                    self.broken(
                        "its backward pass changes a tensor from before the call, where recording it would do so twice",
                        "call backward() inside the captured function",
                    )

    def launched(self, plan: Plan, n: int, arguments: Sequence[Place | float], arrays: int) -> None:
        """Record a launch."""
        if self.breaks is not None:
            return
        plan = self.for_replays(plan.inner or plan)
        frame = user_frame(1)
        site = frame.f_code, frame.f_lasti
        taken: list[Address | RngValue | float] = [n]
        for argument in arguments:
            if type(argument) is Place:
                number = self.number_of(argument.storage)
                self.used_blocks.add(number)
                taken.append(Address(number, argument.offset, argument.layout, argument.written))
                block = self.blocks[number]
                if argument.written:
                    block.site = block.site or site
                elif self.is_backward:
                    self.versions.read(number, block, argument.storage)
            else:
                taken.append(argument)  # type: ignore[arg-type]
        self.check_devices(plan, arguments)
        whole = site, self.module_stack[-1] if self.module_stack else None, plan.operator
        moment = len(self.grad_events), len(self.actions)
        if plan.parts is None:
            self.launches.append(Launched(plan, tuple(taken), 1 + arrays, *whole, -1, self.refusal, moment))
            self.count += type(plan.launch) is BuiltinFunctionType  # launches of Python functions are not counted
        else:
            for number, (launch, values) in enumerate(plan.parts):
                own = [moved(taken[value[0]], value[1]) if isinstance(value, tuple) else value for value in values]
                part = Plan(plan.operator, (), plan.outputs, launch, request=plan.request)
                self.launches.append(Launched(part, tuple(own), len(own), *whole, number, None, moment))
            self.count += len(plan.parts)
        if launch_count() - self.start != self.count:
            self.broken(
                f"{plan.operator}: a kernel was launched outside of the recorded operators, as by anomaly "
                "detection and profilers",
                "leave that out of the captured function",
            )

    def filled(self, storage: Storage, layout: Layout) -> None:
        """Record that Python filled new memory: store a copy, from which each replay fills it again."""
        if self.breaks is not None:
            return
        with self.unrecorded():
            kept = allocate(layout)
            plan = layout.device.backend.plan("copy", (layout,), (layout,), ())
            plan.launch(layout.numel, storage.ptr, kept.ptr)
        self.start -= 1  # the copy launches in each replay, but did not launch in this run
        self.launched(plan, layout.numel, [Place(kept, 0, layout, False), Place(storage, 0, layout, True)], 2)
        self.constant(kept)

    def constant(self, storage: Storage) -> None:
        """Record that the contents of this memory are constant."""
        if self.breaks is None:
            self.constants.add(self.number_of(storage))

    def sizes(self, sizes: tuple[int, ...], is_length: bool) -> tuple[int, ...]:
        """Return the sizes of a tensor to the code that reads them: Note [Marked sizes]."""
        return sizes if self.decisions is None or self.breaks is not None else self.decisions.read(sizes, is_length)

    def bounded(self, length: int) -> None:
        """Record that a slice was clipped to the length of its dimension, so that its size depends on that length."""
        if self.decisions is not None and self.breaks is None:
            self.decisions.note((length,), user_frame(1))

    def operands(self, operands: Sequence[object]) -> None:
        """Notify branches that an operator is about to run, so that they save the operands that it changes."""
        self.branches.sees(operands)

    def watch_tensor(self, tensor: Tensor) -> None:
        """Guard a tensor of the program that the function may read: it must be the same object in each replay."""
        if self.breaks is not None or type(tensor._storage) is not Storage:  # a transform's wrapped tensor follows
            return
        self.watched.add(id(tensor))
        link = self.tensors.get(id(tensor))
        if link is not None and link() is tensor:  # otherwise the id was reused after another tensor was freed
            return
        number = self.numbers.get(id(root := root_of(tensor._storage)), -1)
        if number >= 0 and self.blocks[number].link() is root and self.blocks[number].is_new:
            return
        if id(tensor) not in self.known_inputs:
            self.tensors[id(tensor)] = ref(tensor)
            self.first_placements[id(tensor)] = placement_of(tensor)

    def mutated(self, storage: Storage, operation: str) -> None:
        """Record that the last launch modified this storage."""
        if self.breaks is None:
            self.versions.change(self.number_of(storage), self.block_of(storage), storage, operation)

    def grad_set(self, leaf: Tensor) -> None:
        """Record that `.grad` of a leaf is about to be set or initialized."""
        self.branches.grad_set(leaf)
        self.grad_events.append(leaf)
        if self.breaks is not None or id(leaf) in self.grads:
            return
        before = contents_of(leaf, GRAD)
        needed: Any = ANY_GRAD
        if before is not None and self.has_used(before._storage) and not self.block_of(before._storage).is_new:
            needed = before
        self.grads[id(leaf)] = leaf, needed

    def grad_read(self, leaf: Tensor) -> None:
        """Record a read of a leaf's `.grad`. The program may branch on it; library code ignores None."""
        if self.breaks is None and id(leaf) not in self.grads:
            grad = contents_of(leaf, GRAD)
            if grad is None or not in_library(_getframe(3)):
                self.program_grads[id(leaf)] = leaf, grad
                if grad is not None and self.reads is not None:
                    self.reads.reach(grad, "a .grad")
            else:
                self.library_grads[id(leaf)] = leaf

    def passes_end(self, values: Sequence[Tensor]) -> None:
        """Record that a backward pass is about to end at these values and to run their hooks."""
        for place, tensor in enumerate(self.inputs if self.breaks is None else ()):
            if type(tensor.node) is Node and any([tensor.node is value.node for value in values]):
                self.backward_ends.add(place)
                if has_hooks(tensor):
                    self.broken(*HOOKS_RUN)

    def grad_added(self, leaf: Tensor) -> None:
        """Record that `.grad` of a leaf is None and is about to receive its first gradient."""
        self.branches.grad_set(leaf)
        self.grad_events.append(leaf)
        if self.breaks is None:
            self.grads.setdefault(id(leaf), (leaf, None))

    def reads_whole(self, owner: Any) -> None:
        """Record that all attributes of an optimizer, schedule or module are about to be read."""
        if self.breaks is None and self.reads is not None:
            if not hasattr(owner, "named_modules"):
                self.options_are_read()
            self.reads.read_all_of(owner)

    def options_are_read(self, site: Site | None = None) -> None:
        """Record that the program itself reads the options of an optimizer."""
        self.reads_options = True
        if self.actions_of_schedules():
            self.broken(*RATES_READ, site)

    def read(self, operation: str) -> None:
        """Report a graph break: elements are about to be read in Python."""
        self.broken(
            f"{operation} reads elements in Python, which a replay cannot do",
            "compute with tensors (where, clamp, masks), or leave the line out of the captured function",
        )

    def entered(self, module: Any) -> None:
        """Record the start of a module's call."""
        self.module_stack.append(module)

    def left(self) -> None:
        """Record the end of the innermost module's call."""
        if self.module_stack:
            self.module_stack.pop()

    @guarded
    def refuses(self, error: Exception) -> Iterator[None]:
        """Return a context manager whose launches fail with an error like this one if a requirement is not met."""
        before, self.refusal = self.refusal, error
        try:
            yield
        finally:
            self.refusal = before

    @guarded
    def skipping(self, storage: Storage, offset: int, skips: bool) -> Iterator[None]:
        """Return a context manager whose launches each replay skips if a float32 is not 0."""
        if self.launch_device is not cpu:
            self.broken("it skips a part of the step by elements on a device", "leave it out of the captured function")
        first = len(self.launches)
        condition = Address(self.number_of(storage), offset, None, False)
        self.condition = partial(self.holds, storage, offset)
        try:
            yield
        finally:
            self.condition = None
        if skips:
            self.wait("a part of the step is skipped in this run")
        elif self.breaks is None:
            self.skips.append(Skip(first, len(self.launches) - first, condition))

    def renumber(self, first: int, moved: Callable[[int], int]) -> None:
        """Update skips and loops after launches from `first` on were renumbered.

        Arguments:
            first: the first renumbered launch.
            moved: returns the new number of a launch.
        """
        for place, skip in enumerate(self.skips):
            if skip.first >= first:
                self.skips[place] = skip._replace(first=moved(skip.first))
        for place, loop in enumerate(self.loops):
            if loop.first >= first:
                delta = moved(loop.first) - loop.first
                bounds = {name: getattr(loop, name) + delta for name in ("first", "body", "last")}
                self.loops[place] = loop._replace(**bounds)
        self.skips.sort(key=lambda skip: skip.first)
        self.loops.sort(key=lambda loop: loop.last)

    def wait(self, problem: str) -> None:
        """Record that this run cannot be replayed, for a reason that may not apply to the next one."""
        self.retry = self.retry or GraphBreak(
            problem, "call again, or leave it out of the captured function", user_site()
        )

    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """Report a graph break: raise an error, or store it for the report. The default line is the current one."""
        if self.breaks is None:
            self.breaks = GraphBreak(problem, remedy, site or user_site())
            self.line = self.own and running_line(self.own.__code__)
            if self.stops or self.is_backward:  # a backward pass that is only recorded must stop before it has effects
                raise CaptureError(self.breaks)


@guarded
def recording(recorder: Recorder) -> Iterator[None]:
    """Return a context manager in which `recorder` records this thread."""
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
