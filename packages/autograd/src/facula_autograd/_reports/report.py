"""`report`: the memory that a graph holds for its backward pass, by value, operator and module."""

from __future__ import annotations

import sys
from collections import namedtuple

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary, format_bytes, html_of

from .._adapters import adapter_of
from .._graph.node import LEAF, edges_of
from .._graph.scopes import Scopes
from .._value import Value
from .saved_value import saved_values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._types import AnyValue
    from .saved_value import SavedValue

#: The number of rows to print.
MAX_ROWS = 25


class SavedRow(namedtuple("SavedRow", "nbytes value operators module where kept_by")):
    """One piece of memory that a graph holds; several nodes may have saved it.

    * `nbytes`: its size.
    * `value`: a description of the saved value.
    * `operators`: the operators that saved it, one name for each time, in the order of their calls.
    * `module`, `where`: the module and line of the first call; the module is an empty string if unknown.
    * `kept_by`: "the graph" if only the graph keeps it; "a leaf", which the program keeps anyway; "the program too" if
      it would exist without the graph; or its place outside of memory: "on disk", "computed again", "packed as ...".
    """

    __slots__ = ()

    nbytes: int
    value: str
    operators: tuple[str, ...]
    module: str
    where: str
    kept_by: str


class Report:
    """The result of `report`: `rows`, largest first, and sums over them."""

    def __init__(self, rows: list[SavedRow]) -> None:
        self.rows = rows

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the graph holds, without those of leaves and of files."""
        return sum(row.nbytes for row in self.rows if row.kept_by in ("the graph", "the program too"))

    @property
    def duplicates(self) -> list[SavedRow]:
        """The memory that was saved several times, although it exists once."""
        return [row for row in self.rows if len(row.operators) > 1]

    def by_operator(self) -> dict[str, int]:
        """Return the bytes by operator, largest first; memory counts for the operator that saved it first."""
        return self._sums([row.operators[0] for row in self.rows])

    def by_module(self) -> dict[str, int]:
        """Return the bytes by module, largest first; an empty name for operators outside of modules, or not tracked."""
        return self._sums([row.module for row in self.rows])

    def _sums(self, names: Sequence[str]) -> dict[str, int]:
        sums: dict[str, int] = {}
        for name, row in zip(names, self.rows, strict=True):
            if row.kept_by in ("the graph", "the program too"):
                sums[name] = sums.get(name, 0) + row.nbytes
        return dict(sorted(sums.items(), key=lambda item: -item[1]))

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (format_bytes(row.nbytes), row.value, _counted(row.operators), row.module, row.where, row.kept_by)
            for row in self.rows[:MAX_ROWS]
        ]

    def _summary(self) -> list[str]:
        lines = [f"saved for the backward pass: {format_bytes(self.nbytes)} in {len(self.rows)} values"]
        if self.duplicates:
            spared = sum(row.nbytes * (len(row.operators) - 1) for row in self.duplicates)
            lines.append(f"saved several times, and counted once: {len(self.duplicates)} ({format_bytes(spared)} more)")
        for title, sums in (("by operator", self.by_operator()), ("by module", self.by_module())):
            if any(sums):
                lines.append(f"{title}: " + ", ".join(f"{name or '-'} {format_bytes(n)}" for name, n in sums.items()))
        if len(self.rows) > MAX_ROWS:
            lines.append(f"the {MAX_ROWS} largest:")
        return lines

    def __repr__(self) -> str:
        table = [_TITLES, *self._cells()]
        widths = [max(len(row[k]) for row in table) for k in range(len(_TITLES))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        return "\n".join([*self._summary(), *lines])

    def _repr_html_(self) -> str:
        return html_of(self._summary(), _TITLES, self._cells())


_TITLES = ("bytes", "value", "saved by", "module", "line", "kept by")


@boundary
def report(outputs: AnyValue | Sequence[AnyValue], params: Mapping[str, AnyValue] | None = None) -> Report:
    """Return a table of the memory that the graph of `outputs` holds for its backward pass.

    Memory saved by several nodes is one row. Modules are known for values computed inside `track_modules()` or
    `detect_anomaly()`. Elsewhere, `params` identifies the module of operators that use a parameter.

    Arguments:
        outputs: a value that requires grad, such as a loss, or several.
        params: leaves by name, such as `dict(model.named_parameters())`.

    Returns:
        A `Report`, whose `rows` are data and whose repr is a table.

    >>> import numpy as np
    >>> from facula_autograd import Variable
    >>> x = Variable(np.ones((8, 4)), requires_grad=True)
    >>> y = (x * 2.0) ** 2
    >>> found = report(y.sum())
    >>> [(row.nbytes, row.operators, row.kept_by) for row in found.rows if row.nbytes > 100]
    [(256, ('mul',), 'a leaf'), (256, ('pow',), 'the graph'), (256, ('sum',), 'the program too')]
    """
    roots = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    for root in roots:
        if not isinstance(root, Value) or root.node is None:
            what = adapter_of(root).describe(root)
            raise InvalidTypeError(f"report: expected values that require grad; got {what}")
    names = {id(leaf): name for name, leaf in (params or {}).items()}
    groups: dict[int, list[SavedValue]] = {}
    rows = []
    for saved in saved_values_of(roots):
        if saved.value is None:
            rows.append(_row([saved], saved.nbytes, "", saved.elsewhere, names))
        else:
            groups.setdefault(id(adapter_of(saved.value).memory(saved.value)[0]), []).append(saved)
    for group in groups.values():
        name = names.get(id(group[0].value), "")
        nbytes = max(adapter_of(entry.value).memory(entry.value)[1] for entry in group)
        rows.append(_row(group, nbytes, name, _kept_by(group), names))
    return Report(sorted(rows, key=lambda row: -row.nbytes))


def _row(group: list[SavedValue], nbytes: int, name: str, kept_by: str, names: Mapping[int, str]) -> SavedRow:
    node, value = group[0].node, group[0].value
    described = "" if value is None else adapter_of(value).describe(value)
    shown = f"{name}: {described}" if name else described
    return SavedRow(
        nbytes, shown, tuple(entry.node.name() for entry in group), _module(group[0], names), node.where, kept_by
    )


def _module(saved: SavedValue, names: Mapping[int, str]) -> str:
    path = Scopes().path(saved.node.seq)
    if not path and names:
        leaves = [names[id(e)] for e in edges_of(saved.node) if id(e) in names]
        path = leaves[0].rpartition(".")[0] if leaves else ""
    return path


def _kept_by(group: list[SavedValue]) -> str:
    """Return the holder of the memory of these values, which all share it, according to its references."""
    if any(entry.value.node is LEAF for entry in group):
        return "a leaf"
    values = {id(entry.value): entry for entry in group}
    for key, value in values.items():
        # For a value saved unchanged: its slot in each node, its slot in each `SavedValue`, and the argument.
        places = sum(id(other.value) == key for other in group)
        if not value.made and sys.getrefcount(value.value) > 2 * places + 1:
            return "the program too"
    owner = adapter_of(group[0].value).memory(group[0].value)[0]
    if any(entry.value is owner for entry in group):
        return "the graph"
    known = sum(1 + value.made for value in values.values())
    return "the program too" if sys.getrefcount(owner) > known + 2 else "the graph"


def _counted(operators: Sequence[str]) -> str:
    counts: dict[str, int] = {}
    for name in operators:
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(name if n == 1 else f"{name} ×{n}" for name, n in counts.items())
