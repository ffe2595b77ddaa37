"""facula.fx: graphs of operators, which are not supported yet."""

from __future__ import annotations

from typing import TypeVar

from ._lookup.names import publish
from ._lookup.refusals import Kind, Refusal, Refusals

__all__ = [
    "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "has_side_effect", "map_arg",
    "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip

T = TypeVar("T")

_missing = Refusals(
    "fx", "change the module itself, or use forward hooks; facula.jit.capture(model).graph() shows the operators"
)
Graph: Kind = _missing.kind("Graph")
GraphModule: Kind = _missing.kind("GraphModule")
Interpreter: Kind = _missing.kind("Interpreter")
Node: Kind = _missing.kind("Node")
Proxy: Kind = _missing.kind("Proxy")
Tracer: Kind = _missing.kind("Tracer")
Transformer: Kind = _missing.kind("Transformer")
map_arg: Refusal = _missing.function("map_arg")
replace_pattern: Refusal = _missing.function("replace_pattern")
symbolic_trace: Refusal = _missing.function("symbolic_trace")


def wrap(fn_or_name: T) -> T:
    """Mark a function that traces do not enter; return it unchanged.

    >>> wrap("len")
    'len'
    """
    return fn_or_name


def has_side_effect(fn: T) -> T:
    """Mark a function that graphs keep; return it unchanged."""
    return fn


publish(__name__)
