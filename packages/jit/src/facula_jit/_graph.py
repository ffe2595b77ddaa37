"""What was captured as a graph of operators: to read, to draw, and to see what costs what."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from facula_autograd.extend import Box, as_dot, as_svg, describe_call_site
from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ._records import Address
from ._timing import launch_times

if TYPE_CHECKING:
    import os

    from facula_storage import Layout

    from ._recording import Recording
    from ._records import Launched

# Operators whose results are sums over the last dimension of their first operand.
PRODUCTS = frozenset(("linear", "matmul"))


class Value(NamedTuple):
    """Memory that operators read and write: an argument, a result, the program's own, or a temporary."""

    name: str
    kind: str
    layout: Layout | None


class Use(NamedTuple):
    """What one operator sees of a value: its layout, and how many bytes from the beginning it starts."""

    value: Value
    layout: Layout | None
    offset: int


class Call(NamedTuple):
    """One operator of a captured function.

    Attributes:
        operator: its name.
        parameters: numbers, dimensions and names that the plan was made for.
        inputs: what it reads, and the numbers that it takes.
        outputs: what it writes.
        module: the path of the module that called it, such as "Net.body.0"; empty outside of modules.
        line: "file:line (function)" of the program.
        flops: multiplications and additions, counted each, as far as they follow from the layouts.
        bytes_moved: bytes of what it reads and writes.
    """

    operator: str
    parameters: tuple[object, ...]
    inputs: tuple[Use | float, ...]
    outputs: tuple[Use, ...]
    module: str
    line: str
    flops: int
    bytes_moved: int


@boundary
class Graph:
    """The operators of one capture, in the order in which they run.

    `print` shows it as Python would be written; `calls` are its operators; `to_dot` and `to_svg` draw it; `table` says
    what costs what, and `memory` how much temporaries need at each operator. What backward passes run is part of it.

    `Captured.graph` makes it.

    Arguments:
        recording: what was taken down.
        name: the function's.
        words: the kind of call, in words.
    """

    calls: tuple[Call, ...]

    def __init__(self, recording: Recording, name: str, words: str):
        self._recording, self.name, self.words = recording, name, words
        self._values = _values_of(recording)
        self._paths = _paths_of(recording)
        self.calls = tuple([self._call(one) for one in recording.launches])

    def _use(self, one: Address) -> Use:
        return Use(self._values[one.block], one.layout, one.offset)

    def _call(self, launch: Launched) -> Call:
        inputs: list[Use | float] = []
        outputs: list[Use] = []
        for one in launch.arguments[1:]:
            if not isinstance(one, Address):
                inputs.append(one)
            elif one.written:
                outputs.append(self._use(one))
            else:
                inputs.append(self._use(one))
        moved = sum([one.layout.nbytes for one in launch.arguments if type(one) is Address and one.layout is not None])
        module, line = self._paths.get(id(launch.module), ""), describe_call_site(*launch.site)
        parameters = launch.plan.parameters
        return Call(launch.operation, parameters, tuple(inputs), tuple(outputs), module, line, _flops(launch), moved)

    # ------------------------------------------------------------------------------------------------------ to read
    def __str__(self) -> str:
        given = [value for value in self._values if value.kind == "argument"]
        name = self.name.partition(",")[0].rpartition(".")[2].strip("<>")
        lines = [f"def {name}({', '.join(map(_declared, given))}):"]
        module = None
        for call in self.calls:
            if call.module != module:
                module = call.module
                lines.append(f"    # {module or 'outside of modules'}")
            arguments = [_shown(one) for one in call.inputs] + [f"{one!r}" for one in call.parameters if one != ()]
            targets = ", ".join(map(_shown, call.outputs))
            lines.append(f"    {targets + ' = ' if targets else ''}{call.operator}({', '.join(arguments)})")
        results = [value.name for value in self._values if value.kind == "result"]
        return "\n".join([*lines, f"    return {', '.join(results)}" if results else "    return None"])

    def __repr__(self) -> str:
        return f"<graph of {self.name}{self.words}: {len(self.calls)} operators>"

    # ------------------------------------------------------------------------------------------------------ to draw
    def _boxes(self) -> list[Box]:
        boxes: list[Box] = []
        made_by: dict[str, Box] = {}
        for number, call in enumerate(self.calls):
            box = Box(f"node{number}", [call.operator, *([call.module] if call.module else [])], False)
            for one in call.inputs:
                if isinstance(one, Use):
                    name = one.value.name
                    if name not in made_by:
                        made_by[name] = Box(f"leaf{len(boxes)}", [name, _words(one.value.layout or one.layout)], True)
                        boxes.append(made_by[name])
                    box.edges.append(made_by[name])
            for use in call.outputs:
                if use.value.name in made_by and made_by[use.value.name] not in box.edges:
                    box.edges.append(made_by[use.value.name])  # it is changed: what was there comes first
                made_by[use.value.name] = box
            boxes.append(box)
        return boxes

    def to_dot(self) -> str:
        """The graph in the language of graphviz, whose `dot` draws it: `dot -Tpdf graph.dot -o graph.pdf`."""
        return as_dot(self._boxes())

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The graph as a picture in SVG, from arguments at the top down to results; written to a file where `path` is
        given. OSError where that cannot be."""
        return as_svg("to_svg", self._boxes(), path)

    # -------------------------------------------------------------------------------------------------- to see costs
    def table(self, *, by: str = "operator", timed: bool = True) -> str:
        """Launches, work, bytes and time of each operator or module, those that take longest first.

        Times are of each launch alone, on memory of their own: nothing of the program's is changed. They add up to a
        little less than a replay, whose operands leave each other's cache.

        Arguments:
            by: "operator", "module" or "line".
            timed: whether to measure; else the order is that of bytes.

        >>> from facula_jit import capture
        >>> from facula_tensor import ones
        >>> twice = capture(lambda x: (x + x).sum())
        >>> _ = twice(ones(4, 8))
        >>> print(twice.graph().table(timed=False))
        operator  launches  MFLOP  MB moved
        add              1  0.000     0.000
        sum              1  0.000     0.000
        total            2  0.000     0.001
        """
        if by not in ("operator", "module", "line"):
            raise InvalidValueError(f"table: expected by to be 'operator', 'module' or 'line'; got {by!r}")
        times = launch_times(self._recording) if timed else [0.0] * len(self.calls)
        sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0])
        for call, seconds in zip(self.calls, times, strict=True):
            for row in (sums[getattr(call, by) or "-"], sums["total"]):
                for place, more in enumerate((1, call.flops / 1e6, call.bytes_moved / 1e6, seconds * 1e6)):
                    row[place] += more
        total = sums.pop("total", [0, 0, 0, 0])
        order = sorted(sums, key=lambda name: sums[name][3 if timed else 2], reverse=True)
        rows = [[by, "launches", "MFLOP", "MB moved", *(["us"] if timed else [])]]
        for name, (count, flops, moved, micros) in [*[(name, sums[name]) for name in order], ("total", total)]:
            rows.append([name, f"{count:.0f}", f"{flops:.3f}", f"{moved:.3f}", *([f"{micros:.2f}"] if timed else [])])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        aligned = [[f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:], widths[1:])] for row in rows]
        return "\n".join(map("  ".join, aligned))

    def memory(self) -> list[int]:
        """Bytes of temporaries that are needed at each operator, in their order."""
        _, lives = self._recording.lifetimes()
        changes = [0] * (len(self.calls) + 2)
        for first, last, nbytes in lives:
            changes[first] += nbytes
            changes[min(last, len(self.calls)) + 1] -= nbytes
        needed, found = 0, []
        for change in changes[: len(self.calls)]:
            needed += change
            found.append(needed)
        return found


def _values_of(recording: Recording) -> list[Value]:
    """A value for each block, named by what it is."""
    recorder = recording.recorder
    names = _names_of(recording)
    counts: dict[str, int] = defaultdict(int)
    values = []
    for number, block in enumerate(recorder.blocks):
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
        values.append(Value(name, kind, layout))
    return values


def _paths_of(recording: Recording) -> dict[int, str]:
    """The path of each module, by id: those that were called first name what they hold."""
    paths: dict[int, str] = {}
    for module, _ in recording.recorder.modules.values():
        if id(module) not in paths:
            own = type(module).__name__
            for path, part in module.named_modules():
                paths.setdefault(id(part), f"{own}.{path}" if path else own)
    return paths


def _names_of(recording: Recording) -> dict[int, str]:
    """The names of storages that modules and `.grad` hold, by id."""
    names: dict[int, str] = {}
    paths = _paths_of(recording)
    for module, _ in recording.recorder.modules.values():
        for name, one in vars(module).items():
            storage = getattr(one, "_storage", None)
            if storage is not None:
                names.setdefault(id(storage), f"{paths[id(module)]}.{name}")
    for leaf, grad in recording.puts:
        if grad is not None:
            names[id(grad._storage)] = f"{names.get(id(leaf._storage), 'leaf')}.grad"
    return names


def _words(layout: Layout | None) -> str:
    return "" if layout is None else f"{layout.dtype.name}[{', '.join(map(str, layout.shape))}]"


def _declared(value: Value) -> str:
    return f"{value.name}: {_words(value.layout)}"


def _shown(one: Use | float) -> str:
    """A value as an operator sees it: as a view where that is not all of it."""
    if not isinstance(one, Use):
        return f"{float(one):g}" if isinstance(one, float) else str(int(one))
    layout, whole = one.layout, one.value.layout
    if layout is None or layout is whole or whole is None:
        return one.value.name
    if layout.is_contiguous and layout.numel == whole.numel and layout.dtype is whole.dtype:
        return f"{one.value.name}.view{layout.shape}"
    first = one.offset // layout.dtype.itemsize
    return f"{one.value.name}.as_strided({layout.shape}, {layout.strides}{f', {first}' if first else ''})"


def _flops(launch: Launched) -> int:
    """Two for each multiplication of products and convolutions, one for each element of other results."""
    layouts = [one.layout for one in launch.arguments if type(one) is Address and one.layout is not None]
    outputs = [
        one.layout for one in launch.arguments if type(one) is Address and one.written and one.layout is not None
    ]
    if not outputs:
        return 0
    name, first, made = launch.plan.operator, layouts[0], outputs[0]
    if name in PRODUCTS:
        return 2 * made.numel * first.shape[-1]
    if name == "linear_weight_grad":
        return 2 * made.numel * (first.numel // max(first.shape[-1], 1))
    if name.startswith("conv"):  # of the result or its gradient, whose elements each meet the whole weight of a channel
        weight = made if name.endswith("_weight") else layouts[1]
        return 2 * (first if name.endswith(("_weight", "_input")) else made).numel * prod(weight.shape[1:])
    return made.numel
