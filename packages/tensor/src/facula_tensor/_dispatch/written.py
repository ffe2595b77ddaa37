"""Public functions that are written ahead: what declarations say of them, and where they are found.

Note [Written functions]
~~~~~~~~~~~~~~~~~~~~~~~~
A declaration with a signature has its public function in `_forms/`, whose rooms and files mirror the declaring modules:
`ops/reduction/scans.py` declares the functions of `_forms/ops/reduction/scans.py`.
`python -m facula_tensor._forms` writes these files from the declarations; a test compares them with what it would
write, and nobody edits them. A written function checks its arguments by their kinds (`kinds.py`), calls the operator
in `recorded_ops` or the declared body, and takes the library's frames off errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from .namespaces import Namespace, operators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core.types import Function
    from .operator import Operator

FOLDER = "facula_tensor._forms"
NOTHING: Mapping[str, Any] = {}


class Declared(NamedTuple):
    """What a declaration says of its public function.

    - `signature`: a function whose arguments have kinds as annotations, and defaults.
    - `is_body`: the function is written in other operators, `(F, *arguments)`; else an operator has its name, or
      that in `calls`.
    - `label`: how errors name it, where that is not its name.
    - `refuses`: conditions of the arguments where an error is raised, and what it says that it expected.
    - `parameters`: those of the operator's arguments that it takes in a tuple, after its operands.
    - `prepare`: a function `(operation, *arguments)` that checks those of the arguments that it names and returns the
      operator's operand and its tuple of parameters, which then have names of their own.
    - `special_cases`: conditions of the arguments where other functions `(operation, *arguments)` compute the result,
      or other elementwise operators, which are given by name.
    - `inplace`: it takes `inplace=`, where the body does not; `changes`: there is one with an underscore that changes
      its input, a method if `method`, else a function: the kernel does, if there is an elementwise operator that takes
      no `inplace=`, or the result is copied into the input.
    - `out`: it takes `out=`; a tuple names the arguments that may share no memory with `out`.
    - `overridable`: classes that override operators are asked about it; `method`: and it is a method of tensors.
    - `maker`: it makes tensors with PyTorch's options (Note [Options of creation]): "new", or "like" another one;
      `memory_format`: and it takes that.
    - `inline`: the body's lines, with one return at the end, stand in the written function: a call would take long.
      `F.this` in it is the operator of the function's name.
    - `public`: whether it is a function that users call; else it is a method alone.
    - `quick`: the method takes arguments by the names of the signature alone, not by NumPy's.
    - `without`: the last of the signature's arguments where the function lacks them; the body has defaults for them.
    """

    name: str
    module: str
    doc: str
    signature: Function
    is_body: bool = True
    label: str = ""
    parameters: tuple[str, ...] = ()
    prepare: Function | None = None
    special_cases: Mapping[str, Function | str] = NOTHING
    refuses: Mapping[str, str] = NOTHING
    inplace: bool = False
    changes: bool = False
    out: bool | tuple[str, ...] = False
    overridable: bool = False
    method: bool = False
    quick: bool = False
    public: bool = True
    maker: str = ""
    memory_format: bool = False
    inline: bool = False
    calls: str = ""
    without: tuple[str, ...] = ()


OPTIONS = ("label", "prepare", "special_cases", "refuses", "changes", "out", "overridable", "method", "quick")
"""What the class of an operator may say of its public function, beside the signature."""


AS_THEY_ARE = frozenset(("Tensor", "Checked", "Reals", "Operand", "Operand | None"))
"""Kinds of operands that neither become numbers nor other tensors."""

declared: list[Declared] = []
_bodies: dict[str, Namespace] = {}  # by file


def file_of(module: str) -> str:
    """The module, inside `_forms`, that has the functions which a module declares: `ops.scans`, for example."""
    return module.partition(".")[2]


def bodies_of(file: str) -> Any:
    """The declared bodies that a file's functions call, by name."""
    return _bodies.setdefault(file, Namespace())


def operands_of(signature: Function, parameters: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names of the arguments that the operator itself takes, beside its parameters."""
    code = getattr(signature, "__func__", signature).__code__
    return tuple([name for name in code.co_varnames[: code.co_argcount] if name not in ("inplace", *parameters)])


def takes_inplace(signature: Function | None) -> bool:
    """Whether a function has an argument `inplace`."""
    return signature is not None and "inplace" in getattr(signature, "__func__", signature).__code__.co_varnames


def declare(what: Declared, body: Function | None = None) -> Function:
    """The public function of a declaration; `body` is what it calls, unless an operator has its name."""
    declared.append(what)
    file = file_of(what.module)
    for one in (what.prepare, *what.special_cases.values()):
        if callable(one) and one.__module__ == what.module:
            setattr(bodies_of(file), one.__name__, one)
    if body is not None:
        setattr(bodies_of(file), what.name, body)
    module = import_module(f"{FOLDER}.{file}")
    for name in (what.name, f"{what.name}_")[: 1 + what.changes]:
        inner: Function | None = getattr(module, name)
        while inner is not None:  # the method, and what its error boundary is around
            inner.__module__ = what.module
            inner = getattr(inner, "__wrapped__", None)
    found: Function = getattr(module, what.name)
    return found


def written_operator(op: Operator, body: type) -> Function:
    """The public function of an operator whose declaration has a signature."""
    said = vars(body)
    options = {"overridable": "prepare" in said} | {name: said[name] for name in OPTIONS if name in said}
    tupled = op.parameters if op.window is None else ()  # a view takes its parameters one by one
    what = Declared(op.name, op.module, op.doc, said["signature"].__func__, False, parameters=tupled, **options)
    op.takes_same = op.elementwise and AS_THEY_ARE.issuperset(map(said["signature"].__annotations__.get, op.inputs))
    function = declare(what)
    op.public = function
    function.operator = op  # type: ignore[attr-defined]
    return function


def function(
    *,
    inplace: bool = False,
    changes: bool = False,
    method: bool = False,
    overridable: bool = False,
    words: Mapping[str, object] = NOTHING,
    **options: Any,
) -> Callable[[Function], Function]:
    """Declare a public function by one that is written in other operators, annotated with kinds.

    The body gets the operators as its first argument if that is named `F`. The public function returns what the
    body's annotation says. What is decorated is a signature alone where `calls` names an operator, or `instead` is what
    to call. A body with an argument `operation` in front gets the name of the function that was called, and where that
    ends with an underscore it changes `input` itself.

    Arguments:
        inplace, changes, method, overridable: as in `Declared`; methods are overridable.
        words: replacements of the fields in the docstring, such as `{dims}`, of a body that several functions share.
        options: the others of `Declared`, `name` and `instead`.
    """

    def decorate(body: Function) -> Function:
        given = {"inplace": inplace or (changes and not method), "changes": changes, "method": method} | options
        name = given.pop("name", body.__name__)
        called, instead = given.get("calls", ""), given.pop("instead", body)
        if called:
            given |= {"is_body": False, "parameters": operators[called].parameters}
        asked = overridable or (method and given.get("public", True))
        doc = (body.__doc__ or "").format_map(words) if words else body.__doc__ or ""
        what = Declared(name, body.__module__, doc, body, overridable=asked, **given)
        return declare(what, None if called else instead)

    return decorate


def maker(name: str = "new", **options: Any) -> Callable[[Function], Function]:
    """Declare a function that makes tensors: `function`, with the options of creation. `name`: "new" or "like"."""
    given: dict[str, Any] = {"maker": name, "out": name == "new"} | options
    return function(**given)
