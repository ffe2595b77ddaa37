"""Results that have names: tuples whose fields can be asked for, as PyTorch's functions give them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from facula_errors import InvalidTypeError

from .._general import describe
from .._tensor import Tensor
from .copying import give

__all__: list[str] = []


class NamedResults(tuple):
    """The results of an operation; `fields` are their names."""

    __slots__ = ()
    operation = ""
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ",\n".join(f"{name}={one!r}" for name, one in zip(self.fields, self, strict=True))
        return f"facula.return_types.{self.operation}(\n{shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.operation, tuple(self))


_kinds: dict[str, type[NamedResults]] = {}


def named_results(operation: str, *fields: str) -> type[NamedResults]:
    """The class of the results of `operation`."""
    body: dict[str, Any] = {"__slots__": (), "operation": operation, "fields": fields, "__doc__": f"Of `{operation}`."}
    for place, name in enumerate(fields):
        body[name] = property(itemgetter(place), doc=f"Result {place}.")
    kind = _kinds[operation] = type(operation, (NamedResults,), body)
    return kind


def _again(operation: str, results: tuple) -> NamedResults:
    """What is pickled, once more."""
    return _kinds[operation](results)


def give_all(kind: type[NamedResults], results: Sequence[Tensor], out: Any) -> Any:
    """Results under their names, or in the tensors of `out`."""
    if out is None:
        return kind(results)
    name, fields = kind.operation, ", ".join(kind.fields)
    if not (isinstance(out, (tuple, list)) and len(out) == len(results)):
        raise InvalidTypeError(f"{name}: expected out to be {len(results)} tensors ({fields}); got {describe(out)}")
    return kind([give(name, one, place) for one, place in zip(results, out, strict=True)])
