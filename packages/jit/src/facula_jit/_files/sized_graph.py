"""A graph of a file for one batch size, ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_cpu.extend import STEP_NUMBERS
from facula_storage import cpu
from facula_storage.extend.memory import allocate
from facula_tensor.extend.sampling import default_generators

from .._recording.tensor_guards import DEFAULTS
from .._replay.replay import BusyFlag, Replay
from .._replay.scalar_formulas import compute, values_of
from .call_signatures import tensors_of, words
from .errors import DeviceRefusal, refuse
from .json_values import a_list, an_int, entries, to_form
from .reader import Reader
from .results import gives_arguments

if TYPE_CHECKING:
    from facula_storage import Device, Layout, Storage
    from facula_tensor import Generator, Tensor

    from .optimizer_options import Options


class Shared:
    """Data that the graphs of a file share: plans, memory and tensors, generators, groups of options, the device."""

    def __init__(self, plans: list[Any], memory: list[tuple[Storage, Layout]], device: Device):
        self.plans, self.memory, self.device = plans, memory, device
        self.tensors: list[Tensor] = []
        self.named: dict[str, Tensor] = {}
        self.generators: dict[int, Generator] = {}
        self.options: list[Options] = []
        self.busy_flag = BusyFlag()

    def state_of(self, place: int) -> tuple[int, int]:
        """Return the present key and offset of a generator."""
        generator = self.generators.get(place) or default_generators[self.device]
        return generator._key, generator._offset


class SizedGraph:
    """One graph for one batch size: its recording and its replay."""

    def __init__(self, shared: Shared, data: Any, plans: list[Any], arguments: Any):
        self.shared = shared
        wants = [str(tensor["gradient"]) for tensor in tensors_of(arguments)]
        reader = Reader(data, plans, shared.memory, shared.tensors, shared.generators, wants, shared.device)
        recording = reader.recording()
        for tensor, like in zip(tensors_of(arguments), recording.inputs, strict=True):
            if reader.layout(tensor["tensor"]) is not like.layout:
                refuse("an argument is not like the tensor that the graph is given")
        recording.names = {id(tensor._storage): name for name, tensor in reversed(shared.named.items())}
        name = str(reader.data["name"])[:200]
        self.words = words(arguments)
        self.replay = replay = Replay(recording, name, None, shared.busy_flag)
        replay.checks = [check for check in replay.checks if not any([check[1] is cell for cell in DEFAULTS])]
        replay.numbers_from = len(replay.checks)
        for place, state in enumerate(reader.states):
            if state is not None and replay.drawn[place] is None:
                replay.set[place] = state[0], state[1]
        self.likes = recording.inputs
        self.writes_to = sorted(reader.writes_to)
        self.gives_arguments = gives_arguments(recording.result)
        refills = a_list(reader.data["refills"], "refills")
        self.refills = [_refill(refill, shared, replay, reader.places) for refill in refills]
        for refill in self.refills:
            self.renew(*refill)
        replay.use(allocate(replay.lowered.arena_layout))
        self.is_plain = (
            not (self.writes_to or self.gives_arguments or shared.device is not cpu)
            and all([name is None and "tensor" in part for name, part in arguments])
            and not any(wants)
        )

    def renew(self, group: int, launches: list[list[int]], forms: list[list[Any]]) -> None:
        """Write the numbers that follow from a group's options to the launches."""
        values, replay = values_of(self.shared.options[group]), self.replay
        known = replay.recording.launches
        for own, each in zip(forms, launches, strict=True):
            numbers = [compute(formula, values) for formula in own]
            for launch in each:
                arguments = (known[launch].arguments[0], *numbers, *known[launch].arguments[1 + len(numbers) :])
                known[launch] = known[launch]._replace(arguments=arguments)
                for frame in replay.frames:
                    for place, number in enumerate(numbers):
                        frame.forward.set(replay.lowered.forward.step_of[launch], 1 + place, number)


def _refill(
    data: Any, shared: Shared, replay: Replay, numbers_of: list[int]
) -> tuple[int, list[list[int]], list[list[Any]]]:
    """Return a group, its launches, and the forms of their numbers.

    Arguments:
        data: the description.
        shared: the data of the file.
        replay: the replay.
        numbers_of: the number of each launch of the file on the device.
    """
    group, launches, forms = entries(data, ("group", "launches", "forms"), "a group of numbers")
    group = an_int(group, 0, len(shared.options) - 1, "a group")
    names, known = values_of(shared.options[group]), replay.recording.launches
    own = [[to_form(form, names) for form in a_list(each, "forms")] for each in a_list(forms, "forms")]
    last = numbers_of.index(replay.recording.boundary_at) - 1
    places = [
        [numbers_of[an_int(number, 0, last, "a launch")] for number in a_list(listed, "launches")]
        for listed in a_list(launches, "launches", len(own))
    ]
    for each, numbers in zip(places, own, strict=True):
        for number in each:
            launch = known[number]
            if launch.part >= 0:
                raise DeviceRefusal(f"{launch.operation} has parts on '{shared.device}', whose numbers cannot be set")
            if STEP_NUMBERS.get(launch.operation) != len(numbers):
                refuse(f"{launch.operation} receives other numbers than those of the graph")
    return group, places, own
