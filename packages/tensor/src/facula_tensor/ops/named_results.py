"""Named tuples for operations with several results, as in PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError

from .._core.memory import check_out
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.slow_path.operands import describe
from .._dispatch.slow_path.writing import write_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    _Tensors = tuple[Tensor, ...]
else:
    _Tensors = tuple

_result_classes: dict[str, type[NamedResults]] = {}  # result classes by operation, used for unpickling


class NamedResults(_Tensors):
    """The results of one operation, available by position and by name."""

    __slots__ = ()
    name = "results"
    fields: tuple[str, ...] = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Tensor: ...

    def __repr__(self) -> str:
        shown = ",\n".join(f"{field}={value!r}" for field, value in zip(self.fields, self, strict=True))
        return f"facula.return_types.{type(self).name}(\n{shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self).name, tuple(self))


def results_named(operation: str, *fields: str) -> type[NamedResults]:
    """Create and register the class for the results of an operation.

    >>> pair = results_named("linalg_eigh", "eigenvalues", "eigenvectors")((1, 2))
    >>> pair.eigenvalues, pair[1]
    (1, 2)
    """
    body: dict[str, object] = {
        "__slots__": (),
        "name": operation,
        "fields": fields,
        "__doc__": f"Results of `{operation}`.",
    }
    for place, field in enumerate(fields):
        body[field] = property(lambda self, place=place: self[place], doc=f"Result {place}.")  # type: ignore[misc]
    kind = _result_classes[operation] = type(operation, (NamedResults,), body)
    return kind


def result_classes() -> list[type[NamedResults]]:
    """Return the result classes of all operations that are loaded."""
    return list(_result_classes.values())


def _unpickled(operation: str, results: tuple[Tensor, ...]) -> NamedResults:
    return _result_classes[operation](results)


def named_results(
    name: str, kind: type[NamedResults], results: Sequence[Tensor], out: Sequence[Tensor] | None
) -> NamedResults:
    """Return `results` as a named tuple, or write them to the tensors of `out` after checking all of them."""
    if out is None:
        return kind(results)
    fields = kind.fields
    if not (isinstance(out, (tuple, list)) and len(out) == len(fields)):
        raise InvalidTypeError(
            f"{name}: expected out to be {len(fields)} tensors ({', '.join(fields)}); got {describe(out)}"
        )
    for result, target in zip(results, out, strict=True):
        check_out(name, layout_of_tensor(result), target, ())
    return kind([write_out(name, result, target) for result, target in zip(results, out, strict=True)])
