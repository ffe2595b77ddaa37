"""Public functions that are written ahead: what declarations say of them, and where they are found.

Note [Written functions]
~~~~~~~~~~~~~~~~~~~~~~~~
A declaration with a signature has its public function in `_forms/`, in a file with the name of the declaring module.
`python -m facula_tensor._forms` writes these files from the declarations; a test compares them with what it would
write, and nobody edits them. A written function checks its arguments by their kinds (`kinds.py`), calls the operator
in `recorded_ops` or the declared body, and takes the library's frames off errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from .namespaces import Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core.types import Function
    from .operator import Operator

FOLDER = "facula_tensor._forms"
NOTHING: Mapping[str, str] = {}


class Declared(NamedTuple):
    """What a declaration says of its public function.

    - `signature`: a function whose arguments have kinds as annotations, and defaults.
    - `first`: the place of the first argument of users' among those of `signature`.
    - `refuses`: conditions of the arguments where an error is raised, and what it says that it expected.
    - `inplace`: it takes `inplace=`; `changes`: and there is a function with an underscore that changes its input.
    - `method`: it is a method of tensors, too, and classes that override operators are asked about it.
    """

    module: str
    doc: str
    signature: Function
    first: int
    refuses: Mapping[str, str] = NOTHING
    inplace: bool = False
    changes: bool = False
    method: bool = False


declared: dict[str, Declared] = {}  # by the name of the public function
bodies = Namespace()
"""Public functions that are written in other operators: `(F, *arguments)`."""


def operands_of(signature: Function) -> tuple[str, ...]:
    """The names of the arguments that the operator itself takes."""
    code = getattr(signature, "__func__", signature).__code__
    return tuple([name for name in code.co_varnames[: code.co_argcount] if name != "inplace"])


def written_operator(op: Operator, body: type) -> Function:
    """The public function of an operator whose declaration has a signature."""
    said = vars(body)
    signature = said["signature"].__func__
    function = _find(op.name, Declared(op.module, op.doc, signature, 0, said.get("refuses", NOTHING),
                                       changes=said.get("changes", False)))  # fmt: skip
    op.public = function
    function.operator = op  # type: ignore[attr-defined]
    return function


def function(
    *, refuses: Mapping[str, str] = NOTHING, inplace: bool = False, changes: bool = False, method: bool = False
) -> Callable[[Function], Function]:
    """Declare a public function by one that is written in other operators: `(F, *arguments)`, annotated with kinds.

    Arguments:
        refuses, inplace, changes, method: as in `Declared`.
    """

    def declare(body: Function) -> Function:
        setattr(bodies, body.__name__, body)
        return _find(body.__name__, Declared(body.__module__, body.__doc__ or "", body, 1, refuses,
                                             inplace or changes, changes, method))  # fmt: skip

    return declare


def _find(name: str, what: Declared) -> Function:
    declared[name] = what
    module = import_module(f"{FOLDER}.{what.module.rpartition('.')[2]}")
    found: Function = getattr(module, name)
    found.__module__ = what.module
    return found
