"""Devices of graphs: a file describes the launches of the CPU, and is read for the device on which it runs.

Operands and results are the same on each device, but plans have other parts: where the CPU copies two pieces, a device
may have one kernel. `move` therefore joins the parts of a launch, plans the operator on the other device, and divides
the launch into the parts of this plan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, OperationError
from facula_storage import Device, Layout, contiguous, cpu, layout_of, uint8
from facula_tensor import Tensor
from facula_tensor.extend.tensors import make, snapshot

from .._recording.records import Address, Gradient, Launched, moved
from .errors import DeviceRefusal, Refusal, SaveError, refuse
from .plan_requests import Request, request_of, whole_roles

if TYPE_CHECKING:
    from facula_storage import Plan, Storage

    from .._recording.recording import Recording

    Parts = tuple[Storage, Layout, int]

NAME = re.compile(r"[a-z]{1,20}(:[0-9]{1,3})?")


def device_of(data: Any, map_location: object = None) -> Device:
    """Return the device for a graph.json: the one from which it was saved, unless `map_location` selects another.

    Raises:
        Refusal: the name of the device in the file is invalid.
        RuntimeError: there is no such device, or graphs cannot run there.
    """
    saved = data.get("device", "cpu") if type(data) is dict else "cpu"
    if type(saved) is not str or not NAME.fullmatch(saved) or (saved in ("cpu", "cpu:0", "meta") and "device" in data):
        refuse(f"its device is {saved!r:.60}; expected a name such as 'cuda:0'")
    wanted = map_location
    if isinstance(wanted, Mapping):
        wanted = wanted.get(saved, wanted.get(saved.partition(":")[0]))
    wanted = saved if wanted is None else wanted
    if not isinstance(wanted, (str, Device)):
        raise InvalidTypeError(
            f"load: expected map_location to be a device, its name, or a dict of these; got {type(wanted).__name__}"
        )
    try:
        device = Device(wanted).resolved
        runs = device is cpu or hasattr(device.backend, "in_order")
        problem = "replays cannot run there"
    except FaculaError as error:
        runs, problem = False, str(error)
    if not runs:
        got = f"a graph that was saved on '{saved}'" if map_location is None else f"map_location={map_location!r:.60}"
        raise OperationError(
            f"load: expected a device of this machine; got {got}, and {problem}; load it with map_location='cpu'"
        )
    return device


def on(layout: Layout, device: Device) -> Layout:
    """Return the layout on another device."""
    return layout if layout.device is device else layout_of(layout.shape, layout.strides, layout.dtype, device)


def check_device(layout: Layout, device: Device, what: str) -> None:
    """Raise SaveError for a tensor on another device than that of the launches."""
    if layout.device is not device:
        raise SaveError(f"save: {what} is on '{layout.device}', and the operators run on '{device}'; use one device")


def copied(storage: Storage, nbytes: int, source: Device, target: Device) -> Storage:
    """Return a copy of the first bytes of memory on another device; on the same device the memory itself."""
    if source is target:
        return storage
    flat: Tensor = make(Tensor, contiguous((nbytes,), uint8, source), storage)
    return snapshot(flat.to(target))._storage


def host_parts(contents: dict[str, Parts], device: Device) -> dict[str, Parts]:
    """Return the contents of memory on the CPU."""
    return {
        name: (copied(storage, layout.extent, device, cpu), on(layout, cpu), offset)
        for name, (storage, layout, offset) in contents.items()
    }


def for_file(recording: Recording) -> tuple[Recording, list[int]]:
    """Return a recording with the launches of the CPU, and their numbers by those of the capture."""
    if recording.recorder.launch_device is cpu:
        return recording, list(range(len(recording.launches) + 1))
    found = copy(recording)
    try:
        return found, move(found, cpu)
    except Refusal as error:
        raise SaveError(f"save: a file cannot contain this; {error}") from None


def move(recording: Recording, device: Device) -> list[int]:
    """Replace the launches of a recording by those of a device; return the new number of each launch, and of the end.

    The other layouts of the recording are those of the reader or writer. Raises Refusal for invalid launches, and
    DeviceRefusal if the device has none like these.
    """
    source, old = recording.recorder.launch_device, recording.launches
    if recording.recorder.skips or recording.recorder.loops:
        raise DeviceRefusal(f"its control flow depends on elements, and replays on '{device}' do not branch")
    new: list[Launched] = []
    places: list[int] = []
    starts, at = set(), 0
    while at < len(old):
        stop = _end_of_group(old, at)
        starts.add(at)
        places += [len(new)] * (stop - at)
        new += _moved_launch(recording, old[at:stop], source, device)
        at = stop
    places.append(len(new))
    edges = [recording.boundary_at, *[edge for pass_ in recording.passes for edge in (pass_.start, pass_.stop)]]
    if not starts.union([len(old)]).issuperset(edges):
        refuse("a backward pass begins between the parts of a launch")
    recording.launches, recording.boundary_at = new, places[recording.boundary_at]
    recording.passes = [
        pass_._replace(
            start=places[pass_.start],
            stop=places[pass_.stop],
            grads=[k and Gradient(k.block, on(k.layout, device), k.offset) for k in pass_.grads],
        )
        for pass_ in recording.passes
    ]
    return places


def _end_of_group(launches: list[Launched], start: int) -> int:
    """Return where the parts of one launch end. Parts without elements were replaced by repetitions of the first."""
    stop, first = start + 1, launches[start]
    while first.part >= 0 and stop < len(launches):
        last, following = launches[stop - 1], launches[stop]
        is_same = following.plan.request == first.plan.request
        if not is_same or not (following.part > last.part or following.arguments == first.arguments):
            break
        stop += 1
    return stop


def _moved_launch(recording: Recording, group: list[Launched], source: Device, device: Device) -> list[Launched]:
    """Return the launches of a device that compute the same as the parts of one launch."""
    first = group[0]
    request = request_of(first)
    whole: list[Any] = list(first.arguments)
    arrays = first.arrays
    if first.part >= 0:
        parts = planned(request, source).parts or ()
        roles = whole_roles(request)
        arrays = 1 + max([k for k, role in enumerate(roles) if role.kind in ("address", "same")], default=0)
        whole = [role.value if role.kind == "same" else None for role in roles]
        for launch in group:
            for value, argument in zip(parts[launch.part][1], launch.arguments, strict=True):
                if isinstance(value, tuple):
                    whole[value[0]] = moved(argument, -value[1])
        for place, role in enumerate(roles):
            if whole[place] is None:  # such an operand is not read
                if role.layout is None or role.layout.numel:
                    refuse(f"{request.name}: parts of a launch are missing")
                whole[place] = 0
    taken = [
        value._replace(layout=value.layout and on(value.layout, device)) if type(value) is Address else value
        for value in whole
    ]
    plan = recording.recorder.for_replays(planned(request, device))
    if plan.parts is None:
        return [first._replace(plan=plan, arguments=tuple(taken), arrays=arrays, part=-1)]
    made = []
    for number, (run, values) in enumerate(plan.parts):
        own = [moved(taken[value[0]], value[1]) if isinstance(value, tuple) else value for value in values]
        part = type(plan)(plan.operator, (), plan.outputs, run, request=plan.request)
        made.append(first._replace(plan=part, arguments=tuple(own), arrays=len(own), part=number))
    return made


def planned(request: Request, device: Device) -> Plan:
    """Return the plan of a request on a device, with the request for a file."""
    inputs = [on(layout, device) if isinstance(layout, Layout) else layout for layout in request.inputs]
    outputs = tuple([on(layout, device) for layout in request.outputs])
    given = ((), ()) if request.name == "cat" else (tuple(inputs), request.parameters)
    try:
        plan = device.backend.plan(request.operator, given[0], outputs, given[1])
    except FaculaError as error:
        raise DeviceRefusal(f"{request.name} has no plan on '{device}': {error}") from None
    plan.request = request.operator, given[0], given[1]
    return plan
