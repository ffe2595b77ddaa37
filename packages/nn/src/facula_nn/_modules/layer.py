"""`layer`: a decorator that derives the constructor and the repr of a layer from the fields in its class body.

Note [Fields of layers]
~~~~~~~~~~~~~~~~~~~~~~~
`@layer` reads a class body as `dataclasses.dataclass` does, and is declared to type checkers by PEP 681. Each
constructor is a separate function with the fields as parameters. Its signature, and Python's messages about arguments
that do not match, are therefore those of a hand-written constructor. The function reuses the code object of
`_template` with other names, so that no source is compiled. Its reported location is the line of the decorator, and
its globals are those of the decorated class's module, where `typing.get_type_hints` resolves the annotations.

`_repr_items` lists the items of a repr in one string: "name" shows an attribute's value, "name=" the name and the
value, and "name=0" omits the item if the value is 0 or consists of zeros. "!r" after the name puts strings in quotes.
For a parameter, the repr shows whether it is present.
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
    """Add a constructor whose parameters are the class's annotated fields, with their defaults.

    The constructor passes the base class's parameters to the base constructor and stores the others as attributes.
    `InitVar` marks parameters that the base class turns into other attributes. The constructor then calls the method
    `_complete`, if it is defined. The class also becomes an error boundary.
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
            del own["__annotations__"][name]  # a constructor parameter, not an attribute
    return boundary(declared)


def innermost(function: Any) -> Any:
    """Return the function inside all wrappers."""
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
    """Return a function `__init__` with parameters of these names, which calls `_construct`.

    Arguments:
        how: the first argument of `_construct`.
        names: the parameters' annotations.
        defaults: the values of the last positional parameters.
        frame: the frame that runs the decorator; its line becomes the function's first line.
        known: the function's globals, in which the annotations are resolved.
        only_by_name: the number of trailing keyword-only parameters.
    """
    code = _template.__code__
    call = partial(_construct, how)  # hashes by identity; hashing a code object hashes each of its constants
    code = code.replace(
        co_name="__init__",
        co_filename=frame.f_code.co_filename,
        co_firstlineno=frame.f_lineno,
        co_consts=tuple([call if constant == "how" else constant for constant in code.co_consts]),
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
    """Initialize an instance from the arguments of its constructor.

    Arguments:
        how: the class, the names of the arguments for the base constructor, and further arguments of that constructor.
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
    """Return the attributes that a module's repr shows; see Note [Fields of layers]."""
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
            except Exception:  # such as the truth value of a tensor with several elements
                pass
        parts.append(f"{name * bool(equals)}{equals}{repr(value) if quoted else value}")
    return ", ".join(parts)
