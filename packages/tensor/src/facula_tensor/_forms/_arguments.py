"""Arguments of written functions: their kinds and defaults, read from declarations."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, NamedTuple

from facula_tensor._dispatch.kinds import KINDS, Kind

if TYPE_CHECKING:
    from facula_tensor._dispatch.written import Declared


class Argument(NamedTuple):
    """An argument of a public function."""

    name: str
    kind: Kind
    default: object

    def __str__(self) -> str:
        default = "" if self.default is inspect.Parameter.empty else f" = {quoted(self.default)}"
        return f"{self.name}: {self.kind.annotation}{default}"


def quoted(value: object) -> str:
    """Python's text of a value, with double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def arguments_of(what: Declared) -> list[Argument]:
    """The arguments that users give."""
    parameters = [*inspect.signature(what.signature).parameters.values()][what.first :]
    arguments = [Argument(one.name, kind_of(str(one.annotation)), one.default) for one in parameters]
    return [*arguments, Argument("inplace", KINDS["Flag"], False)] if what.inplace else arguments


def kind_of(annotation: str) -> Kind:
    """The kind of this name; or one of some values, `Literal["a", "b"]`."""
    if not annotation.startswith("Literal["):
        return KINDS[annotation]
    choices = ast.literal_eval(f"({annotation[len('Literal[') : -1]},)")
    said = f"{', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
    refuse = f'refuse_choice("{{operation}}", "{{name}}", {{name}}, "{said}")'
    usual = f"{{name}} not in ({', '.join(map(quoted, choices))})"
    return Kind("str", refuse, usual, ((".._dispatch.arguments", "refuse_choice"),))
