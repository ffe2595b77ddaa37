"""Arguments of generated functions: their kinds and defaults, read from declarations."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, NamedTuple

from facula_tensor._dispatch.kinds import KINDS, ArgumentKind, choice

if TYPE_CHECKING:
    from facula_tensor._dispatch.written import Declared


class Argument(NamedTuple):
    """An argument of a public function."""

    name: str
    kind: ArgumentKind
    default: object = inspect.Parameter.empty
    by_name: bool = False
    stands_for_all: bool = False

    def __str__(self) -> str:
        default = "" if self.default is inspect.Parameter.empty else f" = {quoted(self.default)}"
        return f"{'*' * self.stands_for_all}{self.name}: {self.kind.annotation}{default}"

    @property
    def passed(self) -> str:
        """The expression that passes the argument on."""
        return f"{self.name}={self.name}" if self.by_name else f"{'*' * self.stands_for_all}{self.name}"


def quoted(value: object) -> str:
    """Return the Python literal of a value, with double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def passed_on(arguments: list[Argument]) -> list[Argument]:
    """Return the arguments passed to the operator, without aliases; those after an alias are passed by name."""
    first = next((place for place, argument in enumerate(arguments) if argument.kind.alias_of), len(arguments))
    return [argument._replace(by_name=argument.by_name or place > first)
            for place, argument in enumerate(arguments) if not argument.kind.alias_of]  # fmt: skip


def listed(arguments: list[Argument]) -> list[str]:
    """Return the parameters of a function's signature, with a star before keyword-only ones."""
    first = next((place for place, argument in enumerate(arguments) if argument.by_name), len(arguments))
    needs_star = first < len(arguments) and not any([argument.stands_for_all for argument in arguments])
    return [*map(str, arguments[:first]), *["*"] * needs_star, *map(str, arguments[first:])]


def arguments_of(what: Declared) -> list[Argument]:
    """Return the public arguments without `inplace`, `out` and creation options."""
    parameters = [*inspect.signature(what.signature).parameters.values()]
    apart = {
        "F",
        "operation",
        *([] if what.is_body else ["inplace"]),
        *what.without,
        *(OF_MAKERS if what.maker else ()),
    }
    return [
        Argument(parameter.name, kind_of(str(parameter.annotation)), parameter.default,
                 parameter.kind is parameter.KEYWORD_ONLY, parameter.kind is parameter.VAR_POSITIONAL)
        for parameter in parameters if parameter.name not in apart
    ]  # fmt: skip


OF_MAKERS = {
    "out": ("Tensor | None", None), "dtype": ("DTypeLike | None", None), "layout": ("object", None),
    "device": ("DeviceLike | None", None), "requires_grad": ("bool", False), "pin_memory": ("bool", False),
    "memory_format": ("MemoryFormat | None", None),
}  # fmt: skip


def options_of(what: Declared) -> list[Argument]:
    """Return the options of a function that creates tensors, in the order of PyTorch."""
    left_out = {"" if what.out else "out", "" if what.memory_format else "memory_format"}
    return [Argument(name, ArgumentKind(annotation), default, by_name=True)
            for name, (annotation, default) in OF_MAKERS.items() if what.maker and name not in left_out]  # fmt: skip


def kind_of(annotation: str) -> ArgumentKind:
    """Return the kind for an annotation: a named kind, or a choice for `Literal`; the body checks all others."""
    if annotation in KINDS:
        return KINDS[annotation]
    if not annotation.startswith("Literal["):
        return ArgumentKind(annotation)
    return choice(*ast.literal_eval(f"({annotation[len('Literal[') : -1]},)"))
