"""Functions that join several arrays."""

from __future__ import annotations

from facula_errors import InvalidValueError

from ..variable import operand
from .table import implements, np, operator, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..._types import Array, Ufunc
    from ..variable import Variable


def _part(k: int, g: Array, y: Array, *arrays: Array, axis: int) -> Array:
    start = sum(np.shape(a)[axis] for a in arrays[:k])
    return g[(slice(None),) * axis + (slice(start, start + np.shape(arrays[k])[axis]),)]


_concatenate = operator(lambda *arrays, axis: np.concatenate(arrays, axis), _part, "concatenate", fresh=None)


@implements(np.concatenate)
def concatenate(
    arrays: Iterable[object],
    axis: int | None = 0,
    out: None = None,
    *,
    dtype: object = None,
    casting: str = "same_kind",
) -> Array:
    if out is not None or casting != "same_kind":
        raise refusal(np.concatenate, "out= or casting=", "use its result, and astype for another dtype")
    parts: list[Array] = [operand(a) for a in arrays]
    if dtype is not None:
        parts = [np.astype(a, dtype) for a in parts]
    if axis is None:
        parts, axis = [np.ravel(a) for a in parts], 0
    if not all(a.shape for a in parts):
        raise InvalidValueError(
            "numpy.concatenate: expected arrays of at least one dimension; got a number. Use numpy.stack"
        )
    return _concatenate(*parts, axis=axis % parts[0].ndim)


def _joined(prepare: Callable[[Variable], Array], axis: Callable[[list[Array]], int], name: Ufunc) -> None:
    @implements(name)
    def join(arrays: Iterable[object], *, dtype: object = None, casting: str = "same_kind") -> Array:
        parts = [prepare(operand(a)) for a in arrays]
        return concatenate(parts, axis(parts), dtype=dtype, casting=casting)


_joined(np.atleast_2d, lambda parts: 0, np.vstack)
_joined(np.atleast_1d, lambda parts: 0 if parts[0].ndim == 1 else 1, np.hstack)
_joined(np.atleast_3d, lambda parts: 2, np.dstack)


@implements(np.column_stack)
def column_stack(arrays: Iterable[object]) -> Array:
    parts = [np.atleast_1d(operand(a)) for a in arrays]
    return concatenate([a if a.ndim > 1 else np.expand_dims(a, 1) for a in parts], 1)


@implements(np.stack)
def stack(
    arrays: Iterable[object],
    axis: int = 0,
    out: None = None,
    *,
    dtype: object = None,
    casting: str = "same_kind",
) -> Array:
    parts = [operand(a) for a in arrays]
    if len({a.shape for a in parts}) > 1:
        raise InvalidValueError(
            f"numpy.stack: expected arrays of one shape; got {', '.join(str(a.shape) for a in parts)}"
        )
    return concatenate([np.expand_dims(a, axis) for a in parts], axis, out, dtype=dtype, casting=casting)


@implements(np.append)
def append(arr: object, values: object, axis: int | None = None) -> Array:
    return concatenate((arr, values), axis)


@implements(np.block)
def block(arrays: object) -> Array:
    def depth(part: object) -> int:
        return 1 + max(map(depth, part)) if isinstance(part, list) else 0

    levels = depth(arrays)

    def largest(part: object) -> int:
        return max(map(largest, part)) if isinstance(part, list) else operand(part).ndim

    ndim = max(levels, largest(arrays))

    def join(part: object, level: int) -> Array:
        if not isinstance(part, list):
            array = operand(part)
            return np.reshape(array, (1,) * (ndim - array.ndim) + array.shape)
        return concatenate([join(p, level - 1) for p in part], -level)

    return join(arrays, levels)


@implements(np.meshgrid)
def meshgrid(*xi: object, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    lines = [np.reshape(operand(x), (1,) * k + (-1,) + (1,) * (len(xi) - 1 - k)) for k, x in enumerate(xi)]
    if indexing == "xy" and len(xi) > 1:
        lines = [np.swapaxes(x, 0, 1) for x in lines]
    return tuple(lines if sparse else np.broadcast_arrays(*lines))


@implements(np.select)
def select(condlist: Sequence[object], choicelist: Sequence[object], default: object = 0) -> object:
    y = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        y = np.where(plain(condition), operand(choice), y)
    return y
