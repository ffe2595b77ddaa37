"""`layer`: the constructor and the repr of a layer from the fields in its class body.

Note [Fields of layers]
~~~~~~~~~~~~~~~~~~~~~~~
`@layer` reads a class body as `dataclasses.dataclass` does, and type checkers know it as such (PEP 681). The
constructor is a function of its own with the fields as parameters, so that its signature and Python's messages for
arguments that do not fit are those of a constructor written by hand. It has the code of `_template` with other names:
no source is compiled. It is said to stand where the decorator does, and to have the globals of that module, in which
`typing.get_type_hints` looks the annotations up.

A repr's items are one string, `_repr_items`: "name" shows an attribute's value, "name=" its name, too, and "name=0"
leaves it out where it is 0 or consists of zeros. "!r" after the name shows strings in quotes. Of a parameter it shows
whether there is one.
"""

from __future__ import annotations

import sys
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

C = TypeVar("C", bound=type)


@dataclass_transform(eq_default=False)
def layer(declared: C) -> C:
    """Make a constructor whose parameters are the class's annotated fields, with their defaults.

    It passes the parameters that the base's constructor has on to it and keeps the others as attributes; `InitVar`
    marks those that the base turns into other attributes. Then it calls the method `_complete`, if there is one.
    The class is a boundary, too.
    """
    cls: Any = declared
    own = vars(cls)
    fields = {
        name: said[len("InitVar[") : -1] if said.startswith("InitVar[") else said
        for name, said in own["__annotations__"].items()
        if not said.startswith("ClassVar[")
    }
    base = innermost(cls.__mro__[1].__init__).__code__
    passed = fields.keys() & base.co_varnames[1 : base.co_argcount]
    defaults = tuple([own[name] for name in fields if name in own])
    frame = sys._getframe(1)
    made = constructor((cls, passed, {}), fields, defaults, frame, frame.f_globals)
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    cls.__init__ = made
    if cls._repr_items is None:
        cls._repr_items = ", ".join([f"{name}={'False' * (name == 'inplace')}" for name in fields])
    for name in fields.keys() & own.keys():
        delattr(cls, name)  # values belong to instances
    for name in fields:
        if fields[name] != own["__annotations__"][name]:
            del own["__annotations__"][name]  # a parameter, and no attribute
    return boundary(declared)


def innermost(function: Any) -> Any:
    """A function without its wrappers."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def constructor(
    how: Any,
    names: Mapping[str, Any],
    defaults: Any,
    frame: FrameType,
    known: dict[str, Any],
    only_by_name: int = 0,
) -> FunctionType:
    """A function `__init__` with parameters of these names, which calls `_construct`.

    Arguments:
        how: the first argument of `_construct`.
        names: the parameters' annotations.
        defaults: the values of the last positional parameters.
        frame: what runs the decorator, whose line is the function's first.
        known: the function's globals, which have what the annotations name.
        only_by_name: how many parameters at the end are keywords.
    """
    code = _template.__code__
    call = partial(_construct, how)  # hashed by identity: a code object's hash needs that of each constant
    code = code.replace(
        co_name="__init__",
        co_filename=frame.f_code.co_filename,
        co_firstlineno=frame.f_lineno,
        co_consts=tuple([call if one == "how" else one for one in code.co_consts]),
        co_varnames=("self", *names),
        co_argcount=len(names) + 1 - only_by_name,
        co_kwonlyargcount=only_by_name,
        co_nlocals=len(names) + 1,
    )
    made = FunctionType(code, known, "__init__", defaults)
    made.__annotations__ = {**names, "return": "None"}
    return made


def _template(self: Any) -> None:
    "how".__call__(locals())  # type: ignore[operator]


def _construct(how: Any, values: dict[str, Any]) -> None:
    """Fill an instance with the arguments of its constructor.

    Arguments:
        how: the class with the constructor, the names of arguments for its base's, and further arguments of that.
        values: the instance as `self`, and the arguments.
    """
    cls, passed, fixed = how
    self = values.pop("self")
    super(cls, self).__init__(**fixed, **{name: values.pop(name) for name in passed})
    for name, value in values.items():
        setattr(self, name, value)
    if hasattr(cls, "_complete"):
        cls._complete(self)


def shown(module: Any, items: str) -> str:
    """What a module's repr shows of its attributes; see Note [Fields of layers]."""
    from ast import literal_eval

    parts = []
    for item in items.split(", "):
        label, equals, usual = item.partition("=")
        name, quoted, _ = label.partition("!")
        value = getattr(module, name)
        if name in module._kinds:
            value = value is not None
        if usual:
            default = literal_eval(usual)
            try:
                value = bool(value) if isinstance(default, bool) else value
                if value == ((default,) * len(value) if isinstance(value, tuple) else default):
                    continue
            except Exception:  # such as a tensor of many elements, which is neither true nor false
                pass
        parts.append(f"{name * bool(equals)}{equals}{repr(value) if quoted else value}")
    return ", ".join(parts)
