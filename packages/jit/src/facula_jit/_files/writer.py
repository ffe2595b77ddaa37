"""The writer of graphs: converts the launches, memory, results and tensors of a capture to data for graph.json."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.nodes import LEAF, describe_call_site
from facula_storage import Device, Layout, Storage, contiguous, uint8
from facula_storage.extend.memory import root_of
from facula_tensor import Tensor
from facula_tensor.extend.sampling import default_generators

from .._graph.calls import Names
from .._recording.pytrees import Tree
from .._recording.recording import AliasOutput, InputOutput, Output
from .._recording.records import Address, bytes_at
from .._recording.rng_values import RngValue
from .._replay.portable_program import leaves_of
from .._replay.scalar_formulas import Forms, values_of
from . import json_values
from .batch_sizes import renumber
from .devices import check_device, for_file
from .errors import Refusal, SaveError
from .plan_requests import is_shown, plan_of, request_of, roles_of
from .program_members import training_of
from .results import named_results
from .tensor_names import Named, named_tensors

if TYPE_CHECKING:
    from .._recording.recording import Recording
    from .._recording.records import Launched
    from .._replay.replay import Replay
    from .plan_requests import Role

NAMELESS = "tensor."
TREES = {tuple: "tuple", list: "list", dict: "dict", OrderedDict: "dict"}


class Writer:
    """Data that the graphs of one file share: memory, tensors in it, and groups of options.

    Arguments:
        function: the function, whose variables name the tensors.
        device: the device of its launches.
    """

    def __init__(self, function: Any, device: Device):
        self.function, self.device = function, device
        self.storages: list[Storage] = []
        self.reach: list[int] = []  # used bytes of each
        self.layouts: list[Layout | None] = []  # the layout of memory without a tensor
        self.tensors: list[Named] = []
        self.groups: list[dict[str, Any]] = []
        self.known: dict[Any, int] = {}  # id of a storage, or a key for it -> its number
        self.called: dict[int, int] = {}  # id of a tensor -> its number
        self.named: dict[int, Named] = {}
        self.contents: list[str] = []  # the name of each memory in the file
        self.written: set[int] = set()  # memory that launches modify
        self.optimizers: list[Any] = []  # the groups of the program, in the order of `groups`

    # ------------------------------------------------------------------------------------------------------- memory
    def memory(self, storage: Storage, key: Any = None, layout: Layout | None = None) -> int:
        """Return the number of memory at a fixed address; that of the first if several represent the same."""
        storage = root_of(storage)
        key = id(storage) if key is None else key
        if key not in self.known:
            self.known[key] = len(self.storages)
            self.storages.append(storage)
            self.reach.append(0)
            self.layouts.append(layout)
        return self.known[key]

    def record_use(self, memory: int, nbytes: int, layout: Layout | None) -> None:
        """Record the use of this many bytes of memory with a layout. An operand without elements may start anywhere."""
        if layout is None or layout.numel:
            self.reach[memory] = max(self.reach[memory], nbytes)
        self.layouts[memory] = self.layouts[memory] or layout

    def tensor(self, tensor: Tensor, key: Any = None, name: str = "") -> int:
        """Return the number of a tensor of the program."""
        called = id(tensor) if key is None else key
        if called not in self.called:
            found = self.named.get(id(tensor)) or Named(name or f"{NAMELESS}{len(self.tensors)}", tensor, "tensor")
            if name:
                found = found._replace(name=name, kind="grad")
            self.called[called] = len(self.tensors)
            self.tensors.append(found)
            memory = self.memory(tensor._storage, key)
            self.record_use(memory, tensor._offset + tensor._layout.extent, tensor._layout)
        return self.called[called]

    def grad(self, leaf: Tensor, grad: Tensor) -> int:
        """Return the number of the `.grad` of a leaf: one for all graphs, each of which computes its own."""
        name = self.tensors[self.tensor(leaf)].name
        return self.tensor(grad, ("grad", id(leaf)), f"{name}.grad")

    def names_of(self, recording: Recording) -> dict[int, tuple[str, int]]:
        """Return, for each block at a fixed address, the name and size in bytes of its contents in `data`."""
        known = {number: self.known.get(id(root_of(storage))) for number, storage in recording.fixed.items()}
        return {
            number: (self.contents[memory], self.reach[memory])
            for number, memory in known.items()
            if memory is not None
        }

    # ---------------------------------------------------------------------------------------------------------- data
    def data(self) -> tuple[dict[str, Any], dict[str, tuple[Storage, Layout, int]]]:
        """Return tensors, memory and groups as JSON, and the contents of memory by the name of its first tensor."""
        names: dict[str, int] = {}
        described, memory, contents = [], [], {}
        for number, found in enumerate(self.tensors):
            name = found.name
            if name in names:
                name = f"{name}#{number}"
            names[name] = number
            key = next(key for key, known in self.called.items() if known == number)
            tensor = found.tensor
            check_device(tensor._layout, self.device, name)
            memory_number = self.known[key if type(key) is tuple else id(root_of(tensor._storage))]
            is_constant = found.name.startswith(NAMELESS) and memory_number not in self.written
            described.append(
                {
                    "name": name,
                    "kind": "constant" if is_constant else found.kind,
                    "memory": memory_number,
                    "layout": json_values.layout(tensor._layout),
                    "offset": tensor._offset,
                    "requires_grad": tensor.node is LEAF,
                }
            )
        for number, storage in enumerate(self.storages):
            here = [entry for entry in described if entry["memory"] == number]
            layout = self.tensors[names[here[0]["name"]]].tensor._layout if here else self.layouts[number]
            nbytes = self.reach[number]
            whole = layout is not None and layout.is_contiguous and layout.nbytes == nbytes
            if not (whole and (not here or here[0]["offset"] == 0)):
                dtype = uint8 if layout is None or nbytes % layout.dtype.itemsize else layout.dtype
                layout = contiguous((nbytes // dtype.itemsize,), dtype)
            assert layout is not None
            name = here[0]["name"] if here else f"constant.{number}"
            contents[name] = (storage, layout, 0)
            self.contents.append(name)
            memory.append({"tensor": name, "bytes": nbytes})
        return {"tensors": described, "memory": memory, "groups": self.groups}, contents


def describe(writer: Writer, replay: Replay, signature: list[Any]) -> dict[str, Any]:
    """Return one capture as JSON; SaveError names a part that files cannot contain."""
    return _Description(writer, replay).data(signature)


class LaunchDescription(NamedTuple):
    """The description of a launch as JSON, the requirements on its arguments, and its line."""

    plan: dict[str, Any]
    roles: list[Role]
    line: str


class _Description:
    def __init__(self, writer: Writer, replay: Replay):
        self.writer, self.replay = writer, replay
        self.recording, self.places = for_file(replay.recording)
        self.recorder = self.recording.recorder
        self.paths = Names(self.recording).paths
        for named in named_tensors(writer.function, self.recorder):
            writer.named.setdefault(id(named.tensor), named)
        self.own: dict[int, Any] = {}  # storage -> a tensor of the program in it, for memory with a name
        self.numbers: dict[int, list[float]] = {}  # launch -> the present scalars of optimizers

    def data(self, signature: list[Any]) -> dict[str, Any]:
        recording, recorder, writer = self.recording, self.recorder, self.writer
        for tensor in (*recording.inputs, *recording.gradients):
            check_device(tensor.layout, writer.device, "an argument")
        links = recorder.tensors.values()
        tensors = [tensor for tensor in [link() for link in links] if tensor is not None and self._is_used(tensor)]
        if recorder.outer_backwards:
            raise SaveError(
                "save: the function runs a backward pass through the graph of another capture; capture both together"
            )
        for owner, _ in recorder.actions:
            if owner is not None:
                raise SaveError("save: a schedule steps inside of the function; step it outside, and set the rate")
        returned = [leaf for leaf in leaves_of(recording.result) if isinstance(leaf, Tensor)]
        self.own.update({id(root_of(tensor._storage)): tensor for tensor in (*returned, *tensors)})
        puts = [self._grad(leaf, grad) for leaf, grad in recording.puts]
        needed = [self._grad(leaf, grad) for leaf, grad in recording.needed]
        refills = [self._refill(refill) for refill in self.replay.refills]
        self.descriptions = [self._described_launch(launch) for launch in recording.launches]
        blocks = [self._block(number) for number in range(len(recorder.blocks))]
        launches = [self._launch(number, launch) for number, launch in enumerate(recording.launches)]
        made = {
            "name": self.replay.name,
            "arguments": signature,
            "inputs": [json_values.layout(tensor.layout) for tensor in recording.inputs],
            "gradients": [json_values.layout(gradient.layout) for gradient in recording.gradients],
            "blocks": blocks,
            "launches": launches,
            "boundary": recording.boundary_at,
            "roots": len(recording.roots),
            "outputs": list(recording.outputs),
            "result": self._result(recording.result),
            "passes": [
                [run.start, run.stop, [k and [k.block, json_values.layout(k.layout), k.offset] for k in run.grads]]
                for run in recording.passes
            ],
            "targets": [
                ["input", place] if tensor is None else ["tensor", writer.tensor(tensor)]
                for place, tensor in recording.targets
            ],
            "puts": puts,
            "needed": needed,
            "changed": [[block, *change] for block, change in recording.versions.by_block(recorder).items()],
            "skips": [
                [skip.first, skip.launches, *self._condition(skip.condition), *([True] if skip.at_zero else [])]
                for skip in recorder.skips
            ],
            "loops": [[loop.first, loop.body, loop.last, *self._condition(loop.condition)] for loop in recorder.loops],
            "generators": self._generators(),
            "refills": refills,
            "training": training_of(self.replay),
            "watched": sorted({writer.tensor(tensor) for tensor in tensors}),
        }  # fmt: skip
        renumber(made)
        return made

    # ------------------------------------------------------------------------------------------------------- tensors
    def _is_used(self, tensor: Tensor) -> bool:
        """Return True if a launch reads or writes the memory of a tensor."""
        return self.recorder.numbers.get(id(root_of(tensor._storage))) in self.recorder.used_blocks

    def _grad(self, leaf: Tensor, grad: Any) -> list[int | None]:
        number = self.writer.tensor(leaf)
        if grad is None:
            return [number, None]
        self.own[id(root_of(grad._storage))] = grad
        found = self.writer.grad(leaf, grad)
        self.writer.known.setdefault(id(root_of(grad._storage)), self.writer.known["grad", id(leaf)])
        self.writer.called.setdefault(id(grad), found)
        return [number, found]

    def _block(self, number: int) -> dict[str, Any]:
        recording, block = self.recording, self.recorder.blocks[number]
        if len(block.inputs) > 1:
            raise SaveError("save: two arguments share their memory; call it with a clone()")
        if block.inputs:
            place = block.inputs[0] - len(recording.inputs)
            return {"gradient": place} if place >= 0 else {"input": block.inputs[0]}
        storage = recording.fixed.get(number)
        if storage is not None:
            return {"memory": self._memory(storage, number)}
        if block.layout is None:
            raise SaveError("save: a part of the function's memory is not known; capture it again")
        kind = "output" if number in recording.outputs else "grad" if number in recording.grads else "temporary"
        return {kind: json_values.layout(block.layout)}

    def _memory(self, storage: Storage, number: int) -> int:
        """Return the number of memory at a fixed address; equal constants share one."""
        writer = self.writer
        if id(storage) in writer.known:
            return writer.known[id(storage)]
        if id(storage) in self.own:
            writer.tensor(self.own[id(storage)])
            return writer.known[id(storage)]
        here = {other for other, fixed in self.recording.fixed.items() if fixed is storage} | {
            number
        }  # a pass makes copies one
        met = [
            (argument.offset - role.delta, role)
            for launch, description in zip(self.recording.launches, self.descriptions, strict=True)
            for argument, role in zip(launch.arguments, description.roles, strict=False)
            if type(argument) is Address and argument.block in here
        ]
        ends = [offset + role.layout.extent for offset, role in met if role.layout is not None and role.layout.numel]
        reach = max(ends, default=0)
        layout = met[0][1].layout if met else None
        key = None
        if not any([role.written for _, role in met]):
            held = bytes_at(storage, 0, contiguous((reach,), uint8, writer.device)) if reach else b""
            key = "constant", layout, held
        found = writer.memory(storage, key, layout)
        writer.known[id(storage)] = found
        return found

    def _offset(self, block: int, offset: int) -> int:
        """Return an offset relative to the start of an argument, or of the buffer."""
        inputs = self.recorder.blocks[block].inputs
        if not inputs:
            return offset
        place, count = inputs[0], len(self.recording.inputs)
        like = self.recording.inputs[place] if place < count else self.recording.gradients[place - count]
        return offset - like.offset

    # ------------------------------------------------------------------------------------------------------ launches
    def _described_launch(self, launch: Launched) -> LaunchDescription:
        line = describe_call_site(*launch.site)
        folder, name = os.path.split(line)
        line = name if folder else line
        try:
            request = request_of(launch)
            return LaunchDescription(request.data(), roles_of(request, plan_of(request), launch.part), line)
        except (Refusal, TypeError) as error:
            raise SaveError(f"save: a file cannot contain this; {error} (at {line})") from None

    def _launch(self, number: int, launch: Launched) -> dict[str, Any]:
        described, roles, line = self.descriptions[number]
        arguments = list(launch.arguments)
        numbers = self.numbers.get(number, [])
        arguments[1 : 1 + len(numbers)] = numbers
        if len(arguments) != len(roles):
            raise SaveError(f"save: {launch.operation} has {len(arguments)} arguments, not {len(roles)} (at {line})")
        taken: list[Any] = []
        argument: Any
        for argument, role in zip(arguments, roles, strict=True):
            if type(argument) is Address:
                if not is_shown(argument, role.layout) or (argument.written and not role.written):
                    raise SaveError(f"save: {launch.operation} was not launched as its plan specifies (at {line})")
                offset = self._offset(argument.block, argument.offset)
                taken.append([argument.block, offset])
                storage = self.recording.fixed.get(argument.block)
                if storage is not None and role.layout is not None:
                    memory = self.writer.known[id(storage)]
                    self.writer.record_use(memory, offset - role.delta + role.layout.extent, role.layout)
                    if role.written:
                        self.writer.written.add(memory)
            elif type(argument) is RngValue:
                taken.append({"cell": [argument.source, argument.delta]})
            elif role.kind == "address":
                raise SaveError(f"save: {launch.operation} was not launched as its plan specifies (at {line})")
            else:
                taken.append(json_values.number(argument))
        made = {"plan": described, "arguments": taken, "line": line, "module": self.paths.get(id(launch.module), "")}
        return made if launch.part < 0 else {**made, "part": launch.part}

    def _condition(self, address: Address) -> list[int]:
        return [address.block, self._offset(address.block, address.offset)]

    def _refill(self, refill: Any) -> dict[str, Any]:
        """Return a group of options, and the forms of the numbers of its launches."""
        forms, group, writer = Forms(refill), refill.numbers.group, self.writer
        place = next((k for k, optimizer in enumerate(writer.optimizers) if optimizer is group), len(writer.optimizers))
        if place == len(writer.optimizers):
            writer.optimizers.append(group)
            options = {name: value for name, value in group.items() if name != "params" and json_values.is_plain(value)}
            writer.groups.append({
                "optimizer": type(refill.numbers.owner).__name__,
                "options": {name: json_values.parameter(value) for name, value in options.items()},
                "fixed": [],
            })  # fmt: skip
        fixed = forms.fixed if forms.works else set(values_of(group))
        writer.groups[place]["fixed"] = sorted({*writer.groups[place]["fixed"], *fixed})
        for numbers, launches in zip(forms.numbers, refill.numbers.launches, strict=forms.works):
            self.numbers.update(dict.fromkeys([self.places[launch] for launch in launches], numbers))
        launches = refill.numbers.launches if forms.works else []
        moved = [[self.places[number] for number in each] for each in launches]
        return {"group": place, "launches": moved, "forms": forms.forms}

    def _generators(self) -> list[Any]:
        found = []
        for generator, drawn, (seed, offset) in zip(
            self.replay.generators, self.replay.drawn, self.replay.set, strict=True
        ):
            own = generator is not default_generators[self.writer.device]
            state = [generator._key, generator._offset] if own and drawn is not None else [seed, offset]
            found.append({"own": own, "drawn": drawn, "state": state if own or drawn is None else None})
        return found

    # -------------------------------------------------------------------------------------------------------- result
    def _result(self, value: Any) -> Any:
        kind = type(value)
        if kind is Output:
            return {
                "output": [value.place, json_values.layout(value.layout), value.offset, value.wants_grad, value.root]
            }
        if kind is AliasOutput:
            shown = [value.argument, json_values.layout(value.layout), value.offset, value.wants_grad, value.root]
            return {"view": [*shown, value.is_view]}
        if kind is InputOutput:
            return {"argument": value.place}
        if isinstance(value, Tensor):
            return {"tensor": self.writer.tensor(value)}
        if kind is Tree and value.kind in TREES:
            parts = [self._result(part) for part in value.parts]
            name = TREES[value.kind]
            if name == "dict":
                return {name: [[self._result(key), part] for key, part in zip(value.keys, parts, strict=True)]}
            return {name: parts}
        called = [entry for entry in named_results().items() if entry[1] is value.kind] if kind is Tree else []
        if called:
            return {"named": [called[0][0], *map(self._result, value.parts)]}
        if value is None or isinstance(value, (bool, int, float, str)):
            return {"value": json_values.parameter(value)}
        named = value.kind.__name__ if kind is Tree else kind.__name__
        raise SaveError(f"save: the result has a {named}; return tensors, plain data, tuples, lists and dicts")
