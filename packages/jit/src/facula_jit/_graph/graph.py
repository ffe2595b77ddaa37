"""Graphs of captures: printed, drawn, and analyzed for cost."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from facula_autograd.extend.graphs import Box, as_dot, as_svg
from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, html_of
from facula_storage.extend.plans import Program

from .._recording.records import Loop, Skip
from .calls import Use
from .editing import Editable, spans_of
from .expressions import FUSED, as_expression
from .timing import launch_times

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from facula_storage import Layout

    from .._recording.recording import Recording
    from .calls import Call, Value
    from .jumps import Region


T = TypeVar("T")


def numbered(found: Sequence[T], number: int, what: str) -> T:
    """Return the element at an index given by the program; raise TypeError or IndexError if it is invalid."""
    if type(number) is not int:
        raise InvalidTypeError(
            f"graph: expected an integer, the index of one of {what}; got {type(number).__name__} {number!r:.60}"
        )
    if not -len(found) <= number < len(found):
        raise InvalidIndexError(f"graph: expected a number below {len(found)}, of {what}; got {number}")
    return found[number]


@boundary
class Graph(Editable):
    """The operators of one capture, in the order in which they run.

    `print` shows it as Python code, with `if` and `while` for tensor-dependent control flow. `calls` are its operators.
    `to_dot` and `to_svg` draw it. `table` shows costs, and `memory` the size of live temporaries at each operator. The
    operators of backward passes are included.

    Use `Captured.graph` to create one.

    Arguments:
        recording: the recording.
        name: the name of the function.
        words: the signature as text.
        source: the captured function, and its captures with the keys of their calls; None if there is none.
    """

    def __init__(
        self, recording: Recording, name: str, words: str, source: tuple[Any, list[tuple[Any, Any]]] | None = None
    ):
        super().__init__(recording)
        self.name, self.words, self.source = name, words, source

    # -------------------------------------------------------------------------------------------------------- printing
    def __str__(self) -> str:
        given = [value for value in self.values if value.kind == "argument"]
        name = self.name.partition(",")[0].rpartition(".")[2].strip("<>")
        lines = [f"def {name}({', '.join(map(_declared, given))}):"]
        module, calls = None, self.calls
        around: tuple[Region, ...] = ()
        for span in spans_of(self.recording):
            lines += self._block_boundaries(around, span.around)
            around = span.around
            indent = _indent(around)
            for call in calls[span.start : span.stop]:
                if call.module != module:
                    module = call.module
                    lines.append(f"{indent}# {module or 'outside of modules'}")
                targets = ", ".join(map(_shown, call.outputs))
                lines.append(f"{indent}{targets + ' = ' if targets else ''}{_expression(call)}")
        lines += self._block_boundaries(around, ())
        recording, values = self._recording, self._names.values
        results = [values[number].name for number in (*recording.outputs, *recording.grads)]
        return "\n".join([*lines, f"    return {', '.join(results)}" if results else "    return None"])

    def _block_boundaries(self, before: tuple[Region, ...], after: tuple[Region, ...]) -> list[str]:
        """Return the lines between calls: the heads of conditions and loops, and the ends of loops."""
        common = len([None for mine, other in zip(before, after, strict=False) if mine is other])
        lines = []
        for place, region in enumerate(before):
            if place >= common and type(region.jump) is Loop and region.jump.body == region.stop:  # its body is empty
                lines += self._left(region, before[: place + 1])
        for place in range(common, len(after)):
            region, outer = after[place], after[:place]
            name = self._names.values[region.jump.condition.block].name
            if region.is_loop:
                lines.append(f"{_indent(outer)}while True:")
            elif region.is_step:
                lines += self._left(region, outer)
            elif place == common and _is_other_side(region, before[common : common + 1]):
                lines.append(f"{_indent(outer)}else:")
            else:
                is_held = type(region.jump) is Skip and region.jump.at_zero
                lines.append(f"{_indent(outer)}if {name if is_held else f'not {name}'}:")
        return lines

    def _left(self, region: Region, around: tuple[Region, ...]) -> list[str]:
        """Return the lines that end a loop."""
        indent = _indent(around)
        return [f"{indent}if not {self._names.values[region.jump.condition.block].name}:", f"{indent}    break"]

    def _repr_html_(self) -> str:
        return html_of([self._size()], listing=str(self))

    def __repr__(self) -> str:
        return f"<graph of {self.name}{self.words}: {self._size()}>"

    def _size(self) -> str:
        return f"{len(self.calls)} operator{'' if len(self.calls) == 1 else 's'}"

    # --------------------------------------------------------------------------------------------------------- drawing
    def _boxes(self) -> list[Box]:
        boxes: list[Box] = []
        made_by: dict[str, Box] = {}
        for number, call in enumerate(self.calls):
            box = Box(f"node{number}", [call.operator, *([call.module] if call.module else [])], False)
            for operand in call.inputs:
                if isinstance(operand, Use):
                    name = operand.value.name
                    if name not in made_by:
                        made_by[name] = Box(
                            f"leaf{len(boxes)}", [name, _words(operand.value.layout or operand.layout)], True
                        )
                        boxes.append(made_by[name])
                    box.edges.append(made_by[name])
            for use in call.outputs:
                if use.value.name in made_by and made_by[use.value.name] not in box.edges:
                    box.edges.append(made_by[use.value.name])  # an in-place change depends on the previous contents
                made_by[use.value.name] = box
            boxes.append(box)
        return boxes

    def to_dot(self) -> str:
        """Return the graph in the language of graphviz; `dot -Tpdf graph.dot -o graph.pdf` draws it."""
        return as_dot(self._boxes())

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the graph as an SVG picture, from arguments at the top down to results, and write it to `path` if
        given. Raise OSError if that fails.
        """
        return as_svg("to_svg", self._boxes(), path)

    # ----------------------------------------------------------------------------------------------------------- costs
    def table(self, *, by: str = "operator", timed: bool = True) -> str:
        """Return a table of launches, work, bytes and time by operator, module or line, the slowest first.

        Each launch is timed alone, on separate memory, so that no tensor of the program changes. The sum is slightly
        less than the time of a replay, whose operands evict each other from the cache.

        Arguments:
            by: "operator", "module" or "line".
            timed: measure times; otherwise rows are sorted by bytes.

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
        times = self.times() if timed else [0.0] * len(self.calls)
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

    def times(self) -> list[float]:
        """Return the time of each operator's launch alone in seconds, in order: that of the fastest round, as in
        `table`.
        """
        return launch_times(self.recording)

    def memory(self) -> list[int]:
        """Return the size of the live temporaries at each operator in bytes, in order."""
        _, lives = self.recording.lifetimes()
        changes = [0] * (len(self.calls) + 2)
        for first, last, nbytes in lives:
            changes[first] += nbytes
            changes[min(last, len(self.calls)) + 1] -= nbytes
        needed, found = 0, []
        for change in changes[: len(self.calls)]:
            needed += change
            found.append(needed)
        return found


def _indent(around: tuple[Region, ...]) -> str:
    return "    " * (1 + len([region for region in around if not region.is_step]))


def _is_other_side(region: Region, before: tuple[Region, ...]) -> bool:
    """Return True for an `else` branch of the region right before this one."""
    if not before or before[0].stop != region.start:
        return False
    jump, other = before[0].jump, region.jump
    if type(jump) is not Skip or type(other) is not Skip:
        return False
    return jump.condition == other.condition and jump.at_zero and not other.at_zero


def _expression(call: Call) -> str:
    """Return a call as Python code; for a fused one, with its expression."""
    arguments = [_shown(operand) for operand in call.inputs]
    computed = call.launch.plan.elementwise
    if computed is not None and isinstance(computed.operator, Program) and call.operator == FUSED:
        return f"{FUSED}({as_expression(computed.operator, arguments)})"
    arguments += [f"{parameter!r}" for parameter in call.parameters if parameter != ()]
    return f"{call.operator}({', '.join(arguments)})"


def _words(layout: Layout | None) -> str:
    return "" if layout is None else f"{layout.dtype.name}[{', '.join(map(str, layout.shape))}]"


def _declared(value: Value) -> str:
    return f"{value.name}: {_words(value.layout)}"


def _shown(use: Use | float) -> str:
    """Return the part of a value that an operator uses: its name, or a view of it."""
    if not isinstance(use, Use):
        return f"{float(use):g}" if isinstance(use, float) else str(int(use))
    layout, whole = use.layout, use.value.layout
    if layout is None or layout is whole or whole is None:
        return use.value.name
    if layout.is_contiguous and layout.numel == whole.numel and layout.dtype is whole.dtype:
        return f"{use.value.name}.view{layout.shape}"
    first = use.offset // layout.dtype.itemsize
    return f"{use.value.name}.as_strided({layout.shape}, {layout.strides}{f', {first}' if first else ''})"
