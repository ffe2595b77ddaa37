"""Requests: descriptions of plans that a backend can create, and the required arguments of their launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_cpu.extend import STEP_NUMBERS
from facula_storage import Layout, Plan, cpu

from .._recording.records import CHANGED, Address
from . import json_values
from .contracts import PROGRAM, VERSIONS, contract_of
from .contracts.declared import numbers_of
from .errors import Refusal, refuse

if TYPE_CHECKING:
    from facula_storage.extend.plans import Program

    from .._recording.records import Launched

DRAWN = (int, int)  # a seed, and an offset in its stream
DRAWS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("uniform", "normal"), (*DRAWN, float, float)),
    "randint": (*DRAWN, int, int),
    "bernoulli": (*DRAWN, float),
    "philox": (*DRAWN, int),
}
"""The numbers at the end of such a launch, which no declaration names."""


class Request(NamedTuple):
    """An operator, layouts and parameters, from which a backend creates a plan."""

    operator: str | Program
    inputs: tuple[Any, ...]
    outputs: tuple[Layout, ...]
    parameters: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self.operator if isinstance(self.operator, str) else self.operator.name

    def data(self) -> dict[str, Any]:
        """Return it as JSON; raise TypeError for a parameter that is not plain data."""
        return {
            "operator": json_values.operator(self.operator),
            "inputs": [json_values.operand(layout) for layout in self.inputs],
            "outputs": [json_values.layout(layout) for layout in self.outputs],
            "parameters": [json_values.parameter(parameter) for parameter in self.parameters],
        }

    @classmethod
    def of(cls, data: Any) -> Request:
        """Return the request that a file describes."""
        operator, inputs, outputs, parameters = json_values.entries(
            data, ("operator", "inputs", "outputs", "parameters"), "a plan"
        )
        return cls(
            json_values.to_operator(operator),
            tuple([json_values.to_operand(operand) for operand in json_values.a_list(inputs, "the inputs of a plan")]),
            tuple([json_values.to_layout(operand) for operand in json_values.a_list(outputs, "the outputs of a plan")]),
            json_values.to_parameter(json_values.a_list(parameters, "the parameters of a plan")),
        )


def request_of(launch: Launched) -> Request:
    """Return the request from which the backend created the plan of a launch; raise Refusal if it is unknown."""
    plan = launch.plan
    if plan.has_effects:
        raise Refusal(f"{launch.operation} communicates with other processes, which files do not describe")
    if plan.request is None:
        raise Refusal(f"{launch.operation}: the request of its plan is unknown")
    operator, inputs, parameters = plan.request
    if operator == "cat":
        inputs = tuple([argument.layout for argument in launch.arguments[3:-1] if type(argument) is Address])
        outputs = (launch.arguments[-1].layout,) if type(launch.arguments[-1]) is Address else ()
        return Request(operator, inputs, outputs, (launch.arguments[1],))  # type: ignore[arg-type]
    if isinstance(operator, str) and contract_of(operator) is None:
        raise Refusal(f"the operator {operator} has no contract, which defines the operands of its kernel")
    return Request(operator, tuple(inputs), plan.outputs, tuple(parameters))


class Role(NamedTuple):
    """The requirements on one argument of a launch.

    Arguments:
        kind: "address", "int", "float", or "same" for exactly `value`.
        layout: the layout of the memory at an address.
        written: True if the launch writes to the memory.
        value: the number that is passed in each launch.
        delta: bytes that were added to the address of a part.
    """

    kind: str
    layout: Layout | None = None
    written: bool = False
    value: int = 0
    delta: int = 0


def version_of(operator: str) -> int:
    """Return the present version of an operator in files."""
    return VERSIONS.get(operator, 1)


def plan_of(request: Request) -> Plan:
    """Return the plan if the request satisfies the contract of its operator; otherwise refuse it."""
    name, inputs = request.name, request.inputs
    try:
        if isinstance(request.operator, str):
            contract = contract_of(request.operator)
            if contract is None:
                refuse(f"the operator {name!r:.60} is not permitted in files; import the module that declares it first")
            kept = contract(() if name == "cat" else inputs, request.outputs, request.parameters)
        else:
            kept = PROGRAM(request.operator, inputs, request.outputs)
        if not kept:
            refuse(f"{name:.60}: layouts or parameters do not fit: {_shown(request)}")
        if name == "cat":
            return cpu.backend.plan(name, (), request.outputs, ())
        return cpu.backend.plan(request.operator, inputs, request.outputs, request.parameters)
    except Refusal:
        raise
    except Exception as error:  # any: contracts and planners unpack untrusted data
        refuse(f"{name:.60}: {type(error).__name__}: {error!s:.200}")


def _shown(request: Request) -> str:
    return f"{request.inputs!r:.200} to {request.outputs!r:.100} with {request.parameters!r:.100}"


def roles_of(request: Request, plan: Plan, part: int) -> list[Role]:
    """Return the requirements on the arguments, without the workspace."""
    roles = whole_roles(request)
    if part < 0:
        if plan.parts is not None:
            refuse(f"{request.name}: a launch of several parts is not divided into parts")
        return roles
    if plan.parts is None or part >= len(plan.parts):
        refuse(f"{request.name}: there is no part {part}")
    found = []
    for launch in plan.parts[part][1]:
        if isinstance(launch, tuple):
            place, delta = launch
            found.append(roles[place]._replace(delta=delta))
        else:
            found.append(Role("same", value=launch) if isinstance(launch, int) else Role("float"))
    return found


def without_empty_parts(launches: list[Any]) -> list[Any]:
    """Return launches with the parts that their plans have.

    At some batch sizes, parts have no elements, as in `x.roll(1, 0)` for one row, and plans omit them. Such a part is
    replaced by a repetition of the first part with elements, which has the same result.

    Arguments:
        launches: in the form of the file.
    """
    found: list[Any] = []
    group: list[Any] = []  # parts of one launch
    for launch in launches:
        follows = group and launch.get("plan") == group[0]["plan"] and launch.get("part", -1) > group[-1]["part"]
        if not follows:
            found += _full_parts(group)
            group = []
        if "part" in launch:
            group.append(launch)
        else:
            found.append(launch)
    return found + _full_parts(group)


def _full_parts(group: list[Any]) -> list[Any]:
    full = [entry for entry in group if entry["arguments"][0] != 0]
    if not full or len(full) == len(group):
        return group
    left_out = {entry["part"] for entry in group} - {entry["part"] for entry in full}
    renumbered = [{**entry, "part": entry["part"] - sum([k < entry["part"] for k in left_out])} for entry in full]
    places = iter(renumbered)
    return [next(places) if entry["arguments"][0] != 0 else renumbered[0] for entry in group]


def whole_roles(request: Request) -> list[Role]:
    """Return the requirements on the arguments of a launch that is not divided into parts."""
    name, inputs, outputs = request.name, request.inputs, request.outputs
    if name in STEP_NUMBERS:
        (width,) = request.parameters
        tensors = [Role("address", layout, k % width != 1) for k, layout in enumerate(inputs)]
        return [Role("same", value=len(inputs) // width), *[Role("float")] * STEP_NUMBERS[name], *tensors]
    count = Role("same", value=outputs[0].numel if outputs else 0)
    written = [Role("address", layout, True) for layout in outputs]
    if name == "cat":
        return [count, *_joined(request), *written]
    changed = CHANGED.get(name, ())
    roles, scalars = [count], []
    for place, layout in enumerate(inputs):
        if layout is None:
            roles.append(Role("same", value=0))
        elif isinstance(layout, Layout):
            roles.append(Role("address", layout, place in changed))
        else:
            scalars += [layout] if layout is not complex else [float, float]
    further = () if not isinstance(request.operator, str) else DRAWS.get(name) or numbers_of(name)
    return [*roles, *written, *[Role("float" if scalar is float else "int") for scalar in (*scalars, *further)]]


def _joined(request: Request) -> list[Role]:
    """Return the requirements of `cat`: the numbers of steps and parts, and the address and bytes per step of
    each part.
    """
    (o,), parts = request.outputs, request.inputs
    (outer,) = request.parameters or (0,)
    if not json_values.is_int(outer, 1) or not parts:
        refuse("cat: expected parts, and in how many steps they are joined")
    roles = [Role("same", value=outer), Role("same", value=len(parts))]
    for part in parts:
        if not isinstance(part, Layout) or not part.is_contiguous or part.dtype is not o.dtype or part.nbytes % outer:
            refuse("cat: a part has gaps, another dtype, or does not divide into steps")
        roles += [Role("address", part), Role("same", value=part.nbytes // outer)]
    if sum([part.nbytes for part in parts]) != o.nbytes:
        refuse("cat: the parts and the result have different numbers of bytes")
    return roles


def is_shown(address: Address, layout: Layout | None) -> bool:
    """Return True if an address matches the layout of a plan: passes create plans for the same elements in one
    dimension.
    """
    if address.layout is None or layout is None or address.layout == layout:
        return layout is not None and address.layout is not None
    both = address.layout.is_contiguous and layout.is_contiguous and address.layout.dtype is layout.dtype
    return both and address.layout.numel == layout.numel
