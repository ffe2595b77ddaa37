"""Dispatch of NumPy's protocols: `Variable.__array_ufunc__` and `Variable.__array_function__`."""

from __future__ import annotations

from ..._graph.node import next_seq, set_call_site
from ..variable import Variable, operand
from .plain_results import PLAIN
from .table import FUNCTION_REMEDY, FUNCTIONS, function_name, np, plain, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._types import Array, Ufunc

_REDUCE = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
_ACCUMULATE = {np.add: np.cumsum, np.multiply: np.cumprod}


def call_ufunc(ufunc: Ufunc, method: str, inputs: tuple[object, ...], kwargs: dict[str, object]) -> object:
    """Return `ufunc.method(*inputs, **kwargs)`, where an input is a Variable."""
    implementation = FUNCTIONS.get(ufunc)
    if implementation is not None and method == "__call__" and not kwargs and ufunc not in PLAIN:
        return _recorded(ufunc, implementation, inputs, kwargs)
    name = function_name(ufunc) + ("" if method == "__call__" else f".{method}")
    out = kwargs.get("out")
    if isinstance(out, tuple) and any(isinstance(variable, Variable) for variable in out):
        raise refusal(name, "out=Variable", "use its result")
    if ufunc in PLAIN and method != "at":
        return getattr(ufunc, method)(*plain(inputs), **plain_of(kwargs))
    if method == "at" or kwargs.get("out") is not None:
        raise refusal(name, "an array changed in place (a += v, out=a)",
                      "make a new one, a = a + v: a plain array cannot hold a Variable's gradient")  # fmt: skip
    if method != "__call__":
        implementation = FUNCTIONS.get((ufunc, method))
    if method == "reduce" and implementation is None and ufunc in _REDUCE:
        implementation = _along_first(_REDUCE[ufunc])
    elif method == "accumulate" and ufunc in _ACCUMULATE:
        implementation = _along_first(_ACCUMULATE[ufunc])
    elif method == "outer" and ufunc in FUNCTIONS:
        implementation = _outer(ufunc)
    if implementation is None:
        raise refusal(name, f"the ufunc {ufunc.__name__}" if method == "__call__" else method, FUNCTION_REMEDY)
    if method == "__call__" or method == "outer":
        inputs = _converted(name, ufunc, inputs, kwargs)
    return _recorded(name, implementation, inputs, kwargs)


def call_function(
    function: Ufunc, types: tuple[type, ...], args: tuple[object, ...], kwargs: dict[str, object]
) -> object:
    """Return `function(*args, **kwargs)`, where some argument is a Variable, or contains one."""
    if not all([t is Variable or issubclass(t, (Variable, np.ndarray)) for t in types]):
        return NotImplemented  # another library's array, which may handle the call
    if function in PLAIN:
        return function(*plain(args), **plain_of(kwargs))
    implementation = FUNCTIONS.get(function)
    if implementation is None:
        raise refusal(function, "this function", FUNCTION_REMEDY)
    out = kwargs.pop("out", None)
    if out is not None:
        raise refusal(function, "out=", "use its result: a plain array cannot hold a Variable's gradient")
    return _recorded(function, implementation, args, kwargs)


def plain_of(kwargs: dict[str, object]) -> dict[str, object]:
    return {name: plain(value) for name, value in kwargs.items()}


def _converted(name: str, ufunc: Ufunc, inputs: tuple[object, ...], kwargs: dict[str, object]) -> tuple[object, ...]:
    """Return the inputs in the `dtype` that the ufunc should compute in; refuse or remove other options."""
    if kwargs.pop("where", True) is not True:
        raise refusal(
            name, "where=", "use numpy.where(condition, result, other): the other elements would have no value"
        )
    dtype = kwargs.pop("dtype", None)
    for option in () if ufunc.signature else tuple(kwargs):
        if option not in ("subok", "order", "out"):
            raise refusal(name, f"{option}=", "omit it, and convert with astype")
        del kwargs[option]
    kwargs.pop("out", None)
    return inputs if dtype is None else tuple(np.astype(operand(v), dtype) for v in inputs)


def _along_first(function: Ufunc) -> Callable[..., Array]:
    """Return a reduction with a ufunc's default: along the first axis, unless another is given."""
    return lambda a, axis=0, dtype=None, out=None, **more: function(a, axis=axis, dtype=dtype, **more) \
        if dtype is not None else function(a, axis=axis, **more)  # fmt: skip


def _outer(ufunc: Ufunc) -> Callable[..., Array]:
    def outer(a: Array, b: Array) -> Array:
        a, b = operand(a), operand(b)
        return ufunc(np.reshape(a, a.shape + (1,) * len(b.shape)), b)

    return outer


def _recorded(
    function: Ufunc | str, implementation: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> object:
    """Return the result of an implementation. `function` is the function that was called, or its name."""
    before = next_seq()
    try:
        out = implementation(*args, **kwargs)
    except TypeError as error:
        from inspect import signature

        try:
            signature(implementation).bind(*args, **kwargs)
        except TypeError as mismatch:
            raise refusal(function, f"a call with these arguments ({mismatch})", FUNCTION_REMEDY) from error
        raise
    set_call_site(out, before)
    return out
