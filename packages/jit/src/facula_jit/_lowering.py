"""A part of a recording as a sequence of launches in C: addresses put in, and what a call is given patched."""

from __future__ import annotations

from types import CellType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Value
from facula_storage import Storage
from facula_storage.extend import Sequence, plain_address
from facula_tensor import Tensor
from facula_tensor.extend import default_dtype_cell

from ._cells import Cell
from ._records import Address, Skip

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Many

    from ._recorder import Recorder
    from ._recording import Like, Recording

    Check = tuple[Any, Any, Any]
    Patch = tuple[int, int, int, int]


def slot(kind: type, name: str) -> Any:
    """The descriptor of a class's slot."""
    return vars(kind)[name]


LAYOUT, STORAGE, OFFSET = [slot(Tensor, name) for name in ("_layout", "_storage", "_offset")]
NODE, GRAD, HOOKS = [slot(Value, name) for name in ("node", "_grad", "hooks")]
ADDRESS = slot(Storage, "ptr")
CONTENTS = slot(CellType, "cell_contents")
SLOTS = (LAYOUT, STORAGE, OFFSET, NODE, ADDRESS, slot(Storage, "version"), slot(Storage, "mutator"))


OPTIONS = frozenset(("param_groups", "get_last_lr", "get_lr"))  # by these names programs come to them
KINDS = "_kinds"  # what facula_nn notes of attributes' names: the attributes say it
MOST_ENTRIES = 64  # of lists and dicts that are looked into


class Part:
    """Some launches of a recording, from `start` to `stop`, and where they find their memory.

    Arguments:
        recording: the recording.
        span: the first launch, and the one after the last.
        inputs: what the tensors are like that a run is given.
        outputs: blocks whose addresses follow, as values.
    """

    def __init__(self, recording: Recording, span: tuple[int, int], inputs: Many[Like], outputs: Many[int]):
        self.recording, self.inputs = recording, list(inputs)
        self.start, stop = span
        self.steps: list[int | Skip] = []  # launches by number, and before some of them a condition
        skips = {one.first: one for one in recording.recorder.skips}
        for number in range(self.start, stop):
            if number in skips:
                self.steps.append(skips[number])
            self.steps.append(number)
        self.step_of = {one: step for step, one in enumerate(self.steps) if type(one) is int}
        self.values = len(outputs) + 2 * len(recording.recorder.generators)
        self.sources = {block: len(self.inputs) + place for place, block in enumerate(outputs)}
        self.first_cell = len(self.inputs) + len(outputs)

    def sequence(
        self, base: int, places: dict[int, int], checks: list[Check], puts: list[tuple[Tensor, Any]]
    ) -> Sequence:
        """The sequence, for temporaries in memory that is there.

        Arguments:
            base: the address of that memory.
            places: where in it each block begins, and the workspace of each launch (under -1 - launch).
            checks: what is looked at before.
            puts: leaves, and what their `.grad` becomes.
        """
        patches: list[Patch] = []
        launches: list[tuple[Callable[..., None] | None, tuple[Any, ...]]] = []
        for step, number in enumerate(self.steps):
            values: list[Any] = []
            if isinstance(number, Skip):
                where = self._address(number.condition, base, places, (step, 0), patches)
                launches.append((None, (where, number.launches)))
                continue
            launch = self.recording.launches[number]
            workspace = launch.arrays if launch.plan.workspace else -1
            for place, one in enumerate((*launch.arguments, None)):
                if place == workspace:
                    values.append(base + places[-1 - number])
                if type(one) is Address:
                    values.append(self._address(one, base, places, (step, len(values)), patches))
                elif type(one) is Cell:
                    patches.append((step, len(values), self.first_cell + one.source, one.delta))
                    values.append(int(one))
                elif one is not None:
                    values.append(one)
            launches.append((launch.plan.launch, tuple(values)))
        changed, spans = self._changed()
        return Sequence(
            SLOTS, launches, self._inputs(), self.values,
            patches, checks, changed, [(leaf, GRAD, after) for leaf, after in puts], spans,
        )  # fmt: skip

    def _inputs(self) -> list[tuple[Any, ...]]:
        """What is expected of each input."""
        deltas = [one.offset - self.inputs[max(one.root, 0)].offset for one in self.inputs]
        return [
            (one.layout, one.node, one.layout.extent, one.root, delta)
            for one, delta in zip(self.inputs, deltas, strict=True)
        ]

    def _address(
        self, one: Address, base: int, places: dict[int, int], argument: tuple[int, int], patches: list[Patch]
    ) -> int:
        block = self.recording.recorder.blocks[one.block]
        if one.block in self.sources:
            patches.append((*argument, self.sources[one.block], one.offset))
            return 0
        if block.inputs:
            place = _input_of(one, block.inputs, self.inputs)
            patches.append((*argument, place, one.offset - self.inputs[place].offset))
            return 0
        storage = self.recording.fixed.get(one.block)
        if storage is not None:
            return plain_address(storage) + one.offset
        return base + places[one.block] + one.offset

    def _changed(self) -> tuple[list[tuple[Storage, int, Any]], list[tuple[int, int]]]:
        """Storages that are written and stay, and the memory that is: no input may lie there."""
        fixed, changed = self.recording.fixed, []
        spans: dict[tuple[int, int], None] = {}
        for block, (count, operation, site) in self.recording.recorder.changed.items():
            storage = fixed.get(block)
            if not self.start and storage is not None and storage.version is not None:
                changed.append((storage, count, (operation, *site)))
        for number in self.step_of:
            for one in self.recording.launches[number].arguments:
                if type(one) is Address and one.written and one.block in fixed and one.layout is not None:
                    start = plain_address(fixed[one.block]) + one.offset
                    spans[start, start + one.layout.extent] = None
        return changed, list(spans)


def checks_of(recording: Recording, function: Any) -> list[Check]:
    """What must be as it was: tensors and their memory, `.grad` where it is read, modules, the default dtype."""
    recorder = recording.recorder
    checks: list[Check] = [(default_dtype_cell, 0, default_dtype_cell[0])]
    storages = {id(one): one for one in recording.fixed.values()}
    for link in recorder.tensors.values():
        tensor = link()
        if tensor is None:
            continue
        checks += [(tensor, one, one.__get__(tensor)) for one in (LAYOUT, STORAGE, OFFSET, NODE)]
        if tensor.node is LEAF:
            checks.append((tensor, HOOKS, tensor.hooks))
            if tensor.hooks is not None:
                for table in (tensor.hooks.value_hooks, tensor.hooks.after):
                    checks += [(table, None, len(table)), *[(table, key, one) for key, one in table.items()]]
        storages[id(tensor._storage)] = tensor._storage
    checks += [(storage, ADDRESS, storage.ptr) for storage in storages.values()]
    checks += [(leaf, GRAD, needed) for leaf, needed in recording.needed]
    for module, before in recorder.modules.values():
        attributes = vars(module)
        checks.append((attributes, None, len(attributes)))
        for name, one in attributes.items():
            if before.get(name, before) is one and name != KINDS:
                checks.append((attributes, name, one))
                checks += checks_of_contents(one)
    checks += checks_of_variables(recorder, function)
    refilled = [] if reads_options(recorder, function) else [one.group for one in recorder.refills]
    for optimizer, before_step in recorder.optimizers.values():
        checks += checks_of_optimizer(optimizer, before_step, refilled)
    return checks


def checks_of_contents(value: Any, depth: int = 2) -> list[Check]:
    """The entries of short lists and dicts, in which Python's decisions may lie, and of those in them; of other objects
    their attributes."""
    own = getattr(value, "__dict__", None)
    if type(own) is dict and not isinstance(value, (Tensor, FunctionType, MethodType, ModuleType, type)):
        if KINDS not in own and not type(value).__module__.startswith("facula"):  # these are looked at by themselves
            value = own
    if not (isinstance(value, dict) or type(value) is list) or len(value) > MOST_ENTRIES or not depth:
        return []
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    checks: list[Check] = [(value, None, len(value)), *[(value, key, one) for key, one in entries]]
    return checks + [check for _, one in entries for check in checks_of_contents(one, depth - 1)]


def checks_of_variables(recorder: Recorder, function: Any) -> list[Check]:
    """The global variables that the program's lines named, and those that the function itself closes over.

    What changed while the function ran is left out: it counts for itself.
    """
    checks: list[Check] = []
    for known, before in recorder.variables.values():
        for name, one in before.items():
            if known.get(name) is one and not isinstance(one, (ModuleType, FunctionType, type)):
                checks.append((known, name, one))
                checks += checks_of_contents(one)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            checks.append((cell, CONTENTS, cell.cell_contents))
        except ValueError:  # not set yet
            continue
        checks += checks_of_contents(cell.cell_contents)
    for one in recorder.objects:
        checks += checks_of_contents(one)
    return checks


def reads_options(recorder: Recorder, function: Any) -> bool:
    """Whether the program's lines look at the options of optimizers themselves: more than steps follow from them."""
    codes = [*recorder.variables, getattr(function, "__code__", None)]
    return any([not OPTIONS.isdisjoint(code.co_names) for code in codes if code is not None])


def checks_of_optimizer(optimizer: Any, before: list[dict[str, Any]], refilled: list[Any]) -> list[Check]:
    """What must be as it was of an optimizer: its groups, their parameters and state, and options that are no numbers.

    Arguments:
        optimizer: one whose step was taken down.
        before: its groups when the step began.
        refilled: the groups whose options are followed.
    """
    own, groups, state = vars(optimizer), optimizer.param_groups, optimizer.state
    checks: list[Check] = [(own, "param_groups", groups), (own, "state", state), (groups, None, len(groups))]
    for place, (group, options) in enumerate(zip(groups, before, strict=False)):
        params = group["params"]
        checks += [(groups, place, group), (group, "params", params), (group, None, len(options))]
        checks.append((params, None, len(params)))
        if not any([one is group for one in refilled]):
            checks += [(group, name, value) for name, value in options.items()]
        for one in params:
            if one in state:
                checks.append((state, one, state[one]))
                checks += [(state[one], name, value) for name, value in state[one].items() if isinstance(value, Tensor)]
    return checks


def described(check: Check) -> str:
    """What a check that failed is about."""
    holder, key, expected = check
    if holder is default_dtype_cell:
        return "the default dtype"
    if isinstance(holder, Tensor):
        return f"the {key.__name__.strip('_')} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Storage):
        return "the memory of a tensor"
    if key is CONTENTS:
        return f"a variable that the function closes over, which was {expected!r:.40}"
    if key is None:
        return "the number of attributes of a module, or of groups or parameters of an optimizer"
    return f"the variable, attribute, option or entry {key!r}, which was {expected!r:.40}"


def _input_of(one: Address, places: Many[int], inputs: Many[Like]) -> int:
    """Which of several arguments in one memory an address is of."""
    for place in places:
        start = inputs[place].offset
        if start <= one.offset < start + max(inputs[place].layout.extent, 1):
            return place
    return places[0]
