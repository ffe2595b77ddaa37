"""The reader of graphs: checks every number of graph.json before it creates launches from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_autograd.extend.nodes import LEAF, Node
from facula_storage import Device, Layout, Storage, bool_, contiguous, cpu, float32
from facula_tensor import Generator, Tensor
from facula_tensor.extend.sampling import default_generators

from .._graph.definite_assignment import DisorderError, Extent, check_order
from .._recording.recorder import Recorder
from .._recording.recording import InputGuard, Recording
from .._recording.records import Address, Block, Gradient, Launched, Loop, Pass, Skip, Stream
from .._recording.rng_values import RngValue
from .._recording.storage_versions import Change, StorageVersions
from . import json_values
from .call_sites import site_of
from .devices import move, on
from .errors import refuse
from .json_values import a_list, an_int, entries, to_layout
from .plan_requests import Request, plan_of, roles_of, without_empty_parts
from .results import result_of

if TYPE_CHECKING:
    from .plan_requests import Role

FIELDS = ("name", "arguments", "inputs", "gradients", "blocks", "launches", "boundary", "roots", "outputs", "result",
          "passes", "targets", "puts", "needed", "changed", "skips", "generators", "refills", "watched")  # fmt: skip
NODES = {"": None, "leaf": LEAF, "computed": Node}
MAX_COUNT = 1 << 20  # limit of blocks, launches, and arguments of one launch


class Reader:
    """A reader that creates the recording of one graph of a file.

    Arguments:
        data: the graph, for one batch size.
        plans: the requests of the file's plans.
        memory: the storages at fixed addresses, each with its layout.
        tensors: the tensors of the program in them.
        generators: the file's own generators by index, to which the reader adds.
        wants: the node of each tensor argument: "leaf", "computed" or "".
        device: the device on which the graph will run.
    """

    def __init__(
        self,
        data: Any,
        plans: list[Any],
        memory: list[tuple[Storage, Layout]],
        tensors: list[Tensor],
        generators: dict[int, Generator],
        wants: list[str],
        device: Device = cpu,
    ):
        entries(data, FIELDS, "a graph")
        self.data = data
        self.plans, self.memory, self.tensors, self.wants = plans, memory, tensors, wants
        self.generators, self.device = generators, device
        self.recorder = Recorder((), False)
        self.made: dict[int, tuple[Request, Any]] = {}
        self.extents: list[Extent] = []
        self.modules: dict[str, str] = {}
        self.writes_to: set[int] = set()  # inputs

    def recording(self) -> Recording:
        """Return the recording, ready for replay."""
        data, recorder = self.data, self.recorder
        made: Any = Recording.__new__(Recording)
        made.recorder, made.breaks, made.unsettled = recorder, None, None
        roots = an_int(data["roots"], 0, MAX_COUNT, "roots")
        made.roots = list(range(roots))
        inputs = [self.layout(described) for described in a_list(data["inputs"], "inputs", len(self.wants))]
        nodes = [NODES[want] if roots else None for want in self.wants]
        made.inputs = [InputGuard(layout, 0, nodes[place], place) for place, layout in enumerate(inputs)]
        gradients = [self.layout(gradient) for gradient in a_list(data["gradients"], "gradients", roots)]
        made.gradients = [InputGuard(gradient, 0, None, -1) for gradient in gradients]
        made.fixed, made.views, made.versions = {}, set(), StorageVersions()
        self._blocks(made, [*inputs, *gradients])
        made.outputs = [self._block(described, "output") for described in a_list(data["outputs"], "outputs")]
        if len(set(made.outputs)) != len(made.outputs):
            refuse("a block is two results")
        self._generators()
        launches = a_list(data["launches"], "launches")
        made.boundary_at = an_int(data["boundary"], 0, len(launches), "boundary")
        made.passes = self._passes(made, len(launches))
        made.grads = [grad.block for each in made.passes for grad in each.grads if grad is not None]
        recorder.skips, recorder.loops = self._skips(len(launches)), self._loops(len(launches))
        recorder.has_control_flow = bool(recorder.loops) or any([skip.at_zero for skip in recorder.skips])
        made.launches = [self._launch(part) for part in without_empty_parts(launches)]
        self._check_order(made)
        self.places = list(range(len(launches) + 1))  # of the launches of the file
        if self.device is not cpu:
            self.places, recorder.device = move(made, self.device), self.device
        made.result = result_of(self, made, data["result"])
        made.targets = [self._target(made, target) for target in a_list(data["targets"], "targets")]
        if any([len(pass_.grads) != len(made.targets) for pass_ in made.passes]):
            refuse("a backward pass computes gradients of other tensors than those of the graph")
        made.puts = [self._put(put) for put in a_list(data["puts"], "puts")]
        made.needed = [self._put(put) for put in a_list(data["needed"], "needed")]
        self._changed(made)
        for number in a_list(data["watched"], "watched"):
            tensor = self.tensor(number)
            recorder.tensors[id(tensor)] = ref(tensor)
        made.paths = {id(path): path for path in self.modules.values()}
        made._made, made._leaves = [], {}
        return made  # type: ignore[no-any-return]

    def layout(self, data: Any) -> Layout:
        """Return a layout of the file on the graph's device."""
        return on(to_layout(data), self.device)

    # -------------------------------------------------------------------------------------------------------- memory
    def _blocks(self, made: Any, given: list[Layout]) -> None:
        nothing = Storage()
        kinds: list[str] = []
        self.kinds = kinds
        arguments: set[int] = set()
        for number, described in enumerate(a_list(self.data["blocks"], "blocks")):
            if type(described) is not dict or len(described) != 1:
                refuse(f"a block is {described!r:.60}")
            ((kind, value),) = described.items()
            block = Block(nothing, None, kind in ("output", "grad", "temporary"), 0)
            block.storage = None
            self.recorder.blocks.append(block)
            kinds.append(kind)
            if kind in ("input", "gradient"):
                place = an_int(value, 0, MAX_COUNT, "an argument") + (len(made.inputs) if kind == "gradient" else 0)
                if place >= len(given) or (kind == "input" and place >= len(made.inputs)) or place in arguments:
                    refuse("a block is not an argument of the graph, or is one that another block is")
                arguments.add(place)
                block.inputs = [place]
                self.extents.append(Extent(given[place].extent, given[place].dtype, False))
            elif kind == "memory":
                storage, layout = self.memory[an_int(value, 0, len(self.memory) - 1, "memory")]
                if any([known is storage for known in made.fixed.values()]):
                    refuse("two blocks share memory")
                made.fixed[number] = storage
                self.extents.append(Extent(layout.extent, layout.dtype, False))
            elif block.is_new:
                block.layout = self.layout(value)
                self.extents.append(Extent(block.layout.extent, block.layout.dtype, True))
            else:
                refuse(f"a block is of kind {kind!r:.40}")
        if len(kinds) > MAX_COUNT:
            refuse("it has too many blocks")

    def _block(self, number: Any, kind: str = "") -> int:
        found = an_int(number, 0, len(self.kinds) - 1, "a block")
        if kind and self.kinds[found] != kind:
            refuse(f"block {found} is a {self.kinds[found]}, where the graph has a {kind}")
        return found

    def check_inside(self, block: int, offset: int, layout: Layout) -> None:
        """Refuse an address outside of a block, between elements, or with other elements instead of bools."""
        extent, unit = self.extents[block], json_values.alignment(layout.dtype)
        if offset < 0 or offset + layout.extent > extent.nbytes:
            refuse(f"an address is outside of block {block}: {layout} from byte {offset} of {extent.nbytes}")
        given = self.kinds[block] in ("input", "gradient")
        if offset % unit or (given and unit > json_values.alignment(extent.dtype)):
            refuse(f"an address in block {block} is not that of an element")
        if (layout.dtype is bool_) is not (extent.dtype is bool_) and layout.numel:
            refuse(f"block {block} has elements of {extent.dtype.name}, and is accessed as {layout.dtype.name}")

    # ------------------------------------------------------------------------------------------------------ launches
    def _launch(self, data: Any) -> Launched:
        number, arguments, line, module = entries(data, ("plan", "arguments", "line", "module"), "a launch")
        if type(line) is not str or type(module) is not str:
            refuse("the line or module of a launch is not text")
        place = an_int(number, 0, len(self.plans) - 1, "a plan")
        if place not in self.made:
            request = Request.of(self.plans[place])
            self.made[place] = request, plan_of(request)
        request, plan = self.made[place]
        part = an_int(data["part"], 0, MAX_COUNT, "a part") if "part" in data else -1
        if part == 0 and plan.parts is None:  # for other batch sizes it starts elsewhere
            part = -1
        roles = roles_of(request, plan, part)
        given = a_list(arguments, f"the arguments of {request.name}", len(roles))
        taken = [self._argument(request.name, argument, role) for argument, role in zip(given, roles, strict=True)]
        for address in taken:
            if type(address) is Address and address.written and self.kinds[address.block] == "input":
                self.writes_to.add(self.recorder.blocks[address.block].inputs[0])
        site, path = site_of(line), self.modules.setdefault(module, module)
        if part < 0:
            arrays = 1 + max([k for k, role in enumerate(roles) if role.kind in ("address", "same")], default=0)
            return Launched(plan, tuple(taken), arrays, site, path, request.name)
        launch, _ = plan.parts[part]
        whole = type(plan)(plan.operator, (), plan.outputs, launch, request=plan.request)
        return Launched(whole, tuple(taken), len(taken), site, path, request.name, part)

    def _argument(self, name: str, argument: Any, role: Role) -> Address | RngValue | float:
        if role.kind == "address":
            block, offset = a_list(argument, f"an address of {name}", 2)
            block, offset = self._block(block), an_int(offset, 0, json_values.MAX_BYTES, "an offset")
            assert role.layout is not None
            self.check_inside(block, offset - role.delta, role.layout)
            return Address(block, offset, role.layout, role.written)
        if role.kind == "same":
            if type(argument) not in (int, bool) or argument != role.value:
                refuse(f"{name} is launched with {argument!r:.40}; expected {role.value}")
            return role.value
        if type(argument) is dict:
            source, delta = a_list(entries(argument, ("cell",), f"an argument of {name}")[0], "a cell", 2)
            count = 2 * len(self.recorder.generators)
            if role.kind != "int":
                refuse(f"{name} is launched with a random number's place where it has none")
            source = an_int(source, 0, count - 1, "a generator's number") if count else refuse("there is no generator")
            return RngValue.of(0, self.recorder, source, an_int(delta, 0, json_values.MAX_BYTES, "a place in a stream"))
        number = json_values.to_number(argument)
        if role.kind == "int" and (type(number) is float or not -(1 << 63) <= number < 1 << 63):
            refuse(f"{name} is launched with {number!r:.40}; expected an integer of 64 bits")
        return number  # type: ignore[no-any-return]

    def _check_order(self, made: Any) -> None:
        try:
            check_order(made, self.extents)
        except DisorderError as error:
            call = f"call {error.launch} ({made.launches[error.launch].operation}) " if error.launch >= 0 else ""
            refuse(call + str(error))

    def _skips(self, launches: int) -> list[Skip]:
        found: list[Skip] = []
        for skip in a_list(self.data["skips"], "skips"):
            first, count, block, offset, *at_zero = a_list(skip, "a skip", 5 if type(skip) is list and skip[4:] else 4)
            first = an_int(first, 0, launches, "a launch to skip")
            count = an_int(count, 1, launches - first, "how many launches to skip")
            if at_zero not in ([], [True]):
                refuse(f"a skip ends with {at_zero[0]!r:.40}; expected true or nothing")
            found.append(Skip(first, count, self._condition(block, offset), bool(at_zero)))
        return found

    def _loops(self, launches: int) -> list[Loop]:
        found: list[Loop] = []
        for loop in a_list(self.data.get("loops", []), "loops"):  # files of format 1 have none
            first, body, last, block, offset = a_list(loop, "a loop", 5)
            first, last = an_int(first, 0, launches, "a loop's first launch"), an_int(last, 0, launches, "a loop's end")
            body = an_int(body, first + 1, last, "where the step of a loop begins")
            found.append(Loop(first, body, last, self._condition(block, offset)))
        return sorted(found, key=lambda loop: loop.last - loop.first)  # inner ones first

    def _condition(self, block: Any, offset: Any) -> Address:
        block, offset = self._block(block), an_int(offset, 0, json_values.MAX_BYTES, "an offset")
        self.check_inside(block, offset, contiguous((), float32))
        return Address(block, offset, None, False)

    def _passes(self, made: Any, launches: int) -> list[Pass]:
        found: list[Pass] = []
        expected = made.boundary_at
        for pass_ in a_list(self.data["passes"], "passes"):
            start, stop, grads = a_list(pass_, "a pass", 3)
            start, stop = an_int(start, expected, expected, "a pass"), an_int(stop, expected, launches, "a pass")
            expected = stop
            found.append(Pass(start, stop, [self._gradient(grad) for grad in a_list(grads, "gradients")]))
        count = len(made.roots)
        if len(found) != (count + 1 if count > 1 else count) or expected != launches:
            refuse("the backward passes do not match the differentiable results, or lack launches")
        blocks = [grad.block for each in found for grad in each.grads if grad is not None]
        if len(set(blocks)) != len(blocks) or len(blocks) != self.kinds.count("grad"):
            refuse("a block is the gradient of two tensors, or of none")
        return found

    def _gradient(self, data: Any) -> Gradient | None:
        if data is None:
            return None
        block, layout, offset = a_list(data, "a gradient", 3)
        block, layout = self._block(block, "grad"), self.layout(layout)
        offset = an_int(offset, 0, json_values.MAX_BYTES, "an offset")
        self.check_inside(block, offset, layout)
        return Gradient(block, layout, offset)

    # ---------------------------------------------------------------------------------------------------------- others
    def tensor(self, number: Any) -> Tensor:
        """Return the tensor with this number."""
        return self.tensors[an_int(number, 0, len(self.tensors) - 1, "a tensor")]

    def _put(self, data: Any) -> tuple[Tensor, Tensor | None]:
        leaf, grad = a_list(data, "a .grad", 2)
        leaf = self.tensor(leaf)
        after = None if grad is None else self.tensor(grad)
        if after is not None and (after._layout.shape != leaf._layout.shape or after.dtype is not leaf.dtype):
            refuse("a .grad is not like its tensor")
        return leaf, after

    def _target(self, made: Any, data: Any) -> tuple[int | None, Tensor | None]:
        kind, number = a_list(data, "a target", 2)
        if kind == "input":
            return an_int(number, 0, len(made.inputs) - 1, "an argument"), None
        if kind != "tensor":
            refuse(f"a target is {kind!r:.40}")
        return None, self.tensor(number)

    def _changed(self, made: Any) -> None:
        for change in a_list(self.data["changed"], "changed"):
            block, count, name = a_list(change, "a change", 3)
            if type(name) is not str:
                refuse("the operation that changes a block has no name")
            block = self._block(block)
            change = an_int(count, 1, MAX_COUNT, "a count"), name[:100], site_of("")
            made.versions.inputs += [Change(place, *change) for place in self.recorder.blocks[block].inputs[:1]]
            if block in made.fixed:
                made.versions.changed.append(Change(made.fixed[block], *change))

    def _generators(self) -> None:
        for place, described in enumerate(a_list(self.data["generators"], "generators")):
            own, drawn, state = entries(described, ("own", "drawn", "state"), "a generator")
            is_new = own is True and place not in self.generators
            generator = (
                self.generators.setdefault(place, Generator(self.device))
                if own is True
                else default_generators[self.device]
            )
            if state is not None:
                seed, offset = [an_int(k, -(1 << 63), (1 << 64) - 1, "a state") for k in a_list(state, "a state", 2)]
                if is_new:
                    generator._key, generator._offset = seed, offset
            elif drawn is None:
                refuse("a generator that the graph sets has no state")
            count = 0 if drawn is None else an_int(drawn, 0, json_values.MAX_BYTES, "how many numbers are drawn")
            stream = Stream(generator, generator._offset - count, place)
            stream.follows = drawn is not None
            if id(generator) in self.recorder.generators:
                refuse("a generator is duplicated")
            self.recorder.generators[id(generator)] = stream
        self.states = [described["state"] for described in self.data["generators"]]
