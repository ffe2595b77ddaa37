"""facula.utils.flop_counter: floating-point operations of a program, counted while it runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

from facula_autograd.extend.graphs import Scopes, running_node, want_scopes
from facula_autograd.extend.modes import current_mode, replace_mode
from facula_autograd.extend.nodes import next_seq
from facula_errors import UnsupportedError
from facula_errors.extend import Exit, boundary, pass_on, warn
from facula_storage.extend.plans import PRODUCTS, flops
from facula_storage.extend.recording import collecting

from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Operands: TypeAlias = Sequence[Any]

__all__ = ["FlopCounterMode"]

_UNITS = ("", "K", "M", "B", "T")


def _shape(operand: object) -> tuple[int, ...]:
    """Return the shape of a tensor; () for other operands."""
    return tuple(getattr(operand, "shape", ()))


@boundary
class FlopCounterMode:
    """A block that counts floating-point operations of products: a multiplication and an addition count as two.

    It counts products of matrices, convolutions, attention and recurrent layers, forward and backward, in this thread,
    but not elementwise operators and reductions. Counts are also available by module. Captured functions run eagerly in
    the block.

    Arguments:
        mods: not needed; passing it warns.
        depth: the number of module levels in the table.
        display: print the table at the end of the block.
        custom_mapping: None: formulas are facula's own.

    >>> import facula
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = facula.nn.Linear(4, 3)(facula.ones(5, 4))
    >>> counter.get_total_flops(), counter.get_flop_counts()["Linear"]
    (120, {'linear': 120})
    """

    def __init__(
        self, mods: object = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        if custom_mapping:
            raise UnsupportedError(
                "FlopCounterMode: expected custom_mapping to be None, as operators have facula's own formulas; add the "
                "counts of your own operators to get_total_flops()"
            )
        if mods is not None:
            warn("FlopCounterMode: mods is not needed, modules are found by themselves; leave it out")
        self.depth, self.display = depth, display
        self._found: list[tuple[float, str, int]] = []  # a node's number, the operator, its count
        self._counts: dict[str, Counter[str]] | None = None
        self._mode: replace_mode | None = None
        self._owner: ref[object] | None = None
        self._key = object()  # used by that reference's callback, so that there is no cycle

    def __enter__(self) -> FlopCounterMode:
        self._found, self._counts = [], None
        want_scopes()
        around = current_mode().compute

        def compute(
            name: str, run: Callable[[], Any], ready: Operands, parameters: tuple[Any, ...]
        ) -> Any:  # an operator is about to compute its results
            results = run() if around is None else around(name, run, ready, parameters)
            if name in PRODUCTS:
                node = running_node()
                made = results if isinstance(results, (tuple, list)) else (results,)
                count = flops(name, list(map(_shape, ready)), list(map(_shape, made)))
                self._found.append((next_seq() if node is None else node.seq, name, count))
            return results

        self._mode = replace_mode(compute=compute, scopes=True)
        try:
            owner = pass_on(self, self._mode)
            if owner is not None:
                self._owner = ref(owner, partial(collecting.pop, self._key))
            collecting[self._key] = None  # so that the operators of backward passes check the mode, too
            self._mode.__enter__()
            return self
        except BaseException:
            collecting.pop(self._key, None)
            raise

    def _leave(self, *exc: Any) -> None:
        assert self._mode is not None
        self._mode.__exit__(*exc)
        collecting.pop(self._key, None)
        self._counts = self._by_module()
        if self.display:
            print(self.get_table())

    __exit__ = Exit(_leave)

    def _by_module(self) -> dict[str, Counter[str]]:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        scopes = Scopes()
        for seq, name, count in self._found:
            path = scopes.path(seq)
            counts["Global"][name] += count
            while path:
                counts[path][name] += count
                path = path.rpartition(".")[0]
        return counts

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """Return the counts of each module's operators, by its path; "Global" has all."""
        counts = self._by_module() if self._counts is None else self._counts
        return {path: dict(count) for path, count in counts.items()}

    def get_total_flops(self) -> int:
        """Return the sum of all counts."""
        return sum(count for _, _, count in self._found)

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as a table, with modules down to `depth` levels (those of the constructor if None)."""
        depth = self.depth if depth is None else depth
        total = max(self.get_total_flops(), 1)
        counts = self.get_flop_counts()
        modules = sorted(path for path in counts if path != "Global" and path.count(".") < depth)
        rows = [("Module", "FLOP", "% Total")]
        for path in modules or ["Global"]:
            for title, count in [
                (path, sum(counts.get(path, {}).values())),
                *((f"- {name}", count) for name, count in counts.get(path, {}).items()),
            ]:
                rows.append((title, _short(count), f"{100 * count / total:.2f}%"))
        widths = [max(len(row[place]) for row in rows) for place in range(3)]
        lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
        return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _short(count: int) -> str:
    """Format a count with a unit: 96768 as 96.768K."""
    place = min((len(str(count)) - 1) // 3, len(_UNITS) - 1)
    return f"{count / 1000**place:.3f}{_UNITS[place]}" if place else str(count)


publish(__name__)
