"""Parser of PyTorch operator schemas, such as `"scale(Tensor x, float by=2.0, *, Tensor(a!)? out=None) -> Tensor"`."""

from __future__ import annotations

import re
from ast import literal_eval
from inspect import Parameter, Signature
from typing import Any

from facula_errors import ArgumentError

TYPES = "Tensor int SymInt float bool str Scalar ScalarType Device Layout MemoryFormat Generator complex number".split()
ARGUMENT = re.compile(
    r"(?P<type>\w+)(\((?P<alias>[^)]*)\))?(?P<suffix>(\[\d*\]|\?)*)\s+(?P<name>\w+)(\s*=\s*(?P<default>.+))?"
)
WHOLE = re.compile(r"\s*(?P<name>[\w.]*)\s*\((?P<arguments>.*)\)\s*->\s*(?P<results>.+?)\s*", re.DOTALL)
SEPARATOR = re.compile(r",(?![^(\[]*[)\]])")  # a comma outside brackets


def parsed_schema(operation: str, schema: object) -> tuple[str, Signature, tuple[str, ...]]:
    """Return the name, the signature, and the names of the arguments that are modified in place.

    Arguments:
        operation: the prefix of error messages.
        schema: the text; the name is optional.
    """
    found = WHOLE.fullmatch(schema) if isinstance(schema, str) else None
    if found is None:
        raise ArgumentError(f"{operation}: expected a schema such as 'square(Tensor x) -> Tensor'; got {schema!r}")
    parameters, changed = [], []
    kind: Any = Parameter.POSITIONAL_OR_KEYWORD
    for text in SEPARATOR.split(found["arguments"]) if found["arguments"].strip() else ():
        if text.strip() == "*":
            kind = Parameter.KEYWORD_ONLY
            continue
        match = ARGUMENT.fullmatch(text.strip())
        if match is None or match["type"] not in TYPES:
            raise ArgumentError(
                f"{operation}: expected arguments such as 'Tensor x' or 'int[2] size=0', of the types "
                f"{', '.join(TYPES)}; got {text.strip()!r}"
            )
        if "!" in (match["alias"] or ""):
            changed.append(match["name"])
        default = Parameter.empty if match["default"] is None else _value(operation, match["default"])
        parameters.append(Parameter(match["name"], kind, default=default))
    try:
        return found["name"], Signature(parameters), tuple(changed)
    except ValueError as error:  # a required argument after an optional one, or a repeated name
        raise ArgumentError(f"{operation}: {error}; got {schema!r}") from None


def _value(operation: str, text: str) -> Any:
    """Parse the default of an argument."""
    try:
        return literal_eval(text.strip())
    except (ValueError, SyntaxError):
        raise ArgumentError(
            f"{operation}: expected a default that is a number, a string, a bool, None or a list of these; got {text!r}"
        ) from None
