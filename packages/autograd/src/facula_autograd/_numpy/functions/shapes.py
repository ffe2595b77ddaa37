"""Functions that rearrange the elements of one array. Arguments have the same meaning as in NumPy.

Note [Where elements went]
The effect of such a function is found by applying it to another array of the same shape: one whose strides identify its
axes, or one whose elements are their indices.
"""

from __future__ import annotations

from ..variable import Variable, operand
from .table import FUNCTIONS, function_name, implements, np, operator, refusal, scatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import Array, Ufunc


def _unshape(k: int, g: Array, y: Array, x: Array, arrange: Ufunc) -> Array:
    return np.reshape(g, np.shape(x))


def _unpermute(k: int, g: Array, y: Array, x: Array, arrange: Ufunc) -> Array:
    shape = np.shape(x)
    named = np.lib.stride_tricks.as_strided(np.empty(1, np.int8), shape, range(1, len(shape) + 1), writeable=False)
    return np.transpose(g, np.argsort(arrange(named).strides))


def _unmove(k: int, g: Array, y: Array, x: Array, arrange: Ufunc) -> Array:
    shape = np.shape(x)
    n = int(np.prod(shape))
    places = arrange(np.arange(1, n + 1).reshape(shape))  # 0: not an element of the array
    return np.reshape(scatter(g, (n + 1,), places)[1:], shape)


def _family(unarrange: Callable[..., Array], fresh: bool | None, *functions: Ufunc, position: int = 0) -> None:
    """Declare functions of the array at `position` among their arguments; all other arguments are plain."""
    for function in functions:
        call = operator(lambda x, arrange: arrange(x), unarrange, function_name(function).rpartition(".")[2], fresh)
        FUNCTIONS[function] = _arranging(function, call, position)


def _arranging(function: Ufunc, call: Callable[..., Variable], position: int = 0) -> Callable[..., Array]:
    def implementation(*args: object, **kwargs: object) -> Array:
        name: int | str | None = position
        if len(args) <= position:
            name = next((name for name, value in kwargs.items() if isinstance(value, Variable)), None)
        rest: dict[int | str | None, object] = dict(enumerate(args))
        rest.update(kwargs)
        array = rest.pop(name, None)
        if not isinstance(array, Variable) or any(isinstance(value, Variable) for value in rest.values()):
            raise refusal(function, "a Variable elsewhere than as the array to rearrange", "pass .value there")

        def arrange(x: Array) -> Array:
            if name == position:
                return function(*args[:position], x, *args[position + 1 :], **kwargs)
            return function(*args, **{**kwargs, str(name): x})

        return call(array, arrange=arrange)

    return implementation


_family(_unshape, False, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d)
_family(_unpermute, False, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.matrix_transpose,
        np.linalg.matrix_transpose)  # fmt: skip
_family(_unmove, True, np.roll, np.flip, np.fliplr, np.flipud, np.rot90, np.tile, np.repeat, np.resize,
        np.diag, np.diagflat, np.diagonal, np.linalg.diagonal, np.triu, np.tril, np.take, np.take_along_axis,
        np.delete, np.lib.stride_tricks.sliding_window_view, np.fft.fftshift, np.fft.ifftshift)  # fmt: skip
_family(_unmove, True, np.compress, np.extract, position=1)
_reshape = _arranging(np.reshape, operator(lambda x, arrange: arrange(x), _unshape, "reshape", False))
_reordered = _arranging(np.reshape, operator(lambda x, arrange: arrange(x), _unmove, "reshape"))
_pad = _arranging(np.pad, operator(lambda x, arrange: arrange(x), _unmove, "pad"))


@implements(np.reshape)
def reshape(a: object, /, *args: object, **kwargs: object) -> Array:
    in_order = len(args) < 2 and kwargs.get("order", "C") == "C"
    return (_reshape if in_order else _reordered)(a, *args, **kwargs)


@implements(np.ravel)
def ravel(a: Array, order: str = "C") -> Array:
    return reshape(a, -1, order=order)


for _at_least in (np.atleast_1d, np.atleast_2d, np.atleast_3d):

    def _each(*arrays: object, convert: Callable[..., object] = FUNCTIONS[_at_least]) -> object:
        return convert(operand(arrays[0])) if len(arrays) == 1 else tuple(convert(operand(a)) for a in arrays)

    FUNCTIONS[_at_least] = _each


@implements(np.pad)
def pad(array: Array, pad_width: Array, mode: str = "constant", **options: Array) -> Array:
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap") or options.get("reflect_type") == "odd":
        raise refusal(np.pad, f"mode={mode!r} {options or ''}", "use constant, edge, reflect, symmetric or wrap")
    rest = options.pop("constant_values", 0)
    y = _pad(array, pad_width, mode, **options)
    return y + np.pad(np.zeros(array.shape, array.dtype), pad_width, constant_values=rest) if np.any(rest) else y


_broadcast = operator(np.broadcast_to, lambda k, g, y, x, shape: g, fresh=None)


@implements(np.broadcast_to)
def broadcast_to(array: Array, shape: object, subok: bool = False) -> Array:
    return _broadcast(array, shape=shape)


@implements(np.broadcast_arrays)
def broadcast_arrays(*given: object, subok: bool = False) -> tuple[Array, ...]:
    arrays = tuple(map(operand, given))
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, shape) for a in arrays)


# ---- parts


def _splits(function: Ufunc) -> None:
    def split(ary: Array, indices_or_sections: object, axis: int = 0) -> list[Array]:
        axis %= ary.ndim
        places = function(np.arange(ary.shape[axis]), indices_or_sections)
        return [ary[(slice(None),) * axis + (slice(p[0], p[-1] + 1) if len(p) else slice(0),)] for p in places]

    FUNCTIONS[function] = split


_splits(np.split)
_splits(np.array_split)
FUNCTIONS[np.vsplit] = lambda ary, indices_or_sections: np.split(ary, indices_or_sections, 0)
FUNCTIONS[np.hsplit] = lambda ary, indices_or_sections: np.split(ary, indices_or_sections, int(ary.ndim > 1))
FUNCTIONS[np.dsplit] = lambda ary, indices_or_sections: np.split(ary, indices_or_sections, 2)
FUNCTIONS[np.unstack] = lambda x, /, *, axis=0: tuple(np.moveaxis(x, axis, 0))


@implements(np.trace)
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: object = None, out: None = None) -> Array:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


@implements(np.linalg.trace)
def matrix_trace(x: Array, /, *, offset: int = 0, dtype: object = None) -> Array:
    return trace(x, offset, -2, -1, dtype)
