"""Checks of constructor arguments against their annotations.

Note [Checked constructors]
~~~~~~~~~~~~~~~~~~~~~~~~~~~
Without a check, a wrong constructor argument fails only when the layer is called, or never: `MSELoss(output, target)`
returns a module whose options are tensors instead of a loss. The annotations of a layer's ``__init__`` are therefore
checked against its arguments. `Any` accepts everything except a tensor with dimensions. User-defined classes are not
checked.
"""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from functools import wraps
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import trim_traceback
from facula_tensor import Tensor
from facula_tensor.extend.arguments import relabel

from ._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

EXPECTED = {
    "int": "an integer",
    "int | None": "an integer or None",
    "float": "a number",
    "float | None": "a number or None",
    "bool": "True or False",
    "bool | None": "True, False or None",
    "str": "a string",
    "Tensor": "a Tensor",
    "Tensor | None": "a Tensor or None",
    "Module": "a Module",
    "Module | None": "a Module or None",
    "Callable[[Tensor, Tensor], Tensor] | None": "a function or None",
    "str | Callable[[Tensor], Tensor]": "a string or a function",
    "Any": "numbers or a string, not a tensor",
}
ACCEPTED: dict[str, Callable[[object], bool]] = {
    "int": lambda value: hasattr(value, "__index__") and not isinstance(value, (Tensor, np.ndarray)),
    "float": lambda value: isinstance(value, (int, float, np.number, np.bool_)) or _is_number(value),
    "bool": lambda value: value is None or isinstance(value, (int, np.bool_)),
    "str": lambda value: isinstance(value, str),
    "Tensor": lambda value: isinstance(value, Tensor),
    "Module": lambda value: isinstance(value, Module),
    "Callable[[Tensor, Tensor], Tensor]": callable,
    "str | Callable[[Tensor], Tensor]": lambda value: isinstance(value, str) or callable(value),
    "Any": lambda value: not isinstance(value, Tensor) or not value.ndim,
}


def _is_number(value: object) -> bool:
    return isinstance(value, Tensor) and not value.ndim


def check_arguments(cls: type) -> None:
    """Make the constructor of `cls` reject arguments that violate its annotations; see Note [Checked constructors].

    Errors raised inside the constructor, such as out of memory, also begin with the name of the class.
    """
    construct: Callable[..., None] = cls.__init__  # type: ignore[misc]
    call = "(input, target)" if cls.__name__.endswith("Loss") else "(input)"
    remedy = f"make the module first and call it then, as in {cls.__name__}(...){call}"
    cls.__init__ = checked(construct, cls.__name__, f"; {remedy}", skip=1)  # type: ignore[misc]


def checked(function: Callable[P, T], called: str, remedy: str = "", skip: int = 0) -> Callable[P, T]:
    """Return a wrapper of `function` that checks its arguments against the annotations, except the first `skip`.

    Arguments:
        function: the function to wrap.
        called: the name with which errors begin.
        remedy: the end of error messages about tensors.
        skip: the number of leading arguments that are not checked: 1 for `self`.
    """
    parameters = inspect.signature(function).parameters
    declared = {name: str(parameter.annotation) for name, parameter in parameters.items()}
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    names = list(declared)[skip:]

    def check(args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        for name, value in (*zip(names, args[skip:], strict=False), *kwargs.items()):
            if name not in declared:
                if takes_any:
                    continue
                near = get_close_matches(name, names, 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names) or 'none'}"
                raise InvalidTypeError(f"{called}: got an unexpected keyword argument {name!r}{hint}")
            said = declared[name]
            if said not in EXPECTED:
                if "Tensor" in said and "Callable" not in said:
                    continue
                said = "Any"  # sizes, devices and similar values are checked by the layer itself
            kind = said.removesuffix(" | None")
            if (kind != said and value is None) or ACCEPTED[kind](value):
                continue
            shown = f"{value.dtype.name} {tuple(value.shape)}" if isinstance(value, Tensor) else f"{value!r:.60}"
            raise InvalidTypeError(
                f"{called}: expected {name} to be {EXPECTED[said]}; got {type(value).__name__} {shown}"
                f"{remedy if isinstance(value, Tensor) else ''}"
            )
        if skip and len(args) > len(declared) and isinstance(args[len(declared)], Tensor):
            raise InvalidTypeError(f"{called}: got an unexpected tensor argument{remedy}")

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            check(args, kwargs)
            return function(*args, **kwargs)
        except Exception as error:
            relabel(error, called)
            trim_traceback(error)
            raise

    return call


def check_input(layer: str, input: object) -> None:
    """Raise TypeError unless a layer's input is a tensor."""
    if not isinstance(input, Tensor):
        raise InvalidTypeError(f"{layer}: expected input to be a Tensor; got {type(input).__name__} {input!r:.60}")


def check_lengths(layer: str, least: int = 0, **lengths: int) -> None:
    """Raise ValueError for a length less than `least`.

    Arguments:
        layer: the layer's class name, with which errors begin.
        least: the minimum length.
        **lengths: the lengths, by name.
    """
    for name, length in lengths.items():
        if length < least:
            raise InvalidValueError(f"{layer}: expected {name} of at least {least}; got {length}")


def lengths(layer: str, argument: str, value: object, count: int) -> tuple[int, ...]:
    """Return `count` integers, given as one integer or as `count` of them; Python's or NumPy's, but no bools.

    Arguments:
        layer: the layer's class name, with which errors begin.
        argument: the argument's name, for errors.
        value: an integer, or several.
        count: the number of integers.

    Raises:
        TypeError: any other value.
    """
    values = value if isinstance(value, (tuple, list)) else (value,) * count
    try:
        if len(values) == count and not any(isinstance(n, bool) for n in values):
            return tuple(map(index, values))
    except TypeError:
        pass
    kind = ("an integer", "an integer or two", "an integer or three")[count - 1]
    raise InvalidTypeError(f"{layer}: expected {argument} to be {kind}; got {value!r}")


def check_sizes(layer: str, count: int, **sizes: int | Sequence[int | None] | None) -> None:
    """Raise TypeError for a size that is neither an integer nor a list of `count`, or one, of them.

    Arguments:
        layer: the layer's class name, with which errors begin.
        count: the number of integers in a list.
        **sizes: the sizes, by name.
    """
    for name, value in sizes.items():
        given = value
        if isinstance(value, (tuple, list)) and len(value) == 1:
            given = value[0]
        lengths(layer, name, given, count)
