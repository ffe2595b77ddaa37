"""Declarations of generated public functions, and where to find these.

Note [Written functions]
~~~~~~~~~~~~~~~~~~~~~~~~
The public function of a declaration with a signature is in `_forms/`, whose folders and files mirror the
declaring modules:
`ops/reduction/scans.py` declares the functions of `_forms/ops/reduction/scans.py`.
`python -m facula_tensor._forms` generates these files from the declarations. Do not edit them: a test compares
them with the generator's output. A generated function checks its arguments by their kinds (`kinds.py`), calls
the operator in `recorded_ops` or the declared body, and removes the library's frames from errors. Its docstring
only describes the arguments that the declaration's docstring omits; `declare` merges the two.
"""

from __future__ import annotations

import re
from importlib import import_module
from inspect import CO_VARARGS
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import InvalidTypeError

from .namespaces import Namespace, operators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core.types import Function
    from .operator import Operator

FOLDER = "facula_tensor._forms"
NOTHING: Mapping[str, Any] = {}


class Declared(NamedTuple):
    """The declaration of a public function.

    - `signature`: a function whose arguments have kinds as annotations, and defaults.
    - `is_body`: the function is written in other operators, `(F, *arguments)`; otherwise it calls the operator
    of its name, or of the name in `calls`.
    - `label`: the name that errors use, if it differs from the function's name.
    - `refuses`: conditions of the arguments that raise an error, and the expectation that the error states.
    - `parameters`: the operator's arguments that it takes in a tuple, after its operands.
    - `prepare`: a function `(operation, *arguments)` that checks the arguments that it names and returns the
    operator's operand and its tuple of parameters, which then have separate names.
    - `special_cases`: conditions of the arguments for which other functions `(operation, *arguments)`, or other
    elementwise operators, given by name, compute the result.
    - `inplace`: it takes `inplace=` and the body does not; `changes`: it has an in-place form with an
    underscore, a method if `method`, otherwise a function. The kernel changes the input if an elementwise
    operator without `inplace=` exists; otherwise the result is copied into the input.
    - `out`: it takes `out=`, and then no `inplace=`; a tuple names the arguments that must not share memory with `out`.
    - `overridable`: classes can override it; `method`: and it is a method of tensors.
    - `maker`: it creates tensors with PyTorch's options (Note [Options of creation]): "new", "like" another
    tensor, or with the tensor's "own" dtype and device; `memory_format`: it takes that option, too.
    - `inline`: the generated function contains the body's lines, with one return at the end, to save a call.
      In it, `F.this` is the operator with the function's name. Variables of the function around the body become
      literals, or names of the module.
    - `public`: whether it is a public function; otherwise it is only a method.
    - `quick`: the method accepts only the signature's argument names, not NumPy's.
    - `without`: the signature's last arguments if the function lacks them; the body has defaults for them.
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
"""Options of the public function that an operator's class may set, besides the signature."""


AS_THEY_ARE = frozenset(("Tensor", "Checked", "Reals", "Operand", "Operand | None"))
"""Kinds of operands that are never converted to numbers or other tensors."""

declared: list[Declared] = []
_bodies: dict[str, Namespace] = {}  # by file

ARGUMENTS = re.compile(r"^( *)Arguments:\n((?:\1 .*(?:\n|\Z))+)", re.M)  # a docstring's section
INPUT = re.compile(r"^ +(?:\w+, )*input[,:]", re.M)
NEXT = re.compile(r"^( *)()(?=Returns:|Raises:|>>>)", re.M)  # what follows that section
LAST = re.compile(r"\n( *)(?=\S.*\Z)")


def file_of(module: str) -> str:
    """Return the module inside `_forms` for the functions that a module declares, such as `ops.scans`."""
    return module.partition(".")[2]


def bodies_of(file: str) -> Any:
    """Return the declared bodies that a file's functions call, by name."""
    return _bodies.setdefault(file, Namespace())


def operands_of(signature: Function, parameters: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the arguments that are the operator's operands."""
    code = getattr(signature, "__func__", signature).__code__
    return tuple([name for name in code.co_varnames[: code.co_argcount] if name not in ("inplace", *parameters)])


def takes_inplace(signature: Function | None) -> bool:
    """Return whether a function has an argument `inplace`."""
    return signature is not None and "inplace" in getattr(signature, "__func__", signature).__code__.co_varnames


def declare(what: Declared, body: Function | None = None) -> Function:
    """Return the public function of a declaration; it calls `body` unless an operator has its name."""
    if what.out and (what.inplace or takes_inplace(what.signature)):
        raise InvalidTypeError(
            f"{what.name}: expected a declaration with inplace= or with out=, which each say where the result is "
            "stored; got both; leave one out"
        )
    declared.append(what)
    file = file_of(what.module)
    for case in (what.prepare, *what.special_cases.values()):
        if callable(case) and case.__module__ == what.module:
            setattr(bodies_of(file), case.__name__, case)
    if body is not None:
        setattr(bodies_of(file), what.name, body)
    module = import_module(f"{FOLDER}.{file}")
    for name in (what.name, f"{what.name}_")[: 1 + what.changes]:
        function = getattr(module, name)
        doc = what.doc if name == what.name else ""
        more = function.__doc__ or ("input: the tensor." if lacks_input(doc, function) else "")
        if doc and (more or what.without):
            doc = completed(doc, more, names_of(function))
        while function is not None:  # the method, and the function inside its error boundary
            function.__module__, function.__doc__ = what.module, doc or more
            function = getattr(function, "__wrapped__", None)
    found: Function = getattr(module, what.name)
    return found


def lacks_input(doc: str, function: Function) -> bool:
    """Return whether the docstring describes arguments, but not the argument `input`."""
    return "Arguments:" in doc and not INPUT.search(doc) and "input" in names_of(function)


def names_of(function: Function) -> tuple[str, ...]:
    """Return the names of a written function's arguments, in their order."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    first, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    variadic = code.co_varnames[last : last + bool(code.co_flags & CO_VARARGS)]
    return (*code.co_varnames[:first], *variadic, *code.co_varnames[first:last])


def completed(doc: str, more: str, names: tuple[str, ...]) -> str:
    """Return a docstring with descriptions of more arguments, in the order of `names`; others are left out.

    Arguments:
        doc: the docstring.
        more: a line for each further argument, or for several: "name: its description". Its other lines are indented.
        names: the names of all arguments.
    """
    found = ARGUMENTS.search(doc)
    if found is not None:
        before, margin, after = doc[: found.start()], found[1], doc[found.end() :]
    elif (found := NEXT.search(doc)) is not None:
        before, margin, after = doc[: found.start()], found[1], f"\n{doc[found.start() :]}"
    else:
        before, margin, after = f"{doc.rstrip()}\n\n", LAST.findall(f"\n    {doc.rstrip()}")[-1], ""
    given = [line[len(margin) + 4 :] for line in found[2].splitlines()] if found else []
    texts: dict[str, str] = {}
    for line in (*given, *more.rstrip().replace("\n    ", "\n").splitlines()):
        if not line.startswith(" "):
            name = line.partition(":")[0].partition(",")[0]
        texts[name] = f"{texts.get(name, '')}{margin}    {line}\n"
    said = "".join([texts[name] for name in names if name in texts])
    return f"{before}{margin}Arguments:\n{said}{after}"


def written_operator(op: Operator, body: type) -> Function:
    """Return the public function of an operator whose declaration has a signature."""
    said = vars(body)
    options = {"overridable": "prepare" in said} | {name: said[name] for name in OPTIONS if name in said}
    tupled = op.parameters if op.window is None else ()  # a view takes its parameters separately
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
    """Declare a public function by a body written in other operators, annotated with kinds.

    The body receives the operators as its first argument if that is named `F`. The public function has the
    body's return annotation. The decorated function is only a signature if `calls` names an operator or
    `instead` is the function to call. A body whose first argument is `operation` receives the name of the
    called function; if that ends with an underscore, the body changes `input`.

    Arguments:
        inplace, changes, method, overridable: as in `Declared`; methods are overridable.
        words: replacements for the fields in the docstring, such as `{dims}`, of a body that several functions share.
        options: the other fields of `Declared`, `name` and `instead`.
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


def maker(kind: str = "new", **options: Any) -> Callable[[Function], Function]:
    """Declare a function that creates tensors: `function`, with the options of creation. `kind`: `Declared.maker`."""
    given: dict[str, Any] = {"maker": kind, "out": kind == "new"} | options
    return function(**given)
