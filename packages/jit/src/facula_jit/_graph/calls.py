"""Calls of a graph: recorded launches, with names for their operands and results."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from facula_autograd.extend.nodes import describe_call_site
from facula_storage.extend.plans import flops

from .._recording.records import CHANGED, Address

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._recording.recording import Recording
    from .._recording.records import Launched


class Value(NamedTuple):
    """Memory that operators read and write: an argument, a result, a tensor of the program, or a temporary.

    Attributes:
        name: the name in the printed graph.
        kind: "argument", "gradient" (an input of a backward pass), "result", "own" or "temporary".
        layout: the layout for which it was allocated, if known.
        number: its index among the values of its graph.
    """

    name: str
    kind: str
    layout: Layout | None
    number: int = -1


class Use(NamedTuple):
    """The part of a value that an operator uses: its layout, and its offset in bytes."""

    value: Value
    layout: Layout | None
    offset: int


class Names:
    """The values of a recording and the paths of its modules, computed on first access."""

    def __init__(self, recording: Recording):
        self.recording = recording

    @cached_property
    def paths(self) -> dict[int, str]:
        """The path of each module, by id; modules that were called earlier name their submodules first."""
        if self.recording.paths is not None:
            return self.recording.paths
        paths: dict[int, str] = {}
        for module, _ in self.recording.recorder.modules.values():
            if id(module) not in paths:
                own = type(module).__name__
                for path, part in module.named_modules():
                    paths.setdefault(id(part), f"{own}.{path}" if path else own)
        return paths

    @cached_property
    def values(self) -> list[Value]:
        """A value for each block, with a name that shows its kind."""
        recording = self.recording
        names = self._names_of_storages()
        counts: dict[str, int] = defaultdict(int)
        values = []
        for number, block in enumerate(recording.recorder.blocks):
            layout = block.layout
            if block.inputs:
                place = block.inputs[0]
                is_gradient = place >= len(recording.inputs)
                kind = "gradient" if is_gradient else "argument"
                like = recording.gradients[place - len(recording.inputs)] if is_gradient else recording.inputs[place]
                name, layout = f"{'g' if is_gradient else 'x'}{place}", like.layout
            elif number in recording.outputs:
                kind, name = "result", f"y{recording.outputs.index(number)}"
            elif number in recording.grads:
                kind, name = "result", f"grad{recording.grads.index(number)}"
            elif number in recording.fixed:
                kind = "own"
                name = names.get(id(recording.fixed[number]), "")
            else:
                kind, name = "temporary", ""
            if not name:
                letter = "t" if kind == "temporary" else "c"
                name = f"{letter}{counts[letter]}"
                counts[letter] += 1
            values.append(Value(name, kind, layout, number))
        return values

    def _names_of_storages(self) -> dict[int, str]:
        """Return the names of the storages in modules and `.grad`s, by id."""
        if self.recording.names is not None:
            return self.recording.names
        names: dict[int, str] = {}
        for module, _ in self.recording.recorder.modules.values():
            for name, function in vars(module).items():
                storage = getattr(function, "_storage", None)
                if storage is not None:
                    names.setdefault(id(storage), f"{self.paths[id(module)]}.{name}")
        grads: dict[int, list[str]] = {}
        for leaf, grad in self.recording.puts:
            if grad is not None:
                grads.setdefault(id(grad._storage), []).append(f"{names.get(id(leaf._storage), 'leaf')}.grad")
        buckets = count()
        for key, of_leaves in grads.items():
            names[key] = of_leaves[0] if len(of_leaves) == 1 else f"grads{next(buckets)}"
        return names


class Call:
    """One operator call of a captured function. Immutable; two calls are equal if they are the same object."""

    __slots__ = ("_names", "launch")

    def __init__(self, launch: Launched, names: Names):
        self.launch, self._names = launch, names

    @property
    def operator(self) -> str:
        """The name of the operator."""
        return self.launch.operation

    @property
    def parameters(self) -> tuple[object, ...]:
        """The numbers, dimensions and names for which the plan was created."""
        return self.launch.plan.parameters

    @property
    def inputs(self) -> tuple[Use | float, ...]:
        """The operands and numbers that it reads."""
        given = [
            self._shown(argument) for argument in self.launch.arguments[1:] if argument not in results_of(self.launch)
        ]
        computed = self.launch.plan.elementwise
        if computed is None:
            return tuple(given)
        arrays = iter([use for use in given if isinstance(use, Use)])
        numbers = iter([use for use in given if not isinstance(use, Use)])
        return tuple([next(numbers, 0) if isinstance(kind, type) else next(arrays) for kind in computed.inputs])

    @property
    def outputs(self) -> tuple[Use, ...]:
        """The values that it writes."""
        return tuple(map(self._use, results_of(self.launch)))

    def _use(self, address: Address) -> Use:
        return Use(self._names.values[address.block], address.layout, address.offset)

    def _shown(self, address: Address | float) -> Use | float:
        return self._use(address) if isinstance(address, Address) else address

    @property
    def module(self) -> str:
        """The path of the module that called it, such as "Net.body.0"; empty outside of modules."""
        return self._names.paths.get(id(self.launch.module), "")

    @property
    def line(self) -> str:
        """The line of the program: "file:line (function)"."""
        return describe_call_site(*self.launch.site)

    @property
    def bytes_moved(self) -> int:
        """The number of bytes that it reads and writes."""
        return sum([address.layout.nbytes for address in addresses_of(self.launch) if address.layout is not None])

    @property
    def flops(self) -> int:
        """The number of multiplications and additions, as far as layouts determine them.

        See `facula_storage.extend.plans.flops`.
        """
        results = results_of(self.launch)
        given = [one for one in self.launch.arguments[1:] if one not in results]
        shapes = [one.layout.shape if type(one) is Address and one.layout is not None else () for one in given]
        made = [address.layout.shape for address in results if address.layout is not None]
        return flops(self.launch.plan.operator, shapes, made, self.parameters)

    def __repr__(self) -> str:
        return f"<call of {self.operator}>"


def results_of(launch: Launched) -> list[Address]:
    """Return the addresses that a launch writes to, except those of operands that it modifies."""
    changed = CHANGED.get(launch.operation, ())
    places = enumerate(launch.arguments[1:])
    return [
        address for place, address in places if type(address) is Address and address.written and place not in changed
    ]


def addresses_of(launch: Launched) -> list[Address]:
    """Return the addresses among a launch's arguments."""
    return [argument for argument in launch.arguments if type(argument) is Address]
